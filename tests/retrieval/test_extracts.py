"""What is quoted when the documents' own words are the answer."""

from retrieval.answering.citations import Quote, extracted
from retrieval.answering.extracts import extract
from retrieval.answering.sentences import Span
from retrieval.answering.support import support
from tests.retrieval.answering_fakes import make_hit

FILLER = "The workshop has been in the old mill since the town gave it to the members, who look after the roof."
LISTED = """Tools that are not lent

There are tools that stay in the workshop. These include:

• The lathe
• The saw bench, as it is heavy
• The kiln

Members look after the yard as well, and meet there each spring to plant and to paint the fence."""


def quoted(question: str, text: str) -> list[str]:
    return [one.quote.text for one in extract(question, [make_hit(text)])]


def test_a_list_stands_with_the_sentence_that_announces_it():
    (told,) = quoted("Which tools stay in the workshop?", LISTED)
    assert told.startswith(("Tools that are not lent", "There are tools"))
    assert "workshop. These include:\n\n• The lathe\n• The saw bench, as it is heavy\n• The kiln" in told


def test_a_list_that_is_longer_than_a_quotation_is_begun():
    items = "\n".join(
        f"• Tool number {number}, which nobody carries away, as it is as heavy as a cow" for number in range(30)
    )
    (told,) = quoted("Which tools stay in the workshop?", LISTED.partition("•")[0] + items)
    assert "number 0," in told and "number 3," in told and len(told) < 1000


def test_what_is_announced_and_not_there_is_left_out():
    said = "Some tools stay in the workshop: they are heavy, and nobody may carry them."
    text = f"{said} {FILLER} Here are the tools of the workshop:"
    (told,) = quoted("Which tools stay in the workshop?", text)
    assert "they are heavy" in told and not told.endswith(":")


def test_a_sentence_that_sums_up_comes_with_what_it_sums_up():
    tips = "Bring a helper, wear boots, and tie your hair back."
    (told,) = quoted("How do I use the saw safely?", f"{tips}\n\nSo you use the saw safely and cut many boards.")
    assert tips in told and told.endswith("boards.")


def test_a_sentence_that_the_passage_cuts_off_is_left_out():
    text = f"The kiln is fired each Friday by Ada, who needs no help with it. {FILLER} Overall, the kiln and those who"
    (told,) = quoted("When is the kiln fired?", text)
    assert "Friday" in told and "Overall" not in told


def test_the_same_said_twice_is_quoted_once():
    hits = [
        make_hit("The kiln is fired each Friday by Ada."),
        make_hit("Since May: the kiln is fired each Friday by Ada."),
    ]
    assert len(extract("When is the kiln fired?", hits)) == 1


def test_paragraphs_and_list_items_keep_their_lines_and_nothing_else_does():
    found = extract(
        "Which tools stay in the workshop?", [make_hit(LISTED.replace("There are tools", "There are\ntools"))]
    )
    said = extracted({one.n: one.quote for one in found}).text
    assert "There are tools that stay in the workshop. These include:\n\n• The lathe\n• The saw bench" in said


def test_code_in_a_quotation_keeps_its_lines():
    text = "Lend a tool with\nthis call::\n\n    loan = lend(\n        tool,\n    )\n\nIt returns the\nloan."
    quote = Quote(make_hit(text), Span(0, len(text)), support(text, text))
    assert extracted({1: quote}).text == (
        "Lend a tool with this call::\n\n    loan = lend(\n        tool,\n    )\n\nIt returns the loan. [1]"
    )
