"""Quotations as a terminal shows them: without markup, as on the pages, and tables in columns."""

from itertools import zip_longest
from shutil import get_terminal_size

from knowledge.texts.formats import may_hold_html
from knowledge.texts.lines import column_of
from knowledge.texts.tables.rst_spans import as_wide
from knowledge.texts.tables.table import Table
from retrieval.notations import is_document
from retrieval.pages.plain import plain, tables_apart
from retrieval.results import Citation

BETWEEN = "  "  # columns


def printed(citation: Citation, mark: str) -> str:
    """The quotation, its mark behind it or below a table. Lines of a program stay as they are."""
    hit, quote = citation.hit, citation.quote
    if not is_document(hit.source_file):
        return f"{quote} {mark}"
    placed = " " * column_of(max(hit.text.find(quote), 0), hit.text) + quote
    has_html = may_hold_html(hit.source_file)
    parts = [
        (in_columns(table) if table else plain(text, has_html), table)
        for text, table in tables_apart(citation.table_head + placed, has_html)
    ]
    between = "\n" if parts and parts[-1][1] else " "
    said = "\n\n".join(text for text, _ in parts if text)
    return f"{said}{between}{mark}"


def in_columns(table: Table) -> str:
    """Row by row where it is wider than the terminal."""
    rows = [table.names, *(row.cells for row in table.rows)]
    columns = [*zip_longest(*rows, fillvalue="")]
    widths = [max(len(as_wide(cell)) for cell in column) for column in columns]
    if sum(widths) + len(BETWEEN) * (len(widths) - 1) > get_terminal_size().columns:
        return "\n".join(table.told())
    names, *others = zip(*columns, strict=True)
    lines = [names, ["-" * width for width in widths], *others]
    drawn = (
        BETWEEN.join(cell + " " * (width - len(as_wide(cell))) for cell, width in zip(line, widths, strict=True))
        for line in lines
    )
    return "\n".join([*([table.title] if table.title else []), *(line.rstrip() for line in drawn)])
