"""When libraries are read again by themselves: `schedule SLUG "30 2 * * *"`, in UTC; `schedule SLUG --off`."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from knowledge.models import Library, Schedule

from ._library import find_library


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", nargs="?")
        parser.add_argument("cron", nargs="?", help="minute hour day month weekday, in UTC")
        parser.add_argument("--off", action="store_true")
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        schedules = Schedule.objects.select_related("library").order_by("library__slug")
        if options["slug"]:
            schedules = schedules.filter(library=find_library(options["slug"]))
        if options["off"] and not options["slug"]:
            raise CommandError("--off needs the library that it is for", returncode=2)
        if options["off"]:
            self.take_away(options["slug"])
        elif options["cron"]:
            self.set(options["slug"], options["cron"])
        rows = [
            {"library": schedule.library.slug, "cron": schedule.cron, "next_at": schedule.next_at.isoformat()}
            for schedule in schedules.all()
        ]
        if options["json"]:
            self.stdout.write(json.dumps(rows))
        for row in [] if options["json"] else rows:
            self.stdout.write(f"{row['library']:20}  {row['cron']:20}  next at {row['next_at']}")

    @transaction.atomic
    def take_away(self, slug: str) -> None:
        library = Library.objects.lock(find_library(slug).pk)
        Schedule.objects.filter(library=library).delete()

    @transaction.atomic
    def set(self, slug: str, cron: str) -> None:
        library = Library.objects.lock(find_library(slug).pk)
        if not library.has_source:
            raise CommandError(f"{library} cannot have one: {Library.WITHOUT_SOURCE}")
        schedule = Schedule.objects.filter(library=library).first() or Schedule(library=library)
        schedule.cron = cron
        try:
            schedule.full_clean()
        except ValidationError as error:
            raise CommandError("; ".join(error.messages), returncode=2) from error
        schedule.save()
