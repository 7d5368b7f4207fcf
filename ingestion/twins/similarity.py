"""How alike two documents are, and signatures that tell which of many may be. Pure: numpy and the standard library.

MinHash: Broder, "On the resemblance and containment of documents" (1997). Of two sets with Jaccard similarity s each
hash function has the same minimum with probability s; cut into bands, two signatures share a whole band with
probability 1 − (1 − s^rows)^bands: .9999 at s = .8 with 32 bands of 4 rows, and what shares none is never compared.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

BANDS, ROWS = 32, 4
HASHES = BANDS * ROWS
SHINGLE = 3  # words
PRIME = np.uint64((1 << 31) - 1)

WORD = re.compile(r"[^\W_]+")
Hashes = NDArray[np.uint32]
Signature = NDArray[np.uint32]

_random = np.random.RandomState(20_260_101)  # its stream is the same in every version of numpy
_FACTORS = _random.randint(1, int(PRIME), HASHES, np.int64).astype(np.uint64)
_OFFSETS = _random.randint(0, int(PRIME), HASHES, np.int64).astype(np.uint64)


def words(text: str) -> list[str]:
    return WORD.findall(text.casefold())


def shingles(text: str) -> set[str]:
    """Every SHINGLE words that follow one another."""
    found = words(text)
    return {" ".join(found[start : start + SHINGLE]) for start in range(len(found) - SHINGLE + 1)}


def hashed(items: Iterable[str]) -> Hashes:
    """A set as the hashes of its items, in order: of 100,000 items two share one in one case of 40,000."""
    return np.unique(np.fromiter((number(item) for item in items), np.uint32))


def jaccard(one: Hashes, other: Hashes) -> float:
    shared = len(np.intersect1d(one, other, assume_unique=True))
    return shared / max(len(one) + len(other) - shared, 1)


def weighted_jaccard(one: Counter[str], other: Counter[str]) -> float:
    """Σ min / Σ max of the counts."""
    shared = sum(min(count, other[word]) for word, count in one.items())
    return shared / max(one.total() + other.total() - shared, 1)


def signature(items: Hashes) -> Signature:
    """The least value of each of HASHES functions over a set that is not empty."""
    numbers = items.astype(np.uint64) % PRIME
    least = np.full(HASHES, PRIME, np.uint64)
    for start in range(0, len(numbers), 10_000):
        values = (numbers[start : start + 10_000, None] * _FACTORS + _OFFSETS) % PRIME
        least = np.minimum(least, values.min(axis=0))
    return least.astype(np.uint32)


def number(item: str) -> int:
    return int.from_bytes(blake2b(item.encode(errors="replace"), digest_size=4).digest())


def alike(signatures: Mapping[int, Signature]) -> Iterator[tuple[int, int]]:
    """Pairs of keys, the lower first, whose signatures share a band; each once."""
    keys = sorted(signatures)
    if not keys:
        return
    table = np.stack([signatures[key] for key in keys]).reshape(len(keys), BANDS, ROWS)
    seen: set[tuple[int, int]] = set()
    for band in range(BANDS):
        buckets: dict[bytes, list[int]] = defaultdict(list)
        for place, key in enumerate(keys):
            buckets[table[place, band].tobytes()].append(key)
        for bucket in buckets.values():
            seen.update(pairs(bucket))
    yield from sorted(seen)


def pairs(keys: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Each with each; of very many alike only each with the first, or they would be millions."""
    if len(keys) > 50:
        yield from ((keys[0], other) for other in keys[1:])
        return
    for place, one in enumerate(keys):
        yield from ((one, other) for other in keys[place + 1 :])
