"""The document files of the active snapshots."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.db.models import F

from knowledge.models import SnapshotFile

from ._library import find_library

STATES = ("visible", "withdrawn")


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--library", metavar="SLUG")
        parser.add_argument("--path", default="", metavar="PREFIX")
        parser.add_argument("--state", choices=STATES)
        parser.add_argument("--limit", type=int)
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        files = SnapshotFile.objects.filter(
            snapshot=F("snapshot__library__active_snapshot"), document_file__path__startswith=options["path"]
        )
        if options["library"]:
            files = files.filter(snapshot__library=find_library(options["library"]))
        if options["state"]:
            files = files.filter(document_file__withdrawn_at__isnull=options["state"] == "visible")
        files = files.select_related("snapshot__library", "document_file", "file_version").defer("file_version__text")
        rows = [
            described(file)
            for file in files.order_by("snapshot__library__slug", "document_file__path")[: options["limit"]]
        ]
        if options["json"]:
            self.stdout.write(json.dumps(rows, ensure_ascii=False))
            return
        for row in rows:
            self.stdout.write(f"{row['library']}: {row['path']}  ({row['chunks']} chunks, {row['state']})")


def described(file: SnapshotFile) -> dict[str, Any]:
    version = file.file_version
    return {
        "library": file.snapshot.library.slug,
        "path": file.document_file.path,
        "title": version.title,
        "version": version.sha256,
        "media_type": version.media_type,
        "language": version.natural_language or None,
        "bytes": version.size,
        "sections": version.section_count,
        "chunks": version.chunk_count,
        "warnings": len(version.warnings),
        "state": "withdrawn" if file.document_file.withdrawn_at else "visible",
    }
