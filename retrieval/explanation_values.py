"""Why a passage stands where it stands, as values. Pure."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class BranchScore:
    """What one branch says of a passage, and what that adds to its fused score."""

    branch: str
    rank: int | None  # among everything searched; None: below the branch's least score
    score: float | None
    scaled: float | None  # the score as fusion reads it: a share of what the branch could give; None for RRF
    weight: float | None
    adds: float


@dataclass(frozen=True, slots=True)
class TermScore:
    """A lexeme of the query. `df` counts passages; `share` is its part of the passage's BM25 score."""

    lexeme: str
    query_count: int
    df: int
    idf: float
    score: float
    share: float


@dataclass(frozen=True, slots=True)
class Diversity:
    """How many better hits of its section and of its file came first, whether it stands later in its section (of a file
    with pages), and what the score was worth for that."""

    section: int
    file: int
    later: bool
    worth: float


@dataclass(frozen=True, slots=True)
class Explanation:
    """From the branches to the fused score, and from there to the rank."""

    fusion: str  # scores | rrf | none
    parts: tuple[BranchScore, ...]
    terms: tuple[TermScore, ...]
    file_score: float  # what the query's words in its whole file add to its BM25 score
    fused_rank: int  # by fused score alone
    diversity: Diversity
    rank_before_rerank: int
    named: bool = False  # its section or file is called as the query is, or it says a message in a row: it comes first


@dataclass(frozen=True, slots=True)
class WhyNot:
    """Where a file, or a section of it, was lost on its way to the reader; `reason` says it in a sentence.

    `status` is one of: unknown, filtered, not_in_snapshot, rejected, withdrawn, no_such_section, no_text, no_match,
    too_deep, demoted, below, reranked, shown. `ranks` are those of its best passage: exact ones in each branch, by
    fused score, after diversity, and by the reranker.
    """

    asked: str
    status: str
    reason: str
    library: str | None = None
    snapshot: int | None = None
    rank: int | None = None  # as shown
    section_anchor: str | None = None
    ranks: dict[str, int | None] = field(default_factory=dict)


def rank_of(scores: NDArray[np.floating], position: int, above: float) -> int | None:
    """The rank of a position when all are ordered by score, equals by position; None at or below `above`."""
    own = scores[position]
    if own <= above:
        return None
    return int(np.count_nonzero(scores > own) + np.count_nonzero(scores[:position] == own)) + 1
