"""A source that has lost its files is more often an unmounted disk than somebody's wish."""

from knowledge.governance.differences import loss_in_words
from knowledge.governance.review import is_reviewed
from knowledge.models import Snapshot

from .sources import SourceError


class SourceEmptied(SourceError):
    """Nothing is left of what the active snapshot holds."""


def refuse_loss(base: Snapshot | None, left: int) -> None:
    """Raises SourceEmptied where all of the base's files would go.

    `left` counts the files of the snapshot that is to follow.
    """
    if base is None or not base.library.may_lose_files or left:
        return
    before, slug = base.files.count(), base.library.slug
    if before:
        raise SourceEmptied(
            f"no file that can be read is left of the {before:,} of {base}, which stays active. Is the disk mounted, "
            f"the branch the right one, are the patterns right? If all are to go: manage.py reindex --force {slug}"
        )


def warning_of_loss(base: Snapshot | None, snapshot: Snapshot, is_active: bool) -> str:
    """Where most of the base's files are gone, that and the way back; else ""."""
    if not (lost := loss_in_words(base, snapshot)):
        return ""
    if is_active:
        return f"{lost}; if that is a mistake: manage.py rollback {snapshot.library.slug}"
    what = "reject it" if is_reviewed(snapshot, snapshot.library) else "leave it so"
    return f"{lost}; it is not active: if that is a mistake, {what}, and read in again when the files are back"
