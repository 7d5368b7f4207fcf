"""Half of one sentence and half of another is said by neither."""

import pytest

from retrieval.answering.checking.blends import blended
from retrieval.answering.checking.support import support
from retrieval.answering.citations import best_quote, check
from tests.retrieval.answering_fakes import make_hit

HALL = (
    "The hall measures 14 by 9 metres. It holds 110 people standing or 64 at tables. The kitchen at the back has a"
    " cooker and crockery for 70. The stage is 40 centimetres high and can be reached by a ramp."
)
LOANS = (
    "* A trailer borrowed on its own may stay out for seven lending days.\n"
    "* Partners, that is, schools with a signed agreement, may keep anything for ten lending days.\n\n"
    "Before your first ride the desk host takes you through a 15-minute introduction. Nobody needs an introduction for"
    " a trailer."
)
SHOP = "Contoso sells lamps. The company delivers within two days. Heron Ltd repairs them."


def borne_out(sentence: str, text: str) -> bool:
    quote = best_quote(sentence, [make_hit(text)])
    return quote is not None and quote.support.holds


@pytest.mark.parametrize(
    ("passage", "true", "false"),
    [
        (HALL, "The kitchen has crockery for 70.", "The kitchen at the back is 40 centimetres high."),
        (HALL, "The hall holds 110 people standing.", "The hall has a cooker and crockery for 110 people."),
        (HALL, "The stage is 40 centimetres high.", "The kitchen can be reached by a ramp."),
        (LOANS, "Trailer: 7 days.", "Trailer: 15."),
        (LOANS, "| Trailer | 7 |", "| Trailer | 10 |"),
        (LOANS, "| Partners | 10 |", "| Partners | 7 |"),
        (LOANS, "A trailer can be borrowed for up to 7 days.", "A trailer can be borrowed for up to 10 days."),
        (SHOP, "Contoso delivers within two days.", "Heron Ltd delivers within two days."),
        (
            "The museum is closed on Mondays. From Tuesday to Sunday it is open from 10 to 17.",
            "The museum is open from Tuesday to Sunday from 10 to 17.",
            "The museum is open on Mondays from 10 to 17.",
        ),
        (
            "Der Saal fasst 110 Personen. Die Küche hat einen Herd und Geschirr für 70 Personen.",
            "Die Küche hat Geschirr für 70 Personen.",
            "Die Küche fasst 110 Personen.",
        ),
    ],
)
def test_what_two_sentences_say_is_not_said_as_one(passage: str, true: str, false: str) -> None:
    assert borne_out(true, passage)
    assert not borne_out(false, passage)


def test_a_list_of_what_several_sentences_say_is_no_blend() -> None:
    assert not blended("The hall measures 14 by 9 metres, the stage is 40 centimetres high.", HALL)
    assert not blended("The kitchen has a cooker and the stage a ramp.", HALL)


def test_what_a_heading_says_is_said_of_all_below_it() -> None:
    passage = "Garden plots are let in spring. Water is included. A shed may be two metres high."
    assert blended("In garden plots a shed may be two metres high.", passage)
    assert not blended("In garden plots a shed may be two metres high.", passage, heading="Garden plots")


def test_rows_of_a_table_are_of_one_thing() -> None:
    table = "Our prices.\n\n| Tool | Day | Week |\n|---|---|---|\n| Saw | €3 | €9 |\n| Kiln | €5 | €20 |"
    assert not blended("A kiln costs €20 for a week.", table)


@pytest.mark.parametrize(
    ("passage", "false"),
    [
        ("Dr. Kim sent the report before Dr. Lee.", "Dr. Lee sent the report before Dr. Kim."),
        ("Dr. Kim and Dr. Lee approve it if needed.", "Dr. Kim or Dr. Lee approves it if needed."),
        ("Mr. Lee pays Mr. Kim the deposit.", "Mr. Kim pays Mr. Lee the deposit."),
    ],
)
def test_a_title_ends_no_sentence(passage: str, false: str) -> None:
    assert support(passage, f"It was read. {passage}").holds
    assert not support(false, passage).holds


def test_a_models_table_stays_a_table_and_its_head_is_no_claim() -> None:
    text = "These are the limits:\n\n| Loan | Days |\n|---|---|\n| Trailer | 7 |\n| Partners | 7 |"
    checked = check(text, [[make_hit(LOANS)]])
    assert checked.text.endswith("| Loan | Days |\n|---|---|\n| Trailer | 7 [1] |\n| Partners | 7 |")
    assert [sentence.supported for sentence in checked.sentences] == [False, False, True, False]


@pytest.mark.parametrize("lead", ["**Answer:**\n\n", "Answer:\n\n", "**Answer**\n\n"])
def test_what_only_announces_gets_no_citation(lead: str) -> None:
    passage = "Members may answer the reminder. A trailer may stay out for seven days."
    checked = check(f"{lead}A trailer may stay out for seven days.", [[make_hit(passage)]])
    assert [sentence.citations for sentence in checked.sentences] == [(), (1,)]


@pytest.mark.parametrize(
    "framed",
    ["{0}", ":::{{note}}\n{0}\n:::", "```{{note}}\n{0}\n```", "Loans\n`````\n\n{0}", "Loans\n~~~~~\n\n{0}"],
)
def test_what_stands_in_a_note_or_under_a_title_of_rst_can_be_quoted(framed: str) -> None:
    filler = "The yard is swept by those who come last, and whoever sees a lamp that is out says so. " * 8
    said = "A trailer may stay out for seven days."
    assert borne_out(said, framed.format(f"{said} {filler}"))
