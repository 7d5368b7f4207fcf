"""What a build would do, from the source's listing alone: nothing is written, no model is called."""

from collections.abc import Collection, Iterator
from typing import Any

from knowledge.models import Library, Snapshot

from .drift import ProfileChanged, drift_of
from .loss import SourceEmptied, refuse_loss
from .plan import held, make_plan, members
from .sources import open_source


def dry_run(library: Library, paths: Collection[str] = (), force: bool = False, full: bool = False) -> dict[str, Any]:
    """Paths that a build would add, read again and remove, and why it would refuse to. Raises SourceError.

    Of files to read it is not known whether they will be rejected: those that were, and did not change, are told.
    """
    base = library.active_snapshot
    known = held(base, members(base)) if base else {}
    with open_source(library, keep=False) as source:
        found = make_plan(source, base, base.profile, paths).identities if base else source.identities
        revision, unread = source.revision, dict(source.unread)
    same = {path for path in found.keys() & known.keys() if found[path] == known[path]}
    refused = [file for file in base.rejected if file["path"] in same] if base else []
    return {
        "library": library.slug,
        "dry_run": True,
        "revision": revision,
        "added": sorted(found.keys() - known.keys()),
        "changed": sorted((found.keys() & known.keys()) - same),
        "removed": sorted(known.keys() - found.keys()),
        "unchanged": len(same) - len(refused),
        "rejected": [{"path": file["path"], "reason": file["reason"]} for file in refused],
        "unread": unread,
        "would_refuse": list(refusals(library, base, len(found), force, full)) if base else [],
    }


def refusals(library: Library, base: Snapshot, files: int, force: bool, full: bool) -> Iterator[str]:
    """Why a build that holds so many files would be refused; a swapped model is found only when it begins."""
    if not (force or full) and (drifts := drift_of(library)):
        yield str(ProfileChanged(base, drifts))
    if not force:
        try:
            refuse_loss(base, files)
        except SourceEmptied as error:
            yield str(error)
