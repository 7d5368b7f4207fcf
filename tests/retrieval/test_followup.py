"""Follow-ups become questions that stand alone, without a model."""

import pytest

from retrieval.answering.followup import Turn, acceptable, by_rule, cleaned, depends, subject

BIKE = [Turn("How long can you borrow a cargo bike?", "Up to three days.", "Lending a cargo bike")]


@pytest.mark.parametrize(
    ("question", "needs"),
    [
        ("And what does it cost?", True),
        ("What about Sundays?", True),
        ("Why?", True),
        ("Wie viel kostet es?", True),
        ("Who may enter the workshop without a token on Sundays?", False),
    ],
)
def test_a_question_needs_what_was_said_before_it_or_does_not(question: str, needs: bool) -> None:
    assert depends(question, BIKE) is needs
    assert not depends(question, [])


@pytest.mark.parametrize(
    ("question", "about"),
    [
        ("How long can you borrow a cargo bike?", "cargo bike"),
        ("What does HttpKernel do with exceptions?", "HttpKernel"),
        ("Who pays for the Northwind Standard plan?", "Northwind Standard plan"),
        ("Why?", ""),
    ],
)
def test_the_subject_is_what_the_question_names(question: str, about: str) -> None:
    assert about in subject([Turn(question)])


def test_the_subject_is_kept_over_turns_that_name_nothing() -> None:
    history = [*BIKE, Turn("And how much is it?"), Turn("Why?")]
    assert by_rule("And when is it late?", history) == "And when is it late? (cargo bike)"


def test_a_subject_that_is_named_again_is_not_added() -> None:
    assert by_rule("And a cargo bike at night?", BIKE) == "And a cargo bike at night?"


def test_a_models_wording_must_ask_the_same() -> None:
    asked = "And what does it cost?"
    assert acceptable("What does a cargo bike cost?", asked, BIKE)
    assert not acceptable("What does it cost?", asked, BIKE)  # lost the subject
    assert not acceptable("What does a cargo bike cost in Paris?", asked, BIKE)  # made something up
    assert not acceptable("Where is the cargo bike?", asked, BIKE)  # asks something else
    assert not acceptable("What does a cargo bike cost?\nIt costs ten.", asked, BIKE)
    assert cleaned('Question: "What does a cargo bike cost?"\nBecause') == "What does a cargo bike cost?"
