"""The command `harbour`."""

import argparse
import sys
from datetime import datetime

from .bookings import CHECK_IN_HOUR, BookingError, book, cancel
from .notify import confirm
from .store import Store
from .tides import next_entry


def parse_time(text: str) -> datetime:
    """Reads a day or a time; a day means noon."""
    time = datetime.fromisoformat(text)
    return time if "T" in text else time.replace(hour=CHECK_IN_HOUR)


def parser() -> argparse.ArgumentParser:
    result = argparse.ArgumentParser(prog="harbour", description=__doc__)
    commands = result.add_subparsers(dest="command", required=True)
    booking = commands.add_parser("book", help="book a berth")
    booking.add_argument("boat")
    booking.add_argument("--length", type=float, required=True)
    booking.add_argument("--draught", type=float, required=True)
    booking.add_argument("--from", dest="start", type=parse_time, required=True)
    booking.add_argument("--nights", type=int, default=1)
    cancelling = commands.add_parser("cancel", help="cancel a booking")
    cancelling.add_argument("boat")
    cancelling.add_argument("--from", dest="start", type=parse_time, required=True)
    commands.add_parser("list", help="list all bookings")
    entry = commands.add_parser("tide", help="say when a boat can enter")
    entry.add_argument("--draught", type=float, required=True)
    entry.add_argument("--from", dest="start", type=parse_time, required=True)
    return result


def main(arguments: list[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    store = Store.default()
    try:
        if options.command == "book":
            booking = book(store, options.boat, options.length, options.draught, options.start, options.nights)
            print(confirm(booking))
        elif options.command == "cancel":
            print(f"cancelled: {confirm(cancel(store, options.boat, options.start))}")
        elif options.command == "tide":
            at = next_entry(options.draught, options.start)
            print(f"{at:%Y-%m-%d %H:%M}" if at else "not within a day")
        else:
            for booking in sorted(store.bookings(), key=lambda it: (it.start, it.berth)):
                print(f"{booking.berth}  {booking.start:%Y-%m-%d}  {booking.end:%Y-%m-%d}  {booking.boat}")
    except BookingError as error:
        print(error, file=sys.stderr)
        return 1
    return 0
