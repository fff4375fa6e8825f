from datetime import datetime, timedelta

import pytest

from harbour import BookingError, book, cancel
from harbour.store import Store

NOON = datetime(2026, 7, 1, 12)


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "harbour.json")


def test_the_smallest_berth_that_fits(store):
    assert book(store, "Sea Robin", 11.0, 1.9, NOON, 3).berth == "B1"


def test_two_boats_get_two_berths(store):
    first = book(store, "Sea Robin", 11.0, 1.9, NOON, 3)
    second = book(store, "Petrel", 11.0, 1.9, NOON + timedelta(days=1), 3)
    assert {first.berth, second.berth} == {"B1", "B2"}


def test_a_full_harbour_says_so(store):
    for name in ("Sea Robin", "Petrel", "Gannet", "Tern"):
        book(store, name, 11.0, 1.9, NOON, 3)
    with pytest.raises(BookingError, match="no free berth"):
        book(store, "Skua", 11.0, 1.9, NOON, 3)


def test_a_cancelled_berth_is_free_again(store):
    book(store, "Sea Robin", 11.0, 1.9, NOON, 3)
    cancel(store, "Sea Robin", NOON)
    assert book(store, "Petrel", 11.0, 1.9, NOON, 3).berth == "B1"
