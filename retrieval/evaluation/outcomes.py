"""What one branch found for one question. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, NamedTuple

from retrieval.results import Hit

KEPT = 10  # hits of a query that are remembered


class FoundPassage(NamedTuple):
    path: str
    line_start: int
    line_end: int
    text_hash: str  # the first 16 hexadecimal digits of SHA-256

    @classmethod
    def of(cls, hit: Hit) -> "FoundPassage":
        return cls(hit.source_file, hit.line_start, hit.line_end, sha256(hit.text.encode()).hexdigest()[:16])


@dataclass(frozen=True, slots=True)
class Outcome:
    question_id: str
    text: str
    gold: tuple[Mapping[str, Any], ...]  # as JSON: the places, or a set's documents with their grades
    ranks: tuple[int | None, ...]  # of each gold place, at which rank it was found first
    measures: Mapping[str, float]
    hits: tuple[FoundPassage, ...]

    @property
    def best_rank(self) -> int | None:
        return min((rank for rank in self.ranks if rank), default=None)


@dataclass(frozen=True, slots=True)
class BranchMeasurement:
    """A branch: its measures averaged, and each question's outcome."""

    summary: dict[str, Any]
    outcomes: tuple[Outcome, ...]


def kept(hits: Iterable[Hit]) -> tuple[FoundPassage, ...]:
    return tuple(FoundPassage.of(hit) for hit in hits)[:KEPT]
