"""Words that stand apart on a page: prose below a table that was taken for rows of it, columns beside each other."""

from types import SimpleNamespace

import pytest
from liteparse import AnnotationRect, LayoutBlock

from ingestion.documents import BlockKind
from ingestion.parsers.pdf.layout import Layout
from ingestion.parsers.pdf.outline import Bookmark
from ingestion.parsers.pdf.page import read_block, write_page
from ingestion.parsers.pdf.shredded import is_swallowing
from ingestion.parsers.pdf.spoken import Page
from ingestion.parsers.writing import Writer
from tests.ingestion.test_pdf_outline import line

EDGES = (72, 150, 300)
PROSE = [
    "Whoever keeps a tool for longer than a week pays a fee for",
    "each further day, and is reminded by a letter that tells",
    "which tool is missed and by whom, so that nobody has to",
    "search the workshop for it. Members that lose a tool pay",
    "what it costs to buy another one of its kind, and those",
    "who find it again later bring it to the desk at any time.",
]
ROWS = [["Tool", "Lent for", "Fee"], ["Lathe", "a week, or two in the summer months", "4 €"]]
SHREDS = [" ".join(words) for words in zip(*(text.split(" ", 2) for text in PROSE), strict=True)]  # two words, the rest
SPOKEN = "Tool Lent for Fee\nLathe a week, or two in the summer months 4 €\n" + "\n".join(PROSE)


def cells(texts: list[str], top: float, bottom: float) -> list[SimpleNamespace]:
    return [
        SimpleNamespace(text=text, bbox=SimpleNamespace(x=left, y=top, width=80, height=bottom - top))
        for left, text in zip(EDGES, texts, strict=True)
    ]


def told(last: list[str], below: list[list[tuple[float, str]]]) -> list[tuple[str, str]]:
    rows = [cells(ROWS[1], 20, 40), cells(last, 40, 140)]
    block = SimpleNamespace(
        kind="table", header=cells(ROWS[0], 0, 20), rows=rows, text=None, lines=None, level=None, lang=None,
        marker=None, bbox=SimpleNamespace(x=72, y=0, width=330, height=140),
    )  # fmt: skip
    above = [line(5 + 20 * at, *zip(EDGES, texts, strict=True)) for at, texts in enumerate(ROWS)]
    lines = [*above, *(line(45 + 14 * at, *pieces) for at, pieces in enumerate(below))]
    return [(found.kind, found.text) for found in read_block(block, lines, Page(SPOKEN, {}), 0.3)]


def test_prose_below_a_table_is_read_in_its_lines():
    table = ("table", "\n".join(" ".join(texts) for texts in ROWS))
    assert told(SHREDS, [[(72, text)] for text in PROSE]) == [table, ("paragraph", "\n".join(PROSE))]


def test_a_row_whose_lines_stop_at_its_columns_stays_one():
    below = [[*zip(EDGES, text.split(" ", 2), strict=True)] for text in PROSE]
    assert [kind for kind, _ in told(SHREDS, below)] == ["table"]


def test_a_cell_across_columns_stays_a_row():
    assert [kind for kind, _ in told([PROSE[0], "", ""], [[(72, PROSE[0])]])] == ["table"]
    assert [kind for kind, _ in told([PROSE[0], "4 €", ""], [[(72, PROSE[0])]])] == ["table"]


HOURS = [
    "Monday to Friday from 8 to 17. Saturday from 9",
    "to 12. Closed on public holidays. Visitors register",
    "at the gate and carry a badge.",
]
PARKING = [
    "Cars park in zone B. Lorries over 7 t park in",
    "zone C. Bicycles are left at the racks beside the",
    "door of the canteen.",
]
COLUMNS = ["Opening hours", *HOURS, "Parking", *PARKING]


def read(blocks: list[tuple[str, str]], spoken: list[str], outline: dict[str, Bookmark] | None = None):
    """What is written of a page with these blocks (kind, text), on which PDFium reads these lines."""
    box = AnnotationRect(72, 100, 300, 20)
    writer = Writer("a.pdf")
    writer.page = 1
    made = [LayoutBlock(kind, text, bbox=box, level=2 if kind == "heading" else None) for kind, text in blocks]
    write_page(Page("\n".join(spoken), outline or {}), Layout(800.0, made, [()] * len(made)), writer)
    return [(block.kind, block.title) for block in writer.blocks], writer.finish("application/pdf", "").text


def test_columns_whose_lines_were_mixed_are_read_one_after_the_other():
    mixed = " ".join(line for pair in zip(HOURS, PARKING, strict=True) for line in pair)
    blocks, text = read([("heading", "Opening hours"), ("paragraph", mixed), ("heading", "Parking")], COLUMNS)

    assert text == "Opening hours\n\n" + "\n".join(HOURS) + "\n\nParking\n\n" + "\n".join(PARKING) + "\n"
    assert [title for kind, title in blocks if kind is BlockKind.HEADING] == ["Opening hours", "Parking"]


def test_columns_that_were_read_one_after_the_other_stay_as_they_are():
    prose = [" ".join(HOURS), " ".join(PARKING)]
    told = [("heading", "Opening hours"), ("paragraph", prose[0]), ("heading", "Parking"), ("paragraph", prose[1])]
    assert read(told, COLUMNS)[1].split("\n\n")[1::2] == [prose[0], f"{prose[1]}\n"]


NOTE = ["Note", "Ask at the desk."]


def beside(spoken: list[str], after: str = PROSE[2]) -> list[str]:
    """What is read of a paragraph, the first lines of which stand beside a note."""
    rows = [((72, text), (480, note)) for text, note in zip(PROSE, NOTE, strict=False)]
    lines = [line(100 + 14 * at, *row) for at, row in enumerate([*rows, ((72, after),)])]
    text = " ".join(one.text for one in lines)
    block = LayoutBlock("paragraph", text, bbox=AnnotationRect(72, 100, 500, 42))
    return [one.text for one in read_block(block, lines, Page("\n".join(spoken), {}), 0.3)]


def test_a_box_beside_a_text_that_runs_around_it_is_read_below_it():
    long = f"{PROSE[2]} {PROSE[3]}"
    assert beside([*PROSE[:2], long, *NOTE], long) == [" ".join([*PROSE[:2], long]), " ".join(NOTE)]


def test_what_the_page_says_in_one_line_stays_in_it():
    long = f"{PROSE[2]} {PROSE[3]}"
    rows = [" ".join(pair) for pair in zip(PROSE, NOTE, strict=False)]
    assert beside([*rows, long], long) == [" ".join([*rows, long])]


def test_columns_that_no_text_runs_around_stay_beside_each_other():
    rows = [" ".join(pair) for pair in zip(PROSE, NOTE, strict=False)]
    assert beside([*PROSE[:2], "Done.", *NOTE], "Done.") == [" ".join([*rows, "Done."])]


def test_names_in_a_drawing_stand_in_any_order():
    spoken = ["monitor", "native", "compiled", "abort", "loop", "edge", *HOURS]
    text = read([("paragraph", "loop native monitor edge abort compiled"), ("paragraph", " ".join(HOURS))], spoken)[1]
    assert text.endswith(f"\n\n{' '.join(HOURS)}\n")


@pytest.mark.parametrize(
    ("above", "titles", "swallowing"),
    [
        (0, {}, False),
        (1, {}, False),
        (4, {}, True),
        (1, {"annexafaultcodes": Bookmark(1, "Annex A Fault codes")}, True),
        (1, {"tool": Bookmark(1, "Tool")}, False),
    ],
)
def test_a_head_that_is_none_is_told(above, titles, swallowing):
    """It swallows what stands above the table."""
    heads = ["Annex A Fault codes Tool" if above else "Tool", "Lent for", "Fee"]
    swallowed = [line(5 + 14 * at, (72, "Annex A Fault codes")) for at in range(above)]
    lines = [*swallowed, line(5 + 14 * above, *zip(EDGES, ROWS[0], strict=True))]
    table = SimpleNamespace(header=cells(heads, 0, 20 + 14 * above), rows=[])
    assert is_swallowing(table, lines, Page("", titles)) == swallowing
