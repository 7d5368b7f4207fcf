"""BM25 over posting arrays, with a weight for heading lexemes (BM25F with one saturation), and a share for the file.

score(d) = Σ_t qtf(t) · idf(t) · tf·(k1+1) / (tf + k1·(1−b+b·dl/avgdl)), with tf = body + head_weight·head and dl alike,
and idf = ln(1 + (N−df+½)/(df+½)), which is never negative. Robertson & Zaragoza, "The Probabilistic Relevance
Framework: BM25 and Beyond" (2009), equations 3.15 and 3.41; Lucene's BM25Similarity for the idf.

A chunk that matches also gets file_weight times the score of its whole file, by the same formula over the bodies of all
its chunks: the words of a question are often spread over a file's chunks, most of all in source code.

Set on the development sets together, not on any one of them (see benchmarks/README.md).
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

SHORT = 8  # chunks of a file
MOST = 6  # doublings of that
SAMPLED = 32  # one in 16 of the scores says about how high the k-th is, where there are 32 times as many

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Scoring:
    k1: float = 1.5
    b: float = 0.8
    head_weight: float = 4.0
    file_weight: float = 0.35


@dataclass(frozen=True, slots=True)
class Collection:
    """What is searched: by position its chunks' saturation terms and files; by file the files' saturation terms."""

    saturation: Floats  # k1·(1−b+b·dl/avgdl), shape (N,)
    files: Ints  # 0, 1, 2 …, shape (N,)
    file_saturation: Floats
    headed: float  # the share of the chunks that stand under headings
    doublings: float  # how often a file of SHORT chunks doubles to be as long as theirs, on average, MOST at most

    @classmethod
    def of(cls, body: Ints, head: Ints, files: NDArray[np.integer], scoring: Scoring) -> "Collection":
        """From the lexemes in each chunk's body and head, and which file it is of (any numbers)."""
        _, numbered = np.unique(files, return_inverse=True)
        weighted = body + scoring.head_weight * head
        whole = np.bincount(numbered, body) if len(body) else np.empty(0)
        headed = float(np.mean(head > 0)) if len(head) else 0.0
        own = numbered.astype(np.int32)
        return cls(saturation(weighted, scoring), own, saturation(whole, scoring), headed, doublings(own))

    def __len__(self) -> int:
        return len(self.saturation)

    @property
    def bytes(self) -> int:
        return self.saturation.nbytes + self.files.nbytes + self.file_saturation.nbytes


def doublings(files: Ints) -> float:
    """The mean over chunks of log2(chunks of its file / SHORT), between 0 and MOST; `files` are numbered from 0."""
    if not len(files):
        return 0.0
    lengths = np.bincount(files)[files]
    return float(np.mean(np.clip(np.log2(lengths / SHORT), 0, MOST)))


@dataclass(frozen=True, slots=True)
class Matches:
    """Where one lexeme stands, and what it adds to a score there each time that the query says it."""

    positions: NDArray[np.intp]  # in the searched collection, each once
    gains: Floats  # shape of `positions`
    files: NDArray[np.intp]
    file_gains: Floats  # shape of `files`

    @classmethod
    def of(
        cls,
        positions: Ints,
        body: NDArray[np.uint8],
        head: NDArray[np.uint8],
        collection: Collection,
        scoring: Scoring,
    ) -> "Matches":
        """From how often it stands in the body and in the headings of each chunk."""
        places = positions.astype(np.intp)  # once, not in each look-up
        idf = inverse_document_frequency(len(collection), len(places))
        weight = np.float32(idf) * np.float32(scoring.k1 + 1)
        frequency = head * np.float32(scoring.head_weight)
        frequency += body
        gains = weight * frequency / (frequency + collection.saturation.take(places))
        whole = np.bincount(collection.files.take(places), body).astype(np.float32)
        files = np.flatnonzero(whole)
        whole = whole.take(files)
        return cls(places, gains, files, weight * whole / (whole + collection.file_saturation.take(files)))

    def beyond(self, parts: Sequence["Matches"], collection: Collection) -> "Matches":
        """The same places, and what a compound gains there more than its parts do: it says all of them, so it is worth
        as much as they are together, where it is not rarer by itself.
        """
        size = len(collection)
        rarity = sum(inverse_document_frequency(size, len(part.positions)) for part in parts)
        times = np.float32(max(rarity / inverse_document_frequency(size, len(self.positions)), 1.0))
        gains, file_gains = np.zeros(size, np.float32), np.zeros(len(collection.file_saturation), np.float32)
        for part in parts:
            gains[part.positions] += part.gains
            file_gains[part.files] += part.file_gains
        return replace(
            self,
            gains=np.maximum(times * self.gains - gains.take(self.positions), 0),
            file_gains=np.maximum(times * self.file_gains - file_gains.take(self.files), 0),
        )

    @property
    def nbytes(self) -> int:
        return sum(array.nbytes for array in (self.positions, self.gains, self.files, self.file_gains))


Said = tuple[int, Matches]  # how often the query says a lexeme, and where that stands


def saturation(lengths: NDArray[Any], scoring: Scoring) -> Floats:
    mean = max(float(lengths.mean()), 1e-9) if len(lengths) else 1.0
    return np.asarray(scoring.k1 * (1 - scoring.b + scoring.b * lengths / mean), np.float32)


def inverse_document_frequency(size: int, count: int) -> float:
    return math.log1p((size - count + 0.5) / (count + 0.5))


def weighed(frequencies: Iterable[tuple[int, int]], size: int) -> list[float]:
    """How often the query says each, times how rare it is; `frequencies` are both, of each lexeme."""
    return [often * inverse_document_frequency(size, chunks) for often, chunks in frequencies]


def heaviest(lexemes: Sequence[Said], size: int, most: int) -> list[Said]:
    """The `most` lexemes that can add most to a score, in the order given."""
    if len(lexemes) <= most:
        return list(lexemes)
    weights = weighed(((often, len(match.positions)) for often, match in lexemes), size)
    kept = sorted(range(len(lexemes)), key=lambda place: (-weights[place], place))[:most]
    return [lexemes[place] for place in sorted(kept)]


def bound(frequencies: Iterable[tuple[int, int]], collection: Collection, scoring: Scoring) -> float:
    """What no chunk's score can reach, but for its file's share: every lexeme as often as saturates it.

    `frequencies` are how often the query says each, and in how many chunks it stands, none included.
    """
    return sum(weighed(frequencies, len(collection))) * (scoring.k1 + 1)


def score(lexemes: Iterable[Said], collection: Collection, scoring: Scoring) -> Floats:
    """The score of every chunk: shape (N,), zero where nothing matches.

    The order of `lexemes` decides the last bits of the sums: pass them sorted for equal results everywhere.
    """
    scores = np.zeros(len(collection), np.float32)
    of_files = np.zeros(len(collection.file_saturation), np.float32)
    for often, match in lexemes:
        times = np.float32(often)
        scores[match.positions] += match.gains if often == 1 else times * match.gains
        of_files[match.files] += match.file_gains if often == 1 else times * match.file_gains
    if scoring.file_weight:
        found = np.flatnonzero(scores > 0)
        scores[found] += np.float32(scoring.file_weight) * of_files.take(collection.files.take(found))
    return scores


def top(scores: NDArray[np.floating], k: int, above: float = 0.0) -> list[int]:
    """Positions of the k highest scores that are greater than `above`, best first; equals in order of position."""
    kept = np.flatnonzero(scores > above)
    values = scores.take(kept)
    if len(kept) > SAMPLED * k:
        least = highest(values[:: SAMPLED // 2], k // (SAMPLED // 2) * 2 + 8)  # most likely below the k-th of all
        if np.count_nonzero(values >= least) >= k:
            kept, values = kept[values >= least], values[values >= least]
    if len(kept) > k:
        least = highest(values, k)
        kept, values = kept[values >= least], values[values >= least]
    order = np.argsort(-values, kind="stable")
    best: list[int] = kept[order][:k].tolist()
    return best


def highest(values: NDArray[np.floating], k: int) -> float:
    """The k-th highest, or the lowest where there are fewer."""
    place = max(len(values) - k, 0)
    return float(np.partition(values, place)[place])
