"""Finding what a command was told to work on."""

from django.core.management.base import CommandError

from knowledge.models import Library, Snapshot


def find_library(slug: str) -> Library:
    library = Library.objects.select_related("active_snapshot").filter(slug=slug).first()
    if library is None:
        raise CommandError(f"no such library: {slug}")
    return library


def find_snapshot(library: Library, number: int) -> Snapshot:
    snapshot = library.snapshots.filter(number=number).first()
    if snapshot is None:
        raise CommandError(f"{library} has no snapshot {number}")
    return snapshot
