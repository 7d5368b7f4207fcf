"""A source that has lost its files is more often an unmounted disk than somebody's wish."""

from django.template.defaultfilters import pluralize

from knowledge.models import Library, Snapshot

from .sources import SourceError

MANY = 10  # files, below which losing most is no news
MOST = 0.5


class SourceEmptied(SourceError):
    """Nothing is left of what the active snapshot holds."""


def refuse_loss(base: Snapshot | None, left: int) -> str:
    """A warning where most of the base's files would go, or "". Raises SourceEmptied where all would.

    `left` counts the files of the snapshot that is to follow.
    Of uploads each one was removed by somebody who meant it.
    """
    if base is None or base.library.kind == Library.Kind.UPLOADS:
        return ""
    before, slug = base.files.count(), base.library.slug
    if before and not left:
        raise SourceEmptied(
            f"no file that can be read is left of the {before:,} of {base}, which stays active. Is the disk mounted, "
            f"the branch the right one, are the patterns right? If all are to go: manage.py reindex --force {slug}"
        )
    if before >= MANY and left < before * MOST:
        files = pluralize(left, "file is,files are")
        return f"only {left:,} {files} left of {before:,}; if that is a mistake: manage.py rollback {slug}"
    return ""
