"""Write a snapshot into one file that another Muniment can import."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from ingestion.archive.layout import ArchiveError
from ingestion.archive.writing import export_snapshot
from knowledge.management.commands._library import find_library, find_snapshot

from ._terminal import show_line


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--snapshot", type=int, metavar="N", help="default: the active one")
        parser.add_argument("--vectors", action="store_true", help="so that nothing needs to be embedded again")
        parser.add_argument("--originals", action="store_true", help="the files as they were, too")
        parser.add_argument("--withdrawn", action="store_true", help="although it holds files that were withdrawn")
        parser.add_argument("--output", type=Path, required=True, metavar="FILE")
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        if str(options["output"]) == "-":
            raise CommandError("an archive is written into a file: --output FILE", returncode=2)
        library = find_library(options["slug"])
        number, replaces = options["snapshot"], options["output"].is_file()
        snapshot = library.active_snapshot if number is None else find_snapshot(library, number)
        if snapshot is None:
            raise CommandError(f"{library} has no active snapshot: name one with --snapshot")
        try:
            manifest = export_snapshot(
                snapshot,
                options["output"],
                options["vectors"],
                options["originals"],
                options["withdrawn"],
                told=self.show,
            )
        except ArchiveError as error:
            raise CommandError(str(error)) from error
        finally:
            show_line(self)
        if replaces:
            self.stderr.write(f"replaced {options['output']}")
        size = options["output"].stat().st_size
        if options["json"]:
            told = {"library": library.slug, "snapshot": snapshot.number, "output": str(options["output"])}
            counts = {"bytes": size, "counts": manifest["counts"], "manifest_hash": manifest["manifest_hash"]}
            self.stdout.write(json.dumps(told | counts))
            return
        counted = ", ".join(f"{count:,} {name}" for name, count in manifest["counts"].items() if count)
        self.stdout.write(f"{snapshot}: {counted}; {size:,} bytes in {options['output']}")
        self.stdout.write(f"  manifest hash {manifest['manifest_hash']}")

    def show(self, member: str, done: int) -> None:
        show_line(self, f"{member}: {done:,} files")
