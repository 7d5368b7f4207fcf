"""The printed rules of the house, as tests. Run with ``python -m unittest`` from the folder above."""

import unittest
from datetime import date, datetime

from booking.availability import is_lending_day, lending_days, longest_loan, refusals
from booking.models import Booking, Standing, find_bike
from booking.pricing import cancellation_fee, deposit, euros, hire, late_charge, waiver
from booking.reminders import due_on

SATURDAY, TUESDAY = date(2026, 5, 9), date(2026, 5, 12)


def loan(*names, standing=Standing.GUEST, first=SATURDAY, last=TUESDAY, **extra):
    return Booking("Ada", standing, tuple(find_bike(name) for name in names), first, last, **extra)


class LendingDays(unittest.TestCase):
    def test_sunday_and_monday_do_not_count(self):
        self.assertEqual(list(lending_days(SATURDAY, TUESDAY)), [SATURDAY, TUESDAY])

    def test_summer_break_leaves_one_saturday_in_2026(self):
        august = [day for day in range(3, 17) if is_lending_day(date(2026, 8, day))]
        self.assertEqual(august, [8])

    def test_a_trailer_with_a_bike_follows_the_bike(self):
        wren, mole = find_bike("wren"), find_bike("mole")
        self.assertEqual(longest_loan([mole], Standing.GUEST), 7)
        self.assertEqual(longest_loan([wren, mole], Standing.GUEST), 3)


class Money(unittest.TestCase):
    def test_the_two_examples_of_the_handbook(self):
        self.assertEqual((hire(loan("Otter")), deposit(loan("Otter"))), (3600, 15000))
        both = loan("Wren", "Mole", standing=Standing.MEMBER, last=SATURDAY)
        self.assertEqual((hire(both), deposit(both)), (1000, 4000))

    def test_social_pass_leaves_a_deposit_only_for_electric_bikes(self):
        self.assertEqual(deposit(loan("Heron", standing=Standing.SOCIAL_PASS)), 5000)
        self.assertEqual(deposit(loan("Badger", standing=Standing.SOCIAL_PASS)), 0)

    def test_waiver_leaves_trailers_out(self):
        self.assertEqual(waiver(loan("Wren", "Mole", waiver=True)), 600)

    def test_short_loan_is_half_a_day(self):
        self.assertEqual(euros(hire(loan("Badger", last=SATURDAY, short=True))), "€4.50")

    def test_late_charge_starts_at_nine_in_the_evening(self):
        self.assertEqual(late_charge(loan("Otter"), datetime(2026, 5, 12, 21, 0)), 0)
        self.assertEqual(late_charge(loan("Otter"), datetime(2026, 5, 13, 7, 0)), 2800)

    def test_cancelling_is_free_until_six_the_day_before(self):
        self.assertEqual(cancellation_fee(loan("Otter"), datetime(2026, 5, 8, 18, 0)), 0)
        self.assertEqual(cancellation_fee(loan("Otter"), datetime(2026, 5, 8, 18, 1)), 900)
        self.assertEqual(cancellation_fee(loan("Otter"), None), 1800)


class Desk(unittest.TestCase):
    def test_a_bike_rests_between_two_loans(self):
        second = loan("Otter", first=TUESDAY, last=TUESDAY)
        self.assertEqual(refusals(second, [loan("Otter")], date(2026, 5, 1)), ["Otter is already booked."])

    def test_the_return_reminder_leaves_at_noon(self):
        (reminder,) = due_on(TUESDAY, [loan("Otter")])
        self.assertEqual(reminder.due, datetime(2026, 5, 12, 12, 0))

    def test_a_booking_survives_the_file(self):
        self.assertEqual(Booking.from_json(loan("Finch").to_json()), loan("Finch"))


if __name__ == "__main__":
    unittest.main()
