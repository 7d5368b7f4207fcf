"""Bikes, borrowers' standings and bookings. Nothing in this module knows about prices or opening days."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from enum import Enum


class BikeClass(Enum):
    """What the price and the deposit depend on."""

    ELECTRIC = "electric"
    UNASSISTED = "unassisted"
    TRAILER = "trailer"


class Standing(Enum):
    """How the house knows a borrower. Only guests pay the guest price."""

    GUEST = "guest"
    MEMBER = "member"
    SOCIAL_PASS = "social-pass"
    PARTNER = "partner"


@dataclass(frozen=True)
class Bike:
    """One thing to lend. ``max_load`` is in kilograms and leaves out the rider."""

    name: str
    kind: BikeClass
    max_load: int
    child_seats: int = 0


FLEET = {
    bike.name: bike
    for bike in (
        Bike("Otter", BikeClass.ELECTRIC, max_load=100, child_seats=2),
        Bike("Heron", BikeClass.ELECTRIC, max_load=120, child_seats=4),
        Bike("Magpie", BikeClass.ELECTRIC, max_load=80, child_seats=2),
        Bike("Badger", BikeClass.UNASSISTED, max_load=100, child_seats=2),
        Bike("Wren", BikeClass.UNASSISTED, max_load=60, child_seats=1),
        Bike("Finch", BikeClass.TRAILER, max_load=40, child_seats=2),
        Bike("Mole", BikeClass.TRAILER, max_load=60),
    )
}


class UnknownBike(LookupError):
    """No bike of this name is in the fleet."""


def find_bike(name: str) -> Bike:
    """Look a bike up by name, in any letter case."""
    try:
        return FLEET[name.strip().capitalize()]
    except KeyError:
        raise UnknownBike(f"{name!r} is not in the fleet: {', '.join(FLEET)}") from None


@dataclass(frozen=True)
class Booking:
    """One loan of one or more bikes, from the ``first`` day to the ``last``, both included."""

    borrower: str
    standing: Standing
    bikes: tuple[Bike, ...]
    first: date
    last: date
    short: bool = False
    waiver: bool = False

    def __post_init__(self) -> None:
        if not self.bikes:
            raise ValueError("a booking needs at least one bike")
        if self.last < self.first:
            raise ValueError("a booking cannot end before it begins")
        if self.short and self.first != self.last:
            raise ValueError("a short loan begins and ends on the same day")

    def to_json(self) -> dict[str, object]:
        """The booking as plain values, for the bookings file."""
        return {
            "borrower": self.borrower,
            "standing": self.standing.value,
            "bikes": [bike.name for bike in self.bikes],
            "first": self.first.isoformat(),
            "last": self.last.isoformat(),
            "short": self.short,
            "waiver": self.waiver,
        }

    @classmethod
    def from_json(cls, row: dict) -> Booking:
        """The reverse of :meth:`to_json`. Raises ``UnknownBike`` when a bike has left the fleet."""
        return cls(
            borrower=row["borrower"],
            standing=Standing(row["standing"]),
            bikes=tuple(find_bike(name) for name in row["bikes"]),
            first=date.fromisoformat(row["first"]),
            last=date.fromisoformat(row["last"]),
            short=row["short"],
            waiver=row["waiver"],
        )
