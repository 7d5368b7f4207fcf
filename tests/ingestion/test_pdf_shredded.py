"""Prose below a table that was taken for rows of it."""

from types import SimpleNamespace

from ingestion.parsers.pdf.page import read_block
from ingestion.parsers.pdf.spoken import Page
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
