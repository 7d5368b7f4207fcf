"""BM25 over posting arrays, with a weight for heading lexemes (BM25F with one saturation).

score(d) = Σ_t qtf(t) · idf(t) · tf·(k1+1) / (tf + k1·(1−b+b·dl/avgdl)), with tf = body + head_weight·head and dl alike,
and idf = ln(1 + (N−df+½)/(df+½)), which is never negative. Robertson & Zaragoza, "The Probabilistic Relevance
Framework: BM25 and Beyond" (2009), equations 3.15 and 3.41; Lucene's BM25Similarity for the idf.

Set on the development sets together, not on any one of them (see benchmarks/README.md): k1 1.5, b .75, head weight 3.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Scoring:
    k1: float = 1.5
    b: float = 0.75
    head_weight: float = 3.0


@dataclass(frozen=True, slots=True)
class Matches:
    """Where one lexeme stands: positions in the searched collection (ascending within a part), and how often."""

    query_count: int
    positions: Ints
    body: NDArray[np.uint8]
    head: NDArray[np.uint8]


def weighted_lengths(body: Ints, head: Ints, scoring: Scoring) -> Floats:
    """Document lengths in which a heading lexeme counts `head_weight` times."""
    return body + scoring.head_weight * head


def inverse_document_frequency(size: int, count: int) -> float:
    return math.log1p((size - count + 0.5) / (count + 0.5))


def heaviest(lexemes: Sequence[Matches], size: int, most: int) -> list[Matches]:
    """The `most` lexemes that can add most to a score, in the order given."""
    if len(lexemes) <= most:
        return list(lexemes)
    weights = [match.query_count * inverse_document_frequency(size, len(match.positions)) for match in lexemes]
    kept = sorted(range(len(lexemes)), key=lambda place: (-weights[place], place))[:most]
    return [lexemes[place] for place in sorted(kept)]


def score(lexemes: Iterable[Matches], lengths: Floats, scoring: Scoring) -> Floats:
    """The BM25 score of every document: shape (N,), zero where nothing matches.

    The order of `lexemes` decides the last bits of the sums: pass them sorted for equal results everywhere.
    """
    size = len(lengths)
    scores = np.zeros(size)
    if not size:
        return scores
    norm = scoring.k1 * (1 - scoring.b + scoring.b * lengths / max(lengths.mean(), 1e-9))
    for match in lexemes:
        count = len(match.positions)
        if not count:
            continue
        idf = inverse_document_frequency(size, count)
        frequency = match.body + scoring.head_weight * match.head
        scores[match.positions] += (
            match.query_count * idf * frequency * (scoring.k1 + 1) / (frequency + norm[match.positions])
        )
    return scores


def top(scores: NDArray[np.floating], k: int, above: float = 0.0) -> list[int]:
    """Positions of the k highest scores that are greater than `above`, best first; equals in order of position."""
    kept = np.flatnonzero(scores > above)
    if len(kept) > k:
        threshold = np.partition(scores[kept], len(kept) - k)[len(kept) - k]
        kept = kept[scores[kept] >= threshold]
    order = np.argsort(-scores[kept], kind="stable")
    best: list[int] = kept[order][:k].tolist()
    return best
