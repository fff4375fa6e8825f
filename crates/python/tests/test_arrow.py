"""Columns of Arrow: row by row what the functions for one text say."""

import json

import pytest

import loadline
from loadline import arrow
from test_loadline import messages

pa = pytest.importorskip("pyarrow")

SESSIONS = [json.dumps(messages(5)), None, "not a session", json.dumps(messages(40)), "[]"]


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.binary(), pa.string_view()])
@pytest.mark.parametrize("alone", [True, False])
def test_count(kind, alone):
    texts = ["hello world", None, "", "a b c " * 1000]
    array = pa.array([t.encode() if t and kind == pa.binary() else t for t in texts], kind)
    expected = [None if t is None else loadline.count(t) for t in texts]
    assert arrow.count(array, alone=alone).to_pylist() == expected


def test_count_of_chunks_and_slices():
    array = pa.chunked_array([["a", "b b"], ["c c c"]])
    assert arrow.count(array).to_pylist() == [1, 2, 3]
    assert arrow.count(pa.array(["x", "a", "b b"])[1:]).to_pylist() == [1, 2]
    with pytest.raises(TypeError, match="Int64"):
        arrow.count(pa.array([1, 2]))


def test_bad_rows_give_nulls_and_a_reason():
    table = arrow.stats(pa.array(SESSIONS), counter="o200k")
    tokens = table.column("tokens").to_pylist()
    assert tokens[0] == loadline.stats(SESSIONS[0], counter="o200k")["tokens"]
    assert tokens[1] is None and tokens[2] is None
    reasons = table.column("reason").to_pylist()
    assert reasons[0] is None and reasons[1] is None and reasons[2]


def test_trim_is_that_of_one_session():
    table = arrow.trim(pa.array(SESSIONS), 3_000, counter="o200k")
    contents = table.column("content").to_pylist()
    for row in (0, 3):
        assert contents[row] == loadline.trim(SESSIONS[row], 3_000, counter="o200k").content
    assert contents[2] is None and table.column("reason").to_pylist()[2]
    assert all(after <= 3_000 for after in table.column("after").to_pylist() if after is not None)


def test_chunks_and_secrets():
    text = "def first():\n    return 1\n\n\ndef second():\n    return 2\n" * 20
    table = pa.table({"path": ["a.py", "b.txt"], "text": [text, None]})
    chunks = arrow.chunk(table, max_tokens=100)
    assert "".join(chunks.column("text").to_pylist()) == text
    assert set(chunks.column("row").to_pylist()) == {0}
    assert "AKIA" not in arrow.redact(pa.array(["key = AKIAQWERTYUIOPASDFGH"]))[0].as_py()


def test_near_duplicates():
    text = " ".join(f"word{number}" for number in range(500))
    other = " ".join(f"else{number}" for number in range(500))
    changed = text.replace("word250", "word_250")
    array = pa.array([text, other, None, changed, text, "", "short", "short"])
    assert arrow.near_duplicates(array).to_pylist() == [None, None, None, 0, 0, None, None, 6]
    assert arrow.near_duplicates(array, least=1.0).to_pylist()[3] is None
