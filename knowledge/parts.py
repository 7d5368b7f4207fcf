"""The vectors of a passage's parts: how they are kept, and the one vector that stands for them all. Pure."""

import numpy as np
from numpy.typing import NDArray

KEPT = ">f4"  # as Postgres sends vectors
LEAST_LENGTH = 1e-3  # of a mean: below, they point everywhere, and the first stands for them all


def packed(parts: NDArray[np.floating]) -> bytes:
    """Of unit vectors (parts, dimension), one after another; nothing where the text is one part."""
    return parts.astype(KEPT).tobytes() if len(parts) > 1 else b""


def unpacked(kept: bytes, dimension: int) -> NDArray[np.floating]:
    """(parts, dimension)"""
    return np.frombuffer(kept, KEPT).reshape(-1, dimension)


def means(parts: NDArray[np.floating], starts: NDArray[np.integer]) -> NDArray[np.float32]:
    """The mean, of unit length, of the parts from each of `starts` (ascending, the first 0) to the next.

    One alone is its own, to the last bit.
    """
    if not len(starts):
        return np.empty((0, parts.shape[1]), np.float32)
    sums = np.add.reduceat(parts, starts, axis=0, dtype=np.float64)
    counts = np.diff(starts, append=len(parts))[:, None]
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    alone = (counts == 1) | (lengths < LEAST_LENGTH * counts)
    return (np.where(alone, parts[starts], sums) / np.where(alone, 1, lengths)).astype(np.float32)


def mean(parts: NDArray[np.floating]) -> NDArray[np.float32]:
    """Of one text's parts, (dimension,)."""
    return means(parts, np.zeros(1, np.int64))[0]
