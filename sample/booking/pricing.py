"""Prices, deposits and charges, as printed in ``handbook/prices-and-deposits.rst``.

All amounts are whole euro cents, so that halves stay exact.
"""

from __future__ import annotations

from datetime import datetime, time, timedelta

from .availability import lending_days
from .models import Bike, BikeClass, Booking, Standing

GUEST_DAY = {BikeClass.ELECTRIC: 1800, BikeClass.UNASSISTED: 900, BikeClass.TRAILER: 600}
MEMBER_DAY = {BikeClass.ELECTRIC: 1200, BikeClass.UNASSISTED: 600, BikeClass.TRAILER: 400}
FULL_DEPOSIT = {BikeClass.ELECTRIC: 15000, BikeClass.UNASSISTED: 8000, BikeClass.TRAILER: 4000}

SOCIAL_PASS_ELECTRIC_DEPOSIT = 5000
WAIVER_DAY = 300
LATE_DAY = 1000

RETURN_BY = time(21, 0)
CANCEL_BY = time(18, 0)


def day_price(bike: Bike, standing: Standing) -> int:
    """The price of one lending day."""
    return (GUEST_DAY if standing is Standing.GUEST else MEMBER_DAY)[bike.kind]


def hire(booking: Booking) -> int:
    """The price of the loan without the waiver. A short loan costs half a day."""
    one_day = sum(day_price(bike, booking.standing) for bike in booking.bikes)
    if booking.short:
        return one_day // 2
    return one_day * sum(1 for _ in lending_days(booking.first, booking.last))


def waiver(booking: Booking) -> int:
    """The damage waiver: per lending day and cargo bike. Trailers cannot have one."""
    if not booking.waiver:
        return 0
    cargo_bikes = sum(1 for bike in booking.bikes if bike.kind is not BikeClass.TRAILER)
    return WAIVER_DAY * cargo_bikes * sum(1 for _ in lending_days(booking.first, booking.last))


def deposit(booking: Booking) -> int:
    """The deposit for the whole loan: only that of the dearest item is taken.

    Members leave half. Social Pass holders leave 50 euros for an electric bike and nothing for the rest.
    Partners leave nothing.
    """
    highest = max(FULL_DEPOSIT[bike.kind] for bike in booking.bikes)
    if booking.standing is Standing.GUEST:
        return highest
    if booking.standing is Standing.MEMBER:
        return highest // 2
    if booking.standing is Standing.SOCIAL_PASS:
        electric = any(bike.kind is BikeClass.ELECTRIC for bike in booking.bikes)
        return SOCIAL_PASS_ELECTRIC_DEPOSIT if electric else 0
    return 0


def cancellation_fee(booking: Booking, cancelled: datetime | None) -> int:
    """What a cancelled booking costs. ``cancelled`` is None when the borrower never came.

    Free until 18:00 on the day before collection, then half of the first day; a no-show pays that day in full.
    """
    first_day = sum(day_price(bike, booking.standing) for bike in booking.bikes)
    if cancelled is None:
        return first_day
    deadline = datetime.combine(booking.first - timedelta(days=1), CANCEL_BY)
    return 0 if cancelled <= deadline else first_day // 2


def late_charge(booking: Booking, returned: datetime) -> int:
    """Ten euros and one day price for each started 24 hours after 21:00 on the last day."""
    overdue = returned - datetime.combine(booking.last, RETURN_BY)
    if overdue <= timedelta(0):
        return 0
    days = -(-overdue // timedelta(days=1))
    return days * (LATE_DAY + sum(day_price(bike, booking.standing) for bike in booking.bikes))


def euros(cents: int) -> str:
    """Cents as the desk prints them: ``€36`` or ``€4.50``."""
    return f"€{cents // 100}" if cents % 100 == 0 else f"€{cents / 100:.2f}"
