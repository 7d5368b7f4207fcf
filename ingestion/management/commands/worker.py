"""Do the jobs: the queue's cluster, and a watchdog that finds what a dead worker left. One per machine is enough."""

from typing import Any

from django.core.management.base import BaseCommand

from ingestion.supervisor import Watchdog


class Command(BaseCommand):
    help = __doc__

    def handle(self, *args: Any, **options: Any) -> None:
        Watchdog().run()
