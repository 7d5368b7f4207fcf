"""What tables of CSV and spreadsheets may be like, and what is read of them."""

import datetime
import io
import re

import pytest
import xlsxwriter

from ingestion import sandbox
from ingestion.chunking import chunk
from ingestion.documents import BlockKind, ParseError
from ingestion.parsers import parse, sheets
from ingestion.sections import build_sections
from tests.ingestion.small_files import GOLDEN, repacked


def test_a_sheet_that_claims_billions_of_cells_is_rejected():
    def stretch(name: str, content: bytes) -> bytes:
        return content.replace(b'r="B3"', b'r="XFD1048576"') if "sheet1" in name else content

    with pytest.raises(ParseError, match="memory"):
        sandbox.parse(repacked(GOLDEN / "sheets/in/prices.xlsx", stretch), "a.xlsx")


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_a_csv_file_is_cut_where_its_lines_agree(delimiter):
    rows = [["name", "note"], ["Ada", "one, two; three"], ["Bob", "x"]]
    lines = [delimiter.join(f'"{cell}"' for cell in row) for row in rows]
    document = parse("\n".join(lines).encode(), "a.csv")

    assert document.text == "name | note\nAda | one, two; three\nBob | x\n"
    assert document.blocks[0].header == "name | note"


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("1,5;2,5\n3,5;4,5\n", "1,5 | 2,5\n3,5 | 4,5\n"),
        ("Oil, fine;1,5;2,5\nOil, thick;3,5;4,5\n", "Oil, fine | 1,5 | 2,5\nOil, thick | 3,5 | 4,5\n"),
        ('"1,5";"2,5"\n"3,5";"4,5"\n', "1,5 | 2,5\n3,5 | 4,5\n"),
        ('1,2,"a; b"\n3,4,"c; d"\n', "1 | 2 | a; b\n3 | 4 | c; d\n"),
        ("id,n,tags\n1,2,a;b\n3,4,c;d\n", "id | n | tags\n1 | 2 | a;b\n3 | 4 | c;d\n"),
        ("id,n,tag;s\nA,x,a;b\nB,y,c;d\n", "id | n | tag;s\nA | x | a;b\nB | y | c;d\n"),
    ],
)
def test_decimal_commas_do_not_cut_the_fields_between_semicolons(text, read):
    assert parse(text.encode(), "a.csv").text == read


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ('size\tprice\n"5 inch\t1\nsmall\t2\n', 'size | price\n"5 inch | 1\nsmall | 2\n'),
        ('size\tprice\n"5 inch\t1\n7"\t2\n', 'size | price\n"5 inch | 1\n7" | 2\n'),
        ('size\tnote\n5\t"one\ntwo"\n6\tthree\n', "size | note\n5 | one two\n6 | three\n"),
        ('size\tnote\n5\t"one\ttwo"\n', "size | note\n5 | one two\n"),
        ('size\tnote\n5\t"one\ttwo\nthree"\n6\tfour\n', "size | note\n5 | one two three\n6 | four\n"),
        ('a\tb\n\n"1\t2\n3"\t4\n5\n', 'a | b\n"1 | 2\n3" | 4\n5 |\n'),
        ('id\tname\n1\t"5 inch\n2\n3\t7"\n4\tx\n', 'id | name\n1 | "5 inch\n2 |\n3 | 7"\n4 | x\n'),
        ('"A\tB\n1\t2\n3\t4"\n', '"A | B\n1 | 2\n3 | 4"\n'),
    ],
)
def test_a_quotation_mark_alone_swallows_no_rows(text, read):
    assert parse(text.encode(), "a.tsv").text == read


def sheet_of(rows: list[list[str]]) -> bytes:
    target = io.BytesIO()
    with xlsxwriter.Workbook(target) as workbook:
        sheet = workbook.add_worksheet("S")
        for number, row in enumerate(rows):
            sheet.write_row(number, 0, row)
    return target.getvalue()


TITLES = [["Price list 2024"], ["As of 1 May"]]
NAMED_BY_YEARS = ["Region", "2022", "2023", "Q1 2024"]


@pytest.mark.parametrize(("titles", "names"), [(TITLES, ["Item", "Plan", "Price"]), ([], NAMED_BY_YEARS)])
@pytest.mark.parametrize("name", ["a.xlsx", "a.csv"])
def test_every_piece_of_a_sheet_has_the_names_of_its_columns(titles, names, name):
    rows = [[f"part {number}", *map(str, range(number, number + len(names) - 1))] for number in range(60)]
    every = [*titles, names, *rows]
    data = sheet_of(every) if name == "a.xlsx" else "\n".join(",".join(row) for row in every).encode()
    document = parse(data, name)
    chunks = chunk(document, build_sections(document), lambda texts: [len(text.split()) for text in texts], budget=60)
    assert document.text.startswith(
        "Price list 2024\nAs of 1 May\n\nItem | Plan | Price\n" if titles else "Region | 2022"
    )
    assert len(chunks) > 4 and {each.context for each in chunks[1:]} == {" | ".join(names)}


def test_names_that_span_columns_are_told_apart_by_the_row_below_them():
    target = io.BytesIO()
    with xlsxwriter.Workbook(target) as book:
        sheet = book.add_worksheet()
        sheet.merge_range("A1:A2", "Region")
        sheet.merge_range("B1:C1", 2022)
        sheet.merge_range("D1:E1", 2023)
        for number, row in enumerate([["Q1", "Q2", "Q1", "Q2"], [1, 2, 3, 4]], 1):
            sheet.write_row(number, 1, row)
        sheet.write(2, 0, "North")
    (block,) = parse(target.getvalue(), "a.xlsx").blocks
    assert block.header == "Region | 2022 | 2022 | 2023 | 2023 / Region | Q1 | Q2 | Q1 | Q2"


@pytest.mark.parametrize(
    "text",
    [
        "Ada,1984\nBob,1990\n",  # years below years are values
        "Region,2022,17\nNorth,1,2\n",
        "2022,2023\n1,2\n",
        "Stock\n1,2\n3,4\n",  # no names below the title
        "one\ntwo\nthree\nfour\nfive\nsix\nItem,Price\noil,3\n",
    ],
)
def test_rows_of_a_sheet_that_name_nothing_are_values(text):
    (block,) = parse(text.encode(), "a.csv").blocks
    assert block.kind is BlockKind.TABLE and block.header == ""


@pytest.mark.parametrize("first", ["sep=;", '"sep=;"', "SEP=;"])
def test_a_first_line_that_names_the_separator_is_no_row(first):
    document = parse(f"{first}\r\nname;price\r\noil;1,5\r\n".encode(), "a.csv")
    assert document.text == "name | price\noil | 1,5\n"
    assert document.blocks[0].header == "name | price"


@pytest.mark.parametrize(
    ("days", "read"), [(6 + 21.5 / 24, "165:30"), (0.5, "12:00"), (1 / 24 / 3600, "0:00:01"), (2, "48:00")]
)
def test_hours_are_added_up_as_the_sheet_shows_them(days, read):
    target = io.BytesIO()
    with xlsxwriter.Workbook(target) as book:
        book.add_worksheet().write(0, 0, days, book.add_format({"num_format": "[h]:mm:ss"}))
    assert parse(target.getvalue(), "a.xlsx").text == f"{read}\n"
    assert sheets.shown(datetime.timedelta(days=-days)) == f"-{read}"


@pytest.mark.parametrize(
    ("value", "read"),
    [
        (1.1 * 3, "3.3"),
        (0.1 + 0.2, "0.3"),
        (4.25, "4.25"),
        (4.0, "4"),
        (4_111_111_111_111_111.0, "4111111111111111"),
        (99_999_999_999_999.5, "99999999999999.5"),
        (0.000_012_34, "1.234e-05"),
        (6.02214076e23, "6.02214076e+23"),
    ],
)
def test_a_number_is_read_without_the_digits_that_computing_left(value, read):
    target = io.BytesIO()
    with xlsxwriter.Workbook(target) as book:
        book.add_worksheet().write_formula(0, 0, "=A2", None, value)
    assert parse(target.getvalue(), "a.xlsx").text == f"{read}\n" == f"{sheets.shown(value)}\n"


def test_a_workbook_without_a_title_is_named_after_its_file():
    target = io.BytesIO()
    with xlsxwriter.Workbook(target) as book:
        for name in ("Sheet1", "Sheet2"):
            book.add_worksheet(name).write_row(0, 0, ["a", "b"])
    document = parse(target.getvalue(), "finance/budget.xlsx")
    assert document.title == "budget"
    assert [section.breadcrumb for section in build_sections(document)] == [("budget", "Sheet1"), ("budget", "Sheet2")]


@pytest.mark.parametrize(
    ("cell", "warned"),
    [
        (b'<c r="A1"><f>1+1</f><v></v></c>', True),
        (b'<c r="A1"><f>1+1</f></c>', True),
        (b'<c r="A1"><f>1+1</f><v>2</v></c>', False),
        (b'<c r="A1" t="str"><f>""</f><v></v></c>', False),  # a value, and none to see
    ],
)
def test_a_formula_without_a_value_is_warned_of(cell, warned):
    target = io.BytesIO()
    with xlsxwriter.Workbook(target) as book:
        sheet = book.add_worksheet()
        sheet.write_formula(0, 0, "=1+1", None, 0)
        sheet.write(0, 1, "Sum")
    written = b'<c r="A1"><f>1+1</f><v>0</v></c>'
    data = repacked(target, lambda name, content: content.replace(written, cell))
    told = "1 formula has no value: the program that saved the file computed none"
    assert parse(data, "a.xlsx").warnings == ((told,) if warned else ())


SALES = [["Department", "Q1", "Share"], ["Sales", "12", "0.5"], ["IT", "9", "0.2"], []]
PHONES = [["Name", "Phone"], ["Anna", "4312"], ["Ben", "4310"]]


@pytest.mark.parametrize("name", ["a.xlsx", "a.csv"])
@pytest.mark.parametrize("titles", [[], [["People"]]])
def test_a_second_table_of_a_sheet_has_its_own_names_of_columns(titles, name):
    every = [*SALES, *titles, *PHONES]
    data = sheet_of(every) if name == "a.xlsx" else "\n".join(",".join(row) for row in every).encode()
    tables = [block for block in parse(data, name).blocks if block.kind is BlockKind.TABLE]
    assert [table.header for table in tables] == ["Department | Q1 | Share", "Name | Phone"]


@pytest.mark.parametrize(
    "group",
    [
        [["Legal", "3", "0.1"], ["Press", "1", "0"]],
        [["Abroad"], ["Paris", "3", "0.1"]],
        [["Legal", "none", "none"], ["Press", "1", "0"]],
        [["Sum", "none"], ["Share", "1", "0"]],
    ],
)
def test_groups_of_rows_are_one_table(group):
    (table,) = parse(sheet_of([*SALES, *group]), "a.xlsx").blocks
    assert table.header == "Department | Q1 | Share"


@pytest.mark.parametrize(
    ("rows", "warned"),
    [
        ([["a"], ["b"], ["c"]], ()),
        ([["a"], [""], ["c"], ["d"]], ("sheet “S” has more than 3 rows: the rest was left out",)),
        ([["a", "b"], ["c", "d", "e"]], ("sheet “S” has more than 2 columns: the rest was left out",)),
    ],
)
def test_a_sheet_whose_rows_or_columns_are_cut_says_so(monkeypatch, rows, warned):
    monkeypatch.setattr(sheets, "MOST_ROWS", 3)
    monkeypatch.setattr(sheets, "MOST_COLUMNS", 2)
    assert parse(sheet_of(rows), "a.xlsx").warnings == warned


def test_a_sheet_of_too_many_cells_is_rejected_and_its_size_said(monkeypatch):
    rows = [["a", "b"], ["c", "d"], ["e", "f"]]
    monkeypatch.setattr(sheets, "MOST_CELLS", 6)
    assert parse(sheet_of(rows), "a.xlsx").text == "a | b\nc | d\ne | f\n"
    monkeypatch.setattr(sheets, "MOST_CELLS", 5)
    with pytest.raises(ParseError, match="“S” spans 3 × 2 cells"):
        parse(sheet_of(rows), "a.xlsx")


@pytest.mark.parametrize(("line", "warned"), [("a,b,c", True), ("a,b", False), ("a,b, ,", False)])
def test_a_csv_file_whose_columns_are_cut_says_so(monkeypatch, line, warned):
    monkeypatch.setattr(sheets, "MOST_COLUMNS", 2)
    document = parse(f"x,y\n{line}\n".encode(), "a.csv")
    assert document.warnings == (("it has more than 2 columns: the rest was left out",) if warned else ())
    assert document.text == "x | y\na | b\n"


def test_hidden_sheets_are_left_out_and_counted():
    target = io.BytesIO()
    with xlsxwriter.Workbook(target) as book:
        for name in ("Rooms", "Salaries", "Lists"):
            book.add_worksheet(name).write(0, 0, f"in {name}")
        book.worksheets()[1].hide()
        book.worksheets()[2].very_hidden()
    document = parse(target.getvalue(), "a.xlsx")

    assert document.text == "in Rooms\n" and document.warnings == ("2 hidden sheets were left out",)


def workbook(rows, look):
    target = io.BytesIO()
    with xlsxwriter.Workbook(target) as book:
        sheet = book.add_worksheet()
        for number, row in enumerate(rows):
            sheet.write_row(number, 0, row)
        look(book, sheet)
    return target.getvalue()


STOCK = [["Item", "Price", "Paid"], ["Tent", 90, 41], ["Lamp", 12, 5], ["Rope", 7, 3]]
GONE = {"hidden": True}


def test_hidden_columns_and_rows_are_left_out_and_counted():
    def hide(book, sheet):
        sheet.set_column(2, 2, None, None, GONE)
        sheet.set_column(7, 9, None, None, GONE)  # where nothing stands
        sheet.set_row(1, None, None, GONE)
        sheet.set_row(2, None, None, GONE)

    document = parse(workbook(STOCK, hide), "a.xlsx")
    assert document.text == "Item | Price\nRope | 7\n"
    assert document.warnings == ("2 hidden rows were left out", "1 hidden column was left out")


def filtered(book, sheet):
    sheet.autofilter("A1:C4")
    sheet.filter_column("A", "x == Rope")
    sheet.set_row(1, None, None, GONE)


def filtered_table(book, sheet):
    sheet.add_table("A1:C4", {"columns": [{"header": name} for name in STOCK[0]]})
    sheet.set_row(1, None, None, GONE)


def folded(book, sheet):
    sheet.set_row(1, None, None, {"level": 1, **GONE})
    sheet.set_column(2, 2, None, None, {"level": 1, **GONE})


@pytest.mark.parametrize("look", [filtered, filtered_table, folded])
def test_rows_that_a_filter_or_a_fold_hides_are_read(look):
    def choose(name: str, content: bytes) -> bytes:
        filters = b'<autoFilter ref="A1:C4"><filterColumn colId="0"/></autoFilter>'
        return content.replace(b'<autoFilter ref="A1:C4"/>', filters) if "tables/" in name else content

    document = parse(repacked(io.BytesIO(workbook(STOCK, look)), choose), "a.xlsx")
    assert document.text.split("\n")[1] == "Tent | 90 | 41" and document.warnings == ()


def test_a_sheet_of_hidden_columns_has_no_text():
    with pytest.raises(ParseError, match="empty or hidden"):
        parse(workbook(STOCK, lambda book, sheet: sheet.set_column(0, 9, None, None, GONE)), "a.xlsx")


@pytest.mark.parametrize(
    ("form", "value", "read"),
    [
        ("0%", 0.19, "19%"),
        ("0.0\\ %", 0.07, "7 %"),
        ('#,##0.00 "€"', 1234.5, "1234.5 €"),
        ("#,##0.00\\ [$€-407]", -1234.5, "-1234.5 €"),
        ('_("$"* #,##0.00_);_("$"* \\(#,##0.00\\);_("$"* "-"??_);_(@_)', 5, "$5"),
        ('0 "kg"', 3500, "3500 kg"),
        ('[Red]General" pcs";-0', 12, "12 pcs"),
        ('0.0,,"M"', 1_200_000, "1200000"),  # said in thousands
        ('"A-"0000', 42, "A-0042"),
        ("00000", 1234, "01234"),
        ("00000", -7, "-00007"),
        ("00.0", 1.5, "1.5"),
        ("000", 12345, "12345"),
        ('[>9]0 "many";0 "few"', 12, "12"),
        ('# ?/?"x"', 0.5, "0.5"),
        ('0.00E+00 "V"', 1500, "1500"),
        ('00" "00', 1234, "1234"),
        ("#,##0.00", 1234.5, "1234.5"),
    ],
)
def test_a_number_is_read_with_the_unit_and_the_zeros_that_its_format_gives_it(form, value, read):
    data = workbook([], lambda book, sheet: sheet.write(0, 0, value, book.add_format({"num_format": form})))
    assert parse(data, "a.xlsx").text == f"{read}\n"


def test_numbers_with_units_name_no_columns():
    def weigh(book, sheet):
        for row, value in enumerate((3500, 20)):
            sheet.write(row, 1, value, book.add_format({"num_format": '0 "kg"'}))

    (block,) = parse(workbook([["Truck"], ["Bike"]], weigh), "a.xlsx").blocks
    assert (block.kind, block.header) == (BlockKind.TABLE, "")


def test_times_of_more_than_a_day_are_read_of_an_ods_as_the_sheet_shows_them():
    times = ["PT26H30M00S", "PT09H30M00S", "PT30H00M07.500S", "-PT01H05M00S"]
    cells = [f'<table:table-cell office:value-type="time" office:time-value="{time}"/>' for time in times]
    text = '<table:table-cell office:value-type="string"><text:p>PT1H</text:p></table:table-cell>'
    row = f"<table:table-row>{''.join(cells)}{text}</table:table-row></table:table></office:spreadsheet>".encode()

    def timed(name: str, content: bytes) -> bytes:
        return re.sub(rb"</table:table>\s*</office:spreadsheet>", lambda _: row, content)

    document = parse(repacked(GOLDEN / "sheets/in/rooms.ods", timed), "a.ods")
    assert document.text.endswith("26:30 | 09:30:00 | 30:00:07 | -1:05 | PT1H\n")


def test_a_hidden_sheet_of_an_ods_is_left_out():
    style = b'<style:style style:name="gone" style:family="table"><style:table-properties table:display="false"/>'

    def hide(name: str, content: bytes) -> bytes:
        if name != "content.xml":
            return content
        row = b'<table:table-cell office:value-type="string"><text:p>secret</text:p></table:table-cell>'
        table = b'<table:table table:name="More" table:style-name="gone">%b</table:table>'
        hidden = table % (b"<table:table-row>%b</table:table-row>" % row)
        content = re.sub(rb"</office:spreadsheet>", lambda end: hidden + end[0], content)
        styles = b"<office:automatic-styles>" + style + b"</style:style></office:automatic-styles>"
        return content.replace(b"<office:body>", styles + b"<office:body>")

    document = parse(repacked(GOLDEN / "sheets/in/rooms.ods", hide), "a.ods")
    assert "secret" not in document.text and document.warnings == ("1 hidden sheet was left out",)
