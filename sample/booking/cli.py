"""The command line of the lending desk: ``python -m booking.cli --help``."""

from __future__ import annotations

import argparse
import json
import sys
from datetime import date
from pathlib import Path

from . import pricing
from .availability import free_bikes, refusals
from .models import Booking, Standing, UnknownBike, find_bike
from .reminders import due_on


def load(path: Path) -> list[Booking]:
    """Read the bookings file; a missing file means no bookings yet."""
    if not path.exists():
        return []
    return [Booking.from_json(row) for row in json.loads(path.read_text("utf-8"))]


def save(path: Path, bookings: list[Booking]) -> None:
    """Write the bookings beside the old file, then swap, so that a crash never leaves half a file."""
    fresh = path.with_suffix(".new")
    fresh.write_text(json.dumps([booking.to_json() for booking in bookings], indent=2), "utf-8")
    fresh.replace(path)


def booking_from(options: argparse.Namespace) -> Booking:
    return Booking(
        borrower=options.borrower,
        standing=Standing(options.standing),
        bikes=tuple(find_bike(name) for name in options.bikes.split("+")),
        first=options.first,
        last=options.last,
        short=options.short,
        waiver=options.waiver,
    )


def free(options: argparse.Namespace) -> int:
    for bike in free_bikes(options.first, options.last, load(options.file)):
        print(f"{bike.name:8} {bike.kind.value:11} {bike.max_load:3} kg  child seats: {bike.child_seats}")
    return 0


def quote(options: argparse.Namespace) -> int:
    booking = booking_from(options)
    print(f"hire     {pricing.euros(pricing.hire(booking))}")
    print(f"waiver   {pricing.euros(pricing.waiver(booking))}")
    print(f"deposit  {pricing.euros(pricing.deposit(booking))}")
    return 0


def book(options: argparse.Namespace) -> int:
    booking, bookings = booking_from(options), load(options.file)
    reasons = refusals(booking, bookings, options.today)
    if reasons:
        print("Refused:", *reasons, sep="\n  ", file=sys.stderr)
        return 1
    save(options.file, [*bookings, booking])
    return quote(options)


def remind(options: argparse.Namespace) -> int:
    for reminder in due_on(options.day, load(options.file)):
        print(f"{reminder.due:%H:%M}  {reminder.borrower}: {reminder.text}")
    return 0


def parser() -> argparse.ArgumentParser:
    main_parser = argparse.ArgumentParser(prog="booking", description="Bookings of Tandem House")
    main_parser.add_argument("--file", type=Path, default=Path("bookings.json"), help="where the bookings are kept")
    commands = main_parser.add_subparsers(required=True)
    for run, words in ((free, "list the free bikes"), (quote, "price a loan"), (book, "price a loan and keep it")):
        command = commands.add_parser(run.__name__, help=words)
        command.set_defaults(run=run)
        if run is not free:
            command.add_argument("bikes", help="one name, or several joined with +, as in Wren+Mole")
            command.add_argument("--borrower", default="desk")
            command.add_argument("--standing", choices=[each.value for each in Standing], default="guest")
            command.add_argument("--short", action="store_true", help="up to three hours, at half the day price")
            command.add_argument("--waiver", action="store_true", help="add the damage waiver")
            command.add_argument("--today", type=date.fromisoformat, default=date.today())
        command.add_argument("first", type=date.fromisoformat, help="first day, as 2026-05-06")
        command.add_argument("last", type=date.fromisoformat, help="last day")
    command = commands.add_parser("remind", help="list the messages to send on a day")
    command.set_defaults(run=remind)
    command.add_argument("day", type=date.fromisoformat)
    return main_parser


def main(arguments: list[str] | None = None) -> int:
    """Run one command and return its exit code: 0 done, 1 booking refused, 2 not understood."""
    options = parser().parse_args(arguments)
    try:
        return options.run(options)
    except (UnknownBike, ValueError) as mistake:
        print(mistake, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
