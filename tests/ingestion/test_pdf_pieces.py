"""Pieces of tables and code that came as blocks of their own."""

from liteparse import AnnotationRect, LayoutBlock, LayoutCell

from ingestion.parsers.pdf.layout import Layout
from ingestion.parsers.pdf.page import write_page
from ingestion.parsers.pdf.pieces import with_pieces
from ingestion.parsers.pdf.spoken import Page
from ingestion.parsers.writing import Writer
from tests.ingestion.test_pdf_outline import line


def box(left, top, right, bottom):
    return AnnotationRect(left, top, right - left, bottom - top)


def cell(text, *edges):
    return LayoutCell(text=text, bbox=box(*edges))


def put_back(*pieces):
    page = with_pieces(Layout(800.0, [block for block, _ in pieces], [lines for _, lines in pieces]))
    return [
        (block.kind, block.lines or [[one.text for one in row] for row in block.rows or ()]) for block in page.blocks
    ]


CODE = ["def stop(pump):", "    if pump.pressure > 6.0:", "    return True"]


def code(texts, *tops, left=72):
    lines = [
        line(top, (left + 6 * (len(text) - len(text.lstrip())), text.strip()))
        for text, top in zip(texts, tops, strict=True)
    ]
    edges = left, tops[0], left + 200, tops[-1] + 10
    return LayoutBlock("code", lines=[text.strip() for text in texts], bbox=box(*edges)), lines


def test_a_line_of_code_within_code_stands_in_it():
    inner = LayoutBlock("code", lines=["pump.stop()"], bbox=box(120, 124, 186, 134)), [line(124, (120, "pump.stop()"))]
    [(kind, lines)] = put_back(code(CODE, 100, 112, 136), inner)
    assert (kind, lines) == ("code", ["def stop(pump):", "if pump.pressure > 6.0:", "pump.stop()", "return True"])


def test_a_page_is_written_with_its_pieces_put_back():
    block, lines = code(CODE, 100, 112, 136)
    inner = LayoutBlock("code", lines=["pump.stop()"], bbox=box(120, 124, 186, 134))
    writer = Writer("a.pdf")
    writer.page = 1
    spoken = [*map(str.strip, CODE[:2]), "pump.stop()", CODE[2].strip()]
    layout = Layout(800.0, [block, inner], [lines, [line(124, (120, spoken[2]))]])
    write_page(Page("\n".join(spoken), {}), layout, writer)
    assert [text.strip() for text in writer.lines] == spoken


def test_code_below_code_stays_below_it():
    assert len(put_back(code(CODE, 100, 112, 124), code(CODE, 160, 172, 184))) == 2


TERMS = LayoutBlock(
    "table",
    header=[cell("Topic", 72, 80, 198, 96), cell("Rule", 198, 80, 510, 96)],
    rows=[
        [cell("Warranty", 72, 96, 198, 150), cell("24 months.", 198, 96, 510, 150)],
        [cell("Returns", 72, 150, 198, 170), cell("Within 14 days.", 198, 150, 510, 170)],
    ],
    bbox=box(72, 80, 510, 170),
)
OF_TERMS = [
    line(82, (78, "Topic"), (204, "Rule")),
    line(98, (78, "Warranty"), (204, "24 months.")),
    line(152, (78, "Returns"), (204, "Within 14 days.")),
]


def paragraph(left, *tops):
    lines = [line(top, (left, text)) for top, text in zip(tops, ("Damage is", "told at once."), strict=False)]
    edges = left, tops[0], left + 80, tops[-1] + 10
    return LayoutBlock("paragraph", " ".join(one.text for one in lines), bbox=box(*edges)), lines


def test_the_rest_of_a_cell_stands_in_it():
    [(_, rows)] = put_back((TERMS, OF_TERMS), paragraph(204, 110, 122))
    assert rows == [["Warranty", "24 months. Damage is told at once."], ["Returns", "Within 14 days."]]


def test_what_does_not_go_on_with_a_cell_stays_a_paragraph():
    for apart in (paragraph(204, 130), paragraph(240, 110), paragraph(204, 180)):
        assert [kind for kind, _ in put_back((TERMS, OF_TERMS), apart)] == ["table", "paragraph"]


PRICES = LayoutBlock(
    "table",
    rows=[[cell(str(at), 72, 100 + 20 * at, 80, 112 + 20 * at), cell("48.00", 246, 100 + 20 * at, 271, 112 + 20 * at)]
          for at in range(4)],
    bbox=box(72, 100, 271, 172),
)  # fmt: skip
OF_PRICES = [line(101 + 20 * at, (72, str(at)), (246, "48.00")) for at in range(4)]


def column(left, tops, texts):
    lines = [line(top, (left, text)) for top, text in zip(tops, texts, strict=True)]
    return LayoutBlock("paragraph", " ".join(texts), bbox=box(left, tops[0], left + 40, tops[-1] + 10)), lines


HEIGHTS = [101, 121, 141, 161]
STOCK = ["224", "231", "238", "245"]


def test_a_column_beside_a_table_is_one_of_it():
    [(_, rows)] = put_back((PRICES, OF_PRICES), column(314, HEIGHTS, STOCK))
    assert rows == [[str(at), "48.00", stock] for at, stock in enumerate(STOCK)]
    [(_, rows)] = put_back((PRICES, OF_PRICES), column(20, HEIGHTS, STOCK))
    assert rows == [[stock, str(at), "48.00"] for at, stock in enumerate(STOCK)]


def test_text_beside_a_table_is_no_column():
    prose = ["Whoever keeps a tool for longer"] * 4
    others = [(HEIGHTS[:3], STOCK[:3]), ([90, 101, 112, 123], STOCK), (HEIGHTS, prose)]
    for tops, texts in others:
        assert len(put_back((PRICES, OF_PRICES), column(314, tops, texts))) == 2


def figures(names):
    """A table of figures, whose box reaches to the names of its rows, with these as paragraphs before it."""
    texts = [("2025", "2024"), ("1,234", "1,100"), ("(700)", "(650)"), ("534", "450")]
    places = [(280, 310), (340, 370)]
    rows = [
        [cell(text, left, 100 + 18 * at, right, 112 + 18 * at) for text, (left, right) in zip(row, places, strict=True)]
        for at, row in enumerate(texts)
    ]
    table = LayoutBlock("table", rows=rows, bbox=box(190, 100, 370, 166))
    lines = [line(101 + 18 * at, (280, row[0]), (340, row[1])) for at, row in enumerate(texts)]
    return [*(column(190, [top], [name]) for top, name in names), (table, lines)]


NAMES = [(119, "Revenue"), (137, "Cost of sales"), (155, "Gross profit")]


def test_names_of_rows_each_a_paragraph_stand_in_the_table_whose_head_has_none():
    pieces = figures(NAMES)
    [table] = with_pieces(Layout(800.0, [block for block, _ in pieces], [lines for _, lines in pieces])).blocks
    assert [one.text for one in table.header] == ["", "2025", "2024"]
    assert [[one.text for one in row] for row in table.rows] == [
        ["Revenue", "1,234", "1,100"],
        ["Cost of sales", "(700)", "(650)"],
        ["Gross profit", "534", "450"],
    ]
    [(_, rows)] = put_back(*figures([(101, "EUR million"), *NAMES]))
    assert rows[0] == ["EUR million", "2025", "2024"]


def test_names_beside_some_rows_only_stay_paragraphs():
    assert [kind for kind, _ in put_back(*figures(NAMES[:2]))] == ["paragraph", "paragraph", "table"]


def titled(height):
    """A table with a line of this height above it, which was cut up into its head."""
    title = line(80, (72, "Annex A Fault codes of the pump"))
    title.bottom = title.top + height
    head = [
        cell("Annex A", 72, 80, 120, 100),
        cell("Fault", 120, 80, 180, 100),
        cell("codes of the pump", 180, 80, 240, 100),
    ]
    texts = [("Code", "Meaning", "Remedy"), ("E01", "Dry running", "Refill."), ("E02", "Too hot", "Cool.")]
    places = [(72, 120), (120, 180), (180, 240)]
    rows = [
        [cell(text, left, 110 + 20 * at, right, 120 + 20 * at) for text, (left, right) in zip(row, places, strict=True)]
        for at, row in enumerate(texts)
    ]
    block = LayoutBlock("table", header=head, rows=rows, bbox=box(72, 80, 240, 170))
    return block, [
        title,
        *(line(110 + 20 * at, (72, row[0]), (120, row[1]), (180, row[2])) for at, row in enumerate(texts)),
    ]


def test_a_large_line_across_the_columns_of_a_table_is_a_heading_above_it():
    other = LayoutBlock("heading", "Settings", level=3, bbox=box(72, 40, 140, 58)), [line(40, (72, "Settings"))]
    page = with_pieces(Layout(800.0, [other[0], titled(18)[0]], [other[1], titled(18)[1]]))
    told = [(block.kind, block.text, block.level) for block in page.blocks[:2]]
    assert told == [("heading", "Settings", 3), ("heading", "Annex A Fault codes of the pump", 3)]
    assert [one.text for one in page.blocks[2].header] == ["Code", "Meaning", "Remedy"] and len(
        page.blocks[2].rows
    ) == 2


def test_a_line_as_small_as_the_tables_is_none():
    assert [kind for kind, _ in put_back(titled(10))] == ["table"]
