"""Tables with drawn cells among the blocks that liteparse has found on the page."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from liteparse import AnnotationRect

from ingestion.parsers.pdf.markup import escaped
from ingestion.parsers.pdf.outline import key
from ingestion.parsers.pdf.paragraphs import Line, grouped, is_across, is_within, smaller
from ingestion.parsers.tables import is_told_by_rows

SLACK = 2.0  # points


def put_in(tables: Sequence[Any], blocks: Sequence[Any], items: Sequence[Any], center: float) -> list[Any]:
    """The blocks without the tables' words, each table where the first of them were; in order from above what stands
    beside a block that reached over a table and more, unless this is in one of two columns: then, what is in it.
    """
    if not tables or not blocks:
        return [*blocks, *tables]
    shared = [[table for table in tables if shares(block, table, items)] for block in blocks]
    left = [item for item in items if not any(is_within(item, table.bbox) for table in tables)]
    put: list[Any] = []
    for block, torn in zip(blocks, shared, strict=True):
        if not torn:
            put.append(block)
            continue
        others = smaller(block, blocks)
        own, rest = list[Any](), list[Any]()
        for item in left:
            is_own = is_within(item, block.bbox) and not any(is_within(item, other) for other in others)
            (own if is_own else rest).append(item)
        left = rest
        put += [*left_over(block, grouped(own), tables), *(table for table in torn if table not in put)]
    put += [table for table in tables if table not in put]
    for block, torn in zip(blocks, shared, strict=True):
        if torn:
            boxes = [block.bbox, *(table.bbox for table in torn)]
            put = from_top(put, block.bbox, any(is_across(box, center) for box in boxes))
    return put


def shares(block: Any, table: Any, items: Sequence[Any]) -> bool:
    """Whether it has words of the table: rows and code that reach over it, prose that says most of what is in both."""
    if not overlap(block.bbox, table.bbox):
        return False
    if not block.text:
        return bool(block.rows or block.header or block.lines)
    said = key(f"{block.marker or ''}{block.text}")
    both = [key(item.text) for item in items if is_within(item, block.bbox) and is_within(item, table.bbox)]
    return 2 * sum(len(text) for text in both if text in said) > sum(map(len, both))


def overlap(one: Any, other: Any) -> float:
    """How much of both is one, but for their edges."""
    if one is None:
        return 0.0
    across = min(one.x + one.width, other.x + other.width) - max(one.x, other.x) - SLACK
    down = min(one.y + one.height, other.y + other.height) - max(one.y, other.y) - SLACK
    return float(max(across, 0.0) * max(down, 0.0))


def left_over(block: Any, lines: Sequence[Line], tables: Sequence[Any]) -> Iterator[Any]:
    """What a block has of such lines above, between and below the tables: rows of its own, or prose."""
    for _, group in groupby(lines, key=lambda line: sum(table.bbox.y < line.top for table in tables)):
        own = list(group)
        left, top = min(line.left for line in own), own[0].top
        right, bottom = max(line.right for line in own), max(line.bottom for line in own)
        box = AnnotationRect(left, top, right - left, bottom - top)
        text = " ".join(line.text for line in own)
        header, *rows = ([*each] if reaches(each, box) else [] for each in (block.header or [], *(block.rows or [])))
        if is_told_by_rows([header, *rows]) and has_letters([header, *rows], text):
            yield replace(block, header=header or None, rows=[*filter(None, rows)], bbox=box)
            continue
        kind = block.kind if block.kind in ("heading", "list_item") else "paragraph"
        said = text if kind == "heading" else escaped(text)
        yield replace(block, kind=kind, text=said, header=None, rows=None, lines=None, bbox=box)


def reaches(row: Sequence[Any], box: Any) -> bool:
    return any(cell.bbox and overlap(cell.bbox, box) for cell in row)


def has_letters(rows: Sequence[Sequence[Any]], text: str) -> bool:
    return sorted(key(text)) == sorted(key("".join(cell.text for row in rows for cell in row)))


def from_top(blocks: Sequence[Any], box: Any, is_wide: bool) -> list[Any]:
    """The blocks, those in the box, or at its height if nothing stands beside it, from above."""
    row = replace(box, x=0.0, width=float("inf")) if is_wide else box
    inside, others = list[Any](), list[Any]()
    first = len(blocks)
    for at, block in enumerate(blocks):
        is_inside = block.bbox is not None and is_within(block.bbox, row)
        (inside if is_inside else others).append(block)
        first = min(first, at) if is_inside else first
    return [*others[:first], *sorted(inside, key=lambda block: block.bbox.y), *others[first:]]
