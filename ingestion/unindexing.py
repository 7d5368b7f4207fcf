"""Taking files out of the index by a pattern of their paths: a new snapshot without them, and builds leave them out."""

import re
from collections.abc import Sequence
from typing import Any

from django.db import DataError, OperationalError, connection, transaction
from psycopg.errors import QueryCanceled

from knowledge.governance import review
from knowledge.models import Library, NotActivatable, Snapshot
from knowledge.spellings import composed
from knowledge.storage import statements

from .operations import operation
from .publishing import publish

TIMEOUT_MS = 2000

MATCHING = """
    SELECT path FROM unnest(%s::text[]) AS path
    WHERE path ~ %s OR path IS NOT NFC NORMALIZED AND normalize(path) ~ %s
"""


class BadPattern(Exception):
    """The regular expression cannot be used; the message says why."""


class SlowPattern(BadPattern):
    """It takes too long on the paths of this library."""


def matching(paths: Sequence[str], pattern: str) -> list[str]:
    """The paths in which Postgres finds the pattern, within two seconds. Raises BadPattern."""
    if "\0" in pattern:
        raise BadPattern("a regular expression has no zero byte")
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            before = statements.limit(TIMEOUT_MS)
            cursor.execute(MATCHING, [list(paths), pattern, composed(pattern)])
            found = [path for (path,) in cursor.fetchall()]
            statements.limit(before)
    except DataError as error:
        reason = re.sub(r"\s+", " ", str(error)).removeprefix("invalid regular expression: ")
        raise BadPattern(f"“{pattern[:100]}” is no regular expression: {reason}") from error
    except OperationalError as error:
        if isinstance(error.__cause__, QueryCanceled):
            raise SlowPattern(
                f"“{pattern[:100]}” takes longer than {TIMEOUT_MS / 1000:g} s: make it simpler, without back "
                "references or repetitions of repetitions"
            ) from error
        raise
    return sorted(found)


def indexed_paths(library: Library) -> list[str]:
    """What the active snapshot holds, or rejected."""
    if library.active_snapshot is None:
        return []
    held = library.active_snapshot.files.values_list("document_file__path", flat=True)
    return [*held, *(file["path"] for file in library.active_snapshot.rejected)]


def would_remove(library: Library, pattern: str) -> list[str]:
    return matching(indexed_paths(library), pattern)


def unindex(library: Library, pattern: str) -> dict[str, Any]:
    """A new snapshot without the files that match; active, unless the library requires review.

    Raises BadPattern or LibraryBusy; NotActivatable when the gate refuses it: it waits then.
    """
    if not would_remove(library, pattern):
        return described(library, library.active_snapshot, [])
    with operation(library, "unindex", pattern=pattern) as progress:
        with transaction.atomic():
            Library.objects.lock(library.pk)  # else a `restore` meanwhile would be overwritten
            library.refresh_from_db()
            paths, base = would_remove(library, pattern), library.active_snapshot
            if not paths or base is None:
                return described(library, base, [])
            snapshot = snapshot_without(library, base, paths)
            progress.job.hold()  # not before: nobody can renew the lease from now on
            library.unindexed = sorted({*library.unindexed, *paths})
            library.save(update_fields=["unindexed"])
        if not review.is_to_be_decided(snapshot, library):
            try:
                publish(library, snapshot, progress.job)
            except NotActivatable as error:
                raise NotActivatable(
                    f"{snapshot} holds the files no more, and builds leave them out, but it was not activated: {error}"
                ) from error
    return described(library, snapshot, paths)


def snapshot_without(library: Library, base: Snapshot, paths: Sequence[str]) -> Snapshot:
    dropped = set(paths)
    library.snapshots.filter(state=Snapshot.State.BUILDING).delete()  # of a build that was killed
    kept = base.files.exclude(document_file__path__in=paths)
    rejected = [file for file in base.rejected if file["path"] not in dropped]
    return base.derive(kept.values_list("document_file", "file_version", "identity"), rejected=rejected)


def restore(library: Library, pattern: str, dry_run: bool) -> dict[str, Any]:
    """Let builds read matching files again. Raises BadPattern."""
    with transaction.atomic():
        locked = Library.objects.lock(library.pk)
        paths = matching(locked.unindexed, pattern)
        if not dry_run:
            locked.unindexed = [path for path in locked.unindexed if path not in set(paths)]
            locked.save(update_fields=["unindexed"])
    return {"library": library.slug, "restored": paths, "dry_run": dry_run}


def described(library: Library, snapshot: Snapshot | None, paths: list[str], dry_run: bool = False) -> dict[str, Any]:
    return {
        "library": library.slug,
        "snapshot": snapshot.number if snapshot else None,
        "active": bool(snapshot and library.active_snapshot_id == snapshot.pk),
        "removed": paths,
        "dry_run": dry_run,
    }
