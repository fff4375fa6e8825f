"""Spark with two executors: row by row what the functions for one text say."""

import json
import shutil

import pytest

import loadline
from test_loadline import messages

pytest.importorskip("pyarrow")
pytest.importorskip("pyspark")
if not shutil.which("java"):
    pytest.skip("there is no java", allow_module_level=True)

from loadline.spark import (  # noqa: E402
    pack_repositories, session_stats, trim_sessions, with_counts)

SESSIONS = [json.dumps(messages(number % 7 + 1)) for number in range(40)] + ["not a session", None]


@pytest.fixture(scope="module")
def spark():
    from pyspark.sql import SparkSession

    session = (SparkSession.builder.master("local-cluster[2,1,1024]").appName("loadline")
               .config("spark.ui.enabled", "false")
               .config("spark.driver.bindAddress", "127.0.0.1")
               .config("spark.driver.host", "127.0.0.1")
               .getOrCreate())
    yield session
    session.stop()


def frame(spark):
    rows = [(number, text) for number, text in enumerate(SESSIONS)]
    return spark.createDataFrame(rows, "number int, session string").repartition(4)


def by_number(frame):
    return {row["number"]: row for row in frame.collect()}


def test_counts(spark):
    rows = by_number(with_counts(frame(spark), "session"))
    for number, text in enumerate(SESSIONS):
        expected = None if text is None else loadline.count(text)
        assert rows[number]["tokens"] == expected


def test_sessions_are_measured_and_trimmed(spark):
    measured = by_number(session_stats(frame(spark), counter="o200k"))
    trimmed = by_number(trim_sessions(frame(spark), 1_000, counter="o200k"))
    for number in range(40):
        stats = loadline.stats(SESSIONS[number], counter="o200k")
        assert measured[number]["tokens"] == stats["tokens"]
        one = loadline.trim(SESSIONS[number], 1_000, counter="o200k")
        assert bytes(trimmed[number]["trimmed"]) == one.content
    assert trimmed[40]["trimmed"] is None and trimmed[40]["reason"]
    assert trimmed[41]["trimmed"] is None and trimmed[41]["reason"] is None


def test_a_killed_executor_changes_nothing(spark, tmp_path):
    mark = str(tmp_path / "killed")

    def die_once(batches):
        import os

        for batch in batches:
            if batch.num_rows and batch.column("number")[0].as_py() % 2 == 0:
                try:
                    os.close(os.open(mark, os.O_CREAT | os.O_EXCL))
                    # The parent of a Python worker's daemon is the executor.
                    import signal
                    import subprocess

                    daemon = os.getppid()
                    line = subprocess.run(["ps", "-o", "ppid=", "-p", str(daemon)],
                                          capture_output=True, text=True).stdout
                    os.kill(int(line), signal.SIGKILL)
                except FileExistsError:
                    pass
            yield batch

    shaken = frame(spark).mapInArrow(die_once, "number int, session string")
    rows = by_number(with_counts(shaken, "session"))
    assert (tmp_path / "killed").exists()
    assert {n: r["tokens"] for n, r in rows.items()} == {
        n: None if t is None else loadline.count(t) for n, t in enumerate(SESSIONS)}


def test_repositories_are_packed(spark, tmp_path):
    place = tmp_path / "repository"
    place.mkdir()
    (place / "a.py").write_text("def reset_limits():\n    pass\n")
    archive = shutil.make_archive(str(tmp_path / "b"), "gztar", place)
    rows = [(str(place),), (archive,), (str(tmp_path / "nothing"),), (None,)]
    packed = pack_repositories(spark.createDataFrame(rows, "path string"), 500)
    found = {row["path"]: row for row in packed.collect()}
    for path in (str(place), archive):
        assert "reset_limits" in found[path]["pack"] and found[path]["pack_tokens"] <= 500
    assert found[str(tmp_path / "nothing")]["pack"] is None
    assert found[str(tmp_path / "nothing")]["reason"]
    assert found[None]["reason"] is None


def test_a_column_that_is_there_is_named(spark):
    with pytest.raises(ValueError, match="'tokens'"):
        with_counts(with_counts(frame(spark), "session"), "session")
