"""Tables whose cells are bounded by drawn rules."""

from itertools import pairwise

import pytest
from liteparse import AnnotationRect, LayoutBlock, LayoutCell, TextItem, WordBox

from ingestion.documents import BlockKind
from ingestion.parsers import parse
from ingestion.parsers.pdf import drawn_rules, drawn_tables
from ingestion.parsers.pdf.drawn_rules import Region
from ingestion.parsers.pdf.drawn_tables import RuledTable, are_cells, heads_in, tables_in, words_in
from ingestion.parsers.pdf.placed import put_in
from ingestion.parsers.pdf.spoken import Page
from tests.ingestion.pdfs import HEIGHT, make_pdf, rule
from tests.ingestion.test_pdf_outline import bookmarks, line

LEFT, TOP, ROW = 72, 100, 24
COLUMNS = (72, 132, 232, 332)


def grid(columns, rows, but=()):
    """Rules around all places, without those named: ("across", number of the rule, column), ("down", rule, row)."""
    across = [
        rule(left, row, right, row)
        for at, row in enumerate(rows)
        for column, (left, right) in enumerate(pairwise(columns))
        if ("across", at, column) not in but
    ]
    down = [
        rule(column, top, column, bottom)
        for at, column in enumerate(columns)
        for row, (top, bottom) in enumerate(pairwise(rows))
        if ("down", at, row) not in but
    ]
    return "".join(across + down)


def words(rows, columns=COLUMNS, top=TOP, height=ROW):
    """Each cell a line, or several."""
    return [
        (left + 4, top + height * at + 11 + 11 * line, 9, text)
        for at, row in enumerate(rows)
        for left, cell in zip(columns, row, strict=False)
        for line, text in enumerate(cell.split("\n"))
        if text
    ]


def tops(count, height=ROW):
    return [TOP + height * at for at in range(count + 1)]


def read(lines, drawn, **more):
    return parse(make_pdf([lines], drawn=drawn, **more), "a.pdf")


def rows_of(document):
    lines = document.text.split("\n")
    tables = [block for block in document.blocks if block.kind is BlockKind.TABLE]
    return [lines[table.line_start - 1 : table.line_end] for table in tables]


PRICES = [("Part", "What it is", "Price"), ("A-1", "Left screw", "4.50"), ("B-2", "Cover", "30.00")]
WRAPPED = [
    ("Interval", "Task", "Who"),
    ("250 hours", "Check the level of\nthe oil, and fill up", "Fitter"),
    ("500 hours", "Change the filter\nof the second pump", "Workshop"),
]


def test_words_close_to_each_other_are_in_the_cells_between_rules():
    told = [
        ("Country", "Meals", "Hotel"),
        ("France", "34 EUR", "150 EUR"),
        ("The United Kingdom and Ireland", "40 GBP", ""),
    ]
    columns = (72, 216, 250, 292)
    assert rows_of(read(words(told, columns), grid(columns, tops(3)))) == [[" | ".join(row).rstrip() for row in told]]


def test_a_table_whose_columns_are_those_of_another_below_a_heading_is_one_by_itself():
    second = [(x, y + 140, size, text) for x, y, size, text in words(PRICES)]
    drawn = grid(COLUMNS, tops(3)) + grid(COLUMNS, [top + 140 for top in tops(3)])
    document = read([*words(PRICES), (72, 225, 15, "Prices of autumn"), *second], drawn)
    rows = "\n".join(" | ".join(row) for row in PRICES)
    assert document.text == f"{rows}\n\nPrices of autumn\n\n{rows}\n"


def test_columns_of_tables_that_are_nearly_in_one_place_are_their_own():
    """The rules of each are as thick as two lines."""
    drawn, lines = "", []
    for at in range(5):
        columns, top = [72, 192 + 1.8 * at, 312, 432], 20 + 100 * at
        drawn += "".join(grid([left + thick for left in columns], [y + top for y in tops(2)]) for thick in (0, 0.8))
        lines += words(PRICES[1:], columns, TOP + top)
    assert rows_of(read(lines, drawn)) == [[" | ".join(row) for row in PRICES[1:]]] * 5


def test_cells_with_some_room_between_them_have_none_there():
    drawn = "".join(
        grid([left, right - 2.6], [top, below - 2.6])
        for left, right in pairwise(COLUMNS)
        for top, below in pairwise(tops(3))
    )
    assert rows_of(read(words(PRICES), drawn)) == [[" | ".join(row) for row in PRICES]]


def test_a_cell_that_is_written_down_line_by_line_with_its_neighbours_is_read_by_itself():
    """As the page says it, words of two cells stand beside each other."""
    why = "The pump is driven by a\nmotor that is mounted on\nthe frame behind it"
    what = "Stop the machine, then\nopen the cover and look\nwhether the belt is worn"
    told = [("Pump", why, what), ("Valve", why.replace("pump", "valve"), what.replace("machine", "pump"))]
    columns = (72, 122, 262, 402)
    lines = sorted(words(told, columns, height=44), key=lambda line: (line[1], line[0]))
    [rows] = rows_of(read(lines, grid(columns, tops(2, 44))))
    assert rows == [" | ".join(row).replace("\n", " ") for row in told]


def test_lines_of_a_cell_are_one_row_though_another_stands_between_them():
    lines = words(WRAPPED, height=30)
    middle = [(x, y + 5.5 if x < 130 and y > 130 else y, size, text) for x, y, size, text in lines]
    [rows] = rows_of(read(middle, grid(COLUMNS, tops(3, 30))))
    assert rows == [
        "Interval | Task | Who",
        "250 hours | Check the level of the oil, and fill up | Fitter",
        "500 hours | Change the filter of the second pump | Workshop",
    ]


def test_what_spans_rows_and_columns_stands_at_each_of_their_places():
    told = [("Kind", "Notice", ""), ("", "inside", "outside"), ("Leave", "3 days", "5 days")]
    drawn = grid(COLUMNS, tops(3), but={("down", 2, 0), ("across", 1, 0)})
    [rows] = rows_of(read(words(told), drawn))
    assert rows == ["Kind | Notice | Notice", "Kind | inside | outside", "Leave | 3 days | 5 days"]


def test_filled_boxes_as_thin_as_rules_are_rules():
    thin = "".join(f"{x} {HEIGHT - TOP - 3 * ROW} 0.7 {3 * ROW} re f\n" for x in COLUMNS)
    thin += "".join(f"72 {HEIGHT - y} 260.7 0.7 re f\n" for y in tops(3))
    assert rows_of(read(words(PRICES), thin)) == [[" | ".join(row) for row in PRICES]]


def test_rules_within_a_form_object_are_seen():
    form = grid(COLUMNS, tops(3))
    size = f"/BBox [0 0 595 842] /Matrix [1 0 0 1 0 0] /Length {len(form)}"
    more = [f"<< /Type /XObject /Subtype /Form {size} >>\nstream\n{form}endstream"]
    page = make_pdf([words(PRICES)], drawn="/X Do\n", more=more).replace(
        b"/Resources << ", b"/Resources << /XObject << /X 5 0 R >> "
    )
    assert rows_of(parse(page, "a.pdf")) == [[" | ".join(row) for row in PRICES]]


def test_rows_that_no_rule_parts_are_apart():
    told = [("Part", "What it is", "Price"), ("A-1\nB-2\nC-3", "Left screw\nCover\nSeal", "4.50\n30.00\n1.20")]
    drawn = grid(COLUMNS, [TOP, TOP + 16, TOP + 64])
    lines = [(x, y if text in told[0] else y - 8, size, text) for x, y, size, text in words(told)]
    [rows] = rows_of(read(lines, drawn))
    assert rows == ["Part | What it is | Price", "A-1 | Left screw | 4.50", "B-2 | Cover | 30.00", "C-3 | Seal | 1.20"]


@pytest.mark.parametrize(
    "told",
    [
        [("Name", "Contact"), ("Ann Lee\nDirector", "ann@x.org\n0ann123"), ("Bob Roy\nClerk", "bob@x.org\n0bob123")],
        [("Hour", "Mon", "Tue"), ("8", "Art\nRoom 3\nMr Lee\nGroup A", "Law\nRoom 4\nMr Roy\nGroup B")],
    ],
)
def test_lines_of_cells_that_stand_beside_each_other_are_one_row_where_they_may_be(told):
    columns = (72, 192, 312, 432)
    drawn = grid(columns[: len(told[0]) + 1], tops(len(told), 56))
    [rows] = rows_of(read(words(told, columns, height=56), drawn))
    assert rows == [" | ".join(row).replace("\n", " ") for row in told]


def test_names_as_wide_as_their_column_are_rows_that_no_rule_parts():
    names, meant = ["background", "charsetname", "fontcolour", "labelplaces"], ["of it", "of text", "of type", "where"]
    told = [("Name", "Meaning"), ("\n".join(names), "\n".join(meant))]
    [rows] = rows_of(read(words(told, height=56), grid(COLUMNS[:3], tops(2, 56))))
    assert rows == ["Name | Meaning", *(" | ".join(row) for row in zip(names, meant, strict=True))]


def test_a_paragraph_in_two_columns_is_not_torn_by_a_table_between_them():
    """Its box, about both of its parts, reaches over the table."""
    paragraph = LayoutBlock("paragraph", "It goes on in the next column", bbox=AnnotationRect(72, 60, 450, 400))
    table = RuledTable("table", bbox=AnnotationRect(72, 100, 190, 72))
    items = [TextItem("Price", 80, 110, 30, 10), TextItem("in the next column", 330, 60, 90, 10)]
    assert put_in([table], [paragraph], items, 297) == [paragraph, table]


def test_what_is_left_of_a_table_that_reached_over_another_keeps_its_head_and_rows():
    told = [["Title", "File"], ["Guide", "guide.pdf"], ["Changes", "changes.txt"], ["wiki", "on the net"]]
    items = [
        TextItem(text, 80 + 100 * column, 100 + 20 * at, 60, 10)
        for at, row in enumerate(told)
        for column, text in enumerate(row)
    ]
    cells = [LayoutCell(item.text, AnnotationRect(item.x, item.y, 60, 10)) for item in items]
    header, *rows = [cells[at : at + 2] for at in range(0, len(cells), 2)]
    block = LayoutBlock("table", header=header, rows=rows, bbox=AnnotationRect(72, 90, 300, 90))
    table = RuledTable("table", bbox=AnnotationRect(72, 155, 190, 25))
    left, put = put_in([table], [block], items, 297)
    assert (left.kind, left.header, left.rows, put) == ("table", header, rows[:2], table)


def test_names_above_and_totals_below_the_rules_are_rows():
    told = [*PRICES, ("C-3", "Seal", "1.20"), ("Total", "", "35.70")]
    drawn = grid(COLUMNS, tops(4)[1:])
    [rows] = rows_of(read(words(told), drawn))
    assert rows[0] == "Part | What it is | Price" and rows[-1] == "Total |  | 35.70" and len(rows) == 5


@pytest.mark.parametrize("head", ["", "Year"])
def test_names_of_rows_beside_the_rules_are_a_column(head):
    told = [(head, "2023", "2024"), ("Income", "10", "20"), ("Costs", "5", "6"), ("Profit after tax", "5", "14")]
    [rows] = rows_of(read(words(told, (60, 132, 232)), grid(COLUMNS[1:], tops(4))))
    assert rows == [f"{head} | 2023 | 2024", "Income | 10 | 20", "Costs | 5 | 6", "Profit after tax | 5 | 14"]


def test_a_part_of_a_table_with_fills_behind_it_is_not_cut_off():
    told = [(f"A-{at}", f"Name {at}", f"{at}.50") for at in range(6)]
    fills = "".join(
        f"0.9 g {left} {HEIGHT - TOP - ROW * (row + 1)} {right - left} {ROW} re f\n"
        for row in (0, 1)
        for left, right in pairwise(COLUMNS)
    )
    assert read(words(told), f"{fills}0 g\n").text == read(words(told), "").text


def test_a_title_across_the_table_stands_above_it():
    told = [("Prices of this spring", "", ""), *PRICES]
    document = read(words(told), grid(COLUMNS, tops(4), but={("down", 1, 0), ("down", 2, 0)}))
    assert document.text.startswith("Prices of this spring\n\nPart | What it is | Price\n")


def test_a_table_in_the_head_of_each_page_stays():
    told = [("Document", "QM-17", "5"), ("Approved by", "Ann Lee", "2024")]
    page = words(told, top=20, height=16)
    drawn = grid(COLUMNS, [20, 36, 52])
    document = parse(
        make_pdf([[*page, (72, 300, 10, f"Part {at} is on pumps.")] for at in "ABC"], drawn=drawn), "a.pdf"
    )
    assert rows_of(document) == [[" | ".join(row) for row in told]] * 3


def test_a_bookmarks_title_in_a_cell_does_not_end_the_table():
    told = [("Policy", "Owner"), ("Passwords\nof all staff", "Ann Lee"), ("Visitors\nand guests", "Bob Roy")]
    drawn = grid(COLUMNS[:3], tops(3, 30))
    [rows] = rows_of(read(words(told, height=30), drawn, catalog=bookmarks(["Passwords", "Visitors"])))
    assert rows == ["Policy | Owner", "Passwords of all staff | Ann Lee", "Visitors and guests | Bob Roy"]


@pytest.mark.parametrize(
    "text, words, told",
    [
        ("Stop the pump", ["Stop", "the", "pump"], ["Stop the", "pump"]),
        ("x ≤ 5 mm", ["x", "5", "mm"], ["x ≤ 5", "mm"]),  # a formula, of which one sign is no word
        ("5 mm ≤ x", ["5", "mm", "x"], ["5 mm ≤ x", ""]),
        ("5 mm", ["mm", "5"], ["5 mm", ""]),
        ("Grid", [], ["Grid", ""]),
        ("It goes on beyond it", ["It", "goes", "on", "beyond", "it"], ["It goes", "on beyond it"]),
    ],
)
def test_no_letter_of_what_stands_across_rules_is_lost(text, words, told):
    cells = [Region(100 * column, 100 * (column + 1), 0, 30, column, 0) for column in range(2)]
    boxes = [WordBox(word, 20 + 40 * at, 10, 30, 10) for at, word in enumerate(words)]
    item = TextItem(text, 20, 10, max(40 * len(words), 90), 10, words=boxes)
    assert [" ".join(part.text for part in parts) for parts in words_in(cells, [item]).values()] == told


def test_the_cell_of_a_word_is_not_sought_among_all(monkeypatch):
    monkeypatch.setattr(drawn_tables, "nearest", None)  # asks each cell of the grid how far it is
    cells = [Region(100 * column, 100 * (column + 1), 0, 30, column, 0) for column in range(2)]
    boxes = [WordBox("North", 20, 10, 30, 10), WordBox("South", 120, 10, 30, 10)]
    parts = words_in(cells, [TextItem("North South", 20, 10, 130, 10, words=boxes)]).values()
    assert [part.text.strip() for own in parts for part in own] == ["North", "South"]


def test_a_head_in_letters_of_its_own_is_the_tables():
    font = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold >>"
    page = make_pdf([words(PRICES)], drawn=grid(COLUMNS, tops(3))).replace(b"/Font << ", b"/Font << /B " + font)
    for name in PRICES[0]:
        line = next(line for line in page.split(b"\n") if f"({name})".encode() in line)
        page = page.replace(line, line.replace(b"BT /F", b"BT /B"))
    assert [block.header for block in parse(page, "a.pdf").blocks] == ["Part | What it is | Price"]


@pytest.mark.parametrize("rotation, count", [(90, 0), (0, 1)])
def test_a_table_that_lies_on_its_side_is_none_by_its_rules(rotation, count):
    cells = [Region(72 + 100 * at, 172 + 100 * at, top, top + 30, at, top // 30) for top in (0, 30) for at in (0, 1)]
    items = [TextItem("Word", cell.left + 10, cell.top + 10, 30, 10, rotation=rotation) for cell in cells]
    assert len(tables_in([cells], items, [])) == count


def test_a_hyphen_at_the_end_of_a_line_in_a_cell_stays_in_codes_and_names():
    told = [
        ("Code", "Word", "Who"),
        ("AB-\n17-\nX", "micro-\ncontroller", "Anne-\nMarie Lee"),
        ("C-3", "STA-\nTUS", "2022-\nClerk"),
    ]
    [rows] = rows_of(read(words(told, height=40), grid(COLUMNS, tops(3, 40))))
    assert rows[1:] == ["AB-17-X | microcontroller | Anne-Marie Lee", "C-3 | STATUS | 2022- Clerk"]


def test_letters_of_what_stands_across_rules_tell_one_row_as_head():
    """They are those of its first word, such as of a label in bold."""
    cells = [Region(100 * at, 100 * at + 100, top, top + 30, at, top // 30) for top in (0, 30, 60, 90) for at in (0, 1)]
    labels = []
    for top in (10, 40):
        boxes = [WordBox("Weight", 60, top, 30, 10), WordBox("12", 110, top, 30, 10)]
        labels.append(TextItem("Weight 12", 60, top, 80, 10, font_name="Bold", words=boxes))
    notes = [TextItem("None", 110, top, 30, 10, font_name="Plain") for top in (70, 100)]
    items = [*labels, *notes]
    assert heads_in(words_in(cells, items), items) == 1


def test_prose_across_the_whole_form_is_no_cell():
    places = [Region(100 * at, 100 * at + 100, top, top + 30, at, top // 30) for top in (0, 30) for at in (0, 1)]
    places.append(Region(0, 200, 60, 120, 0, 2, columns=2))
    told = ["Date", "3 May", "Place", "Hall", "Word " * 41]
    assert not are_cells([(place, [line(10, (0, text))]) for place, text in zip(places, told, strict=True)])


def test_a_large_line_across_the_table_is_a_heading():
    told = [("Prices of this spring", "", ""), *PRICES]
    lines = [(x, y, 14 if text == told[0][0] else size, text) for x, y, size, text in words(told)]
    document = read(lines, grid(COLUMNS, tops(4), but={("down", 1, 0), ("down", 2, 0)}))
    assert [block.title for block in document.blocks if block.kind is BlockKind.HEADING] == ["Prices of this spring"]


def test_a_heading_across_the_table_stays_one():
    cells = [Region(0, 200, 0, 30, 0, 0, columns=2)]
    cells += [Region(100 * at, 100 * at + 100, top, top + 30, at, top // 30) for top in (30, 60) for at in (0, 1)]
    items = [TextItem(f"Prices {at}", cell.left + 10, cell.top + 10, 40, 10) for at, cell in enumerate(cells)]
    [table] = tables_in([cells], items, [LayoutBlock("heading", "Prices 0", level=2)])
    title, rows = table.read(Page("", {}))
    assert (title.kind, title.text, title.level, rows.kind) == ("heading", "Prices 0", 2, "table")


@pytest.mark.parametrize("words, are", [(41, False), (40, True)])
def test_boxes_of_prose_are_no_table(words, are):
    places = [Region(100 * column, 100, 100 * row, 100, column, row) for row in range(2) for column in range(2)]
    assert are_cells([(place, [line(100, (0, "Word " * words))]) for place in places]) is are


@pytest.mark.parametrize(
    "drawn",
    [
        "".join(rule(72, y, 332, y) for y in tops(3)),  # rows alone
        f"72 {HEIGHT - 180} 260 90 re S\n",  # a frame
        rule(200, 90, 200, 180) + rule(72, 130, 332, 130),  # a cross
        f"1 1 1 RG {grid(COLUMNS, tops(3))}",  # white on white
        grid((400, 440, 480, 520), tops(6)),  # a chart beside the text
    ],
)
def test_other_rules_change_nothing(drawn):
    assert read(words(PRICES), drawn).text == read(words(PRICES), "").text


def test_a_page_with_very_many_rules_is_not_looked_through(monkeypatch):
    monkeypatch.setattr(drawn_rules, "MOST_LINES", 20)
    many = grid(COLUMNS, tops(3)) + "".join(rule(400, 300 + 2 * y, 420, 300 + 2 * y) for y in range(40))
    assert read(words(PRICES), many).text == read(words(PRICES), "").text
