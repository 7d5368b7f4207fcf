"""docs/answers.md tells what the check compares: each of its passages does not bear out what stands beside it."""

import re

import pytest

from config.local.home import CHECKOUT
from tests.retrieval.answering.checking.pairs import holds

CELL = re.compile(r"(?<!\\)\|")


def documented() -> list[tuple[str, str, str]]:
    text = (CHECKOUT / "docs/answers.md").read_text(encoding="utf-8")
    section = text.partition("### What the check compares")[2].partition("\n### ")[0]
    rows = [CELL.split(line)[2:5] for line in section.splitlines() if line.startswith("|")][2:]
    return [
        (cells[0].strip().replace("\\|", "|").replace(" <br> ", "\n"), cells[1].strip(), cells[2]) for cells in rows
    ]


@pytest.mark.parametrize(("passage", "sentence", "modules"), documented())
def test_the_examples_are_not_borne_out(passage, sentence, modules):
    assert not holds(sentence, passage)
    for module in re.findall(r"`(\w+)`", modules):
        assert (CHECKOUT / f"retrieval/answering/checking/{module}.py").exists()
