"""Citations as models like to write them, in the one notation that is checked."""

import re
from collections.abc import Sequence

import pytest

from retrieval.answering.citations import check
from retrieval.answering.citing import CLEAR, CLEARLY, FAINT, FAINTLY, cited_plainly
from tests.retrieval.answering_fakes import make_hit

SAID = "You can borrow a cargo bike for three days"
FILES = ("handbook/lending.rst",)
MORE = (
    *("【1†source】", "[1–2]", "[1;2]", "[source: 1]", "[Passage 1]", "[[1]](#1)", "[1] and [2]", "(see [1])"),
    *("[Quelle 1]", "[1], [2]", "[1]", "[1, 2]", "[lending.rst]"),
)


@pytest.mark.parametrize("mark", [*(example for *_, example in CLEARLY + FAINTLY), *MORE])
def test_a_citation_is_read_in_every_notation(mark: str) -> None:
    written = f"{SAID}{mark}" if mark.startswith(".") else f"{SAID} {mark}."
    checked = check(cited_plainly(written, 3, FILES), [[make_hit(f"{SAID}.")]] * 3)
    (said,) = checked.sentences
    assert said.supported and said.text == f"{SAID}." and said.citations[0] == 1 and checked.invented == 0


@pytest.mark.parametrize(("pattern", "notations"), [(CLEAR, CLEARLY), (FAINT, FAINTLY)], ids=["clear", "faint"])
def test_each_notation_is_known_by_its_name(
    pattern: re.Pattern[str], notations: Sequence[tuple[str, str, str]]
) -> None:
    for name, _, example in notations:
        found = pattern.search(f"{SAID}{example}" if example.startswith(".") else f"{SAID} {example}.")
        assert found and found.lastgroup == name


@pytest.mark.parametrize(
    "text",
    [
        "The hall has 20 m².",
        "Use `a [[1]]` and f(1).",
        "Use ``a ` 【1】 b`` now.",
        "```\nx = 【1】\n```",
        "It matches [a-z][1-3] and [0-9].",
        "Call sys.argv[1](x).",
        "It runs on port [80](http://x).",
        "Guests pay 50 euros (9).",
        "One (1) bike is lent.",
        "It is so [1]. That is paragraph (2).",
        "Sources:\n1. Wind\n2. Water",
        "Read [other.rst] first.",
        "You can borrow a cargo bike for three days [1].\n\nSource [1] says that guests pay 10 euros.",
        "The list is:\n\nSources\n[1] Wind gives 5 kW.\n[2] Water gives 6 kW.",
        "Call sum([1, 2]) to get the total [2].",
        "It is [[1, 2], [3, 1]] then.",
        "Choose a rating from [1-3] stars [1].",
        "The file is [lending.rst].",
        "Edit [lending.rst] to set the version [1].",
        "Details are in paragraph (2).",
        "The hall covers 20 square metres².",
        "Press button (1). Then press button (2).",
        "The committee consists of three (3).",
        "The current (source 1) is a DC source.",
        "1. Open (1)\n2. Close (2)",
    ],
)
def test_what_may_be_something_else_stays(text: str) -> None:
    assert cited_plainly(text, 3, FILES) == text


@pytest.mark.parametrize(
    "below",
    [
        "\n\nSources:\n[1] handbook/lending.rst",
        "\n\n**Quellen:**\n- [1] handbook/lending.rst\n- [2] other",
        "\nSource: [1]",
        "\n\n[^1]: handbook/lending.rst",
    ],
)
def test_a_list_of_sources_below_an_answer_is_no_part_of_it(below: str) -> None:
    assert cited_plainly(f"{SAID} [1].{below}", 3, FILES) == f"{SAID} [1]."
