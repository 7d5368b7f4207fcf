"""One of two is not both."""

import pytest

from tests.retrieval.answering.checking.pairs import holds


@pytest.mark.parametrize(
    ("passage", "true", "false"),
    [
        ("Applicants need a passport or an identity card.", "Applicants need an identity card or a passport.",
         "Applicants need a passport and an identity card."),
        ("A licence is revoked if the holder moves or dies.", "The licence is revoked if the holder moves.",
         "A licence is revoked if the holder moves and dies."),
        ("Managers and directors must both sign the contract.",
         "The contract must be signed by managers and directors.", "Managers or directors must sign the contract."),
        ("Man benötigt einen Pass oder einen Ausweis.", "Man benötigt einen Ausweis oder einen Pass.",
         "Man benötigt einen Pass und einen Ausweis."),
        ("A passport or an identity card may be shown.", "A passport and an identity card may be shown.",
         "A passport or an identity card must be shown."),
    ],
)  # fmt: skip
def test_one_of_two_is_not_both(passage: str, true: str, false: str) -> None:
    assert holds(true, passage)
    assert not holds(false, passage)
