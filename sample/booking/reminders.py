"""The three messages a borrower receives, and when."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from .models import Booking

BEFORE_COLLECTION = time(17, 0)
BEFORE_RETURN = time(12, 0)
OVERDUE = time(9, 0)


@dataclass(frozen=True)
class Reminder:
    """One text message, due at a moment in local time."""

    due: datetime
    borrower: str
    text: str


def reminders_for(booking: Booking) -> list[Reminder]:
    """The reminders that every booking gets; the overdue one is sent only if the bike is still out.

    The first leaves at 17:00 on the eve of the loan, one hour before cancelling stops being free.
    The second leaves at noon on the last day, in time to ask for an extension.
    """
    names = " and ".join(bike.name for bike in booking.bikes)
    eve, morning_after = booking.first - timedelta(days=1), booking.last + timedelta(days=1)
    moments = (
        (eve, BEFORE_COLLECTION, f"Tomorrow you collect {names}. You can cancel free of charge until 18:00 today."),
        (booking.last, BEFORE_RETURN, f"Please bring {names} back by 21:00. To extend, reply before 18:00."),
        (morning_after, OVERDUE, f"We expected {names} yesterday. Please call the desk on 555 0142."),
    )
    return [Reminder(datetime.combine(day, at), booking.borrower, text) for day, at, text in moments]


def due_on(day: date, bookings: Iterable[Booking]) -> list[Reminder]:
    """All reminders that leave on this day, earliest first."""
    found = [reminder for booking in bookings for reminder in reminders_for(booking) if reminder.due.date() == day]
    return sorted(found, key=lambda reminder: (reminder.due, reminder.borrower))
