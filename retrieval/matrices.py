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
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from django.conf import settings
from numpy.typing import NDArray

from knowledge.models import Chunk, EmbeddingSpace

from .places import rows_of
from .view import Cache, SearchedSnapshot, rows, unhurried

EXACT_CHUNKS = 30_000
KEPT_CHUNKS = 2_000  # from so many on, a matrix is kept in files
KEPT_FILES = 3  # matrices on disk for each library, the newest
FORMAT = 2
ABANDONED_SECONDS = 3600
READ_AT_ONCE = 1000  # vectors

Floats32 = NDArray[np.float32]
Hashes = NDArray[np.uint64]  # SHA-256 digests of what was embedded: (chunks, 4)

HASHES = """
    SELECT string_agg(content_hash, ''::bytea ORDER BY path, ordinal)
    FROM ({visible}) AS visible (content_hash, path, ordinal)
"""
VECTORS = """
    SELECT string_agg(content_hash, ''), string_agg(substring(vector_send(vector) FROM 5), '')
    FROM knowledge_embedding WHERE space_id = %s AND content_hash = ANY(%s::bytea[])
"""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Matrix:
    """Unit vectors by position."""

    vectors: NDArray[np.floating]  # (chunks, dimension), float32 or float16
    mean: Floats32  # (dimension,)
    signs: NDArray[np.uint64] | None  # (dimension / 64, chunks): whether each component is above its mean

    @classmethod
    def of(cls, vectors: NDArray[np.floating]) -> "Matrix":
        mean = np.asarray(vectors.sum(axis=0, dtype=np.float64) / max(len(vectors), 1), np.float32)
        return cls(vectors, mean, signs_of(vectors, mean) if len(vectors) > EXACT_CHUNKS else None)

    @property
    def bytes(self) -> int:
        return self.vectors.nbytes + (0 if self.signs is None else self.signs.nbytes)


_matrices: Cache[Matrix] = Cache(settings.SEARCH_MEMORY_MB * 2**20, weigh=lambda matrix: matrix.bytes)


def matrix_of(searched: SearchedSnapshot) -> Matrix:
    return _matrices.get_or_make((searched.key, searched.space_id), partial(find_or_make, searched))


def find_or_make(searched: SearchedSnapshot) -> Matrix:
    with unhurried():
        hashes = content_hashes(searched)
        if len(hashes) < KEPT_CHUNKS:
            return make_matrix(searched, hashes)
        folder = folder_of(searched, hashes)
        if matrix := mapped(folder):
            return matrix
        matrix = make_matrix(searched, hashes, newest_alike(folder))
    shutil.rmtree(folder, ignore_errors=True)
    return kept(matrix, hashes, folder)


def make_matrix(searched: SearchedSnapshot, hashes: Hashes, base: Path | None = None) -> Matrix:
    """From Postgres; what the matrix in the folder `base` has of it, from there."""
    size = len(hashes)
    vectors = np.zeros((size, searched.dimension), precision(size))
    missing = np.arange(size) if base is None else unknown_to(base, hashes, vectors)
    for found, stored in stored_vectors(searched.space_id, hashes[missing]):
        vectors[missing[found]] = stored
    return Matrix.of(vectors)


def precision(size: int) -> type[np.floating]:
    """Of the numbers of so many vectors."""
    return np.float16 if size > EXACT_CHUNKS else np.float32


def unknown_to(base: Path, hashes: Hashes, vectors: NDArray[np.floating]) -> NDArray[np.intp]:
    """Fill in the rows that the kept matrix has; returns the positions of the others."""
    try:
        known, held = (np.load(base / f"{name}.npy", mmap_mode="r") for name in ("hashes", "vectors"))
    except (OSError, ValueError):
        return np.arange(len(hashes))
    if held.dtype != vectors.dtype or len(held) != len(known):
        return np.arange(len(hashes))
    places = located(np.asarray(known), hashes)
    found = np.flatnonzero(places >= 0)
    for start in range(0, len(found), 50_000):
        some = found[start : start + 50_000]
        vectors[some] = held[places[some]]
    return np.flatnonzero(places < 0)


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


def stored_vectors(space: int, hashes: Hashes) -> Iterator[tuple[NDArray[np.intp], NDArray[np.floating]]]:
    """Vectors as Postgres has them (float32, big-endian), and whose they are: indices of `hashes`."""
    for start in range(0, len(hashes), READ_AT_ONCE):
        wanted = hashes[start : start + READ_AT_ONCE]
        digests = sorted({digest.tobytes() for digest in wanted})
        ((found, packed),) = rows(VECTORS, (space, digests))
        places = located(np.frombuffer(found or b"", np.uint64).reshape(-1, 4), wanted)
        known = np.flatnonzero(places >= 0)
        if len(known):
            vectors = np.frombuffer(packed, ">f4").reshape(len(found) // 32, -1)
            yield start + known, vectors[places[known]]


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
    described = [FORMAT, space.model, space.dimension, space.query_prefix, space.document_prefix, space.canaries]
    space_hash = hashlib.sha256(json.dumps(described).encode()).hexdigest()[:16]
    content_hash = hashlib.sha256(f"{len(hashes) > EXACT_CHUNKS}".encode() + hashes.tobytes()).hexdigest()[:32]
    return Path(settings.HOME / "matrices" / str(searched.library_id) / f"{space_hash}-{content_hash}")


def newest_alike(folder: Path) -> Path | None:
    """The last matrix of this library and space that was kept."""
    space_hash = folder.name.partition("-")[0]
    return max(folder.parent.glob(f"{space_hash}-*"), key=lambda other: other.stat().st_mtime, default=None)


def mapped(folder: Path) -> Matrix | None:
    try:
        vectors, mean = (np.load(folder / f"{name}.npy", mmap_mode="r") for name in ("vectors", "mean"))
        has_signs = vectors.dtype == np.float16
        signs = np.ascontiguousarray(np.load(folder / "signs.npy", mmap_mode="r")) if has_signs else None
    except (OSError, ValueError):
        return None
    return Matrix(vectors, np.array(mean), signs)


def kept(matrix: Matrix, hashes: Hashes, folder: Path) -> Matrix:
    """The matrix from its files, written now; from memory where they cannot be written."""
    arrays = {"vectors": matrix.vectors, "mean": matrix.mean, "signs": matrix.signs, "hashes": hashes}
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
        log.warning("the matrix of %s is not kept: %s", folder, error)
    return mapped(folder) or matrix


def discard_old(parent: Path) -> None:
    """All but the newest, and what a killed process left. Who has one mapped keeps it until it is done."""
    complete = [folder for folder in parent.iterdir() if not folder.name.startswith(".")]
    complete.sort(key=lambda folder: folder.stat().st_mtime, reverse=True)
    abandoned = [folder for folder in parent.glob(".*") if folder.stat().st_mtime < time.time() - ABANDONED_SECONDS]
    for folder in complete[KEPT_FILES:] + abandoned:
        shutil.rmtree(folder, ignore_errors=True)
