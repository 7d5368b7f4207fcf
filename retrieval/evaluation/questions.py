"""Questions with the places that answer them. Strict: a hit overlaps a gold place; relaxed: only its file is right."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from knowledge import golden, json_lines
from knowledge.golden import Gold, Question, read_json_lines
from retrieval.evaluation import metrics
from retrieval.results import Hit, SearchOptions

from .branches import averaged, latencies, run_branch
from .outcomes import BranchMeasurement, Outcome, kept

DEPTH = 100


def read_questions(path: Path) -> list[Question]:
    """From JSON lines. Raises ValueError that names the line."""
    return read_json_lines(json_lines.text(path), str(path))


def read_unanswerable(path: Path) -> list[Question]:
    """JSON lines with `id` and `question`: what the documents do not answer. Raises ValueError that names the line."""
    return read_json_lines(json_lines.text(path), str(path), golden.read_unanswerable)


def finds(hit: Hit, place: Gold) -> bool:
    if hit.source_file != place.file:
        return False
    if place.lines:
        return hit.line_start <= place.lines[1] and place.lines[0] <= hit.line_end
    if place.page is not None:
        return hit.page == place.page
    if place.characters:
        return hit.char_start < place.characters[1] and place.characters[0] < hit.char_end
    if place.anchor is not None:
        return hit.section_anchor == place.anchor
    return True


def evaluate_questions(
    questions: Sequence[Question],
    branches: Sequence[str],
    options: SearchOptions,
    advance: Callable[[], None],
    depth: int = DEPTH,
) -> dict[str, BranchMeasurement]:
    """Branch → measures over all questions, and under `kinds` over those of each kind; of so many hits of each."""
    measured = {}
    for branch in branches:
        ranked = run_branch(branch, [question.text for question in questions], options, depth, advance)
        outcomes = [outcome(question, one.hits) for question, one in zip(questions, ranked, strict=True)]
        rows = [dict(one.measures) for one in outcomes]
        summary: dict[str, Any] = averaged(rows) | latencies(ranked)
        by_kind: dict[str, list[dict[str, float]]] = defaultdict(list)
        for asked, row in zip(questions, rows, strict=True):
            by_kind[asked.kind].append(row)
        if len(by_kind) > 1:
            summary["kinds"] = {
                kind: averaged(rows) | {"questions": len(rows)} for kind, rows in sorted(by_kind.items())
            }
        measured[branch] = BranchMeasurement(summary, tuple(outcomes))
    return measured


def outcome(question: Question, hits: Sequence[Hit]) -> Outcome:
    return Outcome(
        question_id=question.id,
        text=question.text,
        gold=tuple(place.as_json() for place in question.gold),
        ranks=found_at(question.gold, hits),
        measures=measures(question, hits),
        hits=kept(hits),
    )


def found_at(places: Sequence[Gold], hits: Sequence[Hit]) -> tuple[int | None, ...]:
    """The rank of the first hit that finds each place; a hit may find several."""
    return tuple(next((hit.rank for hit in hits if finds(hit, place)), None) for place in places)


def measures(question: Question, hits: Sequence[Hit]) -> dict[str, float]:
    run, judged = strict_run(question.gold, hits[:10])  # none of its measures looks further
    ranks = found_at(question.gold, hits)
    files = [hit.source_file for hit in hits]
    right_files = {place.file: 1 for place in question.gold}
    return {
        "ndcg@10": metrics.ndcg(run, judged, 10),
        **{f"recall@{k}": metrics.mean([bool(rank and rank <= k) for rank in ranks]) for k in (10, 100)},
        "mrr@10": metrics.reciprocal_rank(run, judged, 10),
        **{f"hit@{k}": metrics.hit(run, judged, k) for k in (1, 5, 10)},
        **{f"hit@{k}_file": metrics.hit(files, right_files, k) for k in (1, 5, 10)},
    }


def strict_run(places: Sequence[Gold], hits: Sequence[Hit]) -> tuple[list[str], dict[str, int]]:
    """The hits as the numbers of the gold places that they find first, and the places as judgements.

    Other hits, and second finds, find nothing. Places that one hit finds together are one judgement: no ranking could
    find them at two ranks.
    """
    run: list[str] = []
    judged = {str(number): 1 for number in range(len(places))}
    for hit in hits:
        found = [str(n) for n, place in enumerate(places) if finds(hit, place)]
        new = [number for number in found if number in judged and number not in run]
        run.append(new[0] if new else f"miss {hit.rank}")
        for together in new[1:]:
            del judged[together]
    return run, judged
