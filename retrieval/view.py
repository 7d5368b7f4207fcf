"""One read: every branch of a search, and the loading of its hits, sees the same committed state.

The snapshots that a search looks at are resolved once, inside a REPEATABLE READ, READ ONLY transaction. What is
computed from a sealed snapshot never changes, so it is kept in memory, keyed by the snapshot and by which of the
library's document files are withdrawn: a withdrawal acts on the next request.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import Generic, TypeVar

import numpy as np
from django.conf import settings
from django.db import connection, transaction
from numpy.typing import NDArray

from knowledge.models import Chunk, DocumentFile, Library, Snapshot
from knowledge.models.library import Reader

Key = tuple[int, tuple[int, ...]]  # snapshot, withdrawn document files
Value = TypeVar("Value")

BEGIN_READING = """
    SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY;
    SET LOCAL statement_timeout = {timeout}
"""


class UnknownLibrary(LookupError):
    """The user may not read a library of this name, or there is none: the two look the same."""


@dataclass(frozen=True, slots=True)
class Places:
    """What stands at each position: the keys of chunk, section and document file, int64."""

    chunks: NDArray[np.int64]
    sections: NDArray[np.int64]
    files: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class SearchedSnapshot:
    """A snapshot as one search sees it. Its visible chunks are numbered in order of path and place: *positions*."""

    snapshot: Snapshot
    key: Key
    places: Places

    @property
    def chunk_ids(self) -> NDArray[np.int64]:
        return self.places.chunks

    @property
    def library(self) -> Library:
        return self.snapshot.library


@dataclass(frozen=True)
class View:
    snapshots: tuple[SearchedSnapshot, ...]

    @cached_property
    def offsets(self) -> list[int]:
        """Where each snapshot's positions begin when all are counted through."""
        return np.cumsum([0, *(len(searched.chunk_ids) for searched in self.snapshots)]).tolist()

    @cached_property
    def places(self) -> Places:
        """The places of all snapshots, one after another."""
        if len(self.snapshots) == 1:
            return self.snapshots[0].places
        columns = ([getattr(searched.places, name) for searched in self.snapshots] for name in Places.__slots__)
        return Places(*(np.concatenate(column or [np.empty(0, np.int64)]) for column in columns))


class Cache(Generic[Value]):
    """The newest few values, by key. Threads may make a value twice; they never see half of one."""

    def __init__(self, size: int) -> None:
        self._size, self._lock = size, Lock()
        self._values: OrderedDict[Hashable, Value] = OrderedDict()

    def get_or_make(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """The value of this key; made outside of the lock, so that nobody waits for another's."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key]
        value = make()
        with self._lock:
            self._values[key] = value
            self._values.move_to_end(key)
            while len(self._values) > self._size:
                self._values.popitem(last=False)
        return value


_places: Cache[Places] = Cache(64)


@contextmanager
def one_read(user: Reader, libraries: Sequence[str] = (), snapshot: int | None = None) -> Iterator[View]:
    """The state that `user` may see now. Raises UnknownLibrary.

    `snapshot` is a number in the only library named: an older one may be searched for as long as it is kept.
    """
    with transaction.atomic():
        if len(connection.savepoint_ids) == 0:  # the outermost transaction: tests and callers may have opened one
            with connection.cursor() as cursor:
                cursor.execute(BEGIN_READING.format(timeout=int(settings.SEARCH_STATEMENT_TIMEOUT_MS)))
        snapshots = resolve(user, libraries, snapshot)
        withdrawn = withdrawn_files([found.library_id for found in snapshots])
        yield View(tuple(searched(found, withdrawn.get(found.library_id, ())) for found in snapshots))


def resolve(user: Reader, slugs: Sequence[str], number: int | None) -> list[Snapshot]:
    """The snapshots to search, in order of library."""
    readable = Library.objects.readable_by(user).order_by("slug")
    chosen = readable.filter(slug__in=slugs) if slugs else readable.exclude(kind=Library.Kind.CORPUS)
    libraries = list(chosen.select_related("active_snapshot__profile", "active_snapshot__space"))
    if missing := set(slugs) - {library.slug for library in libraries}:
        raise UnknownLibrary(f"there is no library “{min(missing)}”")
    if number is not None:
        return [numbered(libraries, number)]
    snapshots = []
    for library in libraries:
        if library.active_snapshot:
            library.active_snapshot.library = library
            snapshots.append(library.active_snapshot)
    return snapshots


def numbered(libraries: Sequence[Library], number: int) -> Snapshot:
    if len(libraries) != 1:
        raise UnknownLibrary("a snapshot number needs exactly one library")
    snapshots = libraries[0].snapshots.select_related("library", "profile", "space")
    found = snapshots.filter(number=number, state=Snapshot.State.READY).first()
    if found is None:
        raise UnknownLibrary(f"“{libraries[0].slug}” has no ready snapshot {number}")
    return found


def withdrawn_files(libraries: Sequence[int]) -> dict[int, tuple[int, ...]]:
    rows = DocumentFile.objects.filter(library__in=libraries, withdrawn_at__isnull=False)
    found: dict[int, tuple[int, ...]] = {}
    for library, pk in rows.order_by("pk").values_list("library", "pk"):
        found[library] = (*found.get(library, ()), pk)
    return found


def searched(snapshot: Snapshot, withdrawn: tuple[int, ...]) -> SearchedSnapshot:
    key = (snapshot.pk, withdrawn)
    return SearchedSnapshot(snapshot, key, _places.get_or_make(key, lambda: read_places(snapshot)))


def read_places(snapshot: Snapshot) -> Places:
    rows = Chunk.objects.in_snapshots([snapshot.pk]).order_by("file_version__document_file__path", "ordinal")
    columns = rows.values_list("pk", "section", "file_version__document_file")
    table = np.array(list(columns.iterator(chunk_size=20_000)), np.int64).reshape(-1, 3)
    return Places(*(np.ascontiguousarray(column) for column in table.T))
