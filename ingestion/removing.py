"""Removing a library with everything that is its own."""

from typing import Any

from django.db import transaction

from knowledge.models import AnswerCitation, FileVersion, Library

from .collecting import SNAPSHOTS_AT_ONCE, drop_snapshots, drop_versions
from .embedding import batches
from .jobs import only_build_of
from .rebuilding import drop_segments


def remove_library(library: Library) -> dict[str, Any]:
    """The library with everything that is its own. Answers keep what they quoted; their links to it end.

    Raises LibraryBusy. What it shared with others is collected by the next `collect`.
    """
    with only_build_of(library):
        Library.objects.filter(pk=library.pk).update(active_snapshot=None)  # from now on nobody sees it
        snapshots = list(library.snapshots.all())
        for batch in batches(snapshots, SNAPSHOTS_AT_ONCE):
            library.snapshots.filter(pk__in=[snapshot.pk for snapshot in batch]).update(pinned=False)
            drop_snapshots(library, batch)
        versions = FileVersion.objects.filter(document_file__library=library)
        answers = AnswerCitation.objects.filter(file_version__in=versions)
        unlinked = answers.update(file_version=None, chunk=None)
        numbers = list(versions.values_list("pk", flat=True))
        drop_versions(numbers)
        for lexical in set(library.segments.values_list("lexical", flat=True)):
            drop_segments(library, lexical)
        with transaction.atomic():  # locked whole: who makes a row that refers to it waits, and finds it gone
            Library.objects.select_for_update(of=("self",)).filter(pk=library.pk).first()
            Library.objects.filter(pk=library.pk).delete()
    return {
        "library": library.slug,
        "snapshots": len(snapshots),
        "file_versions": len(numbers),
        "citations_unlinked": unlinked,
    }
