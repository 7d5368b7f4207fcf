"""Which days count as lending days, which bikes are free, and why a booking is refused."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date, timedelta

from .models import FLEET, Bike, BikeClass, Booking, Standing

MONDAY, SATURDAY, SUNDAY = 0, 5, 6

HOLIDAYS = frozenset({date(2026, 4, 3), date(2026, 5, 1), date(2026, 5, 14), date(2026, 8, 15)})

HORIZON_DAYS = {
    Standing.GUEST: 30,
    Standing.MEMBER: 60,
    Standing.SOCIAL_PASS: 60,
    Standing.PARTNER: 90,
}

MAX_OPEN_BOOKINGS = 2


def in_summer_break(day: date) -> bool:
    """True in the fortnight that begins on the first Monday of August."""
    august = date(day.year, 8, 1)
    first_monday = august + timedelta(days=-august.weekday() % 7)
    return first_monday <= day < first_monday + timedelta(days=14)


def in_winter_break(day: date) -> bool:
    """True from 24 December to 2 January."""
    return (day.month, day.day) >= (12, 24) or (day.month, day.day) <= (1, 2)


def is_lending_day(day: date) -> bool:
    """True when the lending desk opens on this day."""
    if day in HOLIDAYS or in_winter_break(day) or day.weekday() in (SUNDAY, MONDAY):
        return False
    return day.weekday() == SATURDAY or not in_summer_break(day)


def lending_days(first: date, last: date) -> Iterator[date]:
    """The days of a loan that count towards its length and its price."""
    for offset in range((last - first).days + 1):
        day = first + timedelta(days=offset)
        if is_lending_day(day):
            yield day


def longest_loan(bikes: Iterable[Bike], standing: Standing) -> int:
    """The most lending days a loan may have. A trailer that goes with a bike follows the bike's limit."""
    if standing is Standing.PARTNER:
        return 10
    return 7 if all(bike.kind is BikeClass.TRAILER for bike in bikes) else 3


def is_free(bike: Bike, first: date, last: date, bookings: Iterable[Booking]) -> bool:
    """True when no booking of this bike touches these days.

    A shared day counts as a clash, because every bike is inspected between two loans.
    """
    return not any(bike in other.bikes and other.first <= last and first <= other.last for other in bookings)


def free_bikes(first: date, last: date, bookings: Iterable[Booking]) -> list[Bike]:
    """The bikes that nobody has booked on any of these days."""
    taken = list(bookings)
    return [bike for bike in FLEET.values() if is_free(bike, first, last, taken)]


def refusals(booking: Booking, others: Iterable[Booking], today: date) -> list[str]:
    """Every reason to refuse this booking, in words for the borrower. An empty list means yes."""
    others = list(others)
    reasons = []
    if booking.first < today:
        reasons.append("The first day is in the past.")
    if not is_lending_day(booking.first):
        reasons.append("The lending desk is closed on the first day.")
    if (booking.first - today).days > HORIZON_DAYS[booking.standing]:
        reasons.append(f"You can book at most {HORIZON_DAYS[booking.standing]} days ahead.")
    limit = longest_loan(booking.bikes, booking.standing)
    if sum(1 for _ in lending_days(booking.first, booking.last)) > limit:
        reasons.append(f"This loan is longer than {limit} lending days.")
    open_bookings = [other for other in others if other.borrower == booking.borrower and other.last >= today]
    if len(open_bookings) >= MAX_OPEN_BOOKINGS:
        reasons.append(f"You already have {MAX_OPEN_BOOKINGS} open bookings.")
    reasons += [
        f"{bike.name} is already booked." for bike in booking.bikes
        if not is_free(bike, booking.first, booking.last, others)
    ]
    return reasons
