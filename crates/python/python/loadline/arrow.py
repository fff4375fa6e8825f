"""The same functions for columns of Arrow, a batch at a time.

Columns come in through the C data interface, without a copy: pyarrow, polars, Daft, DuckDB
and others have it. Results are columns of pyarrow. All cores work unless `alone`, which is for
engines that own the cores, such as Spark and Ray. A row that cannot be read gives nulls and a
reason.
"""

from __future__ import annotations

from typing import Any, List, Optional, Tuple

from . import _loadline

__all__ = ["chunk", "count", "near_duplicates", "redact", "stats", "trim"]


def _single(array: Any) -> Any:
    """Columns of several chunks become one."""
    combine = getattr(array, "combine_chunks", None)
    return array if combine is None else combine()


def _table(columns: List[Tuple[str, Any]]) -> Any:
    import pyarrow

    return pyarrow.table(dict(columns))


def count(array: Any, counter: str = "o200k", *, alone: bool = False) -> Any:
    """The tokens of every text."""
    return _loadline.arrow_count(_single(array), counter, alone)[0][1]


def redact(array: Any, *, alone: bool = False) -> Any:
    """Every text without its secrets."""
    return _loadline.arrow_redact(_single(array), alone)[0][1]


def near_duplicates(array: Any, *, least: float = 0.85, alone: bool = False) -> Any:
    """For every text the number of the first row that it nearly repeats, or null.

    `least` is the part of their runs of five words that both have, as MinHash estimates it.
    """
    return _loadline.arrow_near_duplicates(_single(array), least, alone)[0][1]


def stats(array: Any, *, counter: Optional[str] = None, alone: bool = False) -> Any:
    """A table of what every session holds: format, session, model, turns, user_turns, tokens,
    reason. Tokens are counted for the session's model unless a counter is named."""
    return _table(_loadline.arrow_stats(_single(array), counter, alone))


def trim(array: Any, budget: int, *, counter: Optional[str] = None, alone: bool = False) -> Any:
    """A table of every session under a budget: content, before, after, reason."""
    return _table(_loadline.arrow_trim(_single(array), budget, counter, alone))


def chunk(table: Any, *, text: str = "text", path: str = "path", max_tokens: int = 800,
          counter: str = "o200k", alone: bool = False) -> Any:
    """A table of the chunks of every text: row, first, last, tokens, kind, text."""
    texts, paths = _single(table.column(text)), _single(table.column(path))
    return _table(_loadline.arrow_chunk(texts, paths, max_tokens, counter, alone))
