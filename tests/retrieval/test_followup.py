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


@pytest.mark.parametrize(
    ("before", "asked", "alone"),
    [
        ("How much is the standard plan?", "And the premium one?", "And the premium plan?"),
        ("How much is the standard plan?", "And the premium plan?", "And the premium plan?"),
        ("How much is the standard plan?", "Is the premium one billed monthly?", "Is the premium plan billed monthly?"),
        ("What is the price of the standard plan?", "And of the premium one?", "And of the premium plan?"),
        ("How long can you borrow a cargo bike?", "Is there a cheaper one?", "Is there a cheaper bike?"),
        ("What is the late fee for a blue ticket?", "And for the red one?", "And for the red ticket? (late fee)"),
        ("How do I install it on Windows?", "And on Linux?", "And on Linux? (install)"),
        ("What changed in version 2.1?", "And in 2.2?", "And in 2.2? (version)"),
        ("Wie viel kostet das kleine Paket?", "Und das große?", "Und das große Paket?"),
        ("Was kostet das Rad am Samstag?", "Und am Sonntag?", "Und am Sonntag? (Rad)"),
        ("Combien coûte l'offre standard ?", "Et l'offre premium ?", "Et l'offre premium ?"),
    ],
)
def test_what_a_follow_up_replaces_is_not_added_to_it(before: str, asked: str, alone: str) -> None:
    assert depends(asked, [Turn(before)])
    assert by_rule(asked, [Turn(before)]) == alone


@pytest.mark.parametrize(
    ("before", "asked", "about"),
    [
        ("How much is the standard plan?", "And the other one?", "standard plan"),
        ("How much is the standard plan?", "What does chapter one say?", "standard plan"),
        ("How much is the standard plan?", "Can one cancel it?", "standard plan"),
        ("Is the standard plan free?", "And the premium one?", "standard plan free"),
        ("When does the workshop open?", "And the small one?", "workshop open"),
        ("How long can you borrow a cargo bike?", "And on Sundays?", "cargo bike"),
        ("Wie viel kostet das kleine Paket?", "Und am Sonntag?", "kleine Paket"),
        ("¿Cuánto cuesta el plan estándar?", "¿Y el domingo?", "plan estándar"),
        ("Combien coûte la petite salle ?", "Et la grande ?", "petite salle"),
    ],
)
def test_where_words_do_not_tell_the_subject_stays(before: str, asked: str, about: str) -> None:
    assert by_rule(asked, [Turn(before)]) == f"{asked} ({about})"


def test_one_stands_for_what_was_named_some_turns_ago() -> None:
    history = [Turn("How much is the standard plan?"), Turn("What does it include? (standard plan)")]
    assert by_rule("And the premium one?", history) == "And the premium plan?"


def test_a_models_wording_must_ask_the_same() -> None:
    asked = "And what does it cost?"
    assert acceptable("What does a cargo bike cost?", asked, BIKE)
    assert not acceptable("What does it cost?", asked, BIKE)  # lost the subject
    assert not acceptable("What does a cargo bike cost in Paris?", asked, BIKE)  # made something up
    assert not acceptable("Where is the cargo bike?", asked, BIKE)  # asks something else
    assert not acceptable("What does a cargo bike cost?\nIt costs ten.", asked, BIKE)
    assert cleaned('Question: "What does a cargo bike cost?"\nBecause') == "What does a cargo bike cost?"
