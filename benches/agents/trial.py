"""One agent, one tool call with a long output, and what its upstream gets to see."""
import json
import os
import re
import subprocess
import sys
import tempfile

from upstream import OUTPUT, REQUESTS, run, serve


def main():
    agent, program, binary = sys.argv[1:4]
    address = serve()
    with tempfile.TemporaryDirectory() as root:
        home, project = os.path.join(root, "home"), os.path.join(root, "project")
        settings = os.path.join(home, {"claude-code": ".claude/settings.json",
                                       "codex": ".codex/hooks.json",
                                       "gemini": ".gemini/settings.json",
                                       "pi": ".pi/agent/extensions/loadline.ts",
                                       "opencode": ".config/opencode/plugin/loadline.js"}[agent])
        os.makedirs(os.path.dirname(settings))
        os.makedirs(project)
        before = '{\n  "hooks": {}\n}\n'
        if agent == "gemini":
            before = '{\n  "security": {"auth": {"selectedType": "gemini-api-key"}}\n}\n'
        if agent in ("pi", "opencode"):
            before = None
        else:
            open(settings, "w").write(before)
        variables = {"HOME": home, "PATH": os.environ["PATH"],
                     "LOADLINE_CACHE_DIR": os.path.join(root, "cache")}

        def ours(*args):
            return subprocess.run([program, *args], env=variables, cwd=project,
                                  capture_output=True, check=True).stdout

        ours("install", agent, "--yes")
        ran = run(agent, binary, address, home, project, variables)
        seen = json.dumps(REQUESTS, ensure_ascii=False)
        handles = re.findall(r"kept [\d,]+ of [\d,]+ lines; recall (\w+)\]", seen)
        assert handles, f"no shortened output among {len(REQUESTS)} requests\n{ran.stdout}\n{ran.stderr}"
        assert "number 140\\" not in seen, "the middle of the output was sent"
        original = ours("recall", handles[0]).decode()
        assert original.strip() in OUTPUT or OUTPUT.strip() in original, "another text came back"
        ours("uninstall", agent, "--yes")
        after = open(settings).read() if os.path.exists(settings) else None
        assert after == before, "the settings are not as they were"
        ledger = json.loads(ours("ledger", "--json"))
        saved = ledger["saved"]
        print(f"ok {agent}: {len(REQUESTS)} requests, {saved} tokens not sent, "
              f"recall {handles[0]} gives the original, settings as before")


main()
