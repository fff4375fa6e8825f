"""The berths of the harbour, and which boats fit them."""

from dataclasses import dataclass

# Between a boat and the ends of its berth, in metres.
CLEARANCE = 0.5


@dataclass(frozen=True)
class Berth:
    """A place for one boat."""

    name: str
    length: float
    depth: float
    has_power: bool = False

    def fits(self, length: float, draught: float) -> bool:
        """Tells whether a boat of this size can lie here at low water."""
        return length + CLEARANCE <= self.length and draught < self.depth


BERTHS = [
    Berth("A1", 8.0, 1.6),
    Berth("A2", 8.0, 1.6),
    Berth("A3", 10.0, 1.8, has_power=True),
    Berth("B1", 12.0, 2.2, has_power=True),
    Berth("B2", 12.0, 2.2, has_power=True),
    Berth("B3", 14.0, 2.6, has_power=True),
    Berth("C1", 20.0, 3.4, has_power=True),
]


def find_berths(length: float, draught: float, needs_power: bool = False) -> list[Berth]:
    """Returns the berths that fit a boat, smallest first."""
    fitting = [berth for berth in BERTHS if berth.fits(length, draught)]
    if needs_power:
        fitting = [berth for berth in fitting if berth.has_power]
    return sorted(fitting, key=lambda berth: (berth.length, berth.name))
