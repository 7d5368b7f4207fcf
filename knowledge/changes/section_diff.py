"""What changed in a text, section by section. Pure."""

import difflib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from typing import Protocol

from .word_diff import Piece, differences

CONTEXT = 2  # lines around a change
MOST_LINES = 400  # of one section
MOST_WORDS = 400  # of lines that are compared word by word
SAYS_NOTHING = re.compile(r" (?:\s*|([^\w\s])\1{2,})")  # as context: an empty line, or one that underlines
ALIKE = 0.5  # of the words: what has fewer in common was written anew


class Part(Protocol):
    """What a Section is, as far as comparing goes."""

    anchor: str
    breadcrumb: list[str]
    line_start: int
    line_end: int


@dataclass(frozen=True, slots=True)
class DiffLine:
    sign: str  # "+", "-", " ", "…", or "~": lines of which the `pieces` say what became of each word
    text: str
    pieces: tuple[Piece, ...] = ()


@dataclass(frozen=True, slots=True)
class SectionDiff:
    breadcrumb: tuple[str, ...]
    kind: str  # added, removed or changed
    lines: tuple[DiffLine, ...]


def section_diffs(before: str, old: Sequence[Part], after: str, new: Sequence[Part]) -> list[SectionDiff]:
    """The sections that differ, in the new text's order; those that are gone follow. Sections pair by their anchor."""
    old_lines, new_lines = before.split("\n"), after.split("\n")
    gone = {part.anchor: part for part in old}
    found = []
    for part in new:
        was = gone.pop(part.anchor, None)
        texts = own(old_lines, was) if was else [], own(new_lines, part)
        if texts[0] != texts[1]:
            found.append(SectionDiff(tuple(part.breadcrumb), "changed" if was else "added", compared(*texts)))
    found += [
        SectionDiff(tuple(part.breadcrumb), "removed", compared(own(old_lines, part), [])) for part in gone.values()
    ]
    return found


def own(lines: Sequence[str], part: Part) -> list[str]:
    """Its lines, without empty ones around them: where the next section begins is no change of this one."""
    return "\n".join(line.rstrip() for line in lines[part.line_start - 1 : part.line_end]).strip("\n").split("\n")


def compared(before: Sequence[str], after: Sequence[str]) -> tuple[DiffLine, ...]:
    rows = list(from_words(islice(difflib.unified_diff(before, after, lineterm="", n=CONTEXT), 2, None)))
    shown = [DiffLine("…", "") if row.startswith("@@") else DiffLine(row[0], row[1:]) for row in rows[:MOST_LINES]]
    if len(rows) > MOST_LINES:
        shown.append(DiffLine("…", f"{len(rows) - MOST_LINES} more lines"))
    return tuple(by_words(shown[1:] if shown and shown[0].sign == "…" else shown))


def from_words(rows: Iterable[str]) -> Iterator[str]:
    """The hunks, each from its first line that says something: an underline without its title does not."""
    begins = True
    for row in rows:
        is_head = row.startswith("@@")
        begins = is_head or (begins and bool(SAYS_NOTHING.fullmatch(row)))
        if is_head or not begins:
            yield row


def by_words(lines: Iterable[DiffLine]) -> Iterator[DiffLine]:
    """Lines that took the place of others are one with them where most of their words are the same."""
    gone: list[DiffLine] = []
    for sign, run in groupby(lines, key=lambda line: line.sign):
        if sign == "-":
            gone = list(run)
            continue
        new = list(run)
        pieces = reworded(gone, new) if gone and sign == "+" else ()
        yield from [DiffLine("~", "", pieces)] if pieces else [*gone, *new]
        gone = []
    yield from gone


def reworded(gone: Sequence[DiffLine], new: Sequence[DiffLine]) -> tuple[Piece, ...]:
    """The words; nothing where lines are another text, very long, or indented otherwise, which can mean something."""
    before, after = ("\n".join(line.text for line in lines) for lines in (gone, new))
    count = len(before.split()) + len(after.split())
    if count > MOST_WORDS or indents(gone) != indents(new):
        return ()
    pieces = [Piece("same", after[: len(after) - len(after.lstrip())]), *differences(before, after)]
    same = sum(len(piece.text.split()) for piece in pieces if piece.kind == "same")
    if ALIKE * count <= 2 * same < count:
        return tuple(in_one_line(piece) if piece.kind == "removed" else piece for piece in pieces if piece.text)
    return ()


def indents(lines: Iterable[DiffLine]) -> set[str]:
    return {line.text[: len(line.text) - len(line.text.lstrip())] for line in lines if line.text}


def in_one_line(piece: Piece) -> Piece:
    """The lines are broken as the new text breaks them."""
    return Piece(piece.kind, " ".join(piece.text.split()) + " ")
