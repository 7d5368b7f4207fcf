"""A library's snapshots, newest first."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from knowledge.spaces import answering_space

from ._library import find_library


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        library = find_library(options["slug"])
        drift = library.drift(answering_space())
        rows: list[dict[str, Any]] = [
            {
                "snapshot": snapshot.number,
                "state": snapshot.state,
                "active": snapshot.pk == library.active_snapshot_id,
                "pinned": snapshot.pinned,
                "revision": snapshot.revision,
                "files": snapshot.files.count(),
                "chunks": snapshot.chunk_count,
                "rejected": len(snapshot.rejected),
                "manifest_hash": snapshot.manifest_hash,
                "drift": [one.as_json() for one in drift] if snapshot.pk == library.active_snapshot_id else None,
                "created_at": snapshot.created_at.isoformat(),
            }
            for snapshot in library.snapshots.select_related("library").order_by("-number")
        ]
        if options["json"]:
            self.stdout.write(json.dumps(rows))
            return
        for row in rows:
            mark = "*" if row["active"] else "+" if row["pinned"] else " "
            self.stdout.write(
                f"{mark} {row['snapshot']:>4}  {row['state']:8}  {row['files']:>6} files  {row['chunks']:>8} chunks  "
                f"{row['revision'][:12]:12}  {row['manifest_hash'][:12]}"
            )
        for one in drift:
            self.stdout.write(self.style.WARNING(f"changed since snapshot {library.active_snapshot} was built: {one}"))
        if drift and library.has_source:
            self.stdout.write(f"To build anew beside it: manage.py reindex --full {library.slug}")
        elif drift:
            self.stdout.write("It holds imported snapshots: only another archive brings a newer one.")
