"""Fusing rankings into one. Pure: positions and scores in, positions and scores out.

What words weigh against meaning at a position is the product of what was asked for, or else its library's
`lexical_weight`; what was learnt there (both: `View.lexical_weights`); `words_worth` of the query; and LEXICAL_WORTH ·
√(best BM25 / gap), against the gap of the cosines · `agreement` (both: `lexical_share`).
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

import numpy as np
from numpy.typing import NDArray

from .bm25 import Collection
from .chunk_columns import ChunkColumns

LEXICAL_WORTH = 0.038
HEADINGS_WORTH = 0.5  # how much more words count where every chunk stands under headings
LENGTH_WORTH = 0.35  # and with every doubling of the files' length
COVERED = 0.35  # of what the query's words could score: with less they count less
WELL_COVERED = 0.6  # from here on headings and length count in full
LONG_QUERY = 100.0  # what its words could score: of a longer one no passage says all
FULL_EVIDENCE = 50.0
SMALLEST_GAP = 0.05
FIRST = 10  # of each branch, which tell whether the two agree
AGREED = 0.2
MOSTLY_KNOWN = 0.6  # of a query's lexemes: of one in another language than the documents' fewer stand there
LEAST_AGREED = 0.001
SAME_SECTION = 0.85  # what a hit's score is worth after another hit of its section
SAME_FILE = 0.95
LATER = 0.95  # what a passage is worth that does not begin its section, in files with pages
SHORT_SECTION = 3  # chunks; of a longer one another hit is likely another place, and is worth more
SHORT_FILE = 20

Fused = list[tuple[int, float]]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Scale:
    """What the cosines of one query are worth. docs/decisions/0028"""

    floor: float = 0.0  # the cosine that counts as none: the mean of everything searched
    cosine_range: float = 1.0  # of the model: `knowledge.spaces.cosine_range`
    agreed: float = 1.0  # the branches' `agreement`


def reciprocal_rank_fusion(rankings: Mapping[str, Sequence[int]], k: int = 60) -> Fused:
    """Σ 1/(k + rank) over the rankings, best first; equal sums go to the better best rank, then to the first ranking.

    Cormack, Clarke & Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual rank learning methods"
    (SIGIR 2009), where k = 60.
    """
    sums: dict[int, float] = {}
    best: dict[int, tuple[int, int]] = {}
    for order, ranking in enumerate(rankings.values()):
        for rank, item in enumerate(ranking, start=1):
            sums[item] = sums.get(item, 0.0) + 1.0 / (k + rank)
            best[item] = min(best.get(item, (rank, order)), (rank, order))
    return sorted(sums.items(), key=lambda entry: (-entry[1], best[entry[0]], entry[0]))


def combine(
    positions: NDArray[np.int64],
    lexical: NDArray[np.floating],
    cosines: NDArray[np.float32],
    scale: Scale,
    weights: float | Floats = 1.0,
) -> Fused:
    """share · BM25 / highest + (1 − share) · (cosine − floor) / (highest − floor), best first; ties by position.

    `positions` are the candidates', ascending, `weights` one for all or one for each of them; `share` is
    `lexical_share` of this query. Both arrays hold the score of every candidate, so one that a single branch put
    forward has its true score in the other, where ranks know only "not among the first". Bruch, Gai & Ingber, "An
    Analysis of Fusion Functions for Hybrid Retrieval" (TOIS 2023), find such combinations ahead of RRF;
    docs/decisions/0008 and benchmarks/README.md have the figures here.
    """
    if not len(positions):
        return []
    share, words, meaning = scaled(positions, lexical, cosines, scale, weights)
    scores = share * words + (1 - share) * meaning
    order = np.argsort(-scores, kind="stable")
    return list(zip(positions[order].tolist(), scores[order].tolist(), strict=True))


def scaled(
    positions: NDArray[np.int64],
    lexical: NDArray[np.floating],
    cosines: NDArray[np.float32],
    scale: Scale,
    weights: float | Floats = 1.0,
) -> tuple[Floats, Floats, Floats]:
    """For each position: the share of the words, and what it has of the best in words and in meaning."""
    best, gap = float(lexical.max()), gap_of(cosines, scale)
    words = lexical[positions].astype(np.float64) / max(best, 1e-9)
    meaning = (cosines[positions].astype(np.float64) - scale.floor) / (gap * scale.cosine_range)
    share = lexical_share(best, gap, np.broadcast_to(np.asarray(weights, np.float64), positions.shape), scale.agreed)
    return share, words, meaning


def gap_of(cosines: NDArray[np.float32], scale: Scale) -> float:
    """By how much of the model's cosine range the nearest stands out from the mean; never so little that noise would be
    blown up."""
    return max((float(cosines.max()) - scale.floor) / scale.cosine_range, SMALLEST_GAP)


def lexical_share(best: float, gap: float, weights: Floats, agreed: float = 1.0) -> Floats:
    """How much of a query's fused score its words decide, 0 to 1, known without judgements.

    The highest BM25 score, `best`, is high where rare words of the query were found; beyond FULL_EVIDENCE it says only
    that the query is long. `gap`, by which the highest cosine stands out from the mean, is small for a language that
    the embedding model was not trained on. The best match of words is worth `weights` · LEXICAL_WORTH · √(best / gap)
    in units of cosine, that of meaning `gap` as far as the branches `agreed`.
    """
    worth = weights * LEXICAL_WORTH * math.sqrt(min(best, FULL_EVIDENCE) / gap)
    return worth / (worth + gap * max(agreed, LEAST_AGREED))


def coverage(best: float, bounds: Iterable[float]) -> float:
    """How far the query is in the documents' own words: the best BM25 score, as a share of what it could be.

    That is `lexical.bounds`, in the language in which the query is said most simply; of a long query, which no passage
    says as a whole, LONG_QUERY. docs/decisions/0031
    """
    return min(best / min([LONG_QUERY, *filter(None, bounds)]), 1.0)


def words_worth(covered: float, collection: Collection) -> float:
    """Words count as far as the query is in the documents' own: by its `coverage`.

    Who writes a heading says in few words what the text is about; where BM25 has them to weigh, it judges better. And a
    passage of a long file leans on what was said before, and is like its neighbours: its vector tells little. So words
    are worth more there, as far as the query has the right ones.
    """
    more = (1 + HEADINGS_WORTH * collection.headed) * (1 + LENGTH_WORTH * collection.doublings) - 1
    return float(min(covered / COVERED, 1.0) ** 2 * (1 + more * min(covered / WELL_COVERED, 1.0) ** 2))


def agreement(
    lexical: NDArray[np.floating],
    cosines: NDArray[np.float32],
    scale: Scale,
    by_words: Sequence[int],
    by_meaning: Sequence[int],
    known: float = 1.0,
) -> float:
    """Whether the vectors tell anything of this query, 0 to 1, known without judgements.

    What words put first lies above the mean in meaning, and the other way round, unless the embedding model cannot read
    the language: then each branch's first passages (positions, best first) are any passages to the other. Both ways
    together that is .0 of the way from the mean to the best for Arabic read by an English model, .3 for Chinese, .7 for
    German, .5 and more for English; AGREED is enough (docs/decisions/0027). 1 where too few of the query's words are
    `known` to the documents: what they find proves nothing.
    """
    words, meaning = np.asarray(by_words[:FIRST], np.int64), np.asarray(by_meaning[:FIRST], np.int64)
    if known < MOSTLY_KNOWN or not (len(words) and len(meaning)):
        return 1.0
    above = np.maximum(cosines[meaning] - scale.floor, 0.0)
    gap = gap_of(cosines, scale) * scale.cosine_range
    near = float(np.average(cosines[words] - scale.floor, weights=lexical[words])) / gap
    mean = float(lexical.mean())
    said = float(np.average(lexical[meaning] - mean, weights=above)) / float(lexical.max()) if above.any() else 0.0
    return min(max((near + said) / AGREED, 0.0), 1.0)


def worth(columns: ChunkColumns, hit: tuple[int, float], section: int, file: int, strength: float = 1.0) -> float:
    """What a hit's score is worth after so many better hits of its section and of its file: more than 1 of it where it
    lies below 0, so that there, too, it is further down. `hit` is its position and its score.

    A report or a handbook says first what a section is about, and then what else there is to say: with pages, a later
    passage is worth less even alone (docs/decisions/0008). `strength` is an exponent: 0 takes nothing from anybody.
    """
    position, score = hit
    in_section, in_file = int(columns.in_section[position]), int(columns.in_file[position])
    left = float(
        SAME_SECTION ** (strength * section * min(1.0, SHORT_SECTION / in_section))
        * SAME_FILE ** (strength * file * min(1.0, SHORT_FILE / in_file))
        * LATER ** (strength * bool(columns.later[position]))
    )
    return left if score > 0 else 1 / left


def diversify(fused: Fused, columns: ChunkColumns, most: int, strength: float = 1.0) -> Fused:
    """The `most` best, each worth less for every better hit of its section and of its file, and where it stands later.

    So one file does not fill the page. Scores stay as they were; only the order changes.
    """
    by_section: Counter[int] = Counter()
    by_file: Counter[int] = Counter()

    def loss(place: int) -> float:
        position, score = fused[place]
        section, file = by_section[int(columns.sections[position])], by_file[int(columns.files[position])]
        return -score * worth(columns, fused[place], section, file, strength)

    waiting = [(loss(place), place) for place in range(len(fused))]
    heapify(waiting)
    chosen: Fused = []
    while waiting and len(chosen) < most:
        before, place = heappop(waiting)
        if (now := loss(place)) > before:  # a better hit of its section or file was chosen since
            heappush(waiting, (now, place))
            continue
        position = fused[place][0]
        chosen.append(fused[place])
        by_section[int(columns.sections[position])] += 1
        by_file[int(columns.files[position])] += 1
    return chosen
