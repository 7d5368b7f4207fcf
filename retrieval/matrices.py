"""A snapshot's vectors in memory, by position: all of them to compare, or (beyond EXACT_CHUNKS) halves and signs.

A sealed snapshot's vectors never change, so they are read from Postgres once. Large matrices are kept as files in the
home and mapped into memory: the processes of one machine share them, and a new process has them at once. The files hold
nothing that Postgres does not; they may be deleted at any time.
"""

import hashlib
import logging
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
from django.conf import settings
from django.db import connection
from numpy.typing import NDArray

from knowledge.models import Chunk

from .view import Cache, SearchedSnapshot, unhurried

EXACT_CHUNKS = 30_000
KEPT_FILES = 3  # matrices on disk for each library, the newest
FORMAT = 1
ABANDONED_SECONDS = 3600

Floats32 = NDArray[np.float32]

VECTORS = """
    SELECT string_agg(int8send(visible.id), ''), string_agg(substring(vector_send(vector.vector) FROM 5), '')
    FROM ({visible}) AS visible (id, content_hash)
    JOIN knowledge_embedding vector ON vector.space_id = %s AND vector.content_hash = visible.content_hash
    GROUP BY visible.id / 1000
"""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Matrix:
    """Unit vectors by position."""

    vectors: NDArray[np.floating]  # (chunks, dimension), float32 or float16
    mean: Floats32  # (dimension,)
    signs: NDArray[np.uint64] | None  # (dimension / 64, chunks): whether each component is above its mean

    @property
    def bytes(self) -> int:
        return self.vectors.nbytes + (0 if self.signs is None else self.signs.nbytes)


_matrices: Cache[Matrix] = Cache(settings.SEARCH_MEMORY_MB * 2**20, weigh=lambda matrix: matrix.bytes)


def matrix_of(searched: SearchedSnapshot) -> Matrix:
    return _matrices.get_or_make(searched.key, partial(find_or_make, searched))


def find_or_make(searched: SearchedSnapshot) -> Matrix:
    if len(searched.chunk_ids) <= EXACT_CHUNKS:
        return make_matrix(searched)
    folder = folder_of(searched)
    if matrix := mapped(folder):
        return matrix
    shutil.rmtree(folder, ignore_errors=True)
    return kept(make_matrix(searched), folder)


def make_matrix(searched: SearchedSnapshot) -> Matrix:
    with unhurried():
        vectors = read_vectors(searched)
    mean = np.asarray(vectors.sum(axis=0, dtype=np.float64) / max(len(vectors), 1), np.float32)
    return Matrix(vectors, mean, signs_of(vectors, mean) if len(vectors) > EXACT_CHUNKS else None)


def read_vectors(searched: SearchedSnapshot) -> NDArray[np.floating]:
    size, dimension = len(searched.chunk_ids), searched.dimension
    vectors = np.zeros((size, dimension), np.float16 if size > EXACT_CHUNKS else np.float32)
    for positions, stored in stored_vectors(searched):
        vectors[positions] = stored
    return vectors


def stored_vectors(searched: SearchedSnapshot) -> Iterator[tuple[NDArray[np.intp], NDArray[np.floating]]]:
    """Positions and their vectors as Postgres has them, a thousand at a time at most; float32, big-endian."""
    locate = searched.locator()
    chunks = Chunk.objects.in_snapshots([searched.pk]).order_by().values_list("pk", "content_hash")
    visible, parameters = chunks.query.sql_with_params()
    sql: Any = VECTORS.format(visible=visible)
    connection.ensure_connection()
    with psycopg.Cursor(connection.connection) as cursor:
        for ids, packed in cursor.stream(sql, [*parameters, searched.space_id], binary=True):
            yield locate(np.frombuffer(ids, ">i8")), np.frombuffer(packed, ">f4").reshape(-1, searched.dimension)


def signs_of(vectors: NDArray[np.floating], mean: Floats32) -> NDArray[np.uint64]:
    step = 50_000
    parts = [packed_signs(vectors[start : start + step] > mean) for start in range(0, len(vectors), step)]
    return np.ascontiguousarray(np.concatenate(parts, axis=1))


def packed_signs(above: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """(rows, dimension) of truth values as words of 64: (⌈dimension / 64⌉, rows)."""
    packed = np.packbits(above, axis=1)
    padded = np.pad(packed, ((0, 0), (0, -packed.shape[1] % 8)))
    return np.ascontiguousarray(padded).view(np.uint64).T


def folder_of(searched: SearchedSnapshot) -> Path:
    """Named after everything that decides what is in it."""
    database = {key: str(settings.DATABASES["default"].get(key)) for key in ("HOST", "PORT", "NAME")}
    identity = hashlib.sha256(f"{FORMAT} {database} {searched.key} {searched.space_id}".encode())
    identity.update(searched.chunk_ids.tobytes())
    return Path(settings.HOME / "matrices" / str(searched.library_id) / identity.hexdigest()[:32])


def mapped(folder: Path) -> Matrix | None:
    try:
        vectors, mean, signs = (np.load(folder / f"{name}.npy", mmap_mode="r") for name in ("vectors", "mean", "signs"))
    except (OSError, ValueError):
        return None
    return Matrix(vectors, np.array(mean), np.ascontiguousarray(signs))


def kept(matrix: Matrix, folder: Path) -> Matrix:
    """The matrix from its files, written now; from memory where they cannot be written."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(dir=folder.parent, prefix="."))
        try:
            for name in ("vectors", "mean", "signs"):
                with (temporary / f"{name}.npy").open("wb") as file:
                    np.save(file, getattr(matrix, name))
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
