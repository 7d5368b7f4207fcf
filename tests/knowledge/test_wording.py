"""How errors are said."""

import pytest

from knowledge.wording import sentence


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ValueError("choose at least one file"), "Choose at least one file."),
        (ValueError("say why it is rejected."), "Say why it is rejected."),
        (ValueError("there is no “x”; did you mean “y”?"), "There is no “x”; did you mean “y”?"),
        (ValueError("it goes on …"), "It goes on …"),
        (ValueError("handbook@3 is failed"), "handbook@3 is failed."),
        (ValueError("example.org does not answer"), "example.org does not answer."),
        (ValueError("notes.md is there already"), "notes.md is there already."),
        (PermissionError("“anna” may not erase in “handbook”"), "“anna” may not erase in “handbook”."),
    ],
)
def test_what_begins_with_a_name_keeps_its_letters(error: Exception, said: str) -> None:
    assert sentence(error) == said
