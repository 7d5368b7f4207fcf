"""What is quoted when the documents' own words are the answer."""

import re
from collections.abc import Sequence
from time import process_time

import pytest

from knowledge.texts.words import terms
from retrieval.answering.checking.support import support
from retrieval.answering.citations import Quote, extracted
from retrieval.answering.evidence import PER_CAUTION, READ_ENOUGH, Evidence, margin, weigh
from retrieval.answering.quoting.completing import numbered_lists, with_its_steps, with_what_it_notes
from retrieval.answering.quoting.continuing import is_cut_off
from retrieval.answering.quoting.extracts import Extract, extract
from retrieval.answering.quoting.layout import parts
from retrieval.answering.quoting.rows import asked_for, is_row
from retrieval.answering.quoting.tables import head_above, rows_in
from retrieval.answering.quoting.widening import widened
from retrieval.answering.sentences import Span
from tests.retrieval.answering_fakes import make_hit

FILLER = "The workshop has been in the old mill since the town gave it to the members, who look after the roof."
LISTED = """Tools that are not lent

There are tools that stay in the workshop. These include:

• The lathe
• The saw bench, as it is heavy
• The kiln

Members look after the yard as well, and meet there each spring to plant and to paint the fence."""


def apart(number: int) -> str:
    """Words that no other number has."""
    return f"stands under lamp{number} beside door{number} and is kept by hand{number} until noon{number}"


def quoted(question: str, text: str) -> list[str]:
    return [one.quote.text for one in extract(question, [make_hit(text)])]


def test_a_list_stands_with_the_sentence_that_announces_it():
    (told,) = quoted("Which tools stay in the workshop?", LISTED)
    assert told.startswith(("Tools that are not lent", "There are tools"))
    assert "workshop. These include:\n\n• The lathe\n• The saw bench, as it is heavy\n• The kiln" in told


def test_a_list_that_is_longer_than_a_quotation_is_begun():
    items = "\n".join(f"• Tool number {number}, which {apart(number)}" for number in range(30))
    (told,) = quoted("Which tools stay in the workshop?", LISTED.partition("•")[0] + items)
    assert "number 0," in told and "number 12," in told and len(told) <= 1500


def test_a_list_is_quoted_to_its_end_and_what_follows_it_is_not() -> None:
    items = "\n".join(f"• Tool number {number}, which {apart(number)}" for number in range(14))
    (told,) = quoted("Which tools stay in the workshop?", f"{LISTED.partition('•')[0]}{items}\n\n{FILLER}")
    assert told.endswith(f"number 13, which {apart(13)}") and len(told) > 900


PUNCTURE = """{before}{first} Take the wheel out. On a rear wheel, shift to the smallest sprocket first.
{second} Let out the rest of the air and push the tyre into the middle of the rim all the way round.
{third} Lift one side over the rim with the levers, and pump the tube to twice its width. Listen where it whistles.
{fourth} Mark the hole with a chalk cross whose lines reach past the patch.

Now run a cloth around the inside of the tyre. Whatever made the hole is often still there."""


@pytest.mark.parametrize("marks", ["1. 2. 3. 4.", "1) 2) 3) 4)", "#. #. #. #.", "5. 6. 7. 8."])
@pytest.mark.parametrize("before", ["", "The tyre comes off so:\n\n"])
def test_numbered_steps_are_quoted_from_the_first_to_the_last(marks: str, before: str) -> None:
    names = dict(zip(("first", "second", "third", "fourth"), marks.split(), strict=True))
    (told,) = quoted("Where does the tube whistle, and how wide is it pumped?", PUNCTURE.format(before=before, **names))
    assert told.startswith(before or names["first"]) and "reach past the patch." in told


@pytest.mark.parametrize(
    ("announced", "begins"),
    [
        ("Hand it to the host while the desk is open. Otherwise:", "Hand it"),
        ("Hand it to the host. The last four steps with a tube:", "The last"),
        ("Is nobody there? Wait until nine. If not:", "Is nobody"),
        ("Steht ein Gastgeber da, nimmt er es. Andernfalls gehen die letzten vier Schritte so:", "Steht"),
        ("Hand it to the host.\n\nWith a tube:", "With"),
    ],
)
def test_steps_come_with_what_their_announcement_points_back_to(announced: str, begins: str) -> None:
    text = PUNCTURE.format(before=f"{announced}\n\n", first="1.", second="2.", third="3.", fourth="4.")
    third = next(span for span in parts(text) if text.startswith("3. Lift", span.start))
    told = with_its_steps(text, third, third.start)
    assert text.startswith(begins, told.start) and text[: told.end].endswith("reach past the patch.")


def test_numbers_in_much_code_are_passed_over_in_one_pass() -> None:
    text = "\n\n".join(f"- Run {n}::\n\n      1. a\n      2. b" for n in range(4_000))
    began = process_time()
    assert numbered_lists(text) == ()
    assert process_time() - began < 15  # squared, it took minutes


def test_numbers_that_do_not_follow_each_other_are_two_lists() -> None:
    text = PUNCTURE.format(before="1. Pay at the desk.\n2. Go in.\n", first="1.", second="2.", third="3.", fourth="4.")
    (told,) = quoted("Where does the tube whistle, and how wide is it pumped?", text)
    assert told.startswith("1. Take the wheel out.")


@pytest.mark.parametrize(("times", "begins"), [(2, "1. Take the wheel out."), (14, "Do step 4")])
def test_a_sentence_below_steps_is_quoted_with_all_of_them_or_with_none(times: int, begins: str) -> None:
    names = {"before": "", "first": "1.", "second": "2." + f" {FILLER}" * (times - 1), "third": "3.", "fourth": "4."}
    steps = PUNCTURE.format(**names).partition("\n\n")[0].replace("\n", "\n\n")
    text = f"{steps}\n\nDo step 4 even when the patch already holds. A chalked patch is found again, and holds longer."
    below = next(span for span in parts(text) if text.startswith("Do step 4", span.start))
    reaching_back = widened(text, below)
    told = with_its_steps(text, reaching_back, below.start)
    assert not text.startswith(("1.", "Do"), reaching_back.start)
    assert text.startswith(begins, told.start) and told.end == len(text)


def test_of_steps_that_are_too_long_together_those_from_the_item_on_are_quoted() -> None:
    long = "\n".join(f"{n}. Do what {apart(n)}. Then it {apart(n + 50)} and {apart(n + 70)}." for n in range(1, 15))
    (told,) = quoted("When is door59 opened by hand59 below lamp59?", long)
    assert told.startswith("9. Do what") and len(told) < 1500


def test_a_sentence_within_an_item_comes_with_the_items_beginning() -> None:
    item = f"- **Cats**: they stay\nat home. Nobody feeds them in the yard. {FILLER * 4}"
    text = f"{FILLER}\n\n{item}\n- **Dogs**: on a lead, please. They {apart(1)}."
    sentence = next(span for span in parts(text) if text.startswith("Nobody feeds", span.start))
    told = widened(text, sentence)
    assert text[told.start : told.end].startswith("- **Cats**: they stay\nat home. Nobody feeds")


@pytest.mark.parametrize("word", ["Step", "Level", "Phase", "Schritt"])
def test_the_first_of_several_steps_comes_with_the_others(word: str) -> None:
    steps = "\n\n".join(f"{word} {n}: Look at it\n\nSomebody {apart(n)}. Then one {apart(n)}." for n in (1, 2, 3))
    settled = "Complaints of guests are settled by the chair, quickly and fairly, in three rounds."
    (told,) = quoted("How are complaints of guests settled?", f"{settled}\n\n{steps}\n\n{FILLER}")
    assert told.startswith(settled)
    assert told.endswith(f"{word} 3: Look at it\n\nSomebody {apart(3)}. Then one {apart(3)}.")


def test_a_step_that_the_passage_does_not_tell_is_left_out() -> None:
    steps = "\n\n".join(f"Step {n}: Look at it\n\nSomebody {apart(n)}. Then one {apart(n)}." for n in (1, 2))
    settled = "Complaints of guests are settled by the chair, quickly and fairly, in three rounds."
    (told,) = quoted("How are complaints of guests settled?", f"{settled}\n\n{steps}\n\nStep 3: Decide")
    assert told.endswith(f"Step 2: Look at it\n\nSomebody {apart(2)}. Then one {apart(2)}.")


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


def test_words_that_stand_together_in_the_question_tell_titles_apart():
    hits = [
        make_hit("The director of tools manages loans, and visits fairs with those who repair the roof."),
        make_hit("The manager of fairs writes to neighbours, and keeps the accounts of the roof."),
    ]
    told, *_ = extract("What does the manager of fairs do?", hits)
    assert told.n == 2


def test_the_subject_counts_although_every_passage_has_it():
    about = "The chair of the club has an office."
    lunch = "Those who stay for lunch on the day of a meeting write that down before noon, with the number of guests."
    term = "The chair of the club is elected to this office for two years, at the meeting in May."
    hits = [make_hit(term), make_hit(" ".join([lunch, *[FILLER] * 5, about])), *[make_hit(about)] * 3]
    told, *_ = extract("Until when does the chair of the club stay in office?", hits)
    assert told.quote.text == term


def test_a_second_quotation_has_what_the_first_leaves_out():
    question = "When is the kiln fired, and who repairs the lathe?"
    kiln = f"The kiln is fired each Friday. {FILLER} {FILLER} {FILLER} {FILLER} {FILLER}"
    lathe = f"Repairs of the lathe are done by Grace, who repairs saws as well. {FILLER}"
    again = f"The kiln, as it is so hot, is fired with two members beside it. {FILLER}"
    assert [one.n for one in extract(question, [make_hit(kiln), make_hit(lathe)])] == [1, 2]
    assert [one.n for one in extract("When is the kiln fired?", [make_hit(kiln), make_hit(again)])] == [1]


def test_no_second_quotation_stands_beside_that_a_reader_takes_for_no_answer() -> None:
    kiln, lathe = "The kiln is fired each Friday.", "Repairs of the lathe are done by Grace, who repairs saws as well."
    hits = [make_hit(kiln), make_hit(lathe)]

    def reading(texts):
        return [3.0 if "kiln" in text else -1.0 for text in texts]

    told = extract("When is the kiln fired, and who repairs the lathe?", hits, reading=reading)
    assert [one.n for one in told] == [1]


CLAUSES = f"""1. **Delivery.** Tools leave the yard on the day they are asked for, if that is before noon. {FILLER}

2. **Returns.** Whatever was lent comes back within thirty days, clean and dry, in the box in which it was handed out
   at the desk, and with its keys.

3. **Law.** The law of the county holds for all of this, and whoever disagrees may ask the chair, who asks the board."""


@pytest.mark.parametrize("label", ["**{}.**", "**{}:**", "**{}**:", "{}\n\n  "])
def test_a_numbered_clause_is_quoted_without_the_others(label: str) -> None:
    text = re.sub(r"\*\*(\w+)\.\*\*", lambda found: label.format(found[1]), CLAUSES)
    sentence = next(span for span in parts(text) if "thirty days" in text[span.start : span.end])
    told = with_its_steps(text, widened(text, sentence), text.index("Whatever"))
    assert text.startswith("2. ", told.start) and text[: told.end].endswith("with its keys.")


AGENDA = f"""1. **Minutes of the last meeting** were approved without changes, and signed by the chair. {FILLER}

2. **Treasurer's report.** The balance stands at four thousand pounds, of which half are set aside. {FILLER}

3. **Any other business.** Mick needs six marshals, and nobody wants the hog roast again. {FILLER}"""


@pytest.mark.parametrize(
    "text", [AGENDA, AGENDA.replace("** were", ". They").replace("*", "").replace(FILLER, f"{FILLER} {FILLER}")]
)
def test_an_agendas_items_and_clauses_without_bold_letters_stand_for_themselves(text: str) -> None:
    sentence = next(span for span in parts(text) if "balance" in text[span.start : span.end])
    told = with_its_steps(text, widened(text, sentence), text.index("balance"))
    assert text.startswith("2. ", told.start) and "Mick" not in text[: told.end]


def test_a_clause_that_ends_its_passage_is_not_cut_off() -> None:
    hit = make_hit(CLAUSES)
    best = extract("Which law holds for this?", [hit])[0]
    assert best.quote.text.startswith("3. ") and not is_cut_off(best)


GLOSSARY = """Workshop lead
   Tomasz Lind, paid for 20 hours a week.

Treasurer
   Maud Perrin, board member. Holds the deposits and pays them back.

Desk host
   The volunteer at the desk."""
OPTIONS = """-r FILE
    Read the log from this file.
-R LIMIT
    Restrict the output to this limit. What exceeds it is left out.
-t SECONDS
    Give up after so many seconds."""
BESIDE = """ip     The address to be banned, e.g. 192.168.0.2.

failures
       How often it failed. Three times are too many.

time   When it was banned. In seconds."""
TABBED = OPTIONS.replace("    ", "\t      ").replace("-", "       -")  # as `man … | col -b` writes it


@pytest.mark.parametrize(("text", "term"), [(GLOSSARY, "Treasurer"), (OPTIONS, "-R"), (TABBED, "-R"), (BESIDE, "ip")])
def test_a_definition_is_quoted_from_its_term_to_its_end(text: str, term: str) -> None:
    start = text.index(term)
    own = text[start : text.index({"Treasurer": "Desk", "ip": "failures"}.get(term, "-t"), start)]
    for span in parts(text):
        if start <= span.start < start + len(own):
            told = widened(text, span)
            assert text[told.start : told.end].strip() == own.strip()


@pytest.mark.parametrize(
    "defined", [GLOSSARY, "- **Treasurer:** Maud Perrin, who holds the deposits.\n- **Chair:** Ann."]
)
def test_the_definition_of_what_is_asked_for_is_quoted_wherever_it_stands_among_the_hits(defined: str) -> None:
    others = [make_hit(f"The treasurer signs form {n}, and keeps it in drawer {n} of the office.") for n in range(6)]
    best, *_ = extract("Who is the treasurer?", [*others, make_hit(defined)])
    assert "Maud Perrin" in best.quote.text and "Tomasz" not in best.quote.text


def test_what_announces_a_command_stands_above_it() -> None:
    text = f"{FILLER}\n\nTo remove the package and its configuration files, run:\n\napt purge foo\n\n{FILLER * 4}"
    sentence = next(span for span in parts(text) if "purge" in text[span.start : span.end])
    assert text[widened(text, sentence).start :].startswith("To remove")


def test_a_table_stands_above_what_is_said_of_its_rows() -> None:
    text = f"{MARKDOWN}\n\nAdd two days in the winter."
    assert widened(text, parts(text)[-1]).start == 0


def test_a_table_of_something_else_leads_in_to_nothing() -> None:
    rule = "The hoist takes boats of up to 35 tonnes, and no others."
    text = f"{MARKDOWN}\n\n{rule}"
    sentence = parts(text)[-1]
    assert text[widened(text, sentence).start :] == rule


STEPS = CLAUSES.replace("Delivery", "Stop the service").replace("Returns", "Copy files").replace("Law", "Start it")
NESTED = f"""#. Prepare the computer, as it is described here:

   1. **Network.** Give the computer an address, and open port 443 to it. {FILLER}
   2. **Disk.** Make a partition of its own for what is kept. {FILLER}
   3. **Clock.** Let it be set over the network. {FILLER}

#. Start the installer, and do what it says. {FILLER}

2. Look at the log."""


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(f"{number}. **Open** the lid of box {number}." for number in range(1, 6)),
        "\n".join(f"{number}. **Open.** Lift lid {number}." for number in range(1, 6)),
        STEPS,
        *(
            f" {FILLER * 2}\n".join(steps)
            for steps in (
                ("1. **Open Settings** in the menu.", "2. **Choose Network** in the list.", "3. **Press Save**."),
                ("1. Power off.", "2. Remove cover. Loosen the four screws.", "3. Check for leaks. Mop them up."),
                ("1. **Clean the filter.**", "2. **Look for leaks.**", "3. **Close.** Then lock it."),
            )
        ),
        f"Restore a backup so:\n\n{CLAUSES}",
        CLAUSES.partition("\n\n3.")[0],
    ],
)
def test_steps_are_no_clauses(text: str) -> None:
    assert with_its_steps(text, Span(len(text) - 9, len(text)), len(text) - 9) == Span(0, len(text))


@pytest.mark.parametrize("text", [NESTED, f"#. {FILLER}\n\n2. {FILLER} {FILLER}\n\n3. {FILLER}", CLAUSES, STEPS])
def test_what_is_quoted_of_a_list_holds_what_it_is_quoted_for(text: str) -> None:
    for span in parts(text):
        told = with_its_steps(text, widened(text, span), span.start)
        assert told.start <= span.start < told.end <= len(text)


def test_a_clause_that_is_too_long_is_not_quoted_whole() -> None:
    text = CLAUSES.replace("The law", f"{FILLER} " * 20 + "The law")
    law = text.index("The law of the county")
    assert with_its_steps(text, Span(law, len(text)), law) == Span(law, len(text))


ASKED = """How soon is a birth registered?

Within six weeks. It is done at the desk, by either parent.

And a death?

Within five days. The doctor sends the certificate.

How much is a certificate?

£12.50 each, sent by second class post within four working days."""


@pytest.mark.parametrize(("about", "whole"), [("Within six", 0), ("It is done", 0), ("Within five", 1), ("£12.50", 2)])
def test_an_answer_comes_with_its_question_and_without_the_next(about: str, whole: int) -> None:
    sentence = next(span for span in parts(ASKED) if ASKED.startswith(about, span.start))
    told = widened(ASKED, sentence)
    blocks = ASKED.split("\n\n")
    asked_and_told = "\n\n".join(blocks[2 * whole : 2 * whole + 2])
    assert asked_and_told.endswith(ASKED[told.start : told.end]) and about in ASKED[told.start : told.end]
    assert told.start != sentence.start or not blocks[2 * whole + 1].startswith(about)


def test_the_number_of_a_step_tells_nothing() -> None:
    told = quoted("How do I set the hardness?", f"1. {FILLER}\n2. Set the hardness (see *Hardness*).\n3. {FILLER}")
    assert not told or not told[0].startswith("2.")


def test_what_a_sentence_points_back_to_comes_with_it():
    prolonged = (
        f"They can be prolonged by the chair, who asks {', '.join(f'member {n} of the board' for n in range(20))}."
    )
    (told,) = quoted("Who can prolong what?", f"{FILLER} Loans of the saw bench end after a week. {prolonged}")
    assert told == f"Loans of the saw bench end after a week. {prolonged}"


@pytest.mark.parametrize(
    "opening",
    [
        "However, they",
        "But they",
        "Otherwise they",
        "Therefore they",
        "Instead they",
        "The latter",
        "Both",
        "Jedoch they",
    ],
)
def test_what_a_sentence_stands_against_comes_with_it(opening: str) -> None:
    lent = "Saw benches and lathes are lent for a week."
    prolonged = f"{opening} can be prolonged by the chair, who asks {', '.join(f'member {n}' for n in range(40))}."
    (told,) = quoted("Who can prolong what?", f"{FILLER} {lent} {prolonged}")
    assert told == f"{lent} {prolonged}"


@pytest.mark.parametrize("opening", ["ただし", "しかし", "但是", "然而"])
def test_in_scripts_without_spaces_as_well(opening: str) -> None:
    lent = "のこぎりは一週間借りられる。"
    prolonged = f"{opening}会長は{'、'.join(f'会員{n}番と相談して' for n in range(50))}期間を延長する。"
    (told,) = quoted("会長は期間を延長する？", f"{lent}{prolonged}")
    assert told == f"{lent}{prolonged}"


def test_a_quotation_does_not_end_with_a_question():
    paid = f"It is paid at {', '.join(f'desk {number} on day {number}' for number in range(40))}."
    due = f"The fee for the kiln is due on the first Friday of May. {FILLER} {FILLER} {FILLER}"
    assert quoted("When is the fee for the kiln due?", f"{due} How is it paid? {paid}") == [due]


def test_the_rest_of_a_sentence_that_began_on_the_page_before_is_left_out():
    (told,) = quoted("When is the kiln fired?", "who look after it. The kiln is fired each Friday by Ada.")
    assert told == "The kiln is fired each Friday by Ada."


def test_the_number_of_the_next_item_is_left_out():
    (told,) = quoted("When is the kiln fired?", "The kiln is fired each Friday by Ada.\n\n5.\n\n")
    assert told.endswith("Ada.")


def test_rows_of_a_table_keep_their_lines():
    text = "What loans cost:\n\nTool | Days | Fee\nSaw | 3 | 20\nKiln | 1 | 5\n\nAll of it is\npaid at the desk."
    quote = Quote(make_hit(text), Span(0, len(text)), support(text, text))
    assert extracted({1: quote}).text == (
        "What loans cost:\n\nTool | Days | Fee\nSaw | 3 | 20\nKiln | 1 | 5\n\nAll of it is paid at the desk. [1]"
    )


MARKDOWN = "| Tool | Days | Fee |\n|---|---|---|\n| Saw | 3 | 20 € |\n| Kiln | 1 | 5 € |\n| Lathe | 2 | 9 € |"
GRID = """+-------+------+------+
| Tool  | Days | Fee  |
+=======+======+======+
| Saw   | 3    | 20 € |
+-------+------+------+
| Kiln  | 1    | 5 €  |
+-------+------+------+"""
SIMPLE = """=====  ====  ====
Tool   Days  Fee
=====  ====  ====
Saw    3     20 €
Kiln   1     5 €
=====  ====  ===="""


@pytest.mark.parametrize(
    "table", [MARKDOWN, MARKDOWN.replace("|---", "| --- "), MARKDOWN.replace("| ", "|"), GRID, SIMPLE]
)
@pytest.mark.parametrize(
    "question", ["What is the fee for the kiln?", "How many days is a saw lent?", "Which fees are there?"]
)
def test_rows_of_a_table_are_quoted_with_its_head(question: str, table: str) -> None:
    (told,) = quoted(question, f"Our loans:\n\n{table}\n\n{FILLER}")
    assert told.startswith(f"Our loans:\n\n{table}")


def test_a_table_has_no_directive_of_an_earlier_one() -> None:
    grid = "+---+---+\n| x | y |\n+===+===+\n| 1 | 2 |\n+---+---+"
    text = f"{LISTED_LOANS}\n\n{grid}\n"
    place = text.index("1 | 2")
    assert head_above(text, Span(place, place + 5)) == grid[: grid.index("| 1")]


def test_of_a_long_table_the_row_that_is_asked_for_is_quoted() -> None:
    head, planer = MARKDOWN.split("\n")[:2], "| Planer | 6 | 1099 € |"
    rows = [f"| Tool {n} | {n} | {n * 7} € |" for n in range(100)]
    last, first = "\n".join([*head, *rows, planer]), "\n".join([*head, planer, *rows])
    assert quoted("What does the planer cost?", last) == [planer]
    (told,) = quoted("Which one costs 1099 €?", last)  # none is named: those beside it, too
    assert f"| Tool 99 | 99 | 693 € |\n{planer}" in told and len(told) <= 900
    (told,) = quoted("Which one costs 1099 €?", first)
    assert told.startswith("\n".join([*head, planer])) and len(told) <= 900


HOURS = "\n".join(
    f"+------------+----------------+--------------------------+\n| {day:10} | {yard:14} | {shop:24} |"
    for day, yard, shop in [
        ("Day", "Yard", "Shop"),
        *((day, "closed", "09:00 to 11:00") for day in ("Monday", "Wednesday", "Friday", "Sunday", "a holiday")),
        ("Saturday", "10:00 to 16:00", "closed"),
    ]
).replace("Shop                     |\n+---", "Shop                     |\n+===")
LISTED_LOANS = """.. list-table:: What we lend
   :header-rows: 1

   * - Name
     - Days
     - Fee
   * - Saw
     - 3
     - 20 €
   * - Kiln
     - 1
     - 5 €"""


def test_a_timetable_repeats_itself_and_is_quoted_as_a_whole() -> None:
    assert quoted("When is the yard open on Saturday?", f"{HOURS}\n\n{FILLER}") == [HOURS]


def test_a_table_written_as_a_list_is_quoted_as_a_whole() -> None:
    (told,) = quoted("How many days is a saw lent?", f"{LISTED_LOANS}\n\n{FILLER}")
    assert told.startswith(LISTED_LOANS)


@pytest.mark.parametrize("table", [MARKDOWN, GRID, SIMPLE, LISTED_LOANS])
def test_the_reader_is_told_the_row_that_is_asked_for_by_itself_too(table: str) -> None:
    seen: list[str] = []
    extract("What is the fee for the kiln?", [make_hit(table)], reading=lambda texts: seen.extend(texts) or [])
    assert len(seen) == 2 and "Saw: Days 3, Fee 20 €.\nKiln: Days 1, Fee 5 €." in seen[0]
    assert seen[1] == "Guide\nKiln: Days 1, Fee 5 €."


SETTINGS = "\n".join(
    ["| Setting | Default | Meaning |", "|---|---|---|"]
    + [f"| `limit_{name}` | {n} | of what is kept by the {name} |" for n, name in enumerate("abcdefghijk")]
)


def test_a_row_that_is_shown_alone_is_not_taken_for_an_answer_because_its_table_is() -> None:
    rule = "The `limit_c` must never be set to less than 180 days, as the contract asks for it."
    text = f"{SETTINGS}\n\n{rule}"
    logits = {"limit_a": 4.0, "limit_c: Default": -2.0, rule[:12]: 3.0}

    def read(texts: Sequence[str]) -> list[float]:
        return [next((logit for said, logit in logits.items() if said in text), -4.0) for text in texts]

    told, *_ = extract("Can limit_c be set to 90?", [make_hit(text)], reading=read)
    assert rule in told.quote.text and not told.row_head


def test_the_row_that_is_shown_alone_is_read_whatever_other_row_has_more_of_the_words() -> None:
    jobs = "| jobs | 4 | how many run at the same time, at the most |"
    lease = "| lease | 300 | seconds that a worker may be silent |"
    rows = [f"| limit {name} | {n} | of what is kept by the {name} |" for n, name in enumerate("abcdefgh")]
    text = "\n".join([*SETTINGS.split("\n")[:2], jobs, lease, *rows])
    seen: list[str] = []
    told, *_ = extract("lease: at what time most?", [make_hit(text)], reading=lambda texts: seen.extend(texts) or [])
    assert told.quote.text == lease
    assert seen[1] == "Guide\nlease: Default 300, Meaning seconds that a worker may be silent."


def test_a_paragraph_below_a_table_is_no_row_of_it() -> None:
    text = f"{MARKDOWN}\n\nThe kiln may be fired by members who have been shown how, if they pay the fee before."
    seen: list[str] = []
    extract("Who may fire the kiln for the fee?", [make_hit(text)], reading=lambda texts: seen.extend(texts) or [])
    assert "Guide\nKiln: Days 1, Fee 5 €." in seen


@pytest.mark.parametrize(
    ("line", "is_one"),
    [
        ("E07  motor too hot: let it cool down for a quarter of an hour before you go on", True),
        ("Pedal   35 Nm", True),
        ("atq     lists the user's pending jobs, unless the user is the  superuser; in that", False),
    ],
)
def test_justified_prose_has_no_columns(line: str, is_one: bool) -> None:
    assert is_row(line) is is_one


def test_the_best_of_a_table_and_its_row_is_the_readers_opinion() -> None:
    hits = [make_hit(MARKDOWN), make_hit("The kiln fee pays for wood and clay.")]
    told, *_ = extract("What is the fee for the kiln?", hits, reading=lambda texts: [-2.0, 4.0, 1.0][: len(texts)])
    assert (told.n, told.logit) == (1, 4.0)


@pytest.mark.parametrize(
    ("table", "head"),
    [
        (MARKDOWN, "| Tool | Days | Fee |\n|---|---|---|\n"),
        (GRID, "+-------+------+------+\n| Tool  | Days | Fee  |\n+=======+======+======+\n"),
        (SIMPLE, "=====  ====  ====\nTool   Days  Fee\n=====  ====  ====\n"),
        (LISTED_LOANS, LISTED_LOANS[: LISTED_LOANS.index("   * - Saw")]),
        ("Tool | Days | Fee\nSaw | 3 | none\nKiln | 1 | €40", "Tool | Days | Fee\n"),
        ("Tool | Days\nSaw | 3\nKiln | 1", ""),
    ],
)
def test_rows_stand_below_the_head_of_their_table(table: str, head: str) -> None:
    text = f"Our loans:\n\n{table}\n\n{FILLER}"
    place = text.index("Kiln")
    assert head_above(text, Span(place, place + 4)) == head
    assert head_above(text, Span(text.index(table), place)) == ""
    assert head_above(text, Span(text.index(FILLER), len(text))) == ""


def test_a_passage_that_goes_on_with_a_table_has_its_head_in_its_context() -> None:
    read: list[str] = []
    hit = make_hit(
        "Saw | 3 | €4\nKiln | 1 | €20\nLathe | 2 | €9", context="Tool | Days | Fee", source_file="tools.xlsx"
    )
    extract(
        "What is the fee for the kiln?", [hit], reading=lambda texts: [*map(read.append, texts)] and [1.0] * len(texts)
    )
    assert "Guide\nKiln: Days 1, Fee €20." in read
    assert head_above(hit.text, Span(13, 27), hit.context) == "Tool | Days | Fee\n--- | --- | ---\n"


@pytest.mark.parametrize(
    ("question", "row"),
    [
        ("What does the bench planer cost?", "T-2 | Bench planer | 9 €"),
        ("What is T-1?", "T-1 | Band saw | 4 €"),
        ("What does a saw cost?", None),  # a word alone is also in rows of other things
        ("Band saw or bench planer?", None),
    ],
)
def test_a_row_is_named_by_its_first_cell_or_by_another_of_several_words(question: str, row: str | None) -> None:
    text = "T-1 | Band saw | 4 €\nT-2 | Bench planer | 9 €\nT-3 | Saw blade | 2 €"
    found = asked_for(rows_in(text, Span(0, len(text)), "Code | Tool | Fee"), terms(question))
    assert (found and text[found.start : found.end]) == row


def test_no_other_row_is_quoted_beside_the_one_that_is_asked_for() -> None:
    sheet = {"source_file": "phones.csv", "context": "Name | Office | Extension | Deputy"}
    hits = [
        make_hit("Nils Kirk | Tax | 2336 | Leo Yates\nSara Lund | Sales | 2339 | Kim Yates", chunk_id=2, **sheet),
        make_hit(
            "Leo Roth | Sales | 2522 | Ada Prado\nLeo Yates | Legal | 2540 | Ada Lund", chunk_id=3, ordinal=1, **sheet
        ),
    ]
    (told,) = extract("Which office is Leo Yates in?", hits, reading=lambda texts: [4.0, 4.0, 3.0, 3.0][: len(texts)])
    assert told.quote.hit is hits[1]


def test_a_tables_head_without_rows_is_not_quoted() -> None:
    assert quoted("What is the fee for the kiln?", "\n".join(MARKDOWN.split("\n")[:2])) == []
    assert quoted("What is the fee for the kiln?", "\n".join(GRID.split("\n")[:3])) == []


def test_a_line_of_many_blanks_keeps_nobody_busy() -> None:
    text = f"The kiln is fired on Fridays at six by Ada.\n\n{' ' * 200_000}x | y\n"
    assert quoted("When is the kiln fired?", text)


def test_where_words_tell_nothing_the_reader_does():
    hot, fired = "The kiln is fired on such days as the yard needs.", "The kiln is fired on Fridays at six."
    hits = [make_hit(hot), make_hit(fired)]

    def reading(texts):
        return [3.0 if "Fridays" in text else -3.0 for text in texts]

    assert extract("When is the kiln fired?", hits)[0].n == 1
    told, *_ = extract("When is the kiln fired?", hits, reading=reading)
    assert (told.n, told.logit) == (2, 3.0)


def test_the_reader_sees_the_headings_that_a_quotation_stands_under():
    seen: list[str] = []
    said = "It is fired on Fridays at six."
    extract("When is it fired?", [make_hit(said)], reading=lambda texts: seen.extend(texts) or [])
    assert seen == [f"Guide\n{said}"]


def test_a_quotation_is_read_once_whichever_of_its_sentences_it_is_for():
    together = " ".join(f"The kiln is {one} and stays {one}er than lathes." for one in ("hot", "old", "warm", "clean"))
    hits = [make_hit(together), make_hit("Grace fires the kiln each Friday.")]
    seen: list[str] = []
    extract("When is the kiln fired?", hits, reading=lambda texts: seen.extend(texts) or [])
    assert len(seen) == len(set(seen)) and any("Grace" in text for text in seen)


@pytest.mark.parametrize("told", ["ISO 27001", "ISO-27001", "ISO27001"])
@pytest.mark.parametrize("asked", ["ISO 27001", "ISO-27001", "ISO27001"])
def test_a_code_is_one_however_it_is_joined(asked, told):
    hits = [make_hit(f"The site is certified according to {told}; the auditor comes every three years.")]
    assert not weigh(f"How often does the auditor for {asked} come?", hits).lacks_a_name
    assert weigh("How often does the auditor for ISO-27002 come?", hits).lacks_a_name
    assert weigh("What does PW-222 mean?", [make_hit("PW-220 means that the pump is worn.")]).lacks_a_name


@pytest.mark.parametrize("when", ["November", "Tuesday", "NOVEMBER", "novembre"])
def test_a_month_or_a_day_is_no_name_that_documents_have_to_know(when):
    hits = [make_hit("Those who join after 1 October pay half for the first year.")]
    assert not weigh(f"Do I pay the whole year if I join in {when}?", hits).lacks_a_name
    assert weigh(f"Do I pay the whole year if I join in {when} with Aurelia?", hits).lacks_a_name


def test_a_readers_opinion_counts_beside_the_evidence():
    quote = Quote(make_hit("x"), Span(0, 1), support("x", "x"))

    def extract_of(value, logit=None):
        return Extract(1, quote, value, Span(0, 1), logit)

    assert margin(Evidence(0.9), [extract_of(0.5, 2.0)]) == pytest.approx(2.0 - READ_ENOUGH)
    assert margin(Evidence(0.9, lacks_a_name=True), [extract_of(0.5, 2.0)]) < 0
    assert margin(Evidence(1.3), [extract_of(1.2, -3.0)]) < 0
    assert margin(Evidence(1.3), [extract_of(0.5)]) == pytest.approx(0.2 / PER_CAUTION)
    assert margin(Evidence(0.9), [extract_of(0.5)]) < 0 > margin(Evidence(0.9), [])
    assert margin(Evidence(0.9), [extract_of(1.0)]) > 0 > margin(Evidence(0.7), [extract_of(1.0)])


STAFF = """Fleet steward
   Jonas Weber, volunteer. Inspects each bike between two loans and is the only person who may take a bike out of
   service or put it back.

Treasurer
   Ada Lund. Keeps the books of the yard, and pays its bills on the first working day of each month."""


def test_a_definition_is_quoted_with_its_term_and_to_its_end() -> None:
    (told,) = quoted("Who may take a bike out of service?", STAFF)
    assert told == STAFF.partition("\n\n")[0]


@pytest.mark.parametrize("between", ["\n", "\n\n"])
def test_a_warning_begins_at_its_directive_and_not_with_the_steps_before_it(between: str) -> None:
    steps = "3. Lay the keys into the locker with the same name.\n4. Send a photo of the bike to the desk."
    warning = f".. warning::{between}   The gate code stops working at 21:00. Keep a late bike\n   indoors overnight."
    (told,) = quoted("When does the gate code stop working?", f"{steps}\n\n{warning}")
    assert told == warning


RIDERS = "You must be at least 18. The desk host shows you the locks before a first ride."


@pytest.mark.parametrize(
    ("note", "with_above"),
    [
        (".. note::\n\n   Riders aged 16 may ride Wren if their mother signs for them, in the yard alone.", True),
        ("!!! note\n    Riders aged 16 may ride Wren if their mother signs for them, in the yard alone.", True),
        ("> [!NOTE]\n> Riders aged 16 may ride Wren if their mother signs for them, in the yard alone.", True),
        ("**Note:** Riders aged 16 may ride Wren if their mother signs for them, in the yard alone.", True),
        (".. warning::\n\n   Riders aged 16 may ride Wren if their mother signs for them, in the yard alone.", False),
    ],
)
@pytest.mark.parametrize(
    ("above", "is_above"),
    [
        (f"{FILLER}\n\n{RIDERS}", True),
        (f"{RIDERS}\n\nRiders\n------", False),
        (f"{RIDERS}\n\n.. Nobody reads this comment of the desk.", False),
        (f".. note::\n\n   {RIDERS}", False),
        (f"{RIDERS} {FILLER * 9}", False),
    ],
)
def test_a_note_comes_with_the_paragraph_that_it_qualifies(note, with_above, above, is_above) -> None:
    text = f"{above}\n\n{note}"
    place = len(text) - len(note)
    told = with_what_it_notes(text, Span(place, len(text)))
    assert told.start == (text.index("You must") if with_above and is_above else place)


CODES = (
    "The display shows:\n\n```text\nE01  not seated    press until it clicks\nE07  too hot       wait ten minutes\n```"
)
TORQUES = "| Bolt | Torque | Tool |\n|---|---|---|\n| Crank arm | 40 Nm | hex 8 |\n| Pedal | 35 Nm | spanner 15 |"


@pytest.mark.parametrize(
    ("question", "text", "row", "answers"),
    [
        ("What does error E07 mean?", CODES, -5.0, True),
        ("What does error E44 mean?", CODES, -5.0, False),
        ("What is the torque of a pedal?", TORQUES, 1.0, True),
        ("What is the torque of a pedal?", TORQUES, -5.0, False),
        ("What is the torque of a saddle?", TORQUES, -5.0, False),
    ],
)
def test_a_row_answers_whose_code_is_asked_for_or_that_a_reader_believes(question, text, row, answers) -> None:
    hits = [make_hit(text, scores={"vector": 0.4})]
    logits = {"Guide\nPedal: Torque 35 Nm, Tool spanner 15.": row}
    told = extract(question, hits, reading=lambda texts: [logits.get(text, -5.0) for text in texts])
    assert (margin(weigh(question, hits), told) >= 0) is answers


def test_headings_alone_take_no_place_of_those_that_are_compared() -> None:
    titles = [make_hit(f"Deposits {n}", section_title=f"Deposits {n}", chunk_id=n) for n in range(5)]
    answer = make_hit("A guest leaves a deposit of 150 euros for every electric bike.", chunk_id=9)
    (told,) = extract("What deposit does a guest leave?", [*titles, answer])
    assert (told.n, told.quote.hit.chunk_id) == (6, 9)


def test_a_model_that_calls_everything_alike_is_no_evidence() -> None:
    said = "The lending desk is closed on Mondays."
    wide, narrow = (make_hit(said, scores={"vector": cosine}) for cosine in (0.3, 1 - 0.7 * 0.3))

    strength = weigh("Who pays for a broken lamp?", [wide]).strength
    assert weigh("Who pays for a broken lamp?", [narrow], cosine_range=0.3).strength == pytest.approx(strength)
    assert weigh("Who pays for a broken lamp?", [narrow]).strength > 2 * strength


def test_what_a_page_does_not_show_is_not_quoted() -> None:
    text = f"{FILLER}\n\n.. The code of the gate is 4711.\n\n{apart(1).capitalize()}."
    assert "4711" in "".join(quoted("What is the code of the gate?", text))
    told = extract("What is the code of the gate?", [make_hit(text, source_file="a.rst")])
    assert {one.quote.text for one in told} <= {FILLER, f"{apart(1).capitalize()}."}


MAIL = """From: Ada Beek <ada@example.org>
To: Bo Tree <bo@example.org>
Date: Mon, 2 Mar 2026 10:00:00 +0000

Dear all,

The swarm watch begins on 3 May and takes twelve hours. Bring a veil."""


def test_a_letter_is_quoted_without_its_head_and_its_greeting_unless_they_are_asked_for() -> None:
    told = MAIL[MAIL.index("The swarm") :]
    assert quoted("When does the swarm watch begin?", MAIL) == [told]
    assert quoted("Who wrote to Bo Tree?", MAIL)[0].startswith("From: Ada Beek")
    greeted = MAIL.replace("Dear all,\n\n", "")
    assert quoted("How many hours does the swarm watch take?", greeted) == [told]
