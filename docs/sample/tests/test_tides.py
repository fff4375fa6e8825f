from datetime import datetime

from harbour.tides import can_enter, next_entry, water_over_sill

LOW = datetime(2026, 7, 1, 5, 28)


def test_low_water_keeps_deep_boats_out():
    assert water_over_sill(LOW) < 1.2
    assert not can_enter(1.9, LOW)


def test_the_next_entry_is_on_the_rising_tide():
    at = next_entry(1.9, LOW)
    assert at is not None and LOW < at < datetime(2026, 7, 1, 12)
