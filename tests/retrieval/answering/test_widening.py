"""Which rule ends a quotation."""

import pytest

from retrieval.answering.quoting.layout import parts
from retrieval.answering.quoting.widening import grown, widened

SAID = "The saw stays in the workshop, as it is heavy and nobody may carry it down the stairs without a helper."
PARAGRAPH = " ".join([SAID] * 4)
LONG = " ".join([SAID] * 5)
ITEMS = "\n".join(f"- Tool number {n}, which stands under lamp {n} and is kept by hand {n}." for n in range(30))


@pytest.mark.parametrize(
    ("text", "rule", "last"),
    [
        (f"{SAID} It is oiled each May.", "", "It is oiled each May."),
        (f"Saw\n   {SAID}\nKiln\n   It is fired on Fridays.", "begins_another_entry", SAID),
        (f"{SAID}\n\n=====\nKilns\n=====", "begins_another_section", SAID),
        (f"{SAID}\n\nWho fires the kiln?\n\nAda does.", "begins_another_question", SAID),
        (f"Go in:\n\n   {SAID}\n\nMembers meet in the yard.", "stands_further_out", SAID),
        (f"1. Go in.\n\n   {SAID}\n\n2. Go out.", "begins_another_entry", SAID),
        (f"{PARAGRAPH}\n\nMembers meet in the yard.", "says_enough", SAID),
        (LONG + LONG, "would_be_too_long", SAID),
        (f"{SAID} These stay:\n\n{ITEMS}", "would_be_too_long", "kept by hand 19."),
        (f"{SAID} These stay:\n\n{SAID * 9}", "would_be_too_long", "These stay:"),
    ],
)
def test_a_quotation_is_ended_by_a_rule(text: str, rule: str, last: str) -> None:
    first = next(span for span in parts(text) if SAID in text[span.start : span.end])
    kept, ended_by = grown(text, first, [one for one in parts(text) if one.start >= first.end])
    assert ended_by == rule
    assert text[: kept[-1].end].endswith(last) and kept[0] == first


ITEMS_WITH_PARAGRAPHS = """* `Mail` - a string

 Send an email with what was upgraded. If it is empty none is sent.

  Example:
 ```
 Mail "user@example.com";
 ```

* `Sender` - a string

 What stands in the field of outgoing mails."""


@pytest.mark.parametrize("said", ["* `Mail`", "Send an", "If it is empty"])
def test_an_item_with_paragraphs_of_its_own_is_quoted_from_its_mark_to_the_next(said: str) -> None:
    sentence = next(span for span in parts(ITEMS_WITH_PARAGRAPHS) if said in ITEMS_WITH_PARAGRAPHS[span.start :][:14])
    told = widened(ITEMS_WITH_PARAGRAPHS, sentence)
    assert ITEMS_WITH_PARAGRAPHS[told.start : told.end] == ITEMS_WITH_PARAGRAPHS.partition("\n\n* `Sender`")[0]
