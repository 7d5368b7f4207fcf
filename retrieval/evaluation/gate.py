"""What a candidate finds beside the active snapshot: `knowledge.governance.gates` asks for it by name."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from typing import Any

from knowledge.golden import Question
from knowledge.governance.gates import GateMeasurement
from knowledge.models import Snapshot
from knowledge.models.review import ASKED

from .branches import searching
from .comparison import FOUND
from .metrics import mean
from .outcomes import Outcome
from .questions import evaluate_questions
from .runs import missing_gold

BRANCH = "hybrid"
BY_WORDS = "lexical"
ANOTHER_SPACE = "the active snapshot was asked by words alone: its vectors are of another embedding model"


def measure(
    active: Snapshot | None, candidate: Snapshot, golden: Sequence[Question], asked: Sequence[str]
) -> GateMeasurement:
    """`asked` are real questions, of which nobody judged what they must find. Raises RuntimeError.

    An active snapshot whose vectors are of another model than the candidate's is searched by words, as it is for users.
    """
    taken = {question.id for question in golden}
    free = (name for number in count() if (name := f"{ASKED}{number}") not in taken)
    questions = [*golden, *(Question(name, text, (), "") for name, text in zip(free, asked, strict=False))]
    comparable = active is None or active.space_id == candidate.space_id
    after = outcomes(candidate, questions)
    before = outcomes(active, questions, BRANCH if comparable else BY_WORDS) if active else {}
    judged = [after[question.id] for question in golden]
    missed = [one for one in judged if not one.best_rank]
    fallen = [one for one in missed if one.question_id in before and before[one.question_id].best_rank]
    return GateMeasurement(
        questions=len(judged),
        recall=round(mean([one.measures["recall@10"] for one in judged]), 4) if judged else None,
        fallen=[change(before[one.question_id], one) for one in fallen],
        missed=[one.text for one in missed if one not in fallen],
        placeless=placeless(golden, candidate),
        changed=[change(before[key], one) for key, one in after.items() if key in before and moved(before[key], one)],
        note="" if comparable else ANOTHER_SPACE,
    )


def placeless(golden: Sequence[Question], candidate: Snapshot) -> frozenset[str]:
    """The words of those of which no place is there to be found."""
    missing = set(missing_gold(golden, candidate))
    return frozenset(one.text for one in golden if all((one, place) in missing for place in one.gold))


def outcomes(snapshot: Snapshot, questions: Sequence[Question], branch: str = BRANCH) -> dict[str, Outcome]:
    options = replace(searching(snapshot), top_k=FOUND)  # one search for each: nobody reads how long it took
    measured = evaluate_questions(questions, [branch], options, lambda: None, FOUND)[branch]
    return {outcome.question_id: outcome for outcome in measured.outcomes}


def moved(before: Outcome, after: Outcome) -> bool:
    return before.hits != after.hits


def change(before: Outcome, after: Outcome) -> dict[str, Any]:
    lost = dict.fromkeys(f"{hit.path}:{hit.line_start}" for hit in before.hits if hit not in after.hits)
    gained = dict.fromkeys(f"{hit.path}:{hit.line_start}" for hit in after.hits if hit not in before.hits)
    return {
        "id": after.question_id,
        "text": after.text,
        "before": before.best_rank,
        "after": after.best_rank,
        "lost": list(lost),
        "gained": list(gained),
    }
