"""What a library may be asked, for whoever does not know it yet: the first of its golden questions.

Not those that were kept of somebody's search: people may have written them who did not mean them for others.
"""

from collections.abc import Collection

from knowledge.models import GoldenQuestion, Library, SnapshotFile
from knowledge.models.evaluation import KEPT

OFFERED = 3
LOOKED_AT = 30


def starters(libraries: Collection[Library]) -> list[str]:
    """In the order in which they were kept; none whose file is withdrawn or not active."""
    written = GoldenQuestion.objects.active().exclude(identifier__startswith=KEPT)
    rows = written.filter(library__in=libraries).order_by("pk")[:LOOKED_AT]
    wanted = {row: {(row.library_id, place.file) for place in row.places} for row in rows}
    members = SnapshotFile.objects.filter(
        snapshot__in=[library.active_snapshot_id for library in libraries],
        document_file__path__in={file for places in wanted.values() for _, file in places},
        document_file__withdrawn_at=None,
    )
    there = set(members.values_list("snapshot__library", "document_file__path")) if wanted else set()
    return list(dict.fromkeys(row.text for row, places in wanted.items() if places <= there))[:OFFERED]
