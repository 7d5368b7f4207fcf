"""The reading order of a snapshot's files, written down when all of them are there."""

from django.db import transaction

from knowledge.models import ReadingPlace, Snapshot

from .documents import LinkKind
from .reading_order import reading_order


def order_files(snapshot: Snapshot) -> None:
    """A place for every file, where any file has a table of contents over others. Again gives the same."""
    rows = snapshot.files.values_list("document_file__path", "document_file", "file_version__links")
    documents = {path: document for path, document, _ in rows}
    contents = {path: entries(links) for path, _, links in rows}
    places = reading_order(contents) if any(contents.values()) else []
    with transaction.atomic():
        snapshot.reading_places.all().delete()
        ReadingPlace.objects.bulk_create(
            [
                ReadingPlace(snapshot=snapshot, document_file_id=documents[file.path], place=place, depth=file.depth)
                for place, file in enumerate(places)
            ],
            batch_size=5000,
        )


def entries(links: list[tuple[str, int, str]]) -> list[str]:
    return [target for kind, _, target in links if kind == LinkKind.CONTENTS]
