"""Make the vectors and postings of a library's active snapshot anew from its chunks, while it is searched."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from ingestion.jobs import LibraryBusy
from ingestion.progress import Progress
from ingestion.rebuilding import CannotRebuild, rebuild
from knowledge.endpoints import EndpointError
from knowledge.management.commands._library import find_library

from ._terminal import show_line


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        library = find_library(options["slug"])
        try:
            done = rebuild(library, None if options["json"] else self.show)
        except (CannotRebuild, EndpointError, LibraryBusy) as error:
            raise CommandError(str(error)) from error
        finally:
            show_line(self)
        self.stdout.write(
            json.dumps(done)
            if options["json"]
            else f"{library}: snapshot {done['snapshot']}: {done['embeddings']:,} vectors and the postings of "
            f"{done['chunks']:,} chunks made anew"
        )

    def show(self, progress: Progress) -> None:
        show_line(self, f"{progress.stage} {progress.done:,}/{progress.total:,}")
