"""What is asked of every tool, and what the answer must hold."""

TOOLS = ["pack", "search", "outline", "read", "recall", "status"]


def calls(handle):
    return [
        ("pack", {"task": "sessions expire too late"}, "def sessions_expire"),
        ("search", {"query": "when do sessions expire"}, "src/clock.py"),
        ("outline", {"path": "src/clock.py"}, "class Session"),
        ("outline", {}, "src/clock.py"),
        ("read", {"path": "src/clock.py", "lines": "4-5"}, "class Session"),
        ("recall", {"handle": f"{handle}:2", "lines": "2-3"}, "line 0 of a long answer"),
        ("status", {}, "% of context"),
    ]
