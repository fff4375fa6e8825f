"""How deep the water over the sill is."""

import math
from datetime import datetime, timedelta

# The sill at the harbour's mouth, below the mean level, and half the tide's range, in metres.
SILL_DEPTH = 2.4
HALF_RANGE = 1.3
PERIOD = timedelta(hours=12, minutes=25)
HIGH_WATER = datetime(2026, 7, 1, 11, 40)
# Water under the keel that the harbour master asks for.
UNDER_KEEL = 0.3


def water_over_sill(time: datetime) -> float:
    """Returns the depth over the sill, in metres."""
    phase = (time - HIGH_WATER) / PERIOD * 2 * math.pi
    return SILL_DEPTH + HALF_RANGE * math.cos(phase)


def can_enter(draught: float, time: datetime) -> bool:
    """Tells whether a boat passes the sill at a time."""
    return water_over_sill(time) >= draught + UNDER_KEEL


def next_entry(draught: float, time: datetime, step: timedelta = timedelta(minutes=10)) -> datetime | None:
    """Returns the next time at which a boat can enter, within a day."""
    for count in range(int(timedelta(days=1) / step) + 1):
        at = time + count * step
        if can_enter(draught, at):
            return at
    return None
