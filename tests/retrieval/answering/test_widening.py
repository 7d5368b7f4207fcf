"""Which rule ends a quotation."""

import pytest

from retrieval.answering.quoting.extracts import Candidate, telling_spans
from retrieval.answering.quoting.layout import parts
from retrieval.answering.quoting.widening import grown, widened
from retrieval.answering.sentences import Span
from tests.retrieval.answering_fakes import make_hit

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


def quotations(text: str, path: str = "guide.rst") -> dict[str, str]:
    """Of each sentence that may be quoted, the quotation."""
    hit = make_hit(text, source_file=path)
    found = [Candidate(1, hit, said, quoted, 0.0) for said, quoted in telling_spans("zebra", hit)]
    return {one.sentence: one.quote().text for one in found}


SETTINGS = """relay:
      domains:
        - example.org
        # of members alone
        - example.net

    limits: 5 mails a minute...

    1. What stands here is code.
    2. So is this."""
SESSION = """>>> mails = relay.count()
    >>> mails
    ... # counted
    7"""


@pytest.mark.parametrize(
    ("above", "code"),
    [
        ("To limit mails, write this into the relay file::", SETTINGS),
        ("To limit mails, write:\n\n.. code-block:: yaml\n   :caption: The relay file", SETTINGS),
        ("To count mails, write::", SESSION),
        ("* To limit mails, write::", SETTINGS),
    ],
)
@pytest.mark.parametrize("before", ["", f"{PARAGRAPH}\n\n"])
def test_code_is_quoted_whole_with_what_announces_it(before: str, above: str, code: str) -> None:
    text = f"{before}{above}\n\n    {code}\n\nThen restart the relay.\n\n{PARAGRAPH}"
    told = quotations(text)
    assert code in told
    assert all(f"{above}\n\n    {code}" in quoted for said, quoted in told.items() if said in code)
    within = text.index(code) + 1, text.index(code) + len(code) - 1
    for quoted in told.values():
        start = text.index(quoted)
        assert not within[0] <= start <= within[1] and not within[0] <= start + len(quoted) <= within[1]


def test_targets_of_links_are_quoted_in_nothing_and_end_nothing() -> None:
    text = "On NixOS, run ``nix-env -i relay`` as `Nix`_ says.\n\n.. _Nix: https://nixos.org\n.. _BSD: https://bsd.org"
    assert set(quotations(text).values()) == {text.partition("\n\n")[0]}


@pytest.mark.parametrize("indent", ["", " " * 20])
def test_a_heading_at_the_end_of_a_passage_heads_nothing(indent: str) -> None:
    text = f"Copies to other reports are caught.\n\n{SAID}\n\n{indent}Severity levels of reports"
    told = quotations(text, "reports.txt")
    assert len(told) == 2 and not any("Severity" in quoted for quoted in told.values())


LEGEND = "x = contains it, (x) = traces possible."
ROWS = "\n".join(f"| Dish number {n} | x | (x) | of the summer menu |" for n in range(12))
TABLE = f"| Dish | Milk | Egg | Menu |\n|---|---|---|---|\n{ROWS}"


@pytest.mark.parametrize(
    ("above", "is_told"), [(LEGEND, True), (LONG, False), (f"- {LEGEND}", False), (f"{SAID}\n\n{LEGEND}", True)]
)
def test_a_table_is_quoted_with_the_short_paragraph_above_it(above: str, is_told: bool) -> None:
    text = f"{above}\n\n{TABLE}\n\nThe fryer is used for fish and chips alike."
    table = next(span for span in parts(text) if text[span.start] == "|")
    assert text[widened(text, table).start :].startswith(LEGEND if is_told else TABLE)


@pytest.mark.parametrize(
    ("above", "begins"),
    [
        ("The tour starts at 14:00 and lasts an hour. It costs 8 euros. Shoes are needed.", "The tour"),
        (f"The tour starts at 14:00. {PARAGRAPH} {LONG} Shoes are needed.", "Whoever"),
        (f"The tour starts at 14:00. {PARAGRAPH} {LONG} Shoes are needed for this:", "The saw"),
    ],
    ids=["short", "long", "announcing"],
)
def test_a_paragraph_above_is_told_from_its_beginning_or_not_unless_it_announces(above: str, begins: str) -> None:
    text = f"{above}\n\nWhoever is late waits."
    said = parts(text)[-1]
    assert text[widened(text, said).start :].startswith(begins)


def test_a_quotation_does_not_reach_back_into_the_middle_of_an_item() -> None:
    item = f"- **types**: which are told. {SAID} If one is missing it is left out."
    last = "- **bracket**: what stands around each type."
    text = f"{PARAGRAPH}\n\n{item} {LONG}\n{last}"
    told = widened(text, parts(text)[-1])
    assert text[told.start : told.end] == last


@pytest.mark.parametrize(
    "text",
    [
        "Keys\n\nWhere do I get a key?\n\nFrom the porter at the gate",
        "Mails are read by nobody.\n\nThe capital of the country is Bern and lies on a river",
        "Mails are read by nobody\n\nCopies are kept by members",
    ],
)
def test_what_a_passage_without_full_stops_ends_with_is_told(text: str) -> None:
    assert any(quoted.endswith(text.rpartition("\n")[2]) for quoted in quotations(text, "faq.docx").values())


@pytest.mark.parametrize("told", ["- red ones run\n- blue ones sleep", "| a | b |\n|---|---|\n| red | blue |"])
def test_a_target_parts_no_list_or_table_from_what_announces_it(told: str) -> None:
    text = f"Colours are told elsewhere.\n\nThey are these:\n\n.. _colours:\n\n.. _hues:\n\n{told}"
    assert set(quotations(text).values()) == {text}


@pytest.mark.parametrize(
    "text",
    [
        "none\n    Do not compress.\nlz4\n    Compress fast. It is the default.\nzlib\n    Compress well.",
        "none\n    no compression\nlz4\n    fast compression, (the default)\nzlib\n    good compression",
    ],
)
def test_a_definition_ends_where_the_next_begins_whatever_letter_that_begins_with(text: str) -> None:
    none, lz4, zlib = text.index("lz4") - 1, text.index("zlib") - 1, len(text)
    assert {widened(text, one).end for one in parts(text)} == {none, lz4, zlib}
    assert {widened(text, one).start for one in parts(text)} == {0, none + 1, lz4 + 1}
    announced = f"These are known:\n\n{text}"
    assert widened(announced, parts(announced)[0]) == Span(0, len(announced))


def test_a_paragraph_whose_first_line_stands_further_in_is_no_definition() -> None:
    text = "   The mill was built by\nAnn and Bob, who lived in it.\n   The river turned it until the\nwar."
    assert [text[one.start : one.end].partition("\n")[0] for one in parts(text)] == [
        "The mill was built by", "The river turned it until the"
    ]  # fmt: skip


LEASE = """The mooring is let by the year.

4.1 You may keep one boat of up to nine metres at the pontoon, and a dinghy of up to three metres beside it.

4.2 A second boat needs our written permission. It pays half of the fee.

4.3 However, that permission is given for one summer only, and may be taken back when the harbour is full.

4.4 If 4.3 applies to a boat that is not yours, its owner signs the agreement as well as you do yourself.

4.5 In any other harbour of ours the boat may lie for three nights in a row without a further fee.

4.6 Nobody may live on board between November and March, as the pontoons are not lit in winter."""
STATUTE = """(1) Members are admitted by the board, which decides within six weeks of the application.

(2) Members may resign with three months' notice to the end of a calendar year, in writing.

(3) Whoever owes two years' fees is struck off the list, unless the board grants a delay."""
STEPS = """4.1 Switch off the pump at the red switch beside the door, and wait until the light goes out.

4.2 Remove the cover of the filter with the large key, and lift the basket out of the housing.

4.3 Rinse the basket under the tap, put it back, and tighten the cover by hand, without the key."""
ANNOUNCED = f"Whoever joins is told three things:\n\n{STATUTE}"


def test_a_clause_numbered_within_its_section_is_quoted_without_the_others() -> None:
    lease, statute = quotations(LEASE, "lease.md"), quotations(STATUTE, "statute.md")
    paragraphs = LEASE.split("\n\n")
    assert lease["It pays half of the fee."] == "\n\n".join(paragraphs[2:6])
    assert lease[paragraphs[4]] == "\n\n".join(paragraphs[2:6])
    assert lease[paragraphs[6]] == paragraphs[6]
    assert [*statute.values()] == STATUTE.split("\n\n")


@pytest.mark.parametrize("text", [STEPS, ANNOUNCED])
def test_numbered_steps_and_what_is_announced_stay_together(text: str) -> None:
    assert len({*quotations(text, "manual.md").values()}) < 3


RULES = """Guest room
: Twelve euros a night, seven nights at most. Bring towels of your own.

Laundry
: Open from seven to nine. Tokens are sold by the manager.
: Not on public holidays.

Scooters
:   Charge them in the store, never in a corridor."""


def test_a_definition_behind_a_colon_is_quoted_with_its_term_alone() -> None:
    told = quotations(RULES, "rules.md")
    assert {*told.values()} == {*RULES.split("\n\n")}
    assert told["Bring towels of your own."] == RULES.partition("\n\n")[0]
