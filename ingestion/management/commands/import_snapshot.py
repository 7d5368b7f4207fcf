"""Take a snapshot out of an archive: checked byte by byte, ready, and active only once `activate` says so."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.core.validators import validate_slug

from ingestion.archive.layout import LARGEST, MEGABYTE, ArchiveError
from ingestion.archive.reading import import_snapshot
from ingestion.jobs import LibraryBusy
from ingestion.progress import Progress
from knowledge.endpoints import EndpointError
from knowledge.models import Library

from ._terminal import show_line

READERS = {
    Library.Access.PUBLIC: "everyone reads it",
    Library.Access.SIGNED_IN: "everyone who is signed in reads it",
    Library.Access.GROUPS: "its members and its groups read it",
}


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--library", default="", metavar="SLUG", help="default: as it was called where it was made")
        access = Library.Access
        parser.add_argument(
            "--access", choices=access.values, default=access.GROUPS, help="of a new library; default: groups"
        )
        parser.add_argument("--embed", action="store_true", help="embed its texts here, whatever vectors it has")
        most = LARGEST // MEGABYTE
        parser.add_argument(
            "--limit", type=int, default=most, metavar="MB", help=f"of what it unpacks to; default: {most}"
        )
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            if options["library"]:
                validate_slug(options["library"])
        except ValidationError as error:
            raise CommandError("; ".join(error.messages), returncode=2) from error
        try:
            done = import_snapshot(
                options["file"],
                slug=options["library"],
                access=options["access"],
                embed_again=options["embed"],
                largest=options["limit"] * MEGABYTE,
                listener=None if options["json"] else self.show,
            )
        except (ArchiveError, LibraryBusy, EndpointError) as error:
            raise CommandError(str(error)) from error
        finally:
            show_line(self)
        if options["json"]:
            self.stdout.write(json.dumps(done.as_json()))
            return
        said = "was there already" if done.known else "is ready"
        self.stdout.write(
            f"{done.library}: snapshot {done.snapshot} {said} ({done.files:,} files, {done.chunks:,} chunks)"
        )
        vectors = ", ".join(f"{count:,} {how}" for how, count in done.embeddings.items() if count)
        self.stdout.write(f"  vectors: {vectors or 'all were known'}\n  manifest hash {done.manifest_hash}")
        if not done.active:
            self.stdout.write(
                f"  nobody sees it yet: manage.py activate {done.library} {done.snapshot}; "
                f"then {READERS[Library.Access(done.access)]} (access: {done.access})"
            )

    def show(self, progress: Progress) -> None:
        count = f" {progress.done:,}/{progress.total:,}" if progress.total else ""
        show_line(self, f"{progress.stage}{count}")
