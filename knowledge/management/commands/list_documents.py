"""The document files of the active snapshots, and (`--state rejected`) what was left out, and why."""

import json
from argparse import ArgumentParser
from collections.abc import Iterable
from operator import itemgetter
from typing import Any

from django.core.management.base import BaseCommand
from django.db.models import F

from knowledge.models import Library, NearTwin, SnapshotFile, in_reading_order
from knowledge.spellings import below, composed

from ._library import find_library
from ._numbers import at_least_one

ORDERS: dict[str, list[Any]] = {
    "path": ["snapshot__library__slug", "document_file__path"],
    "reading": ["snapshot__library__slug", F("place").asc(nulls_last=True), "document_file__path"],
}
STATES = ("visible", "withdrawn", "rejected")


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--library", metavar="SLUG")
        parser.add_argument("--path", default="", metavar="PREFIX")
        parser.add_argument("--state", choices=STATES, help="default: visible and withdrawn")
        parser.add_argument("--order", choices=ORDERS, default="path", help="by path, or as they are to be read")
        parser.add_argument("--limit", type=at_least_one, metavar="N", help="default: all")
        parser.add_argument("--twins", action="store_true", help="only files that another one nearly repeats")
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        files = SnapshotFile.objects.filter(
            below(options["path"], "document_file__path"), snapshot=F("snapshot__library__active_snapshot")
        )
        if options["library"]:
            files = files.filter(snapshot__library=find_library(options["library"]))
        if options["state"] == "rejected":
            files = files.none()
        elif options["state"]:
            files = files.filter(document_file__withdrawn_at__isnull=options["state"] == "visible")
        files = in_reading_order(files).select_related("snapshot__library", "document_file", "file_version")
        twins = twins_by_version(files.values_list("snapshot", flat=True).distinct().order_by())
        if options["twins"]:
            files = files.filter(file_version__in=list(twins))
        ordered = files.defer("file_version__text").order_by(*ORDERS[options["order"]])
        rows = [described(file, twins.get(file.file_version_id, [])) for file in ordered[: options["limit"]]]
        if options["state"] == "rejected":
            rows = rejected(options["library"], options["path"])[: options["limit"]]
        if options["json"]:
            self.stdout.write(json.dumps(rows, ensure_ascii=False))
            return
        for row in rows:
            told = row["reason"] if row["state"] == "rejected" else f"{row['chunks']} chunks"
            indent = "  " * (row.get("depth") or 0) if options["order"] == "reading" else ""
            self.stdout.write(f"{row['library']}: {indent}{row['path']}  ({told}, {row['state']})")
            for twin in row.get("near_twins", ()):
                self.stdout.write(f"    near twin: {twin['path']}  ({twin['kind']}, {twin['similarity']:.0%})")


def rejected(slug: str | None, prefix: str) -> list[dict[str, Any]]:
    """What the active snapshots left out, and why."""
    libraries = Library.objects.active().select_related("active_snapshot")
    return [
        {"library": library.slug, "path": file["path"], "state": "rejected", "reason": file["reason"]}
        for library in (libraries.filter(slug=slug) if slug else libraries).order_by("slug")
        for file in sorted(library.active_snapshot.rejected if library.active_snapshot else [], key=itemgetter("path"))
        if composed(file["path"]).startswith(composed(prefix))
    ]


Twins = dict[int, list[dict[str, Any]]]


def twins_by_version(snapshots: Iterable[int]) -> Twins:
    """By file version, the others that are near it in the same snapshot: the most alike first."""
    found: Twins = {}
    for snapshot in snapshots:
        for pair in NearTwin.objects.in_snapshot(snapshot):
            for version, twin in ((pair.one, pair.other), (pair.other, pair.one)):
                row = {"path": twin.document_file.path, "kind": pair.kind, "similarity": pair.similarity}
                found.setdefault(version.pk, []).append(row)
    return found


def described(file: SnapshotFile, near_twins: list[dict[str, Any]]) -> dict[str, Any]:
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
        "depth": getattr(file, "depth", None),
        "warnings": len(version.warnings),
        "near_twins": near_twins,
        "state": "withdrawn" if file.document_file.withdrawn_at else "visible",
    }
