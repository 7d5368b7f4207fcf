"""One read: every branch of a search, and the loading of its hits, sees the same committed state.

The snapshots that a search looks at are resolved once, inside a REPEATABLE READ, READ ONLY transaction. What is
computed from a sealed snapshot never changes, so it is kept in memory, keyed by the snapshot and by which of the
library's document files are withdrawn: a withdrawal acts on the next request.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from threading import Lock
from typing import Any, Generic, TypeVar

import numpy as np
import psycopg
from django.conf import settings
from django.core.validators import slug_re
from django.db import connection
from numpy.typing import NDArray

from knowledge.access import snapshots_for
from knowledge.models import Chunk, Library
from knowledge.models.library import Reader
from knowledge.numbers import LARGEST
from knowledge.storage import locks, statements
from knowledge.storage.one_state import one_state

from .chunk_columns import ChunkColumns, rows_of
from .retrieval_settings import NAMES, RetrievalSettings

Key = tuple[int, int, tuple[int, ...]]  # snapshot, how often it was rebuilt, withdrawn document files
Value = TypeVar("Value")

RESOLVE = """
    SELECT snapshot.id, snapshot.number, snapshot.rebuilds, library.id, library.slug, snapshot.profile_id,
           profile.settings ->> 'language', snapshot.space_id, space.dimension,
           ARRAY(SELECT file.id FROM knowledge_documentfile file
                 WHERE file.library_id = library.id AND file.withdrawn_at IS NOT NULL ORDER BY file.id),
           ARRAY(SELECT segment.id FROM knowledge_lexicalsegment segment
                 WHERE segment.library_id = library.id ORDER BY segment.id),
           COALESCE((SELECT learnt.lexical_weight FROM knowledge_learntfusion learnt
                     WHERE learnt.library_id = library.id AND learnt.profile_hash = profile.hash
                     ORDER BY learnt.id DESC LIMIT 1), 1),
           snapshot.summaries_through > 0 AND profile.settings ? 'summaries', snapshot.code_space_id, code.dimension,
           profile.settings ? 'parts', {retrieval_settings}
    FROM (SELECT set_config('statement_timeout', COALESCE(%s, current_setting('statement_timeout')), true)) AS limited,
         knowledge_library library
    LEFT JOIN knowledge_snapshot snapshot ON {chosen}
    LEFT JOIN knowledge_indexprofile profile ON profile.id = snapshot.profile_id
    LEFT JOIN knowledge_embeddingspace space ON space.id = snapshot.space_id
    LEFT JOIN knowledge_embeddingspace code ON code.id = snapshot.code_space_id
    WHERE library.id IN ({readable})
      AND (library.slug = ANY(%s::text[]) OR (%s::text[] = '{{}}' AND library.kind <> 'corpus'))
    ORDER BY library.slug COLLATE "C"
"""
RESOLVE = RESOLVE.replace("{retrieval_settings}", ", ".join(f"library.{name}" for name in NAMES))
CHUNK_COLUMNS = """
    SELECT string_agg(int8send(visible.chunk), '' ORDER BY path, ordinal),
           string_agg(int8send(visible.section), '' ORDER BY path, ordinal),
           string_agg(int8send(visible.file), '' ORDER BY path, ordinal),
           string_agg(int8send(coalesce(visible.page, 0)), '' ORDER BY path, ordinal)
    FROM ({visible}) AS visible (chunk, section, file, page, path, ordinal)
"""
ACTIVE = "snapshot.id = library.active_snapshot_id"
NUMBERED = "snapshot.library_id = library.id AND snapshot.number = %s AND snapshot.id IN ({open})"


class UnknownLibrary(LookupError):
    """The user may not read a library of this name, or there is none: the two look the same."""


@dataclass(frozen=True, slots=True)
class SearchedSnapshot:
    """A snapshot as one search sees it. Its visible chunks are numbered in order of path and place: *positions*."""

    pk: int
    number: int
    rebuilds: int  # its vectors and postings were made anew, or files erased from it, so often
    library_id: int
    slug: str  # of the library
    profile_id: int
    language: str  # the text-search configuration of its postings
    space_id: int
    dimension: int  # of that embedding space
    withdrawn: tuple[int, ...]  # document files
    segments: tuple[int, ...]  # of the library: they are added and merged while the snapshot stays
    learnt_weight: float  # of words in fusion, from the library's golden questions; else 1
    summarised: bool  # whether it has summaries of sections
    code_space_id: int | None  # the embedding space of its code, where a model of its own made one
    code_dimension: int | None
    in_parts: bool  # whether its passages were embedded in parts
    retrieval_settings: RetrievalSettings  # as the library is set

    @property
    def key(self) -> Key:
        return self.pk, self.rebuilds, self.withdrawn

    @property
    def chunk_columns(self) -> ChunkColumns:
        return _chunk_columns.get_or_make(self.key, partial(read_chunk_columns, self.pk))

    @property
    def chunk_ids(self) -> NDArray[np.int64]:
        return self.chunk_columns.chunks

    def locator(self) -> Callable[[NDArray[np.integer]], NDArray[np.intp]]:
        """Finds the positions of chunks by their keys: −1 for one that is not visible here."""
        by_key = np.argsort(self.chunk_ids, kind="stable")
        return partial(rows_of, keys=self.chunk_ids[by_key], order=by_key)


@dataclass(frozen=True)
class View:
    snapshots: tuple[SearchedSnapshot, ...]

    @cached_property
    def offsets(self) -> list[int]:
        """Where each snapshot's positions begin when all are counted through."""
        return np.cumsum([0, *(len(searched.chunk_ids) for searched in self.snapshots)]).tolist()

    @cached_property
    def chunk_columns(self) -> ChunkColumns:
        """The columns of all snapshots, one after another."""
        if len(self.snapshots) == 1:
            return self.snapshots[0].chunk_columns
        return ChunkColumns.joined([searched.chunk_columns for searched in self.snapshots])

    def lexical_weights(self, positions: NDArray[np.int64], asked: float | None) -> NDArray[np.float64]:
        """For each of these positions, how much words count in fusion: `asked`, or else its library, times the learnt.

        A weight only shares a score out between words and meaning, each at most 1; so libraries with different ones
        still score on one scale.
        """
        owners = np.searchsorted(self.offsets, positions, side="right") - 1
        own = [searched.retrieval_settings.lexical_weight if asked is None else asked for searched in self.snapshots]
        return np.array([weight * one.learnt_weight for weight, one in zip(own, self.snapshots, strict=True)])[owners]


class Cache(Generic[Value]):
    """The values used last, by key, as many as weigh `size` together (each 1, by default), and `least` in any case.

    Threads may make a value twice; they never see half of one.
    """

    def __init__(self, size: int, weigh: Callable[[Value], int] = lambda _: 1, least: int = 1) -> None:
        self._size, self._weigh, self._least, self._lock = size, weigh, least, Lock()
        self._values: OrderedDict[Hashable, tuple[int, Value]] = OrderedDict()
        self._held = 0

    def get(self, key: Hashable) -> Value | None:
        with self._lock:
            if key not in self._values:
                return None
            self._values.move_to_end(key)
            return self._values[key][1]

    def put(self, key: Hashable, value: Value) -> None:
        weight = self._weigh(value)
        with self._lock:
            if key in self._values:
                self._held -= self._values.pop(key)[0]
            self._values[key] = weight, value
            self._held += weight
            while len(self._values) > self._least and self._held > self._size:
                self._held -= self._values.popitem(last=False)[1][0]

    def get_or_make(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """The value of this key; made outside of the lock, so that nobody waits for another's."""
        value = self.get(key)
        if value is None:
            value = make()
            self.put(key, value)
        return value

    def clear(self) -> None:
        with self._lock:
            self._values.clear()
            self._held = 0


_chunk_columns: Cache[ChunkColumns] = Cache(256 * 2**20, weigh=lambda columns: columns.bytes)


@contextmanager
def one_read(user: Reader, libraries: Sequence[str], snapshot: int | None = None) -> Iterator[View]:
    """The state that `user` may see now. Raises UnknownLibrary.

    `snapshot` is a number in the only library named: an older one may be searched for as long as it is kept.
    """
    with one_state():
        yield View(resolve(user, libraries, snapshot))


def check_names(slugs: Sequence[str]) -> None:
    """Raises UnknownLibrary for what can be the name of none, and what Postgres cannot even be asked for."""
    for slug in slugs:
        if not slug_re.fullmatch(slug):
            raise UnknownLibrary(f"there is no library “{slug}”")


def resolve(user: Reader, slugs: Sequence[str], number: int | None) -> tuple[SearchedSnapshot, ...]:
    """The snapshots to search, in order of library. Raises UnknownLibrary."""
    check_names(slugs)
    readable, parameters = Library.objects.readable_by(user).order_by().values("pk").query.sql_with_params()
    within_another = bool(connection.savepoint_ids)  # its settings are not ours to change
    timeout = None if within_another else str(settings.SEARCH_STATEMENT_TIMEOUT_MS)
    if number is None:
        found = rows(RESOLVE.format(readable=readable, chosen=ACTIVE), (timeout, *parameters, list(slugs), list(slugs)))
    elif len(slugs) != 1:
        raise UnknownLibrary("a snapshot number needs exactly one library")
    elif not 0 < number <= LARGEST:
        raise UnknownLibrary(f"“{slugs[0]}” has no ready snapshot {number}")
    else:
        opened, own = snapshots_for(user).filter(number=number).order_by().values("pk").query.sql_with_params()
        asked = (timeout, number, *own, *parameters, list(slugs), list(slugs))
        found = rows(RESOLVE.format(readable=readable, chosen=NUMBERED.format(open=opened)), asked)
    if missing := set(slugs) - {row[4] for row in found}:
        raise UnknownLibrary(f"there is no library “{min(missing)}”")
    if number is not None and found[0][0] is None:
        raise UnknownLibrary(f"“{slugs[0]}” has no ready snapshot {number}")
    width = -len(NAMES)
    return tuple(
        SearchedSnapshot(*[*map(hashable, row[:width]), RetrievalSettings(*row[width:])])
        for row in found
        if row[0] is not None
    )


def hashable(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def rows(sql: str, parameters: Sequence[Any] | Mapping[str, Any] = ()) -> list[tuple[Any, ...]]:
    """What a query that every search makes finds: prepared and planned once per connection, results in binary.

    Errors are Django's, so that a connection that is lost is known to be, and taken out of use.
    """
    connection.ensure_connection()
    with connection.wrap_database_errors, psycopg.Cursor(connection.connection) as cursor:
        return cursor.execute(sql.encode(), parameters, prepare=True, binary=True).fetchall()


def read_chunk_columns(snapshot: int) -> ChunkColumns:
    columns = ("pk", "section", "file_version__document_file", "page", "file_version__document_file__path", "ordinal")
    chunks = Chunk.objects.in_snapshots([snapshot]).order_by().values_list(*columns)
    visible, parameters = chunks.query.sql_with_params()
    with unhurried():
        (packed,) = rows(CHUNK_COLUMNS.format(visible=visible), parameters)
    return ChunkColumns.of(*(np.frombuffer(column or b"", ">i8").astype(np.int64) for column in packed))


@contextmanager
def unhurried() -> Iterator[None]:
    """What is made once for each snapshot may take longer than a search."""
    before = statements.limit(0)
    yield
    statements.limit(before)


def release_connection() -> None:
    """No database connection is held while a model works, which takes long; the next query opens one again.

    One that holds a lock, such as a build's while its gate searches, stays: the lock would go with it.
    """
    if not connection.in_atomic_block and not locks.holds_any():
        connection.close()
