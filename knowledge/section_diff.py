"""What changed in a text, section by section. Pure."""

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

CONTEXT = 2  # lines around a change
MOST_LINES = 400  # of one section


class Part(Protocol):
    """What a Section is, as far as comparing goes."""

    anchor: str
    breadcrumb: list[str]
    line_start: int
    line_end: int


@dataclass(frozen=True, slots=True)
class DiffLine:
    sign: str  # "+", "-", " " or "…"
    text: str


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
    return [line.rstrip() for line in lines[part.line_start - 1 : part.line_end]]


def compared(before: Sequence[str], after: Sequence[str]) -> tuple[DiffLine, ...]:
    rows = list(difflib.unified_diff(before, after, lineterm="", n=CONTEXT))[2:]
    shown = [DiffLine("…", "") if row.startswith("@@") else DiffLine(row[0], row[1:]) for row in rows[:MOST_LINES]]
    if len(rows) > MOST_LINES:
        shown.append(DiffLine("…", f"{len(rows) - MOST_LINES} more lines"))
    return tuple(shown[1:] if shown and shown[0].sign == "…" else shown)
