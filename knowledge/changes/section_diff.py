"""What changed in a text, section by section. Pure."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import Match, SequenceMatcher
from itertools import groupby, takewhile
from typing import Protocol

from .word_diff import Piece, differences

CONTEXT = 2  # lines around a change
MOST_LINES = 400  # of one section
MOST_PAIRS = 1_000_000  # of equal lines, and lines, that are looked at for one file: within a second
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


class Matcher(SequenceMatcher[str]):
    """Looks for what is the same until it has looked at MOST_PAIRS; from then on only where two stretches begin."""

    a: Sequence[str]
    b: Sequence[str]
    b2j: dict[str, list[int]]  # where in b each line stands
    left = MOST_PAIRS

    def find_longest_match(self, alo: int = 0, ahi: int | None = None, blo: int = 0, bhi: int | None = None) -> Match:
        old = self.a[alo:ahi]
        if self.left > 0:
            self.left -= sum(1 + len(self.b2j.get(line, ())) for line in old)
        if self.left > 0:
            return super().find_longest_match(alo, ahi, blo, bhi)
        same = takewhile(lambda pair: pair[0] == pair[1], zip(old, self.b[blo:bhi], strict=False))
        return Match(alo, blo, sum(1 for _ in same))


def section_diffs(before: str, old: Sequence[Part], after: str, new: Sequence[Part]) -> list[SectionDiff]:
    """The sections that differ, in the new text's order; those that are gone follow. Sections pair by their anchor."""
    old_lines, new_lines = before.split("\n"), after.split("\n")
    gone = {part.anchor: part for part in old}
    matcher = Matcher()
    found = []
    for part in new:
        was = gone.pop(part.anchor, None)
        texts = own(old_lines, was) if was else [], own(new_lines, part)
        if texts[0] != texts[1]:
            kind = "changed" if was else "added"
            found.append(SectionDiff(tuple(part.breadcrumb), kind, compared(matcher, *texts)))
    for part in gone.values():
        lines = compared(matcher, own(old_lines, part), [])
        found.append(SectionDiff(tuple(part.breadcrumb), "removed", lines))
    return found


def own(lines: Sequence[str], part: Part) -> list[str]:
    """Its lines, without empty ones around them: where the next section begins is no change of this one."""
    return "\n".join(line.rstrip() for line in lines[part.line_start - 1 : part.line_end]).strip("\n").split("\n")


def compared(matcher: Matcher, before: Sequence[str], after: Sequence[str]) -> tuple[DiffLine, ...]:
    matcher.set_seqs(before, after)
    rows = list(from_words(hunks(matcher)))
    shown = [DiffLine("…", "") if row.startswith("@@") else DiffLine(row[0], row[1:]) for row in rows[:MOST_LINES]]
    if len(rows) > MOST_LINES:
        shown.append(DiffLine("…", f"{len(rows) - MOST_LINES} more lines"))
    return tuple(by_words(shown[1:] if shown and shown[0].sign == "…" else shown))


def hunks(matcher: Matcher) -> Iterator[str]:
    """The lines that differ with those around them, a sign before each; a stretch of them begins with @@."""
    for group in matcher.get_grouped_opcodes(CONTEXT):
        yield "@@"
        for tag, a, b, c, d in group:
            yield from (f"{' ' if tag == 'equal' else '-'}{line}" for line in matcher.a[a:b])
            yield from (f"+{line}" for line in matcher.b[c:d] if tag != "equal")


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
