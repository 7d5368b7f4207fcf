"""A library is added: what would be read is shown before anything is written."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from django.db import IntegrityError, transaction

from ingestion.parsers import suffix
from ingestion.sources import counted_by_kind, open_source
from ingestion.sources.git import open_git
from knowledge.access import is_administrator
from knowledge.models import Library, Membership, Role

SHOWN = 40  # paths of a preview
LOOK_SECONDS = 20  # for a repository to come, while somebody waits


class NameTaken(ValueError):
    """Somebody else added a library of this name meanwhile."""


@dataclass(frozen=True, slots=True)
class Preview:
    """What a build would read now."""

    count: int
    formats: tuple[tuple[str, int], ...]  # suffix and files, most first
    paths: tuple[str, ...]  # the first of them
    unread: str  # what no parser reads, in words


def preview_of(library: Library) -> Preview:
    """From the source's listing alone: nothing is written, no model is called. Raises SourceError."""
    is_git = library.kind == Library.Kind.GIT
    opened = open_git(library, keep=False, seconds=LOOK_SECONDS) if is_git else open_source(library, keep=False)
    with opened as source:
        paths, unread = [file.path for file in source.files], counted_by_kind(source.unread)
    formats = Counter(suffix(path) or "other" for path in paths)
    return Preview(len(paths), tuple(formats.most_common()), tuple(sorted(paths)[:SHOWN]), unread)


def keep(library: Library, user: Any) -> None:
    """Its librarian is who added it; None: on the server's command line. Raises NameTaken."""
    try:
        with transaction.atomic():
            library.save()
    except IntegrityError as error:
        if not Library.objects.filter(slug=library.slug).exists():
            raise
        raise NameTaken(taken(library.slug)) from error
    if not is_administrator(user):
        Membership.objects.create(library=library, user=user, role=Role.LIBRARIAN)


def taken(slug: str) -> str:
    return f"There is a library “{slug}” already; choose another name"
