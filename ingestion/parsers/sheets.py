"""Spreadsheets: a section a sheet, a line a row, the row that names the columns repeated with what follows."""

import csv
import datetime
import io
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby, pairwise
from typing import Any

import python_calamine
from python_calamine import CalamineWorkbook, SheetTypeEnum, SheetVisibleEnum

from ingestion.documents import ParsedDocument, ParseError, stem
from ingestion.parsers.archives import Archive
from ingestion.parsers.encoding import decode
from ingestion.parsers.odt import NAMESPACES
from ingestion.parsers.tables import LONGEST_REPEATED, MOST_REPEATED
from ingestion.parsers.workbooks import Amount, Hidden, Workbook, in_digits
from ingestion.parsers.writing import Writer

MEDIA_TYPES = {
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ".xlsm": "application/vnd.ms-excel.sheet.macroEnabled.12",
    ".ods": "application/vnd.oasis.opendocument.spreadsheet",
    ".csv": "text/csv",
    ".tsv": "text/tab-separated-values",
}
SEPARATOR = re.compile(r"\A\"?sep=([,;|\t])\"?\n", re.I)  # a first line that tells spreadsheets, and is not shown
QUOTED = re.compile(r'"[^"]*"')
DECIMAL_COMMA = re.compile(r"(?<=[0-9]),(?=[0-9])")  # where semicolons are between the fields
NO_VALUE = re.compile(rb'<c(?=\s)(?![^>]*\bt="str")[^>]*><f[^>]*(?:/>|>[^<]*</f>)(?:<v\s*/>|<v></v>)?</c>')
MOST_ROWS = 200_000
MOST_COLUMNS = 1_000
MOST_CELLS = 4_000_000
LONGEST_FIELD = 1_000_000  # characters
MOST_HEADERS = 2  # rows of names of columns
MOST_TITLES = 5  # rows above the one that names the columns
YEARS = range(1900, 2101)
TIME = re.compile(r"(-?)PT([0-9]{1,6})H([0-9]{1,2})M([0-9]{1,2})(?:[.,][0-9]+)?S")  # of an ODS
Place = tuple[int, int]  # row, column


def parse(data: bytes, path: str) -> ParsedDocument:
    """XLSX and ODS. What a formula gave when the file was saved is its text, with what its format adds to it."""
    archive = Archive(data, path, "a spreadsheet")
    without_value = 0
    for name, member in archive.members.items():
        if name.endswith((".xml", ".rels")) and member.file_size:
            part = archive.read(name)
            archive.refuse_entities(part)
            without_value += sum(1 for _ in NO_VALUE.finditer(part))
    if "META-INF/manifest.xml" in archive and b"encryption-data" in archive.read("META-INF/manifest.xml"):
        raise ParseError(path, "it is encrypted: it needs a password")
    try:
        workbook = CalamineWorkbook.from_filelike(io.BytesIO(data))
        every = [sheet for sheet in workbook.sheets_metadata if sheet.typ == SheetTypeEnum.WorkSheet]
    except (python_calamine.CalamineError, ValueError, OSError) as error:
        raise ParseError(path, f"it is damaged, or no spreadsheet ({error})") from error
    writer, looks, hidden = Writer(path), Workbook(archive), Counter[str]()
    sheets = [sheet for sheet in every if sheet.visible == SheetVisibleEnum.Visible]
    hidden["sheet"] = len(every) - len(sheets)
    for sheet in sheets:
        hidden += write_sheet(workbook, sheet.name, looks, writer, named=len(sheets) > 1)
    if not writer.blocks:
        raise ParseError(path, f"it has no text: its sheets are empty{' or hidden' if hidden.total() else ''}")
    if without_value:
        are = "formula has" if without_value == 1 else "formulas have"
        writer.warnings.append(f"{without_value:,} {are} no value: the program that saved the file computed none")
    for what, count in hidden.items():
        if count:
            writer.warnings.append(f"{count:,} hidden {what}{' was' if count == 1 else 's were'} left out")
    return writer.finish(MEDIA_TYPES["." + path.rsplit(".", 1)[-1].lower()], title_of(archive) or stem(path))


def write_sheet(
    workbook: CalamineWorkbook, name: str, looks: Workbook, writer: Writer, named: bool
) -> Mapping[str, int]:
    """Gives how many rows and columns that say something are hidden, and left out."""
    try:
        sheet = workbook.get_sheet_by_name(name)
        height, width = sheet.height, sheet.width  # of what is filled; `total_height` is the index of its last row
        if height * width > MOST_CELLS:
            raise ParseError(writer.path, f"its sheet “{name}” spans {height:,} × {width:,} cells; that is too many")
        rows = sheet.to_python(skip_empty_area=True, nrows=MOST_ROWS)
    except (python_calamine.CalamineError, ValueError) as error:
        writer.warnings.append(f"sheet “{name}” cannot be read ({error})")
        return {}
    start = sheet.start or (0, 0)
    hidden = looks.look(name, rows, start)
    tell = shown_in_ods if writer.path.lower().endswith(".ods") else shown
    every = [[tell(value) for value in row[:MOST_COLUMNS]] for row in rows]
    spread(every, sheet.merged_cell_ranges or (), start)
    every, left_out = without_hidden(every, hidden, start)
    tables = tables_of(every)
    if tables and named:
        writer.heading(1, name)
    if sheet.height > MOST_ROWS:
        writer.warnings.append(f"sheet “{name}” has more than {MOST_ROWS:,} rows: the rest was left out")
    if any(value != "" for row in rows for value in row[MOST_COLUMNS:]):
        writer.warnings.append(f"sheet “{name}” has more than {MOST_COLUMNS:,} columns: the rest was left out")
    for table in tables:
        write_rows(table, writer)
    return left_out


def without_hidden(
    rows: Sequence[list[str]], hidden: Hidden, start: Place
) -> tuple[list[list[str]], Mapping[str, int]]:
    """What is shown, and how many of the rows and columns that are not say something."""
    gone = {row - start[0] for row in hidden.rows}
    columns = {column - start[1] for column in hidden.columns}
    shown = [row for at, row in enumerate(rows) if at not in gone]
    left_out = {
        "row": sum(any(row) for at, row in enumerate(rows) if at in gone),
        "column": len({column for row in shown for column in columns if column < len(row) and row[column]}),
    }
    if columns:
        shown = [[cell for column, cell in enumerate(row) if column not in columns] for row in shown]
    return shown, left_out


def spread(rows: Sequence[list[str]], merged: Sequence[tuple[Place, Place]], start: Place) -> None:
    """In place: the text of merged cells at the places that they cover, as `knowledge.texts.tables.spans` has it, but
    where a row or a column says nothing else.

    `merged` are the first and the last place of each range, row and column counted from the sheet's own; `start` is the
    place of the first cell of `rows`.
    """
    telling = [any(row) for row in rows] if merged else []
    used = {column for row in rows for column, text in enumerate(row) if text} if merged else set()
    left = MOST_REPEATED
    for (top, first), (bottom, last) in merged:
        row, column = top - start[0], first - start[1]
        if not (0 <= row < len(rows) and 0 <= column < len(rows[row])):
            continue
        text, is_title = rows[row][column], last > first and sum(map(bool, rows[row])) == 1
        if not text or is_title or len(text) > LONGEST_REPEATED:
            continue
        for covered in range(row, min(bottom - start[0] + 1, len(rows))):
            for place in range(column, min(last - start[1] + 1, len(rows[covered]))):
                if telling[covered] and place in used and not rows[covered][place] and left > 0:
                    rows[covered][place] = text
                    left -= len(text)


class Unquoted(csv.excel_tab):
    quoting = csv.QUOTE_NONE


def parse_csv(data: bytes, path: str) -> ParsedDocument:
    """CSV and TSV in any dialect that can be told from their beginning."""
    text, warnings = decode(data, path)
    writer = Writer(path, warnings=list(warnings))
    csv.field_size_limit(LONGEST_FIELD)
    rows, too_wide = [], False
    try:
        for row in csv.reader(io.StringIO(SEPARATOR.sub("", text)), dialect_of(text, path)):
            rows.append([field.strip() for field in row[:MOST_COLUMNS]])
            too_wide = too_wide or any(field.strip() for field in row[MOST_COLUMNS:])
            if len(rows) > MOST_ROWS:
                raise ParseError(path, f"it has more than {MOST_ROWS:,} rows")
    except csv.Error as error:
        raise ParseError(path, f"its rows cannot be told apart ({error})") from error
    if too_wide:
        writer.warnings.append(f"it has more than {MOST_COLUMNS:,} columns: the rest was left out")
    for table in tables_of(rows):
        write_rows(table, writer)
    return writer.finish(MEDIA_TYPES[".tsv" if path.lower().endswith(".tsv") else ".csv"])


def dialect_of(text: str, path: str) -> type[csv.Dialect] | csv.Dialect:
    """As the file says; else by the first lines: the delimiter that cuts all of them into equally many fields."""
    if named := SEPARATOR.match(text):
        return type("Named", (csv.excel,), {"delimiter": named[1]})
    if path.lower().endswith(".tsv"):
        return csv.excel_tab if is_quoted(text) else Unquoted
    lines = [line for line in text[:20_000].split("\n")[:50] if line.strip()]
    if all(";" in QUOTED.sub("", line) for line in lines):
        lines = [DECIMAL_COMMA.sub(".", line) for line in lines]
    best, score = csv.excel.delimiter, (0, 0)
    for delimiter in ";,\t|":
        counts = [len(row) for row in csv.reader(lines, delimiter=delimiter)]
        common = max(set(counts), key=lambda count: (counts.count(count), count), default=1)
        found = (counts.count(common), common) if common > 1 else (0, 0)
        if found > score:
            best, score = delimiter, found
    return type("Sniffed", (csv.excel,), {"delimiter": best})


def is_quoted(text: str) -> bool:
    """Whether the quotation marks at the edges of tab-separated fields are pairs: one alone would swallow rows.

    A field over several columns and lines is one if all rows are equally wide with it, and no line of it is.
    """
    lines, reader = text.split("\n"), csv.reader(io.StringIO(text), delimiter="\t", strict=True)
    widths: set[int] = set()
    torn: set[int] = set()
    first = 0
    try:
        for row in reader:
            if any("\t" in field and "\n" in field for field in row):
                torn |= {line.count("\t") + 1 for line in lines[first : reader.line_num]}
            widths |= {len(row)} if row else set()
            first = reader.line_num
    except csv.Error:
        return False
    return not torn or (len(widths) == 1 and min(widths) > 1 and not torn & widths)


def tables_of(rows: Iterable[Sequence[str]]) -> list[list[list[str]]]:
    """The rows cut where, below an empty one, another table begins."""
    tables: list[list[Sequence[str]]] = []
    columns: set[int] = set()
    for is_filled, group in groupby(rows, key=lambda row: any(cell.strip() for cell in row)):
        if not is_filled:
            continue
        stretch = list(group)
        if not tables or begins_table(stretch, columns):
            tables.append([])
            columns = set()
        tables[-1] += stretch
        columns = columns or next((own for own in map(filled, stretch) if len(own) > 1), set())
    return [without_empty(table) for table in tables]


def begins_table(rows: Sequence[Sequence[str]], above: set[int]) -> bool:
    """Whether they have names of columns of their own, and are no more rows of the table above, which are in groups:
    those have the columns of its first row, `above`. Below names there are numbers, and nothing beside them.
    """
    titles = title_rows(rows)
    names, *values = map(filled, rows[titles:])
    if not above or not values or not header_rows(rows[titles:]) or (not titles and names == above):
        return False
    has_numbers = any(is_number(row[column]) for row in rows[titles + 1 :] for column in filled(row))
    return has_numbers and all(columns <= names for columns in values)


def filled(row: Sequence[str]) -> set[int]:
    return {column for column, cell in enumerate(row) if cell.strip()}


def without_empty(rows: Iterable[Sequence[str]]) -> list[list[str]]:
    """The rows and columns in which something stands."""
    filled = [list(row) for row in rows if any(cell.strip() for cell in row)]
    width = max(map(len, filled), default=0)
    kept = [column for column in range(width) if any(len(row) > column and row[column].strip() for row in filled)]
    return [[row[column] if column < len(row) else "" for column in kept] for row in filled]


def write_rows(rows: Sequence[Sequence[str]], writer: Writer) -> None:
    """As a table, and the titles above it as a paragraph."""
    titles = title_rows(rows)
    writer.paragraph("\n".join("".join(row) for row in rows[:titles]))
    table = rows[titles:]
    writer.table(table, header_rows(table))


def title_rows(rows: Sequence[Sequence[str]]) -> int:
    """How many rows at the top have one filled cell each, if the next one names columns."""
    for number, row in enumerate(rows[: MOST_TITLES + 1]):
        if sum(map(bool, row)) > 1:
            return number if header_rows(rows[number : number + MOST_HEADERS + 1]) else 0
    return 0


def header_rows(rows: Sequence[Sequence[str]]) -> int:
    """How many rows name the columns: 0, 1, or 2 where names of the first span several columns, which the second tells
    apart.
    """
    if len(rows) < 2 or not names_columns(rows[0], rows[1]):
        return 0
    spans = any(cell and cell == after for cell, after in pairwise(rows[0]))
    return 2 if spans and len(rows) > 2 and names_columns(rows[1], rows[2]) else 1


def names_columns(row: Sequence[str], below: Sequence[str]) -> bool:
    """Whether it is several words, or years behind a word, and no other number."""
    filled = [cell for cell in row if cell]
    return len(filled) > 1 and (not any(map(is_number, filled)) or names_years(row, below))


def names_years(first: Sequence[str], second: Sequence[str]) -> bool:
    """Whether the numbers of a row are the years that its columns are of: below them there are not years again."""
    numbers = [column for column, cell in enumerate(first) if is_number(cell)]
    are_years = all(is_year(first[column]) for column in numbers)
    return are_years and 0 not in numbers and not all(is_year(second[column]) for column in numbers)


def is_number(cell: str) -> bool:
    return isinstance(cell, Amount) or cell.replace(".", "").isdecimal()


def is_year(cell: str) -> bool:
    return cell.isdecimal() and len(cell) == 4 and int(cell) in YEARS


def shown(value: Any) -> str:
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float):
        return in_digits(value)
    if isinstance(value, datetime.datetime) and value.time() == datetime.time():
        return value.date().isoformat()
    if isinstance(value, datetime.datetime | datetime.date | datetime.time):
        return value.isoformat(" ") if isinstance(value, datetime.datetime) else value.isoformat()
    if isinstance(value, datetime.timedelta):
        return spent(value)
    return value if isinstance(value, str) else str(value)


def shown_in_ods(value: Any) -> str:
    """calamine gives times of more than a day, and those below zero, as the file has them."""
    time = TIME.fullmatch(value) if isinstance(value, str) else None
    if not time:
        return shown(value)
    hours, minutes, seconds = map(int, time.groups()[1:])
    return spent(datetime.timedelta(hours=hours, minutes=minutes, seconds=seconds) * (-1 if time[1] else 1))


def spent(time: datetime.timedelta) -> str:
    """Hours and minutes, as sheets show a sum of times, and seconds where there are some."""
    minutes, seconds = divmod(round(abs(time).total_seconds()), 60)
    hours = f"{'-' if time.days < 0 else ''}{minutes // 60}:{minutes % 60:02}"
    return f"{hours}:{seconds:02}" if seconds else hours


def title_of(archive: Archive) -> str:
    for name in ("docProps/core.xml", "meta.xml"):
        if name in archive:
            return archive.xml(name).findtext(".//dc:title", namespaces=NAMESPACES) or ""
    return ""
