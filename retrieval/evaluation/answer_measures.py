"""Answers measured on questions with gold: what is cited, borne out and refused, and how long it took. Pure."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from typing import Any

from retrieval.evaluation.metrics import percentile

CAUTIONS = (0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0)
WEIGHED_UP = ("answered", "false_refusals", "refusal_recall", "answers_citing_gold")


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    """One answer, held against its question's gold. Of a question that the documents do not answer, `answerable` is
    false and nothing is cited rightly."""

    identifier: str
    answerable: bool
    refused: bool
    model: str = ""
    cited: int = 0
    cited_gold: int = 0  # citations that overlap a gold place
    cited_near: int = 0  # these, and citations of a page beside that of a gold place
    cited_file: int = 0  # citations of a file that has one
    verified: int = 0  # citations whose quotation bears a sentence out
    gold: int = 0
    gold_cited: int = 0  # gold places that a citation overlaps
    resolved: int = 0  # citations whose quotation stands in its chunk, at its lines
    sentences: int = 0
    supported: int = 0
    invented: int = 0
    margin: float | None = None  # by how much what it rests on is more than enough; None where that decided nothing
    opinion: float | None = None  # a judge model's, 0 to 1; no measure of ours
    degraded: tuple[str, ...] = ()  # what did not answer
    took_ms: dict[str, float] = field(default_factory=dict)


def is_held_out(identifier: str) -> bool:
    """Half of the questions, by hash: constants are chosen on the other half."""
    return sha256(identifier.encode()).digest()[0] % 2 == 1


def ratio(part: float, whole: float) -> float | None:
    return round(part / whole, 4) if whole else None


def summary(judged: Sequence[JudgedAnswer]) -> dict[str, Any]:
    """None where nothing can be divided. Citation figures are over the answers that were given."""
    given = [one for one in judged if not one.refused]
    right = [one for one in given if one.answerable]
    unanswerable = [one for one in judged if not one.answerable]
    refused = [one for one in judged if one.refused]
    opinions = [one.opinion for one in judged if one.opinion is not None]
    return {
        "questions": len(judged),
        "answered": len(given),
        "citation_precision": ratio(total(right, "cited_gold"), total(right, "cited")),
        "citation_precision_near": ratio(total(right, "cited_near"), total(right, "cited")),
        "citation_precision_file": ratio(total(right, "cited_file"), total(right, "cited")),
        "citations_verified": ratio(total(given, "verified"), total(given, "cited")),
        "citation_recall": ratio(total(right, "gold_cited"), total(right, "gold")),
        "answers_citing_gold": ratio(sum(one.cited_gold > 0 for one in right), len(right)),
        "citations_resolved": ratio(total(given, "resolved"), total(given, "cited")),
        "citations_invented": total(judged, "invented"),
        "supported_sentences": ratio(total(given, "supported"), total(given, "sentences")),
        "refusal_precision": ratio(sum(not one.answerable for one in refused), len(refused)),
        "refusal_recall": ratio(sum(one.refused for one in unanswerable), len(unanswerable)),
        "false_refusals": ratio(sum(one.answerable for one in refused), sum(one.answerable for one in judged)),
        "by_model": counts(one.model for one in given),
        "degraded": counts(name for one in judged for name in one.degraded),
        "p50_ms": percentile([one.took_ms["total"] for one in judged if one.took_ms], 0.5),
        "p95_ms": percentile([one.took_ms["total"] for one in judged if one.took_ms], 0.95),
        "judge": ratio(sum(opinions), len(opinions)),
        "judged": len(opinions),  # of those that were answered
    }


def counts(names: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(names).items()))


def total(judged: Iterable[JudgedAnswer], name: str) -> int:
    return sum(getattr(one, name) for one in judged)


def at_caution(judged: Sequence[JudgedAnswer], present: float) -> list[dict[str, Any]]:
    """What a library that is set to the present caution and to greater ones refuses, and what it answers then."""
    steps = (present, *(step for step in CAUTIONS if step > present))
    rows = []
    for step in steps:
        kept = [replace(one, refused=one.refused or (one.margin is not None and one.margin < step)) for one in judged]
        figures = summary(kept)
        rows.append({"caution": step} | {name: figures[name] for name in WEIGHED_UP})
    return rows


def report(judged: Sequence[JudgedAnswer], caution: float = 0.0) -> dict[str, Any]:
    """All questions, and the half that no constant was chosen on; and what more caution than the present would do."""
    return {
        "all": summary(judged),
        "held_out": summary([one for one in judged if is_held_out(one.identifier)]),
        "at_caution": at_caution(judged, caution),
        "each": [asdict(one) for one in judged],
    }
