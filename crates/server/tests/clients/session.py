"""Prints the log of a session of Claude Code in the directory that is given."""

import json
import os
import sys

said = [
    ("user", "Make sessions expire in time."),
    ("assistant", "".join(f"line {n} of a long answer\n" for n in range(3000))),
    ("user", "Go on with the clock, please."),
    ("assistant", "The clock is wrong by an hour."),
]
for number, (role, text) in enumerate(said):
    print(json.dumps({
        "type": role, "uuid": f"u{number}", "parentUuid": f"u{number - 1}" if number else None,
        "cwd": os.path.realpath(sys.argv[1]), "sessionId": "s-1", "version": "2.1.0",
        "isSidechain": False, "timestamp": "2026-01-02T03:04:05.000Z",
        "message": {"role": role, "content": text},
    }))
