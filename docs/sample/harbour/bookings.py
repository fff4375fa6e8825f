"""Bookings: who lies where, and when."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from .berths import find_berths
from .notify import confirm
from .pricing import price
from .store import Store
from .tides import can_enter

# A stay without a time of arrival begins at noon.
CHECK_IN_HOUR = 12
LONGEST_STAY = timedelta(days=30)


class BookingError(Exception):
    """Why a boat cannot be booked in."""


@dataclass
class Booking:
    """A boat in a berth for some nights."""

    boat: str
    berth: str
    start: datetime
    end: datetime
    total: float = 0.0
    tags: list[str] = field(default_factory=list)

    def overlaps(self, start: datetime, end: datetime) -> bool:
        """Tells whether another stay would be in the berth at the same time."""
        return self.start <= end and start <= self.end


def book(store: Store, boat: str, length: float, draught: float, start: datetime, nights: int) -> Booking:
    """Books the smallest free berth that fits, and says what it costs."""
    if nights < 1:
        raise BookingError(f"{nights} nights: a stay has at least one")
    end = start + timedelta(days=nights)
    if end - start > LONGEST_STAY:
        raise BookingError(f"{nights} nights: a stay has at most {LONGEST_STAY.days}")
    if not can_enter(draught, start):
        raise BookingError(f"{boat} cannot enter at {start:%H:%M}: the tide is too low")
    for berth in find_berths(length, draught):
        if is_free(store, berth.name, start, end):
            booking = Booking(boat, berth.name, start, end, price(berth, start, nights))
            store.add(booking)
            confirm(booking)
            return booking
    raise BookingError(f"no free berth of {length} m from {start:%Y-%m-%d} to {end:%Y-%m-%d}")


def is_free(store: Store, berth: str, start: datetime, end: datetime) -> bool:
    """Tells whether nobody lies in a berth between two times."""
    return not any(it.overlaps(start, end) for it in store.bookings(berth))


def cancel(store: Store, boat: str, start: datetime) -> Booking:
    """Takes a booking back. Half of the price is due on the last day."""
    for booking in store.bookings():
        if booking.boat == boat and booking.start == start:
            store.remove(booking)
            return booking
    raise BookingError(f"{boat} has no booking from {start:%Y-%m-%d %H:%M}")
