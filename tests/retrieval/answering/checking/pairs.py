"""How a sentence of an answer is held against a passage."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from retrieval.answering.citations import best_quote
from tests.retrieval.answering_fakes import make_hit

Case = tuple[str, str, str]  # a passage, what it says, and what it does not say


def holds(sentence: str, passage: str) -> bool:
    """As an answer's sentence is checked: against the spans of a passage."""
    quote = best_quote(sentence, [make_hit(passage)])
    return quote is not None and quote.support.holds


def cases(told_apart: Mapping[str, Sequence[Case]]) -> list[Any]:
    """A test of each case, named after what its group shows."""
    return [
        pytest.param(*case, id=f"{shown} {number}")
        for shown, group in told_apart.items()
        for number, case in enumerate(group, 1)
    ]
