"""Keeps bookings in one JSON file."""

import json
import os
from datetime import datetime
from pathlib import Path


class Store:
    """Bookings on disk, read when needed and written as a whole."""

    def __init__(self, path: Path):
        self.path = path
        self._bookings: list | None = None

    @classmethod
    def default(cls) -> "Store":
        return cls(Path(os.environ.get("HARBOUR_FILE", "harbour.json")))

    def bookings(self, berth: str | None = None) -> list:
        """Returns all bookings, or those of one berth."""
        if self._bookings is None:
            self._bookings = self._read()
        return [it for it in self._bookings if berth is None or it.berth == berth]

    def add(self, booking) -> None:
        self.bookings()
        self._bookings.append(booking)
        self._write()

    def remove(self, booking) -> None:
        self._bookings = [it for it in self.bookings() if it is not booking]
        self._write()

    def _read(self) -> list:
        from .bookings import Booking

        if not self.path.exists():
            return []
        rows = json.loads(self.path.read_text())
        times = ("start", "end")
        return [Booking(**{k: datetime.fromisoformat(v) if k in times else v for k, v in row.items()}) for row in rows]

    def _write(self) -> None:
        rows = [{**vars(it), "start": it.start.isoformat(), "end": it.end.isoformat()} for it in self._bookings]
        temporary = self.path.with_suffix(".new")
        temporary.write_text(json.dumps(rows, indent=2))
        temporary.replace(self.path)
