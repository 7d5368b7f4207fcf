"""What stands on a page, and what only stands on every page."""

import re
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path
from types import SimpleNamespace

import pytest
from liteparse import AnnotationRect, LayoutBlock

from ingestion.chunking import chunk
from ingestion.documents import BlockKind, ParseError
from ingestion.parsers import parse, pdf
from ingestion.parsers.pdf.layout import Layout, titles_first
from ingestion.parsers.pdf.markup import plain
from ingestion.parsers.pdf.page import read_block, title_across, without_running
from ingestion.parsers.pdf.paragraphs import grouped, indented, paragraphs
from ingestion.parsers.pdf.powers import POWER
from ingestion.parsers.pdf.spoken import Page
from ingestion.parsers.writing import Writer
from ingestion.sections import build_sections
from tests.ingestion.data import DATA, needs_data
from tests.ingestion.pdfs import HEIGHT, make_pdf
from tests.ingestion.small_files import GOLDEN, reason

NUMBERS = ("one", "two", "three")
SENTENCES = [f"Sentence {number} says something of its own, which no other page says." for number in NUMBERS]


def page(number: int, text: str) -> list[tuple[float, float, float, str]]:
    body = [(72, 200 + 14 * line, 11, text) for line in range(3)]
    return [(72, 30, 9, "Rules of the workshop"), *body, (72, 815, 9, f"{number} of 3, printed in spring")]


def test_heads_and_feet_that_every_page_has_are_left_out():
    document = parse(make_pdf([page(number, text) for number, text in enumerate(SENTENCES, 1)]), "rules.pdf")

    assert "workshop" not in document.text and "spring" not in document.text
    assert all(sentence in document.text for sentence in SENTENCES)


def test_a_line_that_two_pages_have_at_their_foot_is_text():
    document = parse(make_pdf([page(number, text) for number, text in enumerate(SENTENCES[:2], 1)]), "rules.pdf")
    assert document.text.count("spring") == 2


@pytest.mark.parametrize(
    "numbers", [("1", "2", "3"), ("- 9 -", "- 10 -", "- 11 -"), ("iv", "v", "vi"), ("ii", "1", "2")]
)
def test_page_numbers_are_no_text(numbers):
    told = [[(72, 100, 11, text), (290, 815, 9, at)] for text, at in zip(SENTENCES, numbers, strict=True)]
    assert parse(make_pdf(told), "rules.pdf").text == "\n\n".join(SENTENCES) + "\n"


def test_a_head_close_above_a_paragraph_is_no_part_of_it():
    """Such a head comes as the paragraph's first line."""
    told = [
        [(72, 58, 11, f"Rules of the workshop {at}"), (72, 76, 11, text), (72, 90, 11, text.lower())]
        for at, text in zip(("ii", "1", "2"), SENTENCES, strict=True)
    ]
    assert parse(make_pdf(told), "rules.pdf").text == "\n\n".join(f"{text} {text.lower()}" for text in SENTENCES) + "\n"


@pytest.mark.parametrize("letters", [("C", "I", "X"), ("mix", "ill", "civil")])
def test_what_no_page_number_is_like_is_text_at_a_foot_too(letters):
    told = [[(72, 100, 11, text), (290, 815, 9, at)] for text, at in zip(SENTENCES, letters, strict=True)]
    assert all(letter in parse(make_pdf(told), "rules.pdf").text.split() for letter in letters)


def with_edges(heads: Sequence[str], feet: Sequence[str], outline: bool = False) -> str:
    """What is read of pages with these heads and feet, a sentence between; `outline`: bookmarks name the heads."""
    texts = [
        f"Sentence {at} says something of its own, that no page but this one has." for at in "abcdef"[: len(heads)]
    ]
    pages = [
        [(72, 40, 11, head), (72, 400, 11, text), (72, 815, 11, foot)]
        for head, text, foot in zip(heads, texts, feet, strict=True)
    ]
    if not outline:
        return parse(make_pdf(pages), "rules.pdf").text
    first = 3 + 2 * len(pages)
    items = [
        f"<< /Title ({head}) /Parent {first} 0 R /Dest [{4 + 2 * at} 0 R /Fit] "
        + (f"/Next {first + 2 + at} 0 R " if at + 1 < len(heads) else "")
        + ">>"
        for at, head in enumerate(heads)
    ]
    root = f"<< /First {first + 1} 0 R /Last {first + len(heads)} 0 R /Count {len(heads)} >>"
    return parse(make_pdf(pages, "", f"/Outlines {first} 0 R", [root, *items]), "rules.pdf").text


NONE = ("", "", "", "")
INVOICES = [f"Invoice {47111 + at} of 2025-03-0{at}" for at in range(4)]
TOTALS = [f"Total due: {total} EUR" for total in ("1,250.00", "310.40", "98.75", "2,040.10")]


@pytest.mark.parametrize(
    ("heads", "feet"),
    [
        ([f"Certificate No. 2025-081{at}" for at in range(1, 5)], NONE),
        (INVOICES, TOTALS),
        ([f"Definition {number}" for number in (2, 6, 29, 48)], NONE),
        ([f"Order {number}" for number in (4711, 4712, 4713, 4714)], NONE),
        ([f"Invoice of the workshop No. {number}" for number in (4711, 4712, 4713, 4714)], NONE),
        ([f"Invoice of the workshop: {number}" for number in (4711, 4712, 4713, 4714)], NONE),
        ([f"Rules of 12 (2024) {number}" for number in (45, 46, 51, 52)], NONE),
        ([f"{day} March 2025: minutes of the board" for day in (4, 5, 6, 7)], NONE),
        ([f"Daily ward report 2025-03-{day:02}" for day in (4, 5, 6, 7)], NONE),
        ([f"{number} Elm Street, property report" for number in (11, 12, 13, 14)], NONE),
    ],
)
def test_a_head_whose_numbers_are_not_the_pages_is_text(heads, feet):
    text = with_edges(heads, feet)
    assert all(said in text for said in (*heads, *feet))


@pytest.mark.parametrize(
    "form",
    [
        "QM-Handbuch Rev. 4 vom 12.03.2024 - Seite {0} von 6",
        "Rules 2024 of the workshop {0}",
        "{0} | Rules of the workshop",
        "Rules of the workshop, page {1}, all rights reserved",
        "Frm 0007{0} of Jkt 190069",
        "Page {1} of 190",
        "Rules of the workshop 12 (2024) {1}",
    ],
)
def test_heads_and_feet_that_count_the_pages_are_no_text(form):
    told = [form.format(number, 106 + number) for number in range(1, 5)]
    assert with_edges(told, NONE) == with_edges(NONE, told) == with_edges(NONE, NONE)


def test_a_head_that_a_bookmark_of_its_page_names_stays():
    heads = ["Exercises of the workshop"] * 4
    assert heads[0] not in with_edges(heads, NONE)
    assert with_edges(heads, NONE, outline=True).count(heads[0]) == 4
    assert "Section 3" in with_edges([f"Section {number}" for number in range(1, 5)], NONE, outline=True)


CHAPTERS = ("Ladders and steps", "Saws", "Fees for a week", "Keys of the house")


def with_list(heading: str, numbers: Sequence[int], dots: str) -> str:
    """What is read of pages of one chapter each, and one before them with a list of the chapters."""
    listed = [f"{chapter} {dots} {number}" for chapter, number in zip(CHAPTERS, numbers, strict=True)]
    front = [(72, 200 + 16 * at, 11, text) for at, text in enumerate([SENTENCES[0], heading, *listed])]
    chapters = [[(72, 100, 20, title), (72, 140, 11, f"{SENTENCES[1]} {title.upper()}")] for title in CHAPTERS]
    return parse(make_pdf([front, *chapters]), "rules.pdf").text


@pytest.mark.parametrize("dots", [30 * ".", 20 * ". "])
@pytest.mark.parametrize("heading", ["Contents", "Inhaltsverzeichnis", "Index"])
def test_a_list_of_the_documents_own_pages_is_left_out(heading, dots):
    text = with_list(heading, (1, 2, 3, 4), dots)
    assert heading not in text and ". ." not in text and ".." not in text
    assert text.startswith(SENTENCES[0]) and all(f"\n{title}\n" in text for title in CHAPTERS)


def test_dots_that_lead_to_prices_stay():
    text = with_list("Fees", (4, 3, 1, 2), 30 * ".")
    assert all(f"{title} {30 * '.'} " in text for title in CHAPTERS)


def test_no_document_is_called_contents():
    writer = Writer("rules.pdf")
    writer.heading(1, "Table of Contents")
    writer.heading(1, "Saws")
    assert writer.finish("application/pdf").title == "Saws"


def test_a_chunk_knows_its_place_on_the_page():
    document = parse(make_pdf([page(1, SENTENCES[0])]), "rules.pdf")
    chunks = chunk(document, build_sections(document), lambda texts: [len(text.split()) for text in texts])
    [told] = [found for found in chunks if "Sentence one" in found.text]
    left, top, right, bottom = told.box

    assert left < 80 and top < 200 < bottom <= HEIGHT and right > 300


@needs_data
def test_arabic_is_read_in_order_with_its_ligatures_and_apart_from_latin():
    path = DATA / "zoo/docling/right_to_left_01.pdf"
    document = parse(path.read_bytes(), path.name)
    heading = next(block for block in document.blocks if block.kind is BlockKind.HEADING)

    assert heading.title == "تحسين الإنتاجية وحل المشكلات من خلال البرمجة بلغة R و Python"
    assert "اإل" not in document.text and "R و Python من" in document.text


@needs_data
@pytest.mark.parametrize(
    ("file", "number", "told"),
    [
        ("tika/testJournalParser.pdf", 5, "Since the 𝑉𝑢ℎ,2 > 𝑉𝑢𝑙,2 >𝑉𝑢𝑙,1"),  # letters of formulas
        ("tika/testPDF_bad_page_303226.pdf", 4, "the plant, or in the resinous extractives of Cannabis"),  # of columns
    ],
)
def test_a_page_whose_blocks_lack_words_is_read_line_by_line(file, number, told):
    path = DATA / "zoo" / file
    document = parse(path.read_bytes(), path.name)
    lines = document.text.split("\n")
    blocks = [block for block in document.blocks if block.page == number]
    page = "\n".join("\n".join(lines[block.line_start - 1 : block.line_end]) for block in blocks)

    assert told in page
    assert "VerDate" not in page  # a foot that other pages have, too


def test_a_line_of_a_running_heads_letters_stays_beside_it():
    """Such a page is read line by line, of which the first and last may be parts of heads and feet, each once."""
    said = ["Tools of the workshop", "Rent", "body", "one", "two", "Tools of"]
    page = without_running(Page("\n".join(said), {}), Layout(800.0, (), running="Tools of the workshop 7"))
    assert page.text.split("\n") == said[1:]


@pytest.mark.parametrize("degrees", [90, 180, 270])
def test_a_page_that_lies_on_its_side_is_read_line_by_line(degrees):
    lines = [(72, 100 + 14 * line, 11, text) for line, text in enumerate(SENTENCES)]
    assert parse(make_pdf([lines], f"/Rotate {degrees}"), "turned.pdf").text == parse(make_pdf([lines]), "a.pdf").text


@pytest.mark.parametrize("matrix", ["0 1 -1 0 {0} 60 Tm", "0 -1 1 0 {1} 780 Tm"])
def test_text_that_runs_up_or_down_a_page_is_read_line_by_line(matrix):
    upright = make_pdf([[(60, 100 + 14 * line, 10, text) for line, text in enumerate(SENTENCES)]])
    places = iter((100 + 14 * line, 300 - 14 * line) for line in range(3))
    sideways = re.sub(rb"60 \d+ Td", lambda _: matrix.format(*next(places)).encode(), upright)

    assert parse(sideways, "sideways.pdf").text.split() == " ".join(SENTENCES).split()


@needs_data
def test_a_form_is_read_row_by_row():
    path = DATA / "zoo/tika/testPDF_XFA_govdocs1_258578.pdf"
    document = parse(path.read_bytes(), path.name)

    assert "Teacher’s Name Room # # of Students" in document.text
    assert "Date Requested: 1st choice my_date1 2nd choice my_date2 3rd choice" in document.text


PIXEL = "BI /W 1 /H 1 /CS /G /BPC 8 ID x EI"


@pytest.mark.parametrize(
    ("drawn", "told"),
    [("", False), (PIXEL, True), (4 * "0 0 m 9 9 l S ", False), (5 * "0 0 m 9 9 l S ", True)],
)
def test_a_page_without_text_is_told_of_where_something_is_drawn_on_it(drawn, told):
    gap = "gap" + 100 * " "
    text = f"BT /F 11 Tf 72 {HEIGHT - 100} Td ({gap}) Tj ET"
    made = make_pdf([[(72, 100, 11, SENTENCES[0])], [(72, 100, 11, gap)]])
    document = parse(made.replace(text.encode(), drawn.ljust(len(text)).encode()), "rules.pdf")

    assert document.warnings == (("no text on 1 of 2 pages (images or drawings): 2",) if told else ())


@pytest.mark.parametrize(("fields", "is_form"), [(9, False), (10, True)])
def test_a_page_with_many_fields_is_a_form(fields, is_form, monkeypatch):
    widget = "<< /Type /Annot /Subtype /Widget /FT /Tx /T (name) /Rect [72 600 200 620] >>"
    form = make_pdf([[(72, 100, 11, "Name and room")]], f"/Annots [{widget * fields}]", "/AcroForm << /Fields [] >>")
    told = []
    monkeypatch.setattr(pdf, "write_page", lambda *given: told.append(given[-1]))

    with pytest.raises(ParseError):
        pdf.parse(form, "form.pdf")

    assert told == [is_form]


def filled_form(fields: Sequence[tuple[str, str]], box: str) -> bytes:
    """A label and a field in each row, with what was written into it, and a box behind the first."""
    labels = [(72, 100 + 20 * row, 11, label) for row, (label, _) in enumerate(fields)]
    font = "/Resources << /Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >>"
    widgets = [f"<< /Type /Annot /Subtype /Widget /FT /Btn /T (box) /AS /{box} /Rect [450 740 460 750] >>"]
    drawn = []
    for row, (label, value) in enumerate(fields):
        bottom = HEIGHT - 104 - 20 * row
        stream = f"/Tx BMC q BT /F 11 Tf 2 4 Td ({value}) Tj ET Q EMC"
        drawn.append(
            f"<< /Type /XObject /Subtype /Form /BBox [0 0 200 16] {font} /Length {len(stream)} >>\n"
            f"stream\n{stream}\nendstream"
        )
        widgets.append(
            f"<< /Type /Annot /Subtype /Widget /F 4 /FT /Tx /T ({label}) /V ({value}) /AP << /N {5 + row} 0 R >> "
            f"/Rect [200 {bottom} 400 {bottom + 16}] >>"
        )
    return make_pdf([labels], f"/Annots [{' '.join(widgets)}]", "/AcroForm << /Fields [] >>", drawn)


def undrawn(form: bytes) -> bytes:
    """Without the appearances of its fields."""
    return re.sub(rb"/AP << /N \d+ 0 R >>", lambda match: b" " * len(match[0]), form)


@pytest.mark.parametrize("rows", [3, 12])
@pytest.mark.parametrize(("state", "sign"), [("Yes", "☒"), ("Off", "☐")])
def test_a_form_tells_what_was_filled_in_and_ticked(rows, state, sign):
    fields = [(f"Label {letter}", f"entered {letter}") for letter in "ABCDEFGHIJKL"[:rows]]
    told = [f"{label} {value}" for label, value in fields]

    form = filled_form(fields, state)
    for data in (form, undrawn(form)):
        assert parse(data, "form.pdf").text.split("\n") == [f"{told[0]} {sign}", *told[1:], ""]


def test_what_was_entered_and_is_not_drawn_is_read_but_not_where_it_is_hidden():
    form = undrawn(filled_form([("Name", "Ada Lund"), ("Room", "seven")], "Off"))
    boxless = form.replace(b"/FT /Btn /T (box) /AS /Off", b" " * 26)

    assert parse(boxless, "form.pdf").text.split("\n") == ["Name Ada Lund", "Room seven", ""]
    assert parse(boxless.replace(b"/F 4", b"/F 2"), "form.pdf").text.split() == ["Name", "Room"]


PROSE = [
    (16.5, "The workshop lends its tools to members for a week. Whoever keeps one for"),
    (16.5, "longer pays a fee for each day, and is reminded by a letter that tells which"),
    (16.5, "tool is missed and by whom."),
    (27, "Tools That Are Not Lent"),
    (27, "There are tools that stay in the workshop, as they are heavy, or since they"),
    (16.5, "need to be set up by somebody who knows them. These include:"),
    (27, "- The lathe"),
    (24, "- The saw bench"),
    (27, "Ask at the desk for an hour with one of them. Members who have been shown how"),
    (16.5, "to use it may do so alone."),
]


def lines_below(room: Sequence[tuple[float, str]]) -> list[tuple[float, float, float, str]]:
    tops = accumulate(pitch for pitch, _ in room)
    return [(90, 100 + top, 11, text) for top, (_, text) in zip(tops, room, strict=True)]


def test_paragraphs_that_white_space_keeps_apart_are_apart():
    document = parse(make_pdf([lines_below(PROSE)]), "tools.pdf")
    kinds = [(block.kind, document.text.split("\n")[block.line_start - 1][:20]) for block in document.blocks]

    assert kinds == [
        (BlockKind.PARAGRAPH, "The workshop lends i"),
        (BlockKind.PARAGRAPH, "Tools That Are Not L"),
        (BlockKind.PARAGRAPH, "There are tools that"),
        (BlockKind.LIST, "- The lathe"),
        (BlockKind.PARAGRAPH, "Ask at the desk for "),
    ]
    bottoms = [block.box[3] for block in document.blocks]
    assert bottoms == sorted(bottoms) and document.blocks[0].box[3] < document.blocks[1].box[1]


def blocks_of(*lines: tuple[float, float, str]) -> list[tuple[BlockKind, str]]:
    """Of a page with these lines: from the left and the top, and text."""
    document = parse(make_pdf([[(left, top, 11, text) for left, top, text in lines]]), "tools.pdf")
    texts = document.text.split("\n")
    return [(block.kind, "\n".join(texts[block.line_start - 1 : block.line_end])) for block in document.blocks]


@pytest.mark.parametrize("marks", [("1.", "2."), ("a)", "b)"), ("\xb7", "\xb7")])
def test_what_follows_a_list_in_a_short_document_is_no_part_of_its_last_item(marks):
    """Few lines tell there how much room is usual."""
    listed = [f"{mark} {text}" for mark, text in zip(marks, ("Open the lid of it", "Close the lid of it"), strict=True)]
    items = [(90, 100 + 14 * at, text) for at, text in enumerate(listed)]
    assert blocks_of(*items, (72, 145, "Done after ten minutes."), (72, 172, "Quoted: never do this.")) == [
        (BlockKind.LIST, "\n".join(listed).replace("\xb7", "•")),
        (BlockKind.PARAGRAPH, "Done after ten minutes."),
        (BlockKind.PARAGRAPH, "Quoted: never do this."),
    ]


@pytest.mark.parametrize(
    ("texts", "parts"),
    [
        (("1. Open the lid.", "Done after ten minutes."), ["1. Open the lid.", "Done after ten minutes."]),
        (("1. Open the lid in", "Oslo or elsewhere."), ["1. Open the lid in Oslo or elsewhere."]),
        (("1. Open the lid.", "then go away."), ["1. Open the lid. then go away."]),
    ],
)
def test_an_item_ends_above_a_line_left_of_its_marker_that_begins_a_sentence(texts, parts):
    places = [(90, 100), (72, 112)]
    items = [
        SimpleNamespace(x=x, y=y, width=80, height=11, text=text) for (x, y), text in zip(places, texts, strict=True)
    ]
    assert [part for part, _ in paragraphs(" ".join(texts), grouped(items), 0.3, "1.")] == parts


@pytest.mark.parametrize(
    ("starts", "parts"),
    [
        (("(1) ", "", "(2) ", "(3) "), 3),
        (("4.9 ", "4.10 ", "", ""), 2),
        (("a) ", "b) ", "", "c) "), 3),
        (("(1) ", "", "(3) ", ""), 1),  # such as a reference in a sentence
        (("1. ", "2) ", "", ""), 1),
        (("", "2. ", "3. ", ""), 1),
    ],
)
def test_points_that_count_on_are_apart(starts, parts):
    said = [
        f"{start}{text}"
        for start, text in zip(starts, ("The fee is due", "in May.", "It rises", "at once."), strict=True)
    ]
    items = [SimpleNamespace(x=72, y=100 + 12 * at, width=80, height=11, text=text) for at, text in enumerate(said)]
    cut = [part for part, _ in paragraphs(" ".join(said), grouped(items), None)]
    assert len(cut) == parts and " ".join(cut) == " ".join(said)


def test_a_point_that_stands_farther_right_is_part_of_the_sentence():
    items = [
        SimpleNamespace(x=x, y=y, width=80, height=11, text=text)
        for x, y, text in [(90, 100, "1. See"), (72, 112, "2. below.")]
    ]
    assert [part for part, _ in paragraphs("1. See 2. below.", grouped(items), None)] == ["1. See 2. below."]


def test_items_that_were_run_together_are_items_of_one_list():
    texts = ["1. Open the lid.", "2. Close the lid."]
    items = [SimpleNamespace(x=72, y=100 + 12 * at, width=80, height=11, text=text) for at, text in enumerate(texts)]
    block = LayoutBlock(
        "list_item", "Open the lid. 2. Close the lid.", marker="1.", bbox=AnnotationRect(72, 100, 80, 23)
    )
    found = list(read_block(block, grouped(items), Page(" ".join(texts), {}), None))
    assert [(one.kind, one.text) for one in found] == [("list_item", text) for text in texts]


BANDS = [
    ("A", "Assistant", "28,000", "34,000", "none"),
    ("B", "Clerk", "33,000", "41,000", "2 %"),
    ("C", "Senior clerk", "40,000", "52,000", "3 %"),
    ("D", "Head of office", "51,000", "67,000", "5 %"),
    ("E", "Director", "66,000", "90,000", "10 %"),
]


def test_rows_of_a_table_without_rules_are_lines():
    places = (78, 137, 246, 330, 413)
    cells = [(x, 145 + 21 * at, 11, cell) for at, row in enumerate(BANDS) for x, cell in zip(places, row, strict=True)]
    text = parse(make_pdf([[(62, 90, 11, SENTENCES[0]), *cells, (62, 300, 11, SENTENCES[1])]]), "bands.pdf").text
    assert "\n".join(" | ".join(row) for row in BANDS) in text


def test_prose_with_wide_gaps_is_prose():
    words = [("A tool", 60), ("that", 140), ("may be", 200), ("lent", 280), ("is", 340), ("never", 400), ("kept.", 470)]
    made = make_pdf([[(62, 90, 11, SENTENCES[0]), *((x, 145, 11, word) for word, x in words)]])
    assert "A tool that may be lent is never kept." in parse(made, "tools.pdf").text


def test_lines_far_apart_everywhere_are_one_paragraph():
    document = parse(make_pdf([lines_below([(27, text) for _, text in PROSE[:3]] * 2)]), "draft.pdf")
    assert len(document.blocks) < 3


def test_a_title_across_two_columns_comes_before_them():
    """liteparse may put it before the first block of the right one."""
    boxes = {
        "head": (62, 30, 470),
        "left": (62, 130, 220),
        "below": (62, 300, 220),
        "title": (130, 62, 320),
        "right": (320, 120, 220),
    }
    blocks = [
        LayoutBlock("paragraph", name, bbox=AnnotationRect(x, y, width, 20)) for name, (x, y, width) in boxes.items()
    ]
    assert [block.text for block in titles_first(blocks, 297)] == ["head", "title", "left", "below", "right"]
    assert titles_first(blocks[:4], 297) == blocks[:4]


@pytest.mark.parametrize(
    ("marked", "text"),
    [
        (r"\*.csv and \*.txt", "*.csv and *.txt"),
        (r"COUNT(\*) of **all \*bold\*** and *slanted* ***or both***", "COUNT(*) of all *bold* and slanted or both"),
        (r"C:\\temp\\*new* and \_\_init\_\_", r"C:\temp\new and __init__"),
        (r"run `a\n*.c` and `*.h`", r"run a\n*.c and *.h"),
    ],
)
def test_marks_that_the_page_does_not_have_are_taken_off(marked, text):
    assert plain(marked, Page("", {})) == text


def test_backticks_that_the_page_has_stay():
    page = Page("Call `ls` or, elsewhere,\ndir /w now", {})
    assert plain("Call `ls` or, elsewhere,", page) == "Call `ls` or, elsewhere,"
    assert plain("`dir /w` now", page) == "dir /w now"


def test_stars_and_backslashes_are_read_as_the_page_has_them():
    text = r"SELECT sex, COUNT(*) FROM *.csv and *.txt in C:\temp\new, as __init__ says."
    assert parse(make_pdf([[(72, 100, 11, text)]]), "query.pdf").text == f"{text}\n"


@pytest.mark.parametrize(("rise", "size", "told"), [(4, 7, "10^6"), (4, 11, "106"), (-4, 7, "106")])
def test_a_small_raised_number_behind_a_digit_is_a_power(rise, size, told):
    line = [(72, 100, 11, "A load of 10"), (130.7, 100 - rise, size, "6"), (130.7 + 0.56 * size, 100, 11, " N acts")]
    assert f"A load of {told} N acts" in parse(make_pdf([line]), "load.pdf").text.replace("\n", " ")


def in_courier(document: bytes) -> bytes:
    return document.replace(b"/Helvetica", b"/Courier  ")


@pytest.mark.parametrize(("said", "told"), [("10 6", "10^6"), ("120 2", "120^2")])
def test_a_power_in_a_line_of_its_own_is_one(said, told):
    """Browsers place letters one by one, and PDFium then ends the line before raised type."""
    base, power = said.split()
    letters = [*((100, 11, letter) for letter in f"a load of {base}"), *((95.6, 8, letter) for letter in power)]
    letters += [(100, 11, letter) for letter in " units"]
    placed = [(72 + 6.6 * at, *letter) for at, letter in enumerate(letters)]
    assert f"of {told} units" in parse(in_courier(make_pdf([placed])), "load.pdf").text.replace("\n", " ")


def test_a_power_is_told_by_where_it_stands_from_a_number_that_the_page_has_too():
    text = f"10{POWER}6 N and 2 \u00d7 10{POWER}\u22123 m on 106 days"
    page = Page(text, {})

    assert page.verbatim("106 N and 2 \u00d7 10-3 m on 106 days") == "10^6 N and 2 \u00d7 10^\u22123 m on 106 days"
    assert page.verbatim("10 6 N, or 106 mm") == "10^6 N, or 106 mm"
    assert page.verbatim("106") == "106"  # either of them
    assert Page(text[:-9], {}).verbatim("106 N, 1066 or 2106") == "10^6 N, 1066 or 2106"
    assert page.text == "10^6 N and 2 \u00d7 10^\u22123 m on 106 days"


def test_code_keeps_its_indentation():
    code = ["server:", "  host: 10.0.0.1", "  ports:", "    - 80", "# comment"]
    placed = [
        (72 + 6 * (len(line) - len(line.lstrip())), 100 + 12 * row, 10, line.strip()) for row, line in enumerate(code)
    ]
    document = parse(in_courier(make_pdf([placed])), "settings.pdf")

    assert [block.kind for block in document.blocks] == [BlockKind.CODE]
    assert document.text.split("\n") == [*code, ""]


def test_lines_that_are_not_those_of_the_code_indent_nothing():
    places = [(72, 0, "when"), (84, 12, "then")]
    [above, below] = grouped([SimpleNamespace(x=x, y=y, width=24, height=10, text=text) for x, y, text in places])
    assert indented(["when", "then"], [above, below]) == ["when", "  then"]
    assert indented(["when", "else"], [above, below]) == ["when", "else"]


@pytest.mark.parametrize(
    ("title", "given"),
    [
        ("Rules of the depot", True),
        ("Anonymous reports", True),
        ("(anonymous)", False),
        ("PowerPoint-Präsentation", False),
        ("PowerPoint Presentation", False),
        ("untitled", False),
        ("rules_v2.docx", False),
        ("about:blank", False),
        ("https://intranet.example.org/rules?print=1", False),
        ("file:///tmp/rules", False),
        ("About: the depot", True),
    ],
)
def test_a_title_that_a_program_gave_is_none(title, given):
    assert pdf.is_title(title) == given


@pytest.mark.parametrize(
    ("heads", "title"),
    [
        (("Fees of the surgery Animal", "Fees of the surgery Day", "Night"), "Fees of the surgery"),
        (("Number of dogs", "Number of cats"), ""),
        (("Animal", "Fee of a day in summer", "Fee of a day in winter"), ""),
        (("Fees of the surgery", "Fees of the surgery"), ""),
        (("Animal",), ""),
    ],
)
def test_a_title_across_a_table_is_no_name_of_its_columns(heads, title):
    assert title_across(heads) == title


def test_a_title_above_the_columns_of_a_table_stands_above_it():
    path = Path(__file__).parents[2] / "benchmarks/asked/office/documents/waste-and-insurance.pdf"
    text = parse(path.read_bytes(), path.name).text
    assert "How each kind of waste leaves the building\n\nWaste | Container | Colour | Collected | Contractor\n" in text


def test_a_pdf_without_text_says_whether_it_is_a_scan():
    rules = (GOLDEN / "pdf/in/rules.pdf").read_bytes()
    blank = rules.replace(b" Tj ET", b"    ET")
    pixel = b"BI /W 1 /H 1 /CS /G /BPC 8 ID x EI"
    start = blank.index(b"BT /B 20")
    scan = blank[:start] + pixel + blank[start + len(pixel) :]

    assert "pages are empty" in reason(blank, "blank.pdf")
    assert "no text layer" in reason(scan, "scan.pdf")


def test_a_chunk_of_a_pdf_is_on_one_page():
    document = parse((GOLDEN / "pdf/in/rules.pdf").read_bytes(), "rules.pdf")
    chunks = chunk(document, build_sections(document), lambda texts: [1] * len(texts))

    assert {each.page for each in chunks} == {1, 2}
    assert all(block.box and block.box[0] < block.box[2] and block.box[1] < block.box[3] for block in document.blocks)
