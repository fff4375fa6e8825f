"""Tells people about their bookings."""

import logging

log = logging.getLogger("harbour")


def confirm(booking) -> str:
    """Writes the confirmation that the boat's owner gets."""
    nights = (booking.end - booking.start).days
    text = (
        f"{booking.boat}: berth {booking.berth} from {booking.start:%d %B %Y, %H:%M}, "
        f"{nights} night{'s' if nights != 1 else ''}, {booking.total:.2f} EUR"
    )
    log.info(text)
    return text
