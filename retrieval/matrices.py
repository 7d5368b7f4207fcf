"""A snapshot's vectors in memory, by position: all of them to compare, or (beyond EXACT_CHUNKS) halves and signs.

A sealed snapshot's vectors never change, so they are read from Postgres once. Matrices are kept as files in the home,
named after what is in them, and mapped into memory: the processes of one machine share them, a new process has them at
once, and the next snapshot's matrix takes from the last one's what they have in common. The files hold nothing that
Postgres does not; they may be deleted at any time.
"""

import hashlib
import json
import logging
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from django.conf import settings
from numpy.typing import NDArray

from knowledge.models import Chunk, EmbeddingSpace
from knowledge.parts import KEPT, means, unpacked
from knowledge.storage import folders

from .chunk_columns import rows_of
from .view import Cache, SearchedSnapshot, rows, unhurried

EXACT_CHUNKS = 30_000
KEPT_CHUNKS = 2_000  # from so many on, a matrix is kept in files
KEPT_FILES = 3  # matrices on disk for each library, the newest
FORMAT = 4
ABANDONED_SECONDS = 3600
READ_AT_ONCE = 1000  # vectors
COPIED_AT_ONCE = 50_000

Floats32 = NDArray[np.float32]
Hashes = NDArray[np.uint64]  # SHA-256 digests of what was embedded: (chunks, 4)

HASHES = """
    SELECT string_agg(content_hash, ''::bytea ORDER BY path, ordinal)
    FROM ({visible}) AS visible (content_hash, path, ordinal)
"""
VECTORS = """
    SELECT string_agg(content_hash, ''), string_agg(substring(vector_send(vector) FROM 5), ''),
           string_agg(int8send(CASE WHEN %(in_parts)s THEN coalesce(octet_length(parts), 0) ELSE 0 END), ''),
           string_agg(CASE WHEN %(in_parts)s THEN parts END, '')
    FROM knowledge_embedding WHERE space_id = %(space)s AND content_hash = ANY(%(hashes)s::bytea[])
"""
PART_LENGTHS = """
    SELECT string_agg(content_hash, ''), string_agg(int8send(coalesce(octet_length(parts), 0)), '')
    FROM knowledge_embedding WHERE space_id = %(space)s AND content_hash = ANY(%(hashes)s::bytea[])
"""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Parts:
    """Unit vectors of the parts of texts: those of text i are the rows from begins[i] to begins[i + 1]. A text that is
    one part has none.
    """

    vectors: NDArray[np.floating]  # (parts, dimension)
    begins: NDArray[np.int64]  # (texts + 1,)

    @property
    def counts(self) -> NDArray[np.int64]:
        return np.diff(self.begins)

    def rows(self, texts: NDArray[np.integer]) -> NDArray[np.int64]:
        """Of all parts of these texts, one text after another."""
        begins = self.begins[texts]
        counts = self.begins[texts + 1] - begins
        offsets = np.cumsum(counts) - counts
        return np.repeat(begins - offsets, counts) + np.arange(counts.sum())

    def of(self, texts: NDArray[np.integer]) -> "Parts":
        return Parts(self.vectors[self.rows(texts)], begins_of(self.counts[texts]))


@dataclass(frozen=True, slots=True)
class Rows:
    """Vectors of texts, and those of their parts, where they have some."""

    vectors: NDArray[np.floating]
    parts: Parts | None

    @classmethod
    def empty(cls, counts: NDArray[np.int64], searched: SearchedSnapshot, kind: type[np.floating]) -> "Rows":
        """For texts of so many parts, to be filled in."""
        dimension = searched.dimension
        parts = Parts(np.zeros((int(counts.sum()), dimension), kind), begins_of(counts))
        return cls(np.zeros((len(counts), dimension), kind), parts if searched.in_parts else None)

    def take(self, places: NDArray[np.integer], other: "Rows", rows: NDArray[np.integer]) -> None:
        """Fill in these places with rows of the other, which have as many parts."""
        self.vectors[places] = other.vectors[rows]
        if self.parts and other.parts:
            self.parts.vectors[self.parts.rows(places)] = other.parts.vectors[other.parts.rows(rows)]


@dataclass(frozen=True, slots=True)
class Matrix:
    """Unit vectors by position; zeros where a chunk has none, as prose among the vectors of code."""

    vectors: NDArray[np.floating]  # (chunks, dimension), float32 or float16
    known: int  # of them are not zeros
    mean: Floats32  # (dimension,), of those
    signs: NDArray[np.uint64] | None  # (dimension / 64, chunks): whether each component is above its mean
    parts: Parts | None = None  # in the vectors' precision

    @classmethod
    def of(cls, vectors: NDArray[np.floating], parts: Parts | None = None) -> "Matrix":
        known = int(np.count_nonzero(vectors.any(axis=1)))
        mean = np.asarray(vectors.sum(axis=0, dtype=np.float64) / max(known, 1), np.float32)
        return cls(vectors, known, mean, signs_of(vectors, mean) if len(vectors) > EXACT_CHUNKS else None, parts)

    @property
    def bytes(self) -> int:
        of_parts = () if self.parts is None else (self.parts.vectors, self.parts.begins)
        return sum(array.nbytes for array in (self.vectors, self.signs, *of_parts) if array is not None)


_matrices: Cache[Matrix] = Cache(settings.SEARCH_MEMORY_MB * 2**20, weigh=lambda matrix: matrix.bytes)


def matrix_of(searched: SearchedSnapshot) -> Matrix:
    return _matrices.get_or_make((searched.key, searched.space_id, searched.in_parts), partial(find_or_make, searched))


def find_or_make(searched: SearchedSnapshot) -> Matrix:
    with unhurried():
        hashes = content_hashes(searched)
        if len(hashes) < KEPT_CHUNKS:
            return make_matrix(searched, hashes)
        folder = folder_of(searched, hashes)
        if matrix := mapped(folder, searched.in_parts):
            return matrix
        matrix = make_matrix(searched, hashes, newest_alike(folder))
    shutil.rmtree(folder, ignore_errors=True)
    return kept(matrix, hashes, folder)


def make_matrix(searched: SearchedSnapshot, hashes: Hashes, base: Path | None = None) -> Matrix:
    """From Postgres; what the matrix in the folder `base` has of it, from there."""
    kind = precision(len(hashes))
    held, places = known_to(base, searched, hashes, kind)
    found, missing = np.flatnonzero(places >= 0), np.flatnonzero(places < 0)
    counts = np.zeros(len(hashes), np.int64)
    if searched.in_parts:
        counts[missing] = part_counts(searched, hashes[missing])
    if held.parts:
        counts[found] = held.parts.counts[places[found]]
    made = Rows.empty(counts, searched, kind)
    for start in range(0, len(found), COPIED_AT_ONCE):
        some = found[start : start + COPIED_AT_ONCE]
        made.take(some, held, places[some])
    for indices, stored in stored_vectors(searched, hashes[missing]):
        made.take(missing[indices], stored, np.arange(len(indices)))
    return Matrix.of(made.vectors, made.parts)


def precision(size: int) -> type[np.floating]:
    """Of the numbers of so many vectors."""
    return np.float16 if size > EXACT_CHUNKS else np.float32


def known_to(
    base: Path | None, searched: SearchedSnapshot, hashes: Hashes, kind: type[np.floating]
) -> tuple[Rows, NDArray[np.intp]]:
    """What a kept matrix has, and for each position its row there, or −1."""
    nothing = Rows.empty(np.zeros(0, np.int64), searched, kind), np.full(len(hashes), -1)
    held = mapped(base, searched.in_parts) if base else None
    if base is None or held is None or held.vectors.dtype != kind:
        return nothing
    try:
        known = np.load(base / "hashes.npy", mmap_mode="r")
    except (OSError, ValueError):
        return nothing
    if len(known) != len(held.vectors):
        return nothing
    return Rows(held.vectors, held.parts), located(np.asarray(known), hashes)


def located(known: Hashes, wanted: Hashes) -> NDArray[np.intp]:
    """For each wanted digest a row of `known` that is equal, or −1."""
    order = np.argsort(known[:, 0], kind="stable")
    rows = rows_of(wanted[:, 0], known[order, 0], order)
    return np.where((rows >= 0) & (known[rows] == wanted).all(axis=1), rows, -1) if len(known) else rows


def content_hashes(searched: SearchedSnapshot) -> Hashes:
    """By position."""
    columns = ("content_hash", "file_version__document_file__path", "ordinal")
    chunks = Chunk.objects.in_snapshots([searched.pk]).order_by().values_list(*columns)
    visible, parameters = chunks.query.sql_with_params()
    (packed,) = rows(HASHES.format(visible=visible), parameters)[0]
    return np.frombuffer(packed or b"", np.uint64).reshape(-1, 4)


def stored_vectors(searched: SearchedSnapshot, hashes: Hashes) -> Iterator[tuple[NDArray[np.intp], Rows]]:
    """Vectors as Postgres has them (float32, big-endian), and whose they are: indices of `hashes`.

    In a snapshot whose passages were embedded in parts, the vector of one with several is their mean.
    """
    dimension = searched.dimension
    for indices, places, (packed, lengths, parts) in looked_up(VECTORS, searched, hashes):
        vectors = np.frombuffer(packed, KEPT).reshape(-1, dimension).astype(np.float32)
        own = Parts(unpacked(parts or b"", dimension), begins_of(counts_of(lengths, dimension)))
        several = np.flatnonzero(own.counts)
        vectors[several] = means(own.vectors, own.begins[several])
        yield indices, Rows(vectors[places], own.of(places))


def part_counts(searched: SearchedSnapshot, hashes: Hashes) -> NDArray[np.int64]:
    """How many parts each of these texts has; 0 where it is one part."""
    counts = np.zeros(len(hashes), np.int64)
    for indices, places, (lengths,) in looked_up(PART_LENGTHS, searched, hashes):
        counts[indices] = counts_of(lengths, searched.dimension)[places]
    return counts


def looked_up(
    query: str, searched: SearchedSnapshot, hashes: Hashes
) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp], list[bytes]]]:
    """A batch at a time: the indices of the hashes that are known, their rows in the answer, and its columns."""
    for start in range(0, len(hashes), READ_AT_ONCE):
        wanted = hashes[start : start + READ_AT_ONCE]
        digests = sorted({digest.tobytes() for digest in wanted})
        asked = {"space": searched.space_id, "hashes": digests, "in_parts": searched.in_parts}
        ((found, *columns),) = rows(query, asked)
        places = located(digests_of(found), wanted)
        known = np.flatnonzero(places >= 0)
        if len(known):
            yield start + known, places[known], columns


def begins_of(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.append(0, np.cumsum(counts)).astype(np.int64)


def digests_of(packed: bytes | None) -> Hashes:
    return np.frombuffer(packed or b"", np.uint64).reshape(-1, 4)


def counts_of(lengths: bytes, dimension: int) -> NDArray[np.int64]:
    """From the bytes that Postgres counted."""
    return np.frombuffer(lengths, ">i8").astype(np.int64) // (4 * dimension)


def signs_of(vectors: NDArray[np.floating], mean: Floats32) -> NDArray[np.uint64]:
    step = 50_000
    parts = [packed_signs(vectors[start : start + step] > mean) for start in range(0, len(vectors), step)]
    return np.ascontiguousarray(np.concatenate(parts, axis=1))


def packed_signs(above: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """(rows, dimension) of truth values as words of 64: (⌈dimension / 64⌉, rows)."""
    packed = np.packbits(above, axis=1)
    padded = np.pad(packed, ((0, 0), (0, -packed.shape[1] % 8)))
    return np.ascontiguousarray(padded).view(np.uint64).T


def folder_of(searched: SearchedSnapshot, hashes: Hashes) -> Path:
    """Named after its embedding space and everything else that decides what is in it."""
    space = EmbeddingSpace.objects.get(pk=searched.space_id)
    described = [
        FORMAT,
        searched.in_parts,
        space.model,
        space.dimension,
        space.query_prefix,
        space.document_prefix,
        space.canaries,
    ]
    space_hash = hashlib.sha256(json.dumps(described).encode()).hexdigest()[:16]
    content_hash = hashlib.sha256(f"{len(hashes) > EXACT_CHUNKS}".encode() + hashes.tobytes()).hexdigest()[:32]
    return folders.matrices_of(searched.library_id) / f"{space_hash}-{content_hash}"


def newest_alike(folder: Path) -> Path | None:
    """The last matrix of this library and space that was kept."""
    space_hash = folder.name.partition("-")[0]
    kept_at: dict[Path, float] = {}
    for other in folder.parent.glob(f"{space_hash}-*"):
        with suppress(FileNotFoundError):  # another process has just discarded it
            kept_at[other] = other.stat().st_mtime
    return max(kept_at, key=kept_at.__getitem__, default=None)


def mapped(folder: Path, in_parts: bool) -> Matrix | None:
    try:
        vectors, mean = (np.load(folder / f"{name}.npy", mmap_mode="r") for name in ("vectors", "mean"))
        known = int(np.load(folder / "known.npy"))
        has_signs = vectors.dtype == np.float16
        signs = np.ascontiguousarray(np.load(folder / "signs.npy", mmap_mode="r")) if has_signs else None
        parts = None
        if in_parts:
            parts = Parts(np.load(folder / "parts.npy", mmap_mode="r"), np.load(folder / "begins.npy"))
    except (OSError, ValueError):
        return None
    return Matrix(vectors, known, np.array(mean), signs, parts)


def kept(matrix: Matrix, hashes: Hashes, folder: Path) -> Matrix:
    """The matrix from its files, written now; from memory where they cannot be written."""
    arrays: dict[str, NDArray[Any] | None] = {
        "vectors": matrix.vectors,
        "known": np.array(matrix.known),
        "mean": matrix.mean,
        "signs": matrix.signs,
        "hashes": hashes,
    }
    if matrix.parts:
        arrays |= {"parts": matrix.parts.vectors, "begins": matrix.parts.begins}
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(dir=folder.parent, prefix="."))
        try:
            for name, array in arrays.items():
                if array is not None:
                    with (temporary / f"{name}.npy").open("wb") as file:
                        np.save(file, array)
                        file.flush()
                        os.fsync(file.fileno())
            temporary.rename(folder)
        except OSError:
            shutil.rmtree(temporary, ignore_errors=True)
            raise
        discard_old(folder.parent)
    except OSError as error:  # another process was first, or there is no room
        logger.warning("the matrix of %s is not kept: %s", folder, error)
    return mapped(folder, matrix.parts is not None) or matrix


def discard_old(parent: Path) -> None:
    """All but the newest, and what a killed process left. Who has one mapped keeps it until it is done."""
    complete = [folder for folder in parent.iterdir() if not folder.name.startswith(".")]
    complete.sort(key=lambda folder: folder.stat().st_mtime, reverse=True)
    abandoned = [folder for folder in parent.glob(".*") if folder.stat().st_mtime < time.time() - ABANDONED_SECONDS]
    for folder in complete[KEPT_FILES:] + abandoned:
        shutil.rmtree(folder, ignore_errors=True)
