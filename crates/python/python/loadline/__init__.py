"""Decides what goes into a model's context window, counts it, and keeps it under the line.

Texts may be given as str, bytes or pathlib.Path (a file); sessions also as lists or dicts
in the shape of the API. The library works without holding Python's lock.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, Iterable, List, Optional, Sequence, Tuple, Union

from . import _loadline
from ._loadline import Counter, __version__, redact
from .errors import LoadlineError

__all__ = [
    "Counter", "LoadlineError", "Trimmed", "bill", "chunk", "compress", "convert", "count",
    "fit", "formats", "map", "notes", "outline", "pack", "read_notes", "read_session", "recall",
    "redact", "search", "stats", "trim", "trim_messages", "__version__",
]

Text = Union[str, bytes, "os.PathLike[str]"]
Session = Union[Text, List[Any], Dict[str, Any]]

_counters: Dict[str, Counter] = {}


def _counter(name: str) -> Counter:
    if name not in _counters:
        _counters[name] = Counter(name)
    return _counters[name]


def count(text: Text, counter: str = "o200k") -> int:
    """Count the tokens of a text; `counter` is a counter's name or a model's."""
    return _counter(counter).count(text)


def chunk(text: Text, path: Optional[str] = None, *, max_tokens: Optional[int] = None,
          counter: Optional[str] = None) -> List[Dict[str, Any]]:
    """Cut a text along its definitions or headings; `path` tells its language."""
    if path is None and isinstance(text, os.PathLike):
        path = os.fspath(text)
    return _loadline.chunk(text, path, max_tokens=max_tokens, counter=counter)


def outline(text: Text, language: Optional[str] = None) -> Dict[str, Any]:
    """What a text defines and imports; `language` is a language's name or a file's."""
    if language is None:
        if not isinstance(text, os.PathLike):
            raise TypeError("name the language, such as 'python', or give a pathlib.Path")
        language = os.fspath(text)
    return _loadline.outline(text, language)


def fit(items: Iterable[Dict[str, Any]], budget: int) -> Dict[str, Any]:
    """Put items under a budget.

    An item is {"id": str, "score": float, "tokens": {rendition: tokens, ...}} with its
    renditions from most to least detail. Says which rendition of each is in, and why not
    a better one.
    """
    given = [{**item, "tokens": list(item["tokens"].items())} for item in items]
    return _loadline.fit(given, budget)


def _choices(budget: Optional[int], counter: Optional[str], include: Sequence[str],
             exclude: Sequence[str], cache: Optional[Text], now: Optional[float]) -> Dict[str, Any]:
    return {"budget": budget, "counter": counter, "include": list(include),
            "exclude": list(exclude), "cache": cache, "now": now}


def pack(root: Text, task: Optional[str] = None, *, budget: Optional[int] = None,
         format: str = "markdown", counter: Optional[str] = None, include: Sequence[str] = (),
         exclude: Sequence[str] = (), cache: Optional[Text] = None,
         now: Optional[float] = None) -> Dict[str, Any]:
    """Pack a repository into a budget: an overview, or what a task needs.

    Has content, tokens, files, omitted and remarks. `cache` is a directory that makes
    further packs of the same repository faster.
    """
    choices = _choices(budget, counter, include, exclude, cache, now)
    return _loadline.pack(root, task, format, choices)


def search(root: Text, text: str, *, limit: int = 10, budget: Optional[int] = None,
           counter: Optional[str] = None, include: Sequence[str] = (),
           exclude: Sequence[str] = (), cache: Optional[Text] = None,
           now: Optional[float] = None) -> List[Dict[str, Any]]:
    """The passages of a repository that are most relevant to a text, best first."""
    choices = _choices(budget, counter, include, exclude, cache, now)
    return _loadline.search(root, text, limit, choices)


def map(root: Text, *, budget: Optional[int] = None, counter: Optional[str] = None,
        include: Sequence[str] = (), exclude: Sequence[str] = (),
        cache: Optional[Text] = None, now: Optional[float] = None) -> Dict[str, Any]:
    """What a repository defines, the most used first."""
    return _loadline.map(root, _choices(budget, counter, include, exclude, cache, now))


def formats() -> List[str]:
    """The formats of sessions."""
    return _loadline.formats()


def read_session(session: Session, *, from_format: Optional[str] = None) -> Dict[str, Any]:
    """A session of any agent in one neutral form: turns of blocks."""
    return _loadline.read_session(session, from_format)


def stats(session: Session, *, counter: Optional[str] = None,
          from_format: Optional[str] = None) -> Dict[str, Any]:
    """What fills a session: by role, kind, tool and file, and the largest blocks."""
    return _loadline.stats(session, counter, from_format)


@dataclass(frozen=True)
class Trimmed:
    """A session after a trim, in its own format."""

    content: bytes
    before: int
    after: int
    handle: Optional[str] = None


def trim(session: Session, budget: int, *, strategy: str = "coverage",
         keep_last: Optional[int] = None, pinned: str = "", counter: Optional[str] = None,
         from_format: Optional[str] = None, to_format: Optional[str] = None,
         archive: Optional[Text] = None) -> Trimmed:
    """Trim a session to a budget, keeping what the next turns are likely to need.

    With a directory as `archive` the original is kept there first, and `recall` brings it
    back by the handle.
    """
    return Trimmed(*_loadline.trim(
        session, budget, strategy=strategy, keep_last=keep_last, pinned=pinned,
        counter=counter, from_format=from_format, to_format=to_format,
        archive=_archive(archive) if archive is not None else None))


def recall(handle: str, archive: Text) -> bytes:
    """The original of a trimmed session, by its handle."""
    return _loadline.recall(handle, _archive(archive))


def _archive(directory: Text) -> Tuple[Any, Path]:
    here = Path.cwd().resolve()
    project = next((it for it in (here, *here.parents) if (it / ".git").exists()), here)
    return directory, project


def compress(session: Session, *, counter: Optional[str] = None,
             from_format: Optional[str] = None) -> Trimmed:
    """Shorten the results of tools in a session, old ones more."""
    return Trimmed(*_loadline.compress(session, counter=counter, from_format=from_format))


def convert(session: Session, to_format: str, *, from_format: Optional[str] = None) -> bytes:
    """Write a session in another format."""
    return _loadline.convert(session, to_format, from_format)


def trim_messages(messages: Sequence[Any], budget: int, *, model: Optional[str] = None,
                  strategy: str = "coverage", keep_last: Optional[int] = None,
                  pinned: str = "") -> List[Any]:
    """Trim a list of messages before it is sent: Anthropic's, OpenAI's or LangChain's.

    The list stays valid: a call keeps its result, and the first message is the user's. A
    list within its budget is returned as it is.
    """
    given = list(messages)
    if not given:
        return given
    if not isinstance(given[0], dict):
        from langchain_core.messages import convert_to_messages, convert_to_openai_messages

        plain: Any = convert_to_openai_messages(given)
        trimmed = trim_messages(plain, budget, model=model, strategy=strategy,
                                keep_last=keep_last, pinned=pinned)
        return given if trimmed == plain else list(convert_to_messages(trimmed))
    done = trim(given, budget, counter=model, strategy=strategy, keep_last=keep_last,
                pinned=pinned)
    return given if done.after == done.before else list(json.loads(done.content))


def bill(*logs: Text) -> Dict[str, Any]:
    """What the logs of agents below these paths used and cost, and what was paid again."""
    return _loadline.bill([Path(os.fsdecode(log)) for log in logs])


def notes(path: Text, task: Optional[str] = None, *, tokens: Optional[int] = None,
          counter: Optional[str] = None, window: int = 200_000,
          now: Optional[float] = None) -> Dict[str, Any]:
    """What a session should start with, of notes in a directory or one file.

    Without `tokens` the text takes a handoff's part of the window. Changes nothing.
    """
    return _loadline.notes_brief(path, task, tokens, counter, window, now)


def read_notes(notes: Dict[str, Text]) -> List[Dict[str, Any]]:
    """What notes say: one unit for each item, sentence or row, with its role.

    `notes` gives the text of each by its name, whose ending tells how it is read.
    """
    def text(it: Text) -> str:
        if isinstance(it, os.PathLike):
            it = Path(it).read_bytes()
        return it.decode("utf-8", "replace") if isinstance(it, bytes) else it

    return _loadline.notes_units([(name, text(it)) for name, it in notes.items()])
