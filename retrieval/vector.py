"""The vector branch: cosine similarity between the query's vector and the visible chunks', in one embedding space.

Up to matrices.EXACT_CHUNKS every one is compared. Beyond that, the vectors' signs (48 bytes at 384 dimensions) are
compared first, all of them, and only the nearest by signs are compared in full: at 193,200 vectors, fourteen noisy
copies of each, 1,000 of them held .993 of the true ten nearest, in 6 ms where comparing all took 31. Nothing is skipped
by a graph, so no filter can leave too few rows.

A passage of several parts is as near as its own vector and half of what its nearest part adds to that (0022).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from django.conf import settings
from numpy.typing import NDArray

from . import summaries
from .matrices import Floats32, Matrix, Parts, matrix_of, packed_signs
from .view import SearchedSnapshot, View

REFINED = 10 * settings.HNSW_EF_SEARCH  # vectors compared in full, where not all are
EXACT_ALLOWED = 10_000  # a filter that leaves no more has them all compared in full
NEAREST_PART = 0.5  # of what its nearest part is nearer than the passage: how much of that counts
UNKNOWN = -1.0
NEVER = np.iinfo(np.uint16).max

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Cosines:
    """The query's cosine with chunks, by position counted through the view; UNKNOWN where it was not computed."""

    values: Floats32
    floor: float  # the mean over all chunks whose vectors are known
    unreachable: bool  # whether a searched snapshot's vectors are of another space than the query's


def cosines_of(
    matrix: Matrix, query: Floats32, also: NDArray[np.int64], most: int, allowed: Mask | None = None
) -> Floats32:
    """With every chunk; or with the nearest by signs (at least `most`) and with those at the positions in `also`.

    With those `allowed` only: the nearest are the nearest among them.
    """
    if matrix.signs is None:
        found = np.asarray(matrix.vectors @ query, np.float32)
        found = found if allowed is None else np.where(allowed, found, np.float32(UNKNOWN))
    else:
        found = np.full(len(matrix.vectors), UNKNOWN, np.float32)
        if allowed is not None and np.count_nonzero(allowed) <= EXACT_ALLOWED:
            chosen = np.flatnonzero(allowed)
        else:
            wanted = also if allowed is None else also[allowed[also]]
            chosen = np.union1d(nearest_by_signs(matrix, query, max(REFINED, most), allowed), wanted)
        found[chosen] = np.einsum("ij,j->i", matrix.vectors[chosen].astype(np.float32), query)
    if matrix.parts is None:
        return found
    return with_parts(found, matrix.parts, query, nearest_known(found, 2 * most, also))


def nearest_known(cosines: Floats32, most: int, also: NDArray[np.int64]) -> NDArray[np.int64]:
    """Positions of the `most` highest, and of those in `also`, where they are known: others would not be shown."""
    known = np.flatnonzero(cosines > UNKNOWN)
    if len(known) > most:
        known = known[np.argpartition(cosines[known], -most)[-most:]]
    return np.union1d(known, also[cosines[also] > UNKNOWN])


def with_parts(values: Floats32, parts: Parts, query: Floats32, chosen: NDArray[np.int64]) -> Floats32:
    """In place, for those `chosen`: with what a passage's nearest part adds or, where all are alike, takes."""
    several = chosen[parts.begins[chosen + 1] > parts.begins[chosen]]
    if len(several):
        values[several] += np.float32(NEAREST_PART) * (nearest_parts(parts, query, several) - values[several])
    return values


def nearest_parts(parts: Parts, query: Floats32, several: NDArray[np.int64]) -> Floats32:
    """The cosine of the nearest part of each of these passages, which have parts."""
    counts = parts.begins[several + 1] - parts.begins[several]
    if parts.vectors.dtype == query.dtype and counts.sum() == len(parts.vectors):
        cosines = parts.vectors @ query
    else:
        cosines = np.einsum("ij,j->i", parts.vectors[parts.rows(several)].astype(np.float32), query)
    return np.maximum.reduceat(cosines, np.cumsum(counts) - counts)


def nearest_by_signs(matrix: Matrix, query: Floats32, most: int, allowed: Mask | None) -> NDArray[np.int64]:
    """Positions with the fewest differing signs: `most`, and all that differ as little as the last of them."""
    if matrix.signs is None:
        return np.arange(len(matrix.vectors))
    differing = np.zeros(matrix.signs.shape[1], np.uint16)
    for word, column in zip(packed_signs((query > matrix.mean)[None, :])[:, 0], matrix.signs, strict=True):
        differing += np.bitwise_count(column ^ word)
    if allowed is not None:
        differing[~allowed] = NEVER
    reached = np.cumsum(np.bincount(differing if allowed is None else differing[allowed]))
    return np.flatnonzero(differing <= np.searchsorted(reached, min(most, reached[-1])))


def lifted_cosines(
    searched: SearchedSnapshot,
    matrix: Matrix,
    query: Floats32,
    also: NDArray[np.int64],
    most: int,
    allowed: Mask | None,
) -> Floats32:
    """As `cosines_of`; what a section's summary says of it brings its chunks nearer."""
    found = summaries.summaries_of(searched)
    if found is None:
        return cosines_of(matrix, query, also, most, allowed)
    values = cosines_of(found.matrix, query, np.empty(0, np.int64), most)
    by_chunk = summaries.by_chunk(found, values, UNKNOWN)
    if matrix.signs is not None:  # not every chunk is compared: those that a summary may lift are
        if allowed is not None:
            by_chunk[~allowed] = UNKNOWN
        also = np.union1d(also, summaries.nearest(by_chunk, most, UNKNOWN)).astype(np.int64)
    return summaries.lifted(cosines_of(matrix, query, also, most, allowed), by_chunk, UNKNOWN)


def cosines(
    view: View,
    space: int,
    vector: Sequence[float],
    also: Sequence[int],
    depth: int,
    allowed: Mask | None = None,
) -> Cosines:
    """Of the chunks that can be among the `depth` nearest of those `allowed`, and of those at the positions `also`."""
    query = np.array(vector, np.float32)
    wanted = np.array(sorted(also), np.int64)
    parts, sums, known, reached = [], 0.0, 0, 0
    for searched, offset in zip(view.snapshots, view.offsets, strict=False):
        size = len(searched.chunk_ids)
        if searched.space_id != space:
            parts.append(np.full(size, UNKNOWN, np.float32))
            continue
        matrix = matrix_of(searched)
        own = wanted[(wanted >= offset) & (wanted < offset + size)] - offset
        mask = None if allowed is None else allowed[offset : offset + size]
        parts.append(lifted_cosines(searched, matrix, query, own, depth, mask))
        sums += float(matrix.mean @ query) * matrix.known
        known, reached = known + matrix.known, reached + size
    values = np.concatenate(parts) if parts else np.empty(0, np.float32)
    return Cosines(values, sums / max(known, 1), unreachable=reached < len(values))
