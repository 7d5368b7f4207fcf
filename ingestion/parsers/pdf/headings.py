"""Headings of a PDF that liteparse ran together: lists of large letters, a title and the first heading below it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from ingestion.documents import union
from ingestion.parsers.pdf.blocks import Found
from ingestion.parsers.pdf.outline import CHAPTER_LINE, Outline, headings_among
from ingestion.parsers.pdf.paragraphs import Line, room
from ingestion.parsers.pdf.spoken import Page

NUMBERED = re.compile(r"\(?(\d{1,3})[.)]\s")
LABELLED = re.compile(r"(?P<label>[^:\d][^:]{1,29}):\s\S")
OUTLINED = re.compile(r"\d{1,3}(?:\.\d{1,3})+\.?\s")
APART = 0.5  # of a height: within a heading that runs over lines, real files leave at most 0.4
APART_CENTRED = 1.0  # titles that are set by hand, line by line, leave up to 0.8
SAME_PLACE = 3.0  # points
FAR = 2.0  # heights: first lines are indented by less


def cut_headings(found: Sequence[Found], page: Page) -> list[Found]:
    """Headings of several lines as the headings and lists that they are; and what is numbered on and on, as a list."""
    boxes = [box for block in found for box in (block.box, *(line.box for line in block.lines)) if box]
    width = max((right for _, _, right, _ in boxes), default=0.0) - min((left for left, *_ in boxes), default=0.0)
    found = [as_labels(block, page) if runs_on(block) and is_labels(block.lines) else block for block in found]
    cut = [part for block in found for part in (cut_heading(block, page, width) if runs_on(block) else [block])]
    return listed(cut)


def runs_on(block: Found) -> bool:
    return block.kind == "heading" and len(block.lines) > 1


def is_labels(lines: Sequence[Line]) -> bool:
    """Whether each is a label and its value: `Part 1: …` is a heading."""
    labels = [match["label"] for line in lines if (match := LABELLED.match(line.text))]
    return sum(not CHAPTER_LINE.fullmatch(label) for label in labels) == len(lines)


def as_labels(heading: Found, page: Page) -> Found:
    return replace(heading, kind="paragraph", level=0, text=page.lines([line.text for line in heading.lines]))


def cut_heading(block: Found, page: Page, width: float) -> Iterator[Found]:
    starts = sorted({0, *numbered(block.lines), *begun(block.lines, page.outline, width)})
    if len(starts) == 1:
        yield block
        return
    for start, end in pairwise([*starts, len(block.lines)]):
        lines = block.lines[start:end]
        text = " ".join(page.lines([line.text for line in lines]).split("\n"))
        yield replace(block, text=text, box=union([line.box for line in lines]), lines=lines)


def numbered(lines: Sequence[Line]) -> list[int]:
    """The lines that begin the items of a list, if they are at least two that count on."""
    found = [(at, int(match[1])) for at, line in enumerate(lines) if (match := NUMBERED.match(line.text))]
    counts_on = len(found) > 1 and all(two - one == 1 for (_, one), (_, two) in pairwise(found))
    return [at for at, _ in found] if counts_on else []


def begun(lines: Sequence[Line], outline: Outline, width: float) -> Iterator[int]:
    """The lines that begin a heading: by its number, its bookmark, or the room above it."""
    for at, (above, below) in enumerate(pairwise(lines), start=1):
        if OUTLINED.match(below.text) or is_apart(above, below, width):
            yield at
    for bookmark, span in headings_among([line.text for line in lines], outline):
        if bookmark:
            yield from (at for at in (span.start, span.stop) if at < len(lines))


def is_apart(above: Line, below: Line, width: float) -> bool:
    """Whether no heading has so much room, or two such places, within itself, and the line above was not full."""
    text = below.text
    word = (below.right - below.left) * (len(text.split(" ", 1)[0]) + 1) / max(len(text), 1)
    middles = (above.left + above.right) / 2, (below.left + below.right) / 2
    is_centred = abs(middles[0] - middles[1]) < SAME_PLACE < abs(above.left - below.left)
    has_room = room(above, below) > (APART_CENTRED if is_centred else APART)
    return (has_room or is_elsewhere(above, below)) and above.right - above.left + word < width


def is_elsewhere(above: Line, below: Line) -> bool:
    """Whether it stands in the middle, say, and the line below at the left; those set to the right end in one place."""
    return above.left - below.left > FAR * above.height and above.right - below.right > SAME_PLACE


def listed(found: Sequence[Found]) -> list[Found]:
    """Headings right below each other that are numbered on and on, as items: sections would have text between them."""
    numbers = [number_of(block) for block in found]
    kept = list(found)
    for at, ((above, below), (one, two)) in enumerate(zip(pairwise(found), pairwise(numbers), strict=True)):
        if one is not None and two == one + 1 and above.level == below.level:
            kept[at] = replace(above, kind="list_item", level=0)
            kept[at + 1] = replace(below, kind="list_item", level=0)
    return kept


def number_of(block: Found) -> int | None:
    match = NUMBERED.match(block.text) if block.kind == "heading" else None
    return int(match[1]) if match else None
