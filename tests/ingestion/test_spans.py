"""Cells that span rows or columns: every value stands below its head and beside its row's name, in every format."""

import io

import pptx
import pytest
import xlsxwriter

from ingestion.chunking import chunk
from ingestion.parsers import parse
from ingestion.parsers.tables import Grid, table_rows
from ingestion.sections import build_sections
from knowledge.texts.tables.readers import tables_in
from knowledge.texts.tables.spans import LONGEST_REPEATED, MOST_REPEATED, laid_out

from .small_files import html, odt
from .test_docx import paragraph
from .test_docx import read as docx

GRID = [
    [("Prices", 4, 1)],
    [("Class", 1, 2), ("Per day", 2, 1), ("Deposit", 1, 2)],
    [("Guests", 1, 1), ("Members", 1, 1)],
    [("trailer", 1, 2), ("€6", 1, 1), ("€4", 1, 1), ("€40", 1, 1)],
    [("free", 2, 1), ("€50", 1, 1)],
]
READ = """\
Prices
Class | Per day | Per day | Deposit
Class | Guests | Members | Deposit
trailer | €6 | €4 | €40
trailer | free | free | €50
"""


def test_a_cell_stands_at_every_place_that_it_spans_and_one_alone_in_its_row_once():
    assert "".join(f"{' | '.join(row)}\n" for row in laid_out(GRID)) == READ


@pytest.mark.parametrize(
    ("rows", "laid"),
    [
        ([[("a", 1, 3)], [("b", 1, 1)], [("c", 1, 1)]], [["a"], ["a", "b"], ["a", "c"]]),
        ([[("a", 1, 1), ("b", 1, 2)], [("c", 1, 1)]], [["a", "b"], ["c", "b"]]),
        ([[("a", 1, 1), ("b", 1, 1), ("c", 1, 2)], [("d", 1, 1)]], [["a", "b", "c"], ["d", "", "c"]]),
        ([[("a", 1, 2), ("b", 1, 2)], [], [("c", 1, 1)]], [["a", "b"], [], ["c"]]),
        ([[("a", 2, 2)], [], [("b", 1, 1)]], [["a"], [], ["b"]]),
        ([[("a", 2, 9), ("b", 1, 1)], [("c", 1, 1)]], [["a", "a", "b"], ["a", "a", "c"]]),
    ],
)
def test_rows_are_laid_out_whatever_reaches_into_them(rows, laid):
    assert laid_out(rows) == laid


def test_what_is_too_long_to_name_anything_stands_once():
    long = "x" * (LONGEST_REPEATED + 1)
    assert laid_out([[(long, 2, 2), ("b", 1, 1)], [("c", 1, 1)]]) == [[long, "", "b"], ["", "", "c"]]


def test_a_few_tags_make_no_text_without_end():
    cell = ("x" * LONGEST_REPEATED, 100, 100)
    laid = laid_out([[cell] * 100, *[[("y", 1, 1)]] * 200])
    assert sum(len(text) for row in laid for text in row) < 10 * MOST_REPEATED


def test_the_header_of_a_table_that_marks_none_is_as_tall_as_the_cells_beside_its_columns_names():
    assert table_rows(Grid(GRID[1:]))[1] == 2
    assert table_rows(Grid([[("Name", 1, 1), ("", 3, 1)], [("Town", 1, 1), ("", 3, 1)]]))[1] == 0
    assert table_rows(Grid([[("a", 1, 3), ("b", 1, 1)], [("c", 1, 1)], [("d", 1, 1)]]))[1] == 0


def test_a_first_row_whose_name_comes_again_is_no_header():
    rows = [[("GET", 1, 1), ("/loans", 1, 1)], [("GET", 1, 1), ("/loans/7", 1, 1)], [("POST", 1, 1), ("/loans", 1, 1)]]
    assert table_rows(Grid(rows))[1] == 0
    assert table_rows(Grid(rows[1:]))[1] == table_rows(Grid(rows, header_rows=1))[1] == 1


def header_rows(first_cells: str) -> int:
    return table_rows(Grid([[(cell, 1, 1), (f"{cell} {n}", 1, 1)] for n, cell in enumerate(first_cells.split())]))[1]


def test_a_header_may_be_named_once_below_it():
    assert header_rows("Name Id Name Born") == 1
    assert header_rows("GET POST GET PUT GET") == header_rows("Name Name Born") == 0


def test_a_header_repeated_on_every_page_stays_one():
    head = [("Name", 1, 1), ("Type", 1, 1)]
    row = [("Id", 1, 1), ("integer", 1, 1)]
    assert table_rows(Grid([head, row, head, row, head, row]))[1] == 1


def test_html():
    rows = "".join(
        f"<tr>{''.join(f'<td colspan={columns} rowspan={rows}>{text}</td>' for text, columns, rows in row)}</tr>"
        for row in GRID
    )
    assert html(f"<table>{rows}</table>").text == READ


def docx_row(cells: str) -> str:
    return f"<w:tr>{cells}</w:tr>"


def docx_cell(text: str, columns: int = 1, merge: str = "") -> str:
    merged = f'<w:vMerge w:val="{merge}"/>' if merge else ""
    return f'<w:tc><w:tcPr><w:gridSpan w:val="{columns}"/>{merged}</w:tcPr>{paragraph(text)}</w:tc>'


@pytest.mark.parametrize("between", ["", '<w:bookmarkStart w:id="1" w:name="x"/><w:bookmarkEnd w:id="1"/>'])
def test_docx(between):
    began, goes_on = "restart", "continue"
    rows = [
        docx_cell("Prices", 4),
        docx_cell("Class", 1, began) + docx_cell("Per day", 2) + docx_cell("Deposit", 1, began),
        docx_cell("", 1, goes_on) + docx_cell("Guests") + docx_cell("Members") + docx_cell("", 1, goes_on),
        docx_cell("trailer", 1, began) + docx_cell("€6") + between + docx_cell("€4") + docx_cell("€40"),
        docx_cell("", 1, goes_on) + docx_cell("free", 2) + docx_cell("€50"),
    ]
    assert docx(f"<w:tbl>{between.join(map(docx_row, rows))}</w:tbl>") == READ


def test_a_row_of_docx_that_begins_further_in_keeps_its_values_below_their_heads():
    further_in = f'<w:tr><w:trPr><w:gridBefore w:val="1"/></w:trPr>{docx_cell("€6")}{docx_cell("€40")}</w:tr>'
    heads = docx_row(docx_cell("Class") + docx_cell("Price") + docx_cell("Deposit"))
    assert docx(f"<w:tbl>{heads}{further_in}</w:tbl>") == "Class | Price | Deposit\n | €6 | €40\n"


def test_odt():
    def cell(text: str, columns: int, rows: int) -> str:
        spans = f"table:number-columns-spanned='{columns}' table:number-rows-spanned='{rows}'"
        covered = "<table:covered-table-cell/>" * (columns - 1)
        return f"<table:table-cell {spans}><text:p>{text}</text:p></table:table-cell>{covered}"

    rows = "".join(f"<table:table-row>{''.join(cell(*one) for one in row)}</table:table-row>" for row in GRID)
    assert odt(f"<table:table>{rows}</table:table>") == READ


def test_empty_cells_of_odt_that_are_written_once_keep_their_places():
    empty = "<table:table-cell table:number-columns-repeated='2'/>"
    cell = "<table:table-cell><text:p>{}</text:p></table:table-cell>"
    row = f"<table:table-row>{cell.format('a')}{empty}{cell.format('b')}{empty.replace('2', '9')}</table:table-row>"
    assert odt(f"<table:table>{row}</table:table>") == "a |  |  | b |\n"


def test_pptx():
    presentation = pptx.Presentation()
    slide = presentation.slides.add_slide(presentation.slide_layouts[6])
    table = slide.shapes.add_table(5, 4, 0, 0, 9_000_000, 900_000).table
    for row, cells in enumerate(GRID):
        free = (column for column in range(4) if not table.cell(row, column).is_spanned)
        for text, columns, rows in cells:
            column = next(free)
            table.cell(row, column).text = text
            if columns * rows > 1:
                table.cell(row, column).merge(table.cell(row + rows - 1, column + columns - 1))
    target = io.BytesIO()
    presentation.save(target)
    assert parse(target.getvalue(), "a.pptx").text == f"Slide 1\n\n{READ}"


def sheet(write) -> str:
    target = io.BytesIO()
    with xlsxwriter.Workbook(target) as book:
        write(book.add_worksheet())
    return parse(target.getvalue(), "a.xlsx").text


def test_xlsx():
    def write(page):
        page.merge_range("B3:E3", "Prices")
        page.merge_range("B4:B5", "Class")
        page.merge_range("C4:D4", "Per day")
        page.merge_range("E4:E5", "Deposit")
        page.write_row("C5", ["Guests", "Members"])
        page.merge_range("B6:B7", "trailer")
        page.write_row("C6", ["€6", "€4", "€40"])
        page.merge_range("C7:D7", "free")
        page.write("E7", "€50")

    assert sheet(write) == READ.replace("Prices\n", "Prices\n\n")


def test_a_merged_cell_of_xlsx_makes_no_row_and_no_column_that_says_nothing_else():
    def write(page):
        page.merge_range("A1:A500", "Bikes")
        page.merge_range("B1:D1", "Price")
        page.write("B2", "€6")

    assert sheet(write) == "Bikes | Price\nBikes | €6\n"


PIPED = [["Name", "Command", "Port"], ["A", "ps aux | grep x", "80"], ["|", "a | | b |", "81"]]


def piped_csv() -> str:
    return parse("\n".join(",".join(row) for row in PIPED).encode(), "a.csv").text


def piped_html() -> str:
    rows = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in PIPED)
    return html(f"<table>{rows}</table>").text


def piped_docx() -> str:
    return docx(f"<w:tbl>{''.join(docx_row(''.join(map(docx_cell, row))) for row in PIPED)}</w:tbl>")


def piped_sheet() -> str:
    return sheet(lambda page: [page.write_row(number, 0, row) for number, row in enumerate(PIPED)])


@pytest.mark.parametrize("read", [piped_csv, piped_html, piped_docx, piped_sheet])
def test_a_bar_within_a_cell_parts_nothing(read):
    (table,) = tables_in(read().splitlines())
    assert [table.names, *(row.cells for row in table.rows)] == PIPED
    assert [*table.told()] == ["A: Command ps aux | grep x, Port 80.", "|: Command a | | b |, Port 81."]


def test_rows_that_begin_with_a_bar_are_cut_as_others_are():
    rows = "\n".join(f"|,either | both,{level}" for level in range(9))
    document = parse(f"Sign,Says,Level\n{rows}".encode(), "a.csv")
    chunks = chunk(document, build_sections(document), lambda texts: [len(text.split()) for text in texts], budget=24)
    told = [line for each in chunks for line in each.told.splitlines()]
    assert len(chunks) > 2 and told == [f"|: Says either | both, Level {level}." for level in range(9)]
