"""The vector branch: cosine similarity between the query's vector and the visible chunks', in one embedding space.

A sealed snapshot's vectors never change, so they are read from Postgres once and kept by position. Up to EXACT_CHUNKS
every one is compared. Beyond that, the vectors' signs (48 bytes at 384 dimensions) are compared first, all of them, and
only the nearest by signs are compared in full: at 193,200 vectors, fourteen noisy copies of each, 1,000 of them held
.993 of the true ten nearest, in 6 ms where comparing all took 31. Nothing is skipped by a graph, so no filter can leave
too few rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import psycopg
from django.db import connection
from numpy.typing import NDArray

from knowledge.models import Chunk

from .view import Cache, SearchedSnapshot, View

EXACT_CHUNKS = 30_000
REFINED = 1_000  # vectors compared in full, beyond EXACT_CHUNKS
UNKNOWN = -1.0
FETCHED = 1_000  # rows at a time

Floats32 = NDArray[np.float32]

VECTORS = """
    SELECT visible.id, vector_send(vector.vector) FROM ({visible}) AS visible (id, content_hash)
    JOIN knowledge_embedding vector ON vector.space_id = %s AND vector.content_hash = visible.content_hash
"""


@dataclass(frozen=True, slots=True)
class Cosines:
    """The query's cosine with chunks, by position counted through the view; UNKNOWN where it was not computed."""

    values: Floats32
    floor: float  # the mean over all chunks whose vectors are known
    unreachable: bool  # whether a searched snapshot's vectors are of another space than the query's


@dataclass(frozen=True, slots=True)
class Matrix:
    """A snapshot's unit vectors by position: all to compare, or (beyond EXACT_CHUNKS) half precision and signs."""

    vectors: NDArray[np.floating]  # (chunks, dimension), float32 or float16
    mean: Floats32  # (dimension,)
    signs: NDArray[np.uint64] | None  # (dimension / 64, chunks): whether each component is above its mean

    def cosines(self, query: Floats32, also: NDArray[np.int64], most: int) -> Floats32:
        """Of every chunk; or of the nearest by signs (at least `most`) and of the positions in `also`."""
        if self.signs is None:
            return np.asarray(self.vectors @ query, np.float32)
        found = np.full(len(self.vectors), UNKNOWN, np.float32)
        chosen = np.union1d(self.nearest_by_signs(query, max(REFINED, most)), also)
        found[chosen] = np.einsum("ij,j->i", self.vectors[chosen].astype(np.float32), query)
        return found

    def nearest_by_signs(self, query: Floats32, most: int) -> NDArray[np.int64]:
        """Positions with the fewest differing signs: `most`, and all that differ as little as the last of them."""
        if self.signs is None:
            return np.arange(len(self.vectors))
        differing = np.zeros(self.signs.shape[1], np.uint16)
        for word, column in zip(packed_signs((query > self.mean)[None, :])[:, 0], self.signs, strict=True):
            differing += np.bitwise_count(column ^ word)
        reached = np.cumsum(np.bincount(differing))
        return np.flatnonzero(differing <= np.searchsorted(reached, min(most, reached[-1])))


_matrices: Cache[Matrix] = Cache(6)


def cosines(view: View, space: int, vector: Sequence[float], also: Sequence[int], depth: int) -> Cosines:
    """Of the chunks that can be among the `depth` nearest, and of those at the positions `also`."""
    query = np.array(vector, np.float32)
    wanted = np.array(sorted(also), np.int64)
    parts, sums, known = [], 0.0, 0
    for searched, offset in zip(view.snapshots, view.offsets, strict=False):
        size = len(searched.chunk_ids)
        if searched.space_id != space:
            parts.append(np.full(size, UNKNOWN, np.float32))
            continue
        matrix = _matrices.get_or_make(searched.key, partial(make_matrix, searched))
        own = wanted[(wanted >= offset) & (wanted < offset + size)] - offset
        parts.append(matrix.cosines(query, own, depth))
        sums, known = sums + float(matrix.mean @ query) * size, known + size
    values = np.concatenate(parts) if parts else np.empty(0, np.float32)
    return Cosines(values, sums / max(known, 1), unreachable=known < len(values))


def make_matrix(searched: SearchedSnapshot) -> Matrix:
    vectors = read_vectors(searched)
    mean = np.asarray(vectors.sum(axis=0, dtype=np.float64) / max(len(vectors), 1), np.float32)
    return Matrix(vectors, mean, signs_of(vectors, mean) if len(vectors) > EXACT_CHUNKS else None)


def read_vectors(searched: SearchedSnapshot) -> NDArray[np.floating]:
    size, dimension = len(searched.chunk_ids), searched.dimension
    vectors = np.zeros((size, dimension), np.float16 if size > EXACT_CHUNKS else np.float32)
    chunks = Chunk.objects.in_snapshots([searched.pk]).order_by().values_list("pk", "content_hash")
    visible, parameters = chunks.query.sql_with_params()
    position = {int(chunk): place for place, chunk in enumerate(searched.chunk_ids)}
    connection.ensure_connection()
    with psycopg.Cursor(connection.connection) as cursor:
        sql: Any = VECTORS.format(visible=visible)
        for chunk, sent in cursor.stream(sql, [*parameters, searched.space_id], binary=True, size=FETCHED):
            vectors[position[chunk]] = np.frombuffer(sent, ">f4", offset=4)  # after the dimension and two unused bytes
    return vectors


def signs_of(vectors: NDArray[np.floating], mean: Floats32) -> NDArray[np.uint64]:
    step = 50_000
    parts = [packed_signs(vectors[start : start + step] > mean) for start in range(0, len(vectors), step)]
    return np.ascontiguousarray(np.concatenate(parts, axis=1))


def packed_signs(above: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """(rows, dimension) of truth values as words of 64: (⌈dimension / 64⌉, rows)."""
    packed = np.packbits(above, axis=1)
    padded = np.pad(packed, ((0, 0), (0, -packed.shape[1] % 8)))
    return np.ascontiguousarray(padded).view(np.uint64).T
