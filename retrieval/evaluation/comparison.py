"""Two runs of the same questions, question by question. Pure.

A gold place counts as found among the first ten hits. A question is *gained* when more of its places are found than
before, *lost* when fewer, *moved* when as many but at other ranks. One whose words or gold changed in between is
*rejudged*, one that only one run asked is *new* or *gone*: these three say nothing about retrieval.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from .metrics import mean
from .outcomes import Outcome

FOUND = 10
COMPARED = ("gained", "lost", "moved", "unchanged")
CHANGES = (*COMPARED, "rejudged", "new", "gone")
TESTED = "ndcg@10"

Outcomes = Mapping[str, Iterable[Outcome]]  # by branch


@dataclass(frozen=True, slots=True)
class QueryChange:
    change: str
    before: Outcome | None
    after: Outcome | None

    @property
    def outcome(self) -> Outcome:
        """The newer one."""
        found = self.after or self.before
        assert found is not None  # noqa: S101
        return found

    def as_json(self) -> dict[str, Any]:
        return {
            "id": self.outcome.question_id,
            "question": self.outcome.text,
            "change": self.change,
            "gold": list(self.outcome.gold),
            "before": side(self.before),
            "after": side(self.after),
        }


@dataclass(frozen=True, slots=True)
class BranchComparison:
    changes: tuple[QueryChange, ...]  # in order of CHANGES, then of id
    differences: dict[str, float]  # after − before of each measure, over the questions that can be compared

    @property
    def counts(self) -> dict[str, int]:
        counted = Counter(change.change for change in self.changes)
        return {name: counted[name] for name in CHANGES}

    @property
    def sign_test(self) -> dict[str, float]:
        """How many questions do better and worse by nDCG@10, and how likely so uneven a split is by chance."""
        signs = [difference(change, TESTED) for change in self.changes if change.change in COMPARED]
        better, worse = sum(sign > 0 for sign in signs), sum(sign < 0 for sign in signs)
        return {"better": better, "worse": worse, "p": round(sign_test(better, worse), 4)}

    def of(self, change: str) -> list[QueryChange]:
        return [one for one in self.changes if one.change == change]

    def as_json(self) -> dict[str, Any]:
        return {
            "summary": self.counts | {"differences": self.differences, "sign_test": self.sign_test},
            "queries": [change.as_json() for change in self.changes],
        }


def compare(before: Outcomes, after: Outcomes) -> dict[str, BranchComparison]:
    """By branch, of those that both runs have, in the order of `after`."""
    return {branch: compare_branch(before[branch], after[branch]) for branch in after if branch in before}


def compare_branch(before: Iterable[Outcome], after: Iterable[Outcome]) -> BranchComparison:
    old, new = ({outcome.question_id: outcome for outcome in outcomes} for outcomes in (before, after))
    pairs = [(old.get(question), new.get(question)) for question in sorted(old.keys() | new.keys())]
    changes = sorted((QueryChange(changed(*pair), *pair) for pair in pairs), key=lambda one: CHANGES.index(one.change))
    compared = [change for change in changes if change.change in COMPARED]
    names = [name for name in (compared[0].outcome.measures if compared else ()) if has(compared, name)]
    differences = {name: round(mean([difference(change, name) for change in compared]), 4) for name in names}
    return BranchComparison(tuple(changes), differences)


def changed(before: Outcome | None, after: Outcome | None) -> str:
    if before is None or after is None:
        return "new" if before is None else "gone"
    if (before.text, before.gold) != (after.text, after.gold):
        return "rejudged"
    old, new = found(before), found(after)
    if len(old) != len(new):
        return "gained" if len(new) > len(old) else "lost"
    return "unchanged" if old == new else "moved"


def found(outcome: Outcome) -> dict[int, int]:
    """Which gold places stand among the first ten, and where."""
    return {place: rank for place, rank in enumerate(outcome.ranks) if rank and rank <= FOUND}


def has(changes: Iterable[QueryChange], name: str) -> bool:
    return all(name in side.measures for change in changes for side in (change.before, change.after) if side)


def difference(change: QueryChange, name: str) -> float:
    if change.before is None or change.after is None:
        return 0.0
    return change.after.measures.get(name, 0.0) - change.before.measures.get(name, 0.0)


def sign_test(better: int, worse: int) -> float:
    """Exact, two-sided: the chance that a fair coin falls at least as unevenly. 1 when there is nothing to tell."""
    thrown = better + worse
    tail = sum(math.comb(thrown, n) for n in range(min(better, worse) + 1))
    return min(1.0, 2 * tail / 2**thrown)


def side(outcome: Outcome | None) -> dict[str, Any] | None:
    if outcome is None:
        return None
    hits = [dict(zip(hit._fields, hit, strict=True)) for hit in outcome.hits]
    return {"ranks": list(outcome.ranks), "measures": dict(outcome.measures), "hits": hits}
