"""From a folder of agent logs to training-ready JSONL, on a laptop or on a cluster.

    python fleet.py LOGS OUT [--budget 32000] [--spark MASTER]

Reads the logs of several agents, measures every session, drops secrets and near duplicates,
trims what is left to the budget and writes OUT/sessions.parquet (one row per session with its
statistics), OUT/turns.parquet (normalised turns) and OUT/train.jsonl (messages). With --spark
the work on rows is done by executors; the result is the same.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any, Dict, List

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

import loadline
from loadline import arrow


def read(logs: Path) -> pa.Table:
    """One row per log: its path and its text, without secrets."""
    paths = sorted(it for it in logs.rglob("*") if it.suffix in (".json", ".jsonl"))
    texts = [it.read_bytes().decode("utf-8", "replace") for it in paths]
    names = [str(it.relative_to(logs)) for it in paths]
    return pa.table({"path": names, "log": arrow.redact(pa.array(texts, pa.large_string()))})


def on_this_machine(table: pa.Table, budget: int) -> pa.Table:
    stats = arrow.stats(table.column("log"))
    trimmed = arrow.trim(table.column("log"), budget)
    for name in ("format", "model", "turns", "tokens"):
        table = table.append_column(name, stats.column(name))
    for name in ("content", "after", "reason"):
        table = table.append_column(name, trimmed.column(name))
    return table


def on_a_cluster(table: pa.Table, budget: int, master: str) -> pa.Table:
    from pyspark.sql import SparkSession

    from loadline.spark import session_stats, trim_sessions

    spark = SparkSession.builder.master(master).appName("fleet").getOrCreate()
    frame = spark.createDataFrame(table.to_pylist(), "path string, log string")
    frame = session_stats(frame, "log").drop("session_id", "user_turns", "reason")
    rows = trim_sessions(frame, budget, "log").drop("before").collect()
    spark.stop()
    done = sorted((row.asDict() for row in rows), key=lambda row: row["path"])
    columns: Dict[str, List[Any]] = {name: [row[name] for row in done] for name in done[0]}
    columns["content"] = [None if it is None else bytes(it) for it in columns.pop("trimmed")]
    return pa.table(columns)


def turns(table: pa.Table) -> pa.Table:
    """The turns of all sessions in one form, whatever agent wrote them."""
    rows: List[Dict[str, Any]] = []
    for path, content in zip(table.column("path").to_pylist(), table.column("content").to_pylist()):
        for number, turn in enumerate(loadline.read_session(content)["turns"], 1):
            text = "\n".join(block.get("text", "") for block in turn["blocks"])
            rows.append({"path": path, "turn": number, "role": turn["role"], "text": text})
    return pa.Table.from_pylist(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("logs", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--budget", type=int, default=32_000)
    parser.add_argument("--spark", metavar="MASTER")
    given = parser.parse_args()
    table = read(given.logs)
    found = table.num_rows
    repeated = arrow.near_duplicates(table.column("log"))
    table = table.filter(pc.is_null(repeated))
    if given.spark:
        table = on_a_cluster(table, given.budget, given.spark)
    else:
        table = on_this_machine(table, given.budget)
    given.out.mkdir(parents=True, exist_ok=True)
    kept = [name for name in table.column_names if name not in ("log", "content")]
    pq.write_table(table.select(kept), given.out / "sessions.parquet")
    good = table.filter(pc.is_valid(table.column("content")))
    pq.write_table(turns(good), given.out / "turns.parquet")
    with open(given.out / "train.jsonl", "w") as file:
        for row in good.select(["path", "content"]).to_pylist():
            messages = json.loads(loadline.convert(row["content"], "openai-chat"))
            file.write(json.dumps({"source": row["path"], "messages": messages}) + "\n")
    print(f"{found} logs, {found - table.num_rows} near duplicates, "
          f"{table.num_rows - good.num_rows} unreadable, {good.num_rows} written")


if __name__ == "__main__":
    main()
