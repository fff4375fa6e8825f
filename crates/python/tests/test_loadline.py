"""Loadline from Python: the same results as the command, plain values, clear errors."""

import json
import os
import subprocess
import threading
from pathlib import Path

import pytest

import loadline
from loadline.errors import by_code

COMMAND = os.environ.get("LOADLINE")


def messages(rounds: int = 30):
    said = [{"role": "user", "content": "Rename the totals. Never touch tests."}]
    for number in range(rounds):
        said.append({"role": "assistant", "content": [
            {"type": "text", "text": f"Step {number}"},
            {"type": "tool_use", "id": f"c{number}", "name": "Bash",
             "input": {"command": f"cargo test part_{number}"}}]})
        said.append({"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": f"c{number}",
             "content": f"test part_{number} ... ok\n" * 60}]})
    return said


def test_count_takes_texts_bytes_paths_and_models(tmp_path):
    assert loadline.count("hello world") == 2
    assert loadline.count(b"hello world", "cl100k") == 2
    file = tmp_path / "a.txt"
    file.write_text("hello world")
    assert loadline.count(file) == 2
    assert loadline.count("hello world", "claude-opus-4-8") >= 2
    assert loadline.count("half a pair: \ud83d") > 0
    assert loadline.Counter("o200k").count_batch(["hello world", "", "a"]) == [2, 0, 1]


def test_errors_have_a_class_per_code():
    with pytest.raises(loadline.LoadlineError) as raised:
        loadline.Counter("no-such-counter")
    assert raised.value.code.startswith("LL-")
    assert type(raised.value) is by_code(raised.value.code)
    with pytest.raises(by_code("LL-CTX-003")):
        loadline.trim(messages(), 10)
    with pytest.raises(TypeError):
        loadline.count(3.5)


def test_chunks_outlines_and_secrets():
    text = "def first():\n    return 1\n\n\ndef second():\n    return 2\n" * 20
    chunks = loadline.chunk(text, "a.py", max_tokens=100)
    assert "".join(chunk["text"] for chunk in chunks) == text
    names = [it["name"] for it in loadline.outline(text, "python")["definitions"]]
    assert names[:2] == ["first", "second"]
    assert "AKIA" not in loadline.redact("key = AKIAQWERTYUIOPASDFGH")


def test_fit_says_what_is_in_and_why_not():
    items = [{"id": "a", "score": 9, "tokens": {"full": 900, "names": 40}},
             {"id": "b", "score": 5, "tokens": {"full": 300, "names": 30}},
             {"id": "c", "score": 1, "tokens": {"full": 5_000}}]
    chosen = loadline.fit(items, 1_000)
    assert chosen["tokens"] <= 1_000
    shown = {it["id"]: it["rendition"] for it in chosen["items"]}
    assert shown["a"] == "full" and shown["c"] is None
    assert chosen["items"][2]["because"] == "over budget"


def test_a_repository_is_packed_searched_and_mapped(tmp_path):
    (tmp_path / "limits.py").write_text("def reset_limits(user):\n    user.count = 0\n")
    (tmp_path / "other.py").write_text("def unrelated():\n    pass\n")
    packed = loadline.pack(tmp_path, "limits are not reset", budget=500, now=0)
    assert packed["tokens"] <= 500 and "reset_limits" in packed["content"]
    assert loadline.count(packed["content"]) == packed["tokens"]
    assert loadline.search(tmp_path, "reset limits", now=0)[0]["path"] == "limits.py"
    assert "reset_limits" in loadline.map(tmp_path, budget=500, now=0)["content"]
    assert loadline.pack(str(tmp_path), now=0) == loadline.pack(tmp_path, now=0)


def test_a_session_is_read_measured_trimmed_and_converted():
    session = messages()
    assert len(loadline.read_session(session)["turns"]) == len(session)
    measured = loadline.stats(session, counter="o200k")
    trimmed = loadline.trim(session, 3_000, counter="o200k")
    assert trimmed.before == measured["tokens"] and trimmed.after <= 3_000
    kept = json.loads(trimmed.content)
    assert kept[0]["role"] == "user" and "Never touch tests." in json.dumps(kept)
    assert loadline.compress(session).after <= trimmed.before
    codex = loadline.convert(session, "codex")
    assert loadline.read_session(codex)["format"] == "codex"
    assert "codex" in loadline.formats()


def test_messages_stay_what_they_are():
    session = messages()
    assert loadline.trim_messages(session, 1_000_000) == session
    short = loadline.trim_messages(session, 3_000, model="claude-sonnet-4-5")
    assert len(short) < len(session) and short[0]["role"] == "user"
    assert loadline.trim_messages([], 10) == []


def test_messages_of_langchain():
    core = pytest.importorskip("langchain_core.messages")
    session = core.convert_to_messages(json.loads(loadline.convert(messages(), "openai-chat")))
    short = loadline.trim_messages(session, 3_000)
    assert isinstance(short[0], core.HumanMessage)
    assert len(short) < len(session)
    assert loadline.trim_messages(session, 1_000_000) == session


def test_other_threads_run_while_the_library_works():
    ticks = []
    stop = threading.Event()

    def tick():
        while not stop.is_set():
            ticks.append(1)
            stop.wait(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    loadline.count("the quick brown fox " * 2_000_000)
    stop.set()
    thread.join()
    assert len(ticks) > 5


def test_the_bill_of_a_log(tmp_path):
    row = {"type": "assistant", "timestamp": "2026-01-30T10:00:00Z", "sessionId": "s",
           "message": {"id": "m", "model": "claude-sonnet-4-5",
                       "usage": {"input_tokens": 1_000_000, "output_tokens": 0}}}
    (tmp_path / "s.jsonl").write_text(json.dumps(row) + "\n")
    assert loadline.bill(tmp_path)["total"]["cost"] == pytest.approx(3.0)


@pytest.mark.skipif(not COMMAND, reason="LOADLINE names no command")
def test_f311_results_are_those_of_the_command(tmp_path, monkeypatch):
    file = tmp_path / "session.json"
    file.write_text(json.dumps(messages()))
    environment = {**os.environ, "LOADLINE_CACHE_DIR": str(tmp_path / "c"),
                   "LOADLINE_DATA_DIR": str(tmp_path / "d"), "HOME": str(tmp_path)}

    def run(*arguments: str) -> bytes:
        return subprocess.run([COMMAND, *arguments], env=environment, check=True, cwd=tmp_path,
                              capture_output=True).stdout

    source = Path(__file__).read_bytes()
    counted = json.loads(run("count", __file__, "--counter", "o200k", "--json"))
    assert loadline.count(source) == counted["total"]["tokens"]["o200k"]
    trimmed = run("session", "trim", str(file), "--budget", "3000", "--counter", "o200k")
    monkeypatch.chdir(tmp_path)
    ours = loadline.trim(file, 3_000, counter="o200k", archive=tmp_path / "d/archive")
    assert ours.content == trimmed
    assert loadline.recall(ours.handle, tmp_path / "d/archive") == file.read_bytes()


def test_notes_are_read_and_briefed(tmp_path):
    said = "# Tasks\n\n- [x] login page\n- [ ] rate limits of logout\n"
    (tmp_path / "tasks.md").write_text(said)
    units = loadline.read_notes({"tasks.md": said})
    assert any("rate limits of logout" in it["text"] for it in units)
    brief = loadline.notes(tmp_path, "logout", tokens=400, now=1_000_000_000.0)
    assert brief["tokens"] <= 400
