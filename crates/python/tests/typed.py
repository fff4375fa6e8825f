# pyright: strict
"""What a type checker sees of the public face."""

from typing import Any, Dict, List

import loadline

tokens: int = loadline.count("text", "claude-opus-4-8")
counts: List[int] = loadline.Counter().count_batch(["a", "b"])
packed: Dict[str, Any] = loadline.pack(".", "a task", budget=1_000)
trimmed: loadline.Trimmed = loadline.trim([{"role": "user", "content": "a"}], 100)
content: bytes = trimmed.content
messages: List[Any] = loadline.trim_messages([{"role": "user", "content": "a"}], 100)
brief: Dict[str, Any] = loadline.notes("memory-bank", "a task", tokens=500)
units: List[Dict[str, Any]] = loadline.read_notes({"tasks.md": "- [ ] a"})
