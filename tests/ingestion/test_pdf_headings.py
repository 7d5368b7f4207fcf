"""Headings that stand close below each other, and lists in the letters of headings."""

import pytest

from ingestion.documents import BlockKind
from ingestion.parsers.pdf import parse
from tests.ingestion.pdfs import make_pdf

BODY = [
    (72, 300 + 14 * line, 11, "The body of the page goes on with several words in a line here.") for line in range(3)
]


def blocks(*lines: tuple[float, float, str]) -> list[tuple[BlockKind, str]]:
    """Of a page with these lines (from the top, size, text) above its text."""
    document = parse(make_pdf([[*((72, *line) for line in lines), *BODY]]), "a.pdf")
    texts = document.text.split("\n")
    return [(one.kind, "\n".join(texts[one.line_start - 1 : one.line_end])) for one in document.blocks][:-1]


def test_a_numbered_list_in_large_letters_is_a_list():
    steps = [(160, 12, "1. Open the lid of the machine"), (190, 12, "2. Press the button"), (220, 12, "3. Wait")]
    listed = "1. Open the lid of the machine\n2. Press the button\n3. Wait"
    assert blocks((80, 20, "The Handbook"), *steps) == [
        (BlockKind.HEADING, "The Handbook"),
        (BlockKind.LIST, listed),
    ]
    announced = blocks((140, 12, "Steps to take"), *steps)
    assert announced == [(BlockKind.HEADING, "Steps to take"), (BlockKind.LIST, listed)]


@pytest.mark.parametrize(
    ("lines", "titles"),
    [
        ([(80, 16, "The Handbook"), (110, 16, "Introduction")], ["The Handbook", "Introduction"]),
        ([(80, 16, "1. Overview"), (100, 16, "1.1 Aims")], ["1. Overview", "1.1 Aims"]),
        (
            [(80, 16, "The Handbook of the workshop and of all"), (100, 16, "the other places")],
            ["The Handbook of the workshop and of all the other places"],
        ),
    ],
)
def test_headings_close_below_each_other_are_apart_and_one_over_two_lines_is_one(lines, titles):
    assert blocks(*lines) == [(BlockKind.HEADING, title) for title in titles]


@pytest.mark.parametrize(
    ("places", "titles"),
    [
        ((220, 72), ["The Handbook of all", "Aims of it"]),
        ((92, 72), ["The Handbook of all Aims of it"]),  # a first line's indent
        ((72, 220), ["The Handbook of all Aims of it"]),
        ((220, 254), ["The Handbook of all Aims of it"]),  # centred
    ],
)
def test_a_title_in_the_middle_is_apart_from_a_heading_at_the_left(places, titles):
    texts = ("The Handbook of all", "Aims of it")
    lines = [(x, 80 + 20 * at, 16, text) for at, (x, text) in enumerate(zip(places, texts, strict=True))]
    document = parse(make_pdf([[*lines, *BODY]]), "a.pdf")
    assert [block.title for block in document.blocks if block.kind is BlockKind.HEADING] == titles


@pytest.mark.parametrize("dot", ["", "."])
def test_an_item_whose_number_alone_is_large_is_no_heading(dot):
    """ReportLab sets numbers larger than the text, and liteparse takes the line to be as large as they are."""
    texts = ["Gloves are worn in hall three", "Forklifts drive at a walk", "Doors stay shut"]
    lines = [
        line
        for at, text in enumerate(texts, 1)
        for line in ((72, 160 + 14 * at, 14, f"{at}{dot}"), (88, 160 + 14 * at, 11, text))
    ]
    more = [(left, top + 60, size, text) for left, top, size, text in BODY]
    document = parse(make_pdf([[*lines, *BODY, *more]]), "a.pdf")
    assert [block.kind for block in document.blocks] == [BlockKind.LIST, BlockKind.PARAGRAPH]
    assert document.text.startswith("\n".join(f"{at}{dot} {text}" for at, text in enumerate(texts, 1)))


def test_an_item_whose_mark_alone_is_large_has_the_rest_of_its_sentence():
    first = [(72, 160, 14, "1."), (88, 160, 11, "Wait until the wheel has come to rest, and then open")]
    more = [(88, 174, 11, "the lid of the machine."), (72, 188, 14, "2."), (88, 188, 11, "Drain it.")]
    document = parse(make_pdf([[*first, *more, *BODY]]), "a.pdf")
    said = "1. Wait until the wheel has come to rest, and then open the lid of the machine.\n2. Drain it."
    assert document.text.startswith(said)
    assert [block.kind for block in document.blocks] == [BlockKind.LIST, BlockKind.PARAGRAPH]


def test_labels_with_values_in_large_letters_are_lines_of_a_paragraph():
    labels = [(160, 14, "Customer: Globex GmbH"), (176, 14, "Number: C-4711"), (192, 14, "Valid until: 2027")]
    said = "\n".join(text for _, _, text in labels)
    assert blocks((80, 20, "Contract of the workshop"), *labels)[-1] == (BlockKind.PARAGRAPH, said)
    parts = [(160, 14, "Part One: the lathe and everything"), (176, 14, "Part Two: the saw and everything")]
    assert {kind for kind, _ in blocks(*parts)} == {BlockKind.HEADING}
    title = [(160, 14, "Report: cycling in the cities of"), (176, 14, "Europe: a survey"), (192, 14, "for the year")]
    assert {kind for kind, _ in blocks(*title)} == {BlockKind.HEADING}
