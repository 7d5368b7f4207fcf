"""Questions with the places that answer them. Strict: a hit overlaps a gold place; relaxed: only its file is right."""

import json
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from retrieval.evaluation import metrics
from retrieval.results import Hit

from .branches import Ranked, averaged, latencies, run_branch

DEPTH = 10


@dataclass(frozen=True, slots=True)
class Gold:
    """A place in a file: by lines, by page, by characters, or the whole file."""

    file: str
    lines: tuple[int, int] | None = None
    page: int | None = None
    characters: tuple[int, int] | None = None

    def found_in(self, hit: Hit) -> bool:
        if hit.source_file != self.file:
            return False
        if self.lines:
            return hit.line_start <= self.lines[1] and self.lines[0] <= hit.line_end
        if self.page is not None:
            return hit.page == self.page
        if self.characters:
            return hit.char_start < self.characters[1] and self.characters[0] < hit.char_end
        return True


@dataclass(frozen=True, slots=True)
class Question:
    id: str
    text: str
    gold: tuple[Gold, ...]
    kind: str


def read_questions(path: Path) -> list[Question]:
    """JSON lines (CONTRACT: evaluate). Raises ValueError that names the line."""
    questions = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if line.strip():
            try:
                questions.append(question(json.loads(line)))
            except (KeyError, TypeError, ValueError) as error:
                raise ValueError(f"{path}:{number}: {type(error).__name__} {error}") from error
    return questions


def question(row: dict[str, Any]) -> Question:
    """A question that says too little alone (`needs_context`) is asked with its category in front."""
    text = f"{row['category']}: {row['question']}" if row.get("needs_context") else row["question"]
    return Question(str(row["id"]), text, tuple(gold(entry) for entry in row["gold"]), row.get("kind", ""))


def gold(entry: dict[str, Any]) -> Gold:
    lines = (entry["line_start"], entry["line_end"]) if "line_start" in entry else None
    characters = (entry["start"], entry["end"]) if "start" in entry else None
    return Gold(entry["file"], lines, entry.get("page"), characters)


def evaluate_questions(
    questions: Sequence[Question], library: str, branches: list[str], advance: Callable[[], None]
) -> dict[str, dict[str, Any]]:
    """Branch → measures over all questions, and under `kinds` over those of each kind."""
    measured: dict[str, dict[str, Any]] = {}
    for branch in branches:
        ranked = run_branch(branch, library, [question.text for question in questions], DEPTH, advance)
        rows = [measures(question, one) for question, one in zip(questions, ranked, strict=True)]
        measured[branch] = averaged(rows) | latencies(ranked)
        by_kind: dict[str, list[dict[str, float]]] = defaultdict(list)
        for asked, row in zip(questions, rows, strict=True):
            by_kind[asked.kind].append(row)
        if len(by_kind) > 1:
            measured[branch]["kinds"] = {
                kind: averaged(rows) | {"questions": len(rows)} for kind, rows in sorted(by_kind.items())
            }
    return measured


def measures(question: Question, ranked: Ranked) -> dict[str, float]:
    judged = {str(number): 1 for number in range(len(question.gold))}
    run = strict_run(question.gold, ranked.hits)
    files = [hit.source_file for hit in ranked.hits]
    right_files = {place.file: 1 for place in question.gold}
    return {
        "ndcg@10": metrics.ndcg(run, judged, 10),
        "recall@10": metrics.recall(run, judged, 10),
        "mrr@10": metrics.reciprocal_rank(run, judged, 10),
        **{f"hit@{k}": metrics.hit(run, judged, k) for k in (1, 5, 10)},
        **{f"hit@{k}_file": metrics.hit(files, right_files, k) for k in (1, 5, 10)},
    }


def strict_run(places: Sequence[Gold], hits: Sequence[Hit]) -> list[str]:
    """The hits as the numbers of the gold places that they find first; others, and second finds, find nothing."""
    run: list[str] = []
    for hit in hits:
        new = [str(n) for n, place in enumerate(places) if place.found_in(hit) and str(n) not in run]
        run.append(new[0] if new else f"miss {hit.rank}")
    return run
