"""The recipes for other engines, where these are installed."""

import pytest

import loadline
from loadline import arrow

TEXTS = ["hello world", "a b c", None, ""]
COUNTS = [None if it is None else loadline.count(it) for it in TEXTS]


def test_daft():
    daft = pytest.importorskip("daft")

    @daft.udf(return_dtype=daft.DataType.uint64())
    def tokens(texts):
        return arrow.count(texts.to_arrow(), alone=True)

    frame = daft.from_pydict({"text": TEXTS}).with_column("tokens", tokens(daft.col("text")))
    assert frame.to_pydict()["tokens"] == COUNTS


def test_ray():
    ray = pytest.importorskip("ray")
    pytest.importorskip("ray.data")
    import pyarrow

    def with_counts(batch):
        return batch.append_column("tokens", arrow.count(batch["text"], alone=True))

    ray.init(num_cpus=2, include_dashboard=False, logging_level="error")
    try:
        data = ray.data.from_arrow(pyarrow.table({"text": TEXTS}))
        counted = data.map_batches(with_counts, batch_format="pyarrow")
        assert [row["tokens"] for row in counted.take_all()] == COUNTS
    finally:
        ray.shutdown()
