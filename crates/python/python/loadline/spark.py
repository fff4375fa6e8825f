"""The same functions for data frames of Spark, by mapInArrow.

Executors need the wheel and pyarrow, nothing else. Each task works on one core, as Spark
expects; rows that cannot be read have nulls and a reason.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Iterator, List, Optional, Tuple

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["pack_repositories", "session_stats", "trim_sessions", "with_counts"]


def with_counts(frame: "DataFrame", column: str, counter: str = "o200k", *,
                name: str = "tokens") -> "DataFrame":
    """Add a column with the tokens of a column of texts."""
    def count(texts: Any) -> List[Any]:
        from loadline import arrow

        return [arrow.count(texts, counter, alone=True).cast("int64")]

    return _added(frame, column, [(name, "bigint")], count)


def session_stats(frame: "DataFrame", column: str = "session", *,
                  counter: Optional[str] = None) -> "DataFrame":
    """Add what every session holds: format, id, model, turns, tokens and, where it cannot be
    read, the reason."""
    added = [("format", "string"), ("session_id", "string"), ("model", "string"),
             ("turns", "bigint"), ("user_turns", "bigint"), ("tokens", "bigint"),
             ("reason", "string")]

    def measure(sessions: Any) -> List[Any]:
        from loadline import arrow

        return _cast(arrow.stats(sessions, counter=counter, alone=True))

    return _added(frame, column, added, measure)


def trim_sessions(frame: "DataFrame", budget: int, column: str = "session", *,
                  counter: Optional[str] = None) -> "DataFrame":
    """Add every session under a budget, its tokens before and after, and, where it cannot be
    trimmed, the reason."""
    added = [("trimmed", "binary"), ("before", "bigint"), ("after", "bigint"),
             ("reason", "string")]

    def trim(sessions: Any) -> List[Any]:
        from loadline import arrow

        return _cast(arrow.trim(sessions, budget, counter=counter, alone=True))

    return _added(frame, column, added, trim)


def pack_repositories(frame: "DataFrame", budget: int, column: str = "path", *,
                      task: Optional[str] = None, counter: str = "o200k") -> "DataFrame":
    """Add a pack of every repository: a directory, or a tar or zip archive, that executors can
    read. Has the pack, its tokens and, where there is none, the reason."""
    added = [("pack", "string"), ("pack_tokens", "bigint"), ("reason", "string")]

    def pack(paths: Any) -> List[Any]:
        import pyarrow

        rows = [_packed(path.as_py(), budget, task, counter) for path in paths]
        kinds = [pyarrow.string(), pyarrow.int64(), pyarrow.string()]
        return [pyarrow.array(list(column), kind)
                for column, kind in zip(zip(*rows) if rows else [[], [], []], kinds)]

    return _added(frame, column, added, pack)


def _packed(path: Optional[str], budget: int, task: Optional[str],
            counter: str) -> Tuple[Optional[str], Optional[int], Optional[str]]:
    import os
    import shutil
    import tempfile

    import loadline

    if path is None:
        return None, None, None
    try:
        with tempfile.TemporaryDirectory() as place:
            if not os.path.isdir(path):
                # Members that lead out of the directory are refused.
                kept = {} if path.endswith(".zip") else {"filter": "data"}
                shutil.unpack_archive(path, place, **kept)  # type: ignore[arg-type]
                path = place
            packed = loadline.pack(path, task, budget=budget, counter=counter, now=0)
            return packed["content"], packed["tokens"], None
    except (OSError, ValueError, loadline.LoadlineError) as error:
        return None, None, f"{type(error).__name__}: {error}"


def _cast(table: Any) -> List[Any]:
    """Columns in the types that Spark has."""
    types = {"uint64": "int64", "uint32": "int64", "large_binary": "binary"}
    columns = (column.combine_chunks() for column in table.columns)
    return [column.cast(types.get(str(column.type), column.type)) for column in columns]


def _added(frame: "DataFrame", column: str, added: List[Tuple[str, str]],
           work: Callable[[Any], List[Any]]) -> "DataFrame":
    from pyspark.sql.types import StructField, StructType, _parse_datatype_string  # type: ignore

    taken = {field.name for field in frame.schema.fields}
    clash = [name for name, _ in added if name in taken]
    if clash:
        raise ValueError(f"the data frame has a column {clash[0]!r} already: rename it first")
    fields = [StructField(name, _parse_datatype_string(kind)) for name, kind in added]
    schema = StructType([*frame.schema.fields, *fields])

    def run(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow

        for batch in batches:
            columns = [*batch.columns, *work(batch.column(column))]
            yield pyarrow.RecordBatch.from_arrays(columns, names=schema.names)

    return frame.mapInArrow(run, schema)
