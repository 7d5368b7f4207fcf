"""k-fold cross-validation: which questions something is learned from, and which it is tried on. Pure.

A question's fold depends on its id alone: it stays where it is whatever questions are added, on every machine. The
folds are therefore of about equal size, not of equal size.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256


@dataclass(frozen=True, slots=True)
class Fold:
    train: tuple[str, ...]
    test: tuple[str, ...]


def fold_of(question_id: str, k: int) -> int:
    """From 0 to k − 1."""
    return int.from_bytes(sha256(f"\0{question_id}".encode()).digest()[:8]) % k


def folds(question_ids: Iterable[str], k: int = 5) -> list[Fold]:
    """Each id is tested in exactly one fold and trained on in all others; folds that test nothing are left out.

    Raises ValueError for fewer than two folds, or when everything falls into one.
    """
    if k < 2:
        raise ValueError(f"cross-validation needs two folds or more, not {k}")
    ids = sorted(set(question_ids))
    placed = {question: fold_of(question, k) for question in ids}
    if ids and len(set(placed.values())) < 2:
        raise ValueError(f"{len(ids)} questions all fall into one of {k} folds: too few to learn from")
    return [
        Fold(
            train=tuple(question for question in ids if placed[question] != number),
            test=tuple(question for question in ids if placed[question] == number),
        )
        for number in sorted(set(placed.values()))
    ]
