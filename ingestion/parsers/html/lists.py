"""Lists: their items with what stands before them, the lists in them, and what stands between them."""

import re
from collections.abc import Iterator
from string import ascii_lowercase

from selectolax.lexbor import LexborNode

from ingestion.parsers.docx.numbering import formatted
from ingestion.parsers.html.elements import DEEPEST, LISTS, classes, is_hidden
from ingestion.parsers.html.nodes import TICKED, UNTICKED, gather, is_left_out, lines_of, told_at_once, visible_text
from ingestion.parsers.writing import one_line

ITEMS, TERMS = frozenset(("li",)), frozenset(("dt", "dd"))
FORMATS = {"a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"}  # of ordered lists, by type


def pieces(node: LexborNode, own: frozenset[str], depth: int = 0) -> Iterator[LexborNode]:
    """What stands in a list: its `own` elements, also where another element holds them together, lists right inside it,
    and what there is between them.
    """
    for child in node.iter(include_text=True):
        holds_own = own is not ITEMS or child.tag not in LISTS
        if holds_own and child.tag not in own and depth <= DEEPEST and any(inner.tag in own for inner in child.iter()):
            if not is_left_out(child):
                yield from pieces(child, own, depth + 1)
        elif child.tag not in own or not is_hidden(child):
            yield child


def is_between(piece: LexborNode, own: frozenset[str]) -> bool:
    """Whether what stands in a list is neither of it nor a list itself, and says something."""
    if piece.tag in own or piece.tag in LISTS:
        return False
    told = told_at_once(piece, (), 0)
    return any(map(str.isalnum, visible_text(piece) if told is None else told))


def is_torn(node: LexborNode) -> bool:
    """Whether something stands between the items of a list, or of one in it."""
    lists = (node, *node.css(", ".join(LISTS)))
    return any(is_between(piece, ITEMS) for each in lists for piece in pieces(each, ITEMS))


def markers(node: LexborNode) -> Iterator[tuple[LexborNode, str]]:
    """The pieces of a list, each with what stands before it: its own mark, which the parser of DOCX writes, or its
    number, as the list counts, up or down, from `start` and `value` on; "" for what is no item, as a list right inside
    the list.
    """
    items = list(pieces(node, ITEMS))
    step = -1 if "reversed" in node.attributes else 1
    number = whole_number(node, "start", 1 if step > 0 else sum(item.tag in ITEMS for item in items))
    for item in items:
        own = item.attributes.get("data-marker") if item.tag in ITEMS else None
        if item.tag not in ITEMS:
            yield item, ""
        elif own or node.tag != "ol":
            yield item, f"{one_line(own or '-')} {task_of(item)}"
        else:
            number = whole_number(item, "value", number)
            yield item, f"{counted(number, node.attributes.get('type') or '')}. "
            number += step


def whole_number(node: LexborNode, name: str, otherwise: int) -> int:
    value = node.attributes.get(name) or ""
    return int(value) if re.fullmatch(r"-?[0-9]{1,6}", value) else otherwise


def counted(number: int, kind: str) -> str:
    """In the letters or Roman numbers of the list's type; behind z HTML counts otherwise than Word."""
    told = formatted(number, FORMATS[kind]) if kind in FORMATS else None
    return str(number) if told is None or (kind in "aA" and number > len(ascii_lowercase)) else told


def task_of(item: LexborNode) -> str:
    """As `box_of`, with a space behind it, of an item that Confluence exports, which has no box."""
    if "data-inline-task-id" not in item.attributes:
        return ""
    return f"{TICKED if 'checked' in classes(item) else UNTICKED} "


def list_lines(node: LexborNode, depth: int) -> Iterator[str]:
    """A line an item, its own lists below it and indented."""
    if depth > DEEPEST:
        yield one_line(node.text(separator=" "))
        return
    for item, marker in markers(node):
        if item.tag in LISTS:
            yield from list_lines(item, depth + 1)
        if not marker:
            continue
        own, inner = split_item(item)
        indent = "  " * min(depth, 20)
        for line_number, line in enumerate(own):
            yield indent + (marker if line_number == 0 else "  ") + line
        for nested in inner:
            yield from list_lines(nested, depth + 1)


def split_item(item: LexborNode) -> tuple[list[str], list[LexborNode]]:
    """An item's own lines of text, and the lists in it."""
    parts: list[str] = []
    nested: list[LexborNode] = []
    gather(item, parts, nested=nested)
    return [line for line in lines_of("".join(parts)).split("\n") if line], nested
