"""What stands at each position of a searched snapshot. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Keys = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class ChunkColumns:
    """By position: the keys of chunk, section and document file, how many chunks these two have, and whether the chunk
    stands later in its section than the first, in a file that has pages."""

    chunks: Keys
    sections: Keys
    files: Keys
    in_section: NDArray[np.int64]
    in_file: NDArray[np.int64]
    later: NDArray[np.bool_]

    @classmethod
    def of(cls, chunks: Keys, sections: Keys, files: Keys, pages: Keys) -> "ChunkColumns":
        """In order of file and ordinal; `pages` are 0 where there are none."""
        later = np.append(False, sections[1:] == sections[:-1])[: len(sections)] & (pages > 0)
        return cls(chunks, sections, files, sizes(sections), sizes(files), later)

    @property
    def bytes(self) -> int:
        return sum(getattr(self, name).nbytes for name in self.__slots__)

    @classmethod
    def joined(cls, parts: Sequence["ChunkColumns"]) -> "ChunkColumns":
        """One after another."""
        columns = ([getattr(part, name) for part in parts] for name in cls.__slots__)
        return cls(*(np.concatenate(column or [np.empty(0, np.int64)]) for column in columns))


def rows_of(wanted: NDArray[Any], keys: NDArray[Any], order: NDArray[np.intp] | None = None) -> NDArray[np.intp]:
    """Where each of `wanted` stands in `keys`, which ascend, or stood before `order` sorted them: the first, or −1."""
    if not len(keys):
        return np.full(len(wanted), -1)
    nearest = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[nearest] == wanted, nearest if order is None else order[nearest], -1)


def sizes(keys: Keys) -> NDArray[np.int64]:
    """For each entry, how many are equal to it."""
    _, group, counts = np.unique(keys, return_inverse=True, return_counts=True)
    return counts[group]
