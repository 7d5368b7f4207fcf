"""What the branches of one search found, before anything is loaded. Pure."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .fusion import Fused, Scale

BRANCHES = ("lexical", "vector")


@dataclass(frozen=True, slots=True)
class RankedCandidates:
    """By position in the view: each branch's scores and ranking, the candidates by fused score, and the final order.

    `fused` are the candidates after diversity, as many as were asked for.
    """

    scores: dict[str, NDArray[Any]]
    rankings: dict[str, list[int]]
    fused: Fused
    candidates: Fused = field(default_factory=list)
    fusion: str = "none"  # scores | rrf | none: one branch alone
    scale: Scale = field(default_factory=Scale)  # of the cosines
    words_worth: float = 0.0  # `fusion.words_worth` of the query
    allowed: NDArray[np.bool_] | None = None  # by position: what the query's filters leave
    named: frozenset[int] = frozenset()  # positions of what is called so, or says a message in a row: first
    diverse: bool = False  # whether better hits of a section and a file took from the others
