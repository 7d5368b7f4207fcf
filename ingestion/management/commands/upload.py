"""Bring files, folders and zips to an uploads library, and read them in."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from ingestion.jobs import worded
from ingestion.uploads import Receipt, accept, brought_below, request_build, wants_build
from ingestion.uploads.accept import NotForUploads, remove
from knowledge.management.commands._library import find_library
from knowledge.models import Library
from knowledge.storage.room import FULL


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        parser.add_argument(
            "files", nargs="+", metavar="FILE", help="a folder's files keep their paths; a zip is unpacked"
        )
        parser.add_argument("--remove", action="store_true", help="FILE is a path in the library: take it away")
        parser.add_argument("--queue", action="store_true", help="leave the reading to the worker")
        parser.add_argument("--no-reindex", action="store_true", help="only keep the files")
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        library = find_library(options["slug"])
        try:
            outcome, unread = self.remove(library, options) if options["remove"] else self.accept(library, options)
        except NotForUploads as error:
            raise CommandError(str(error)) from error
        except OSError as error:
            said = worded(error) if error.errno in FULL else f"{error.filename or library}: {error.strerror or error}"
            raise CommandError(said) from error
        job = request_build(library, None).pk if unread and options["queue"] and not options["no_reindex"] else None
        if options["json"]:
            self.stdout.write(json.dumps(outcome | {"library": library.slug, "job": job}, ensure_ascii=False))
        elif job:
            self.stdout.write(f"job {job} is queued")
        if unread and not options["queue"] and not options["no_reindex"]:
            call_command("reindex", library.slug, stdout=self.stderr if options["json"] else self.stdout)
        if refused := outcome.get("refused"):
            raise CommandError("\n".join(f"not taken: {file['path']}: {file['reason']}" for file in refused))

    def accept(self, library: Library, options: dict[str, Any]) -> tuple[dict[str, Any], bool]:
        receipt = accept(library, brought_below(map(Path, options["files"])), None)
        if not options["json"]:
            self.say(receipt)
        return receipt.as_json(), wants_build(library, receipt)

    def remove(self, library: Library, options: dict[str, Any]) -> tuple[dict[str, Any], bool]:
        count = remove(library, options["files"], None)
        if not count:
            raise CommandError(f"{library} holds no such file")
        if not options["json"]:
            self.stdout.write(f"{library}: {count:,} removed")
        return {"removed": count}, True

    def say(self, receipt: Receipt) -> None:
        for sign, paths in (("+", receipt.added), ("~", receipt.replaced), ("=", receipt.unchanged)):
            for path in paths:
                self.stdout.write(f"{sign} {path}")
        for path, reason in receipt.withheld.items():
            self.stderr.write(f"{path} has {reason}")
        if not any((receipt.added, receipt.replaced, receipt.unchanged, receipt.refused)):
            self.stdout.write("there is no file in it")
