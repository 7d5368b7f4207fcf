"""What dialects of Markdown put between colons: `:::note` … `:::`."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ingestion.documents import Block, BlockKind
from ingestion.parsers.writing import words
from knowledge.texts.announcements import LANGUAGES, announced
from knowledge.texts.fences import Standing, standings

__all__ = ["LANGUAGES", "containers", "noted", "without_colons"]

COLONS = re.compile(r"[ \t>]*(?P<marks>:{3,})(?P<rest>[^:].*)?")
NOTES = words(
    """abstract admonition attention bug callout caution custom danger error example failure hint important info note
    question quote seealso success tip todo topic warning"""
)
TEXT = (BlockKind.PARAGRAPH, BlockKind.LIST, BlockKind.DEFINITION, BlockKind.NOTE)
DEEPEST = 50  # containers in containers


@dataclass(frozen=True, slots=True)
class Container:
    """Its first and its last line, by their indexes: the colons."""

    first: int
    last: int
    is_note: bool
    has_title: bool


def containers(lines: Sequence[str]) -> list[Container]:
    """Those that are closed, in the order in which they begin, none in more than DEEPEST others: of deeper ones the
    outermost are none. Colons in code are code.
    """
    found: list[Container] = []
    opened: list[tuple[int, int]] = []  # line, colons
    for index, (line, standing) in enumerate(zip(lines, standings(lines), strict=True)):
        if standing is Standing.TEXT and (colons := COLONS.fullmatch(line)):
            count, rest = len(colons["marks"]), (colons["rest"] or "").strip()
            if rest and not rest.endswith(":::"):  # on Microsoft's pages such a line stands for itself
                opened = [*opened[1 - DEEPEST :], (index, count)]
            elif not rest:
                places = range(len(opened) - 1, -1, -1)
                if (place := next((one for one in places if opened[one][1] <= count), None)) is not None:
                    found.append(container(lines, opened[place][0], index))
                    del opened[place:]
    return sorted(found, key=lambda each: each.first)


def container(lines: Sequence[str], first: int, last: int) -> Container:
    name, title = announced(lines[first]) or ("", "")
    return Container(first, last, name in NOTES, bool(title))


def without_colons(text: str, found: Iterable[Container]) -> str:
    """The text with these lines empty: what stands between them is read as if it stood alone."""
    lines = text.split("\n")
    for each in found:
        lines[each.first] = lines[each.last] = ""
    return "\n".join(lines)


def noted(blocks: Iterable[Block], found: Sequence[Container]) -> list[Block]:
    """The blocks, where what a container announces goes with the text that comes first in it, and the text of a note is
    one block; code, tables and headings stay what they are.
    """
    waiting = [each for each in reversed(found) if each.is_note or each.has_title]
    around: list[Container] = []
    told: set[int] = set()  # the first lines of those that were announced
    given: list[Block] = []
    note = -1  # the container whose text the last block is
    end = 0
    for block in blocks:
        while waiting and waiting[-1].first < block.line_start:
            told |= {each.first for each in waiting[-1:] if each.first < end}  # a footnote goes on below it
            around = [*(each for each in around if each.last >= waiting[-1].first), waiting.pop()]
            given += announcements(around[:-1], told)
        over = [each for each in around if each.last < block.line_start]
        given += announcements(over, told)
        around = [each for each in around if each not in over]
        inner, end = around[-1] if around else None, block.line_end
        if inner is None or block.kind not in TEXT:
            given += [*announcements(around[-1:], told), block]
            told |= {each.first for each in around}
            note = -1
        elif inner.is_note and note == inner.first:
            given[-1] = replace(given[-1], line_end=block.line_end)
        else:
            said = inner.first in told or (given and given[-1].line_end > inner.first)
            first = block.line_start if said else inner.first + 1
            told |= {each.first for each in around}
            given.append(replace(block, line_start=first, kind=BlockKind.NOTE if inner.is_note else block.kind))
            note = inner.first
    return [*given, *announcements([*around, *(each for each in reversed(waiting) if each.first >= end)], told)]


def announcements(found: Iterable[Container], told: set[int]) -> list[Block]:
    """The titles that stand for themselves, of those that were not told yet."""
    untold = [each for each in found if each.has_title and each.first not in told]
    told |= {each.first for each in untold}
    kinds = {True: BlockKind.NOTE, False: BlockKind.PARAGRAPH}
    return [Block(kinds[each.is_note], each.first + 1, each.first + 1) for each in untold]
