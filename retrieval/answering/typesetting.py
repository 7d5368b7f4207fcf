"""How a quotation is set in an answer: paragraphs on one line each, tables and code as they stand. Pure."""

import re

from knowledge.texts.fences import Standing, standings
from knowledge.texts.indented import indented_code
from knowledge.texts.items import MARK
from knowledge.texts.lines import defines, indent_of, lines_of_blocks, lines_of_scripts
from knowledge.texts.literals import lines_with_options, literal_lines
from knowledge.texts.tables.readers import lines_of_tables
from retrieval.answering.sentences import LIST_MARK

OPENING = re.compile(rf"{MARK}\s|>|\.\. |:(?!\s)[^:`]+:(?:\s|$)")  # an item, a quotation, a directive, a field


def before_mark(text: str) -> str:
    """What parts a quotation from its mark, which would be a cell behind the last row of a table, open a fence, and be
    a part of code."""
    lines = text.split("\n")
    closes = [*standings(lines)][-1] is Standing.FENCE
    return "\n\n" if closes or len(lines) - 1 in lines_of_tables(lines) | literal_lines(lines) else " "


def unwrapped(text: str, column: int = 0, begins_block: bool = False) -> str:
    """A quotation with each paragraph, list item, field and term on one line, tables and code as they stand. An item
    stands as far in as in the file, from the outermost on.

    `column`: how far in it begins in its first line; `begins_block`: whether a block begins there, which is code where
    it stands four columns in.
    """
    said: list[str] = []
    flowing = False
    lines = text.split("\n")
    placed = [" " * column + lines[0], *lines[1:]]
    whole = placed if begins_block and opens_nothing(lines[0]) else lines
    code = {n for stretch in indented_code(whole) for n in stretch}
    apart = [n for n, line in enumerate(lines) if opens_nothing(line) and n not in code]
    terms = {n for n in apart if defines(placed, n)}
    kept = lines_of_tables(lines) | literal_lines(lines) | lines_with_options(lines) | lines_of_blocks(placed)
    kept |= lines_of_scripts(lines)
    outer = min((indent_of(line) for line in placed if LIST_MARK.match(line.lstrip())), default=0)
    if 0 in code - kept:
        lines[0] = placed[0]
    for at, (line, standing) in enumerate(zip(lines, standings(lines), strict=True)):
        bare = " ".join(line.split())
        if standing is not Standing.TEXT or at in kept | code:
            said.append(line)
            flowing = False
        elif flowing and at not in terms and opens_nothing(line):
            said[-1] += f" {bare}"
        else:
            nested = at and LIST_MARK.match(bare)
            said.append(" " * (indent_of(line) - outer) * bool(nested) + bare)
            flowing = bool(bare) and at not in terms
    return "\n".join(said)


def opens_nothing(line: str) -> bool:
    """Whether it may go on with a paragraph."""
    return bool(line.strip()) and not OPENING.match(line.strip())
