"""Books berths in a small harbour."""

from .berths import Berth, find_berths
from .bookings import Booking, BookingError, book, cancel

__all__ = ["Berth", "Booking", "BookingError", "book", "cancel", "find_berths"]
