"""Answers as plain text shows them: quotations without their markup, as on the pages, tables in columns or as
Markdown's.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import zip_longest
from shutil import get_terminal_size

from knowledge.texts import formats
from knowledge.texts.languages.questions import language_of
from knowledge.texts.lines import placed
from knowledge.texts.tables.rst_spans import as_wide
from knowledge.texts.tables.table import Table
from retrieval.answering.conclusions import EXTRACT
from retrieval.answering.marks import as_named, renumbered
from retrieval.answering.phrases import said_in
from retrieval.answering.sentences import LIST_MARK
from retrieval.notices import excerpt
from retrieval.rendering.plain import as_plain_text, pieces, tables_apart
from retrieval.results import AnswerResult, Citation

BETWEEN = "  "  # columns
FENCE = "```"
SPECIAL = re.compile(r"[*`]|(?<![^\W_])_|_(?![^\W_])|<(?=[\w/!?])|\\(?=[!-/:-@\[-`{-~])")  # to Markdown, within a line


@dataclass(frozen=True, slots=True)
class OutputStyle:
    """How the parts of a quotation are written; `below` stands before a mark that has to be on a line of its own."""

    prose: Callable[[str, formats.Notation | None], str]  # and what it is written in
    program: Callable[[str], str]
    table: Callable[[Table], str]
    below: str


def text_of(answered: AnswerResult, style: OutputStyle) -> str:
    """With its citations counted as they appear. A model's words stay as they are."""
    numbers = numbers_of(answered)
    if answered.model != EXTRACT:
        return renumbered(answered.answer, numbers)
    citations = {citation.n: citation for citation in answered.citations}
    lead = answered.answer.partition("\n\n")[0]
    return "\n\n".join([lead, *(printed(citations[n], f"[{number}]", style) for n, number in numbers.items())])


def numbers_of(answered: AnswerResult) -> dict[int, int]:
    """The citations' numbers, as they appear in the answer, by those that they have."""
    named = (n for sentence in answered.sentences for n in sentence.citations)
    return as_named(named, (citation.n for citation in answered.citations))


def headings_of(answered: AnswerResult) -> tuple[str, str, str]:
    """Of what stands below it, in its own language."""
    return said_in(language_of(answered.standalone or answered.question, beside=[answered.answer])).below


def told_of_nearest(answered: AnswerResult) -> str:
    """On one line what the first section says that a refusal points at, as in a list of hits; nothing of a program."""
    documents = [hit for hit in answered.hits[:1] if answered.refused and not hit.is_program]
    return excerpt(documents[0], answered.standalone or answered.question) if documents else ""


def printed(citation: Citation, mark: str, style: OutputStyle) -> str:
    """The quotation, its mark behind it or below a table or a listing. Lines of a program stay as they are."""
    hit, quote = citation.hit, citation.quote
    if hit.is_program:
        return marked(style.program(quote), mark, style)
    written_in = formats.notation_of(hit.source_file)
    said_at = placed(quote, max(hit.text.find(quote), 0), hit.text)
    parts = [
        (style.table(table) if table else style.prose(text, written_in), table)
        for text, table in tables_apart(citation.table_head + said_at, written_in)
    ]
    said = "\n\n".join(text for text, _ in parts if text)
    return marked(said, mark, style, is_table=bool(parts and parts[-1][1]))


def marked(said: str, mark: str, style: OutputStyle, is_table: bool = False) -> str:
    return f"{said}{style.below if is_table or said.endswith(FENCE) else ' '}{mark}"


def in_columns(table: Table) -> str:
    """Row by row where it is wider than the terminal."""
    columns = columns_of(table)
    widths = [max(len(as_wide(cell)) for cell in column) for column in columns]
    if sum(widths) + len(BETWEEN) * (len(widths) - 1) > get_terminal_size().columns:
        return "\n".join(table.told())
    names, *others = zip(*columns, strict=True)
    lines = [names, ["-" * width for width in widths], *others] if table.names else others
    drawn = (
        BETWEEN.join(cell + " " * (width - len(as_wide(cell))) for cell, width in zip(line, widths, strict=True))
        for line in lines
    )
    return "\n".join([*([table.title] if table.title else []), *(line.rstrip() for line in drawn)])


def columns_of(table: Table) -> list[tuple[str, ...]]:
    """Each with its name first, and as long as the others."""
    return [*zip_longest(table.names, *(row.cells for row in table.rows), fillvalue="")]


def between_bars(table: Table) -> str:
    names, *others = zip(*columns_of(table), strict=True)
    lines = [names, ["---"] * len(names), *others]
    drawn = ("| " + " | ".join(escaped(cell).replace("|", r"\|") for cell in line) + " |" for line in lines)
    return "\n".join([*([escaped(table.title), ""] if table.title else []), *drawn])


def as_markdown(text: str, notation: formats.Notation | None = None) -> str:
    """Its paragraphs, its lists without what stands between their items, and its listings in fences."""
    said, was_item = "", False
    for piece, is_code in pieces(text, notation):
        is_item = not is_code and bool(LIST_MARK.match(piece))
        between = "\n" if is_item and was_item else "\n\n" if said else ""
        said += between + (fenced(piece) if is_code else escaped(re.sub("^• ", "- ", piece)))
        was_item = is_item
    return said


def fenced(code: str) -> str:
    """With longer marks than it has itself."""
    marks = max([FENCE, *(f"{run}`" for run in re.findall("`+", code))], key=len)
    return f"{marks}\n{code}\n{marks}"


def escaped(text: str) -> str:
    """What a reader of Markdown sees as this text."""
    return SPECIAL.sub(r"\\\g<0>", text)


TERMINAL = OutputStyle(as_plain_text, str, in_columns, "\n")
MARKDOWN = OutputStyle(as_markdown, fenced, between_bars, "\n\n")
