"""Which lines of RST stand as they are."""

import pytest

from knowledge.texts.literals import literal_lines


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("So::\n\n  ls\n\n  pwd\n\nAnd so.", {1, 2, 3, 4}),
        ("* So::\n\n      ls\n\n  And so.", {1, 2}),
        ("10. So::\n\n        ls\n\n    And so.", {1, 2}),
        (".. code-block:: sh\n   :linenos:\n\n   ls\n\nAnd so.", {2, 3}),
    ],
)
def test_a_literal_block_stands_further_in_than_the_text_above_it(text: str, code: set[int]) -> None:
    assert literal_lines(text.split("\n")) == code
