"""What says the same in another spelling or in other words, beside what says something else."""

import pytest

from retrieval.answering.citations import best_quote
from tests.retrieval.answering_fakes import make_hit


def holds(sentence: str, passage: str) -> bool:
    quote = best_quote(sentence, [make_hit(passage)])
    return quote is not None and quote.support.holds


@pytest.mark.parametrize(
    ("passage", "true", "false"),
    [
        ("On Sundays, the pool is open; on Mondays it is not.", "On Mondays, the pool is not open.",
         "On Sundays, the pool is not open."),
        ("On Sundays, the pool is open; on Mondays it is not.", "On Sundays, the pool is open.",
         "On Mondays, the pool is open."),
        ("Samstags ist das Bad geöffnet, sonntags nicht.", "Sonntags ist das Bad nicht geöffnet.",
         "Samstags ist das Bad nicht geöffnet."),
    ],
)  # fmt: skip
def test_what_a_denial_leaves_out_may_be_said(passage: str, true: str, false: str) -> None:
    assert holds(true, passage)
    assert not holds(false, passage)
