"""What a stay costs."""

from datetime import date, datetime, timedelta

from .berths import Berth

PER_METRE = 2.10
POWER = 4.50
SEASON = (date(2026, 5, 1), date(2026, 9, 30))
OFF_SEASON_FACTOR = 0.7
WEEK_DISCOUNT = 0.9


def is_season(day: date) -> bool:
    """Tells whether a day is in the season, in any year."""
    first, last = (it.replace(year=day.year) for it in SEASON)
    return first <= day <= last


def price(berth: Berth, start: datetime, nights: int) -> float:
    """Returns the price of a stay: nights in and off season, power, a discount from a week on."""
    total = 0.0
    for night in range(nights):
        day = (start + timedelta(days=night)).date()
        rate = berth.length * PER_METRE
        total += rate if is_season(day) else rate * OFF_SEASON_FACTOR
        if berth.has_power:
            total += POWER
    if nights >= 7:
        total *= WEEK_DISCOUNT
    return round(total, 2)
