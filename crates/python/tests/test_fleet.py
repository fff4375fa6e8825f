"""The example: a folder of logs becomes training-ready JSONL."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import loadline
from test_loadline import messages

pytest.importorskip("pyarrow")

FLEET = Path(__file__).resolve().parents[3] / "examples/fleet/fleet.py"


def test_a_folder_of_logs_becomes_training_data(tmp_path):
    logs, out = tmp_path / "logs", tmp_path / "out"
    logs.mkdir()
    session = messages(60)
    session[0]["content"] += " The key is AKIAQWERTYUIOPASDFGH."
    (logs / "a.json").write_text(json.dumps(session))
    (logs / "b.json").write_text(json.dumps(session) + "\n")
    (logs / "c.jsonl").write_bytes(loadline.convert(messages(3), "codex"))
    (logs / "d.json").write_text("not a session, and not like the others")
    ran = subprocess.run([sys.executable, FLEET, logs, out, "--budget", "4000"], check=True,
                         capture_output=True, text=True)
    assert ran.stdout == "4 logs, 1 near duplicates, 1 unreadable, 2 written\n"
    rows = [json.loads(line) for line in (out / "train.jsonl").read_text().splitlines()]
    assert [row["source"] for row in rows] == ["a.json", "c.jsonl"]
    assert "AKIA" not in (out / "train.jsonl").read_text()
