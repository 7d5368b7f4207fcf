"""What was, and what will be."""

import pytest

from tests.retrieval.answering.checking.pairs import holds


@pytest.mark.parametrize(
    ("passage", "true", "false"),
    [
        ("The council will vote on the plan in May.", "In May the council is going to vote on the plan.",
         "The council voted on the plan in May."),
        ("The lift was repaired in autumn.", "In autumn the lift has been repaired.",
         "The lift will be repaired in autumn."),
        ("Das Dach wird im Mai saniert.", "Im Mai wird das Dach saniert.", "Das Dach wurde im Mai saniert."),
        ("Le toit sera réparé en automne.", "En automne le toit sera réparé.", "Le toit a été réparé en automne."),
    ],
)  # fmt: skip
def test_what_will_be_is_not_what_was(passage: str, true: str, false: str) -> None:
    assert holds(true, passage)
    assert not holds(false, passage)
