"""Columns of prose whose lines liteparse has put between each other, as it does where theirs are not at one height."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate, pairwise
from statistics import median
from typing import Any

from liteparse import AnnotationRect

from ingestion.parsers.pdf.blocks import Found
from ingestion.parsers.pdf.drawn_tables import RuledTable
from ingestion.parsers.pdf.markup import escaped, plain
from ingestion.parsers.pdf.outline import key
from ingestion.parsers.pdf.paragraphs import LONGEST_CELL, grouped, is_across, items_saying, items_within, middle
from ingestion.parsers.pdf.shredded import MOST_LETTERS, are_neighbours, is_mixed_up
from ingestion.parsers.pdf.spoken import Page, straight

SLACK = 2.0  # points
Sides = tuple[list[Any], list[Any]]  # what stands left of a gutter, and right of it


def in_columns(blocks: Sequence[Any], items: Sequence[Any], page: Page) -> list[Any]:
    """The blocks, those over two columns cut, with all that stands beside or above in them: first the left one, then
    the right one. Of pages whose words are mixed up throughout, PDFium's lines are read. `items` come as `from_above`
    sorts them.
    """
    told = list(blocks)
    prose = [block for block in blocks if not isinstance(block, RuledTable)]
    if len(page.plain) > MOST_LETTERS or is_mixed_up([as_found(each, page) for each in prose], page):
        return told
    for block in blocks:
        is_whole = block.kind == "paragraph" and any(block is each for each in told)
        own = items_of(block, items) if is_whole else []
        gutter = gutter_of(own)
        if gutter is not None and says(block, own) and is_woven(sides_of(own, gutter), page):
            told = unwoven_at(told, block, gutter, items)
    return told


def as_found(block: Any, page: Page) -> Found:
    rows = [*([block.header] if block.header else []), *(block.rows or [])]
    cells = tuple(tuple(cell.text for cell in row) for row in rows)
    return Found(block.kind, plain(block.text or "", page), 0, "", cells, 0, None)


def items_of(block: Any, items: Sequence[Any]) -> list[Any]:
    if block.bbox is None:
        return []
    return items_saying(items, block) if block.kind == "heading" else items_within(items, block.bbox)


def says(block: Any, own: Sequence[Any]) -> bool:
    return sorted(key(block.text or "")) == sorted(key("".join(item.text for item in own)))


def gutter_of(items: Sequence[Any]) -> float | None:
    """The middle of the widest white space from top to bottom, if it is as wide as letters are high."""
    spans = sorted((item.x, item.x + item.width) for item in items)
    ends = accumulate((right for _, right in spans), max)
    gaps = [(left - end, (left + end) / 2) for end, (left, _) in zip(ends, spans[1:], strict=False)]
    width, place = max(gaps, default=(0.0, 0.0))
    return place if gaps and width >= median(item.height for item in items) else None


def sides_of(items: Sequence[Any], gutter: float) -> Sides:
    return [item for item in items if item.x < gutter], [item for item in items if item.x >= gutter]


def is_woven(sides: Sides, page: Page) -> bool:
    """Whether prose stands beside prose, and the page says the lines of each one after the other."""
    left, right = map(grouped, sides)
    is_beside = left[0].top < right[-1].bottom and right[0].top < left[-1].bottom
    is_prose = all(median(len(line.text.split()) for line in lines) > LONGEST_CELL for lines in (left, right))
    pairs = [(straight(one.text), straight(two.text)) for lines in (left, right) for one, two in pairwise(lines)]
    return is_beside and is_prose and bool(pairs) and all(are_neighbours(*pair, page) for pair in pairs)


def unwoven_at(blocks: Sequence[Any], woven: Any, gutter: float, items: Sequence[Any]) -> list[Any]:
    """The blocks, those around this one that keep to the columns in their order: down to where either column ends, or
    something stands across both.
    """
    parts = [parts_of(block, gutter, items) for block in blocks]
    across = [block.bbox for block, cut in zip(blocks, parts, strict=True) if block.bbox is not None and not cut]
    top = max((box.y + box.height for box in across if box.y + box.height <= woven.bbox.y + SLACK), default=0.0)
    end = min((box.y for box in across if box.y >= woven.bbox.y + woven.bbox.height - SLACK), default=float("inf"))
    inside = [[part for part in cut if top - SLACK <= middle(part[1].bbox) < end] for cut in parts]
    ends = [[part.bbox.y + part.bbox.height for cut in inside for at, part in cut if at == side] for side in (0, 1)]
    bottom = max(woven.bbox.y + woven.bbox.height, min(max(each, default=0.0) for each in ends))
    members = [at for at, cut in enumerate(inside) if cut and all(middle(part.bbox) < bottom for _, part in cut)]
    if not members:
        return list(blocks)
    columns = sorted((part for at in members for part in inside[at]), key=lambda part: (part[0], part[1].bbox.y))
    others = [(at, block) for at, block in enumerate(blocks) if at not in members]
    before, after = ([block for at, block in others if (at < members[0]) is is_before] for is_before in (True, False))
    return [*before, *(part for _, part in columns), *after]


def parts_of(block: Any, gutter: float, items: Sequence[Any]) -> list[tuple[int, Any]]:
    """What it has on either side, by 0 for left and 1 for right; nothing where it stands across both."""
    own = items_of(block, items)
    if not own and block.bbox is not None and not is_across(block.bbox, gutter):
        return [(int(block.bbox.x >= gutter), block)]
    if any(item.x < gutter < item.x + item.width for item in own):
        return []
    sides = sides_of(own, gutter)
    found = [side for side in (0, 1) if sides[side]]
    if len(found) < 2:
        return [(side, block) for side in found]
    if block.kind not in ("heading", "paragraph") or not says(block, own):
        return []
    return [(side, part_of(block, sides[side])) for side in found]


def part_of(block: Any, items: Sequence[Any]) -> Any:
    lines = grouped(items)
    left, right = min(line.left for line in lines), max(line.right for line in lines)
    box = AnnotationRect(left, lines[0].top, right - left, lines[-1].bottom - lines[0].top)
    text = " ".join(line.text for line in lines)
    return replace(block, text=text if block.kind == "heading" else escaped(text), bbox=box)
