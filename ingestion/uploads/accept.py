"""From what was brought to rows: kept by hash, current at a path, replaced and removed on the record."""

from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import DatabaseError, transaction
from django.utils import timezone

from ingestion.parsers import suffix, unread
from ingestion.paths import MAX_FILES
from ingestion.sources.base import SourceError, path_filter, shown
from knowledge.governance import audit
from knowledge.governance.withdrawal import withheld
from knowledge.models import Job, Library, Upload
from knowledge.models.upload import is_wanted
from knowledge.storage import originals

from .archive import unpacked
from .brought import Brought
from .names import Refused, kept_path
from .outcomes import with_outcomes

IN_TRASH = "a file of this path is in the trash: restore it first, or give this one another name"
TAKEN_OUT = "it was taken out of the library; an operator can let it in again (manage.py unindex --restore)"


class NotForUploads(Exception):
    """The library has another source, or takes no files as it is set; the message says which or why."""


@dataclass(slots=True)
class Receipt:
    """What became of each file, by path. `refused` says why; `withheld`, of what was taken, that a withdrawn file has
    its bytes."""

    added: list[str] = field(default_factory=list)
    replaced: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    withheld: dict[str, str] = field(default_factory=dict)

    @property
    def changes(self) -> bool:
        return bool(self.added or self.replaced)

    def as_json(self) -> dict[str, Any]:
        kinds = {"refused": self.refused, "withheld": self.withheld}
        told = {
            kind: [{"path": path, "reason": reason} for path, reason in rows.items()] for kind, rows in kinds.items()
        }
        return {"added": self.added, "replaced": self.replaced, "unchanged": self.unchanged, **told}


@dataclass(frozen=True, slots=True)
class Kept:
    sha256: str
    size: int


def accept(library: Library, brought: Iterable[Brought], user: User | None) -> Receipt:
    """Keep the files and make them the library's. What is accepted is read by the next build.

    Raises NotForUploads, or OSError of a full disk; nothing is left then of what was kept.
    """
    refuse_other_kinds(library)
    kept: dict[str, Kept] = {}
    try:
        return take(library, brought, user, kept)
    except Exception:
        with suppress(DatabaseError, OSError):  # or gc does it, a day later
            for one in kept.values():
                originals.discard(one.sha256, is_wanted, 0)
        raise


@transaction.atomic
def take(library: Library, brought: Iterable[Brought], user: User | None, kept: dict[str, Kept]) -> Receipt:
    """`kept` grows by what is written into the home."""
    receipt = Receipt()
    wanted = wanted_by(library)
    shut = shut_paths(library)
    room = settings.UPLOAD_MAX_MB * 1024**2
    originals.hold()
    for path, content in contents(brought, receipt, room):
        if path in kept:
            receipt.refused[path] = "another file of this upload has the same path"
        elif not wanted(path):
            is_known = suffix(path) is not None
            receipt.refused[path] = "the library's patterns leave it out" if is_known else unread(path)
        elif path in shut:
            receipt.refused[path] = shut[path]
        elif (room := room - len(content)) < 0:
            receipt.refused[path] = f"the upload holds more than {settings.UPLOAD_MAX_MB} MB; bring the rest by itself"
        else:
            kept[path] = Kept(originals.keep(content), len(content))
    record(library, kept, user, receipt)
    return receipt


def wanted_by(library: Library) -> Callable[[str], bool]:
    try:
        return path_filter(library.include, library.exclude, suffix)
    except SourceError as error:
        raise NotForUploads(f"{library} takes no files until its patterns are mended: {error}") from error


def shut_paths(library: Library) -> dict[str, str]:
    """Where nothing is taken in, and why: over a file in the trash it would be erased with what is there."""
    trashed = library.document_files.exclude(trashed_at=None).values_list("path", flat=True)
    return dict.fromkeys(library.unindexed, TAKEN_OUT) | dict.fromkeys(trashed, IN_TRASH)


def contents(brought: Iterable[Brought], receipt: Receipt, room: int) -> Iterator[tuple[str, bytes]]:
    """path and content of every file, archives unpacked; refusals go to the receipt."""
    for file in brought:
        try:
            if file.fault:
                raise Refused(file.fault)
            if not file.is_archive:
                yield kept_path(file.name), file.content.read_bytes()
                continue
            for path, content in unpacked(file.content, room):
                if isinstance(content, Refused):
                    receipt.refused[shown(path)] = str(content)
                else:
                    yield path, content
        except Refused as reason:
            receipt.refused[shown(file.name)] = str(reason)
        except OSError as error:
            receipt.refused[shown(file.name)] = f"it cannot be read: {error.strerror}"


def record(library: Library, kept: dict[str, Kept], user: User | None, receipt: Receipt) -> None:
    """What may be taken in is decided by the library as it is now: unpacking took its time."""
    shut = shut_paths(locked(library))
    for path in kept.keys() & shut.keys():
        receipt.refused[path] = shut[path]
        transaction.on_commit(partial(originals.discard, kept.pop(path).sha256, is_wanted, 0))
    standing = {row.path: row for row in library.uploads.current()}
    new = {path: one for path, one in kept.items() if path not in standing or standing[path].sha256 != one.sha256}
    if len(standing.keys() | new.keys()) > MAX_FILES:
        raise NotForUploads(f"the library would hold more than {MAX_FILES:,} files")
    replaced = new.keys() & standing.keys()
    ended = library.uploads.filter(pk__in=[standing[path].pk for path in replaced])
    ended.update(ended_at=timezone.now(), ended_by=user)
    Upload.objects.bulk_create(
        [
            Upload(library=library, path=path, sha256=one.sha256, size=one.size, uploaded_by=user)
            for path, one in new.items()
        ],
        batch_size=2000,
    )
    receipt.replaced = sorted(replaced)
    receipt.added = sorted(new.keys() - replaced)
    receipt.unchanged = sorted(kept.keys() - new.keys())
    receipt.withheld = withheld(library, {path: one.sha256 for path, one in new.items()})
    if new:
        counts: dict[str, Any] = {"added": len(receipt.added), "replaced": len(receipt.replaced)}
        audit.record("files.upload", library=library, document=only(new), by=user, **counts)


def locked(library: Library) -> Library:
    """As it is now. Raises NotForUploads."""
    try:
        return Library.objects.lock(library.pk)
    except Library.DoesNotExist as error:
        raise NotForUploads(f"{library} was removed") from error


@transaction.atomic
def remove(library: Library, paths: Collection[str], user: User | None) -> int:
    """How many files were current and are not any more. Their history and originals stay. Raises NotForUploads."""
    refuse_other_kinds(library)
    locked(library)
    current = library.uploads.current().filter(path__in=[path for path in paths if "\0" not in path])
    removed = list(current.values_list("path", flat=True))
    current.update(ended_at=timezone.now(), ended_by=user)
    if removed:
        audit.record("files.remove", library=library, document=only(removed), by=user, removed=len(removed))
    return len(removed)


def only(paths: Collection[str]) -> str:
    """The path, where there is one: an act on many is one event, and who brought each stands in its upload."""
    return next(iter(paths)) if len(paths) == 1 else ""


def wants_build(library: Library, receipt: Receipt) -> bool:
    """Whether a file is unread: a new one, or one that lay there and whose build failed or was never asked for."""
    there = library.uploads.current().filter(path__in=receipt.unchanged)
    return receipt.changes or any(outcome.is_unread for outcome in with_outcomes(library, there))


def request_build(library: Library, user: User | None) -> Job:
    """A job that will read what is current now: one that waits already, or a new one. For when the rows are kept."""
    return next(iter(Job.objects.coming(library)), None) or Job.objects.ask_for(library, user, paths=[], activate=True)


def refuse_other_kinds(library: Library) -> None:
    if library.kind != Library.Kind.UPLOADS:
        raise NotForUploads(f"{library} is read from a {library.get_kind_display().lower()}; files are changed there")
