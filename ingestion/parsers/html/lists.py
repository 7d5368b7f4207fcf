"""Lists: their items with what stands before them, the lists in them, and what stands between them."""

import re
from collections.abc import Iterator
from string import ascii_lowercase

from selectolax.lexbor import LexborNode

from ingestion.parsers.docx.numbering import formatted
from ingestion.parsers.html.elements import DEEPEST, LISTS, classes, is_hidden
from ingestion.parsers.html.nodes import (
    TICKED,
    UNTICKED,
    Nested,
    gather,
    is_left_out,
    lines_of,
    told_at_once,
    visible_text,
)
from ingestion.parsers.writing import one_line

ITEMS, TERMS = frozenset(("li",)), frozenset(("dt", "dd"))
ITEM_INDENT, DEFINITION_INDENT, FARTHEST_IN = 2, 4, 40  # characters
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


def list_lines(node: LexborNode, indent: str = "", depth: int = 0) -> Iterator[str]:
    """A line an item or a term; further in what is said of the term, and the lists in both, where they stand."""
    if depth > DEEPEST:
        yield one_line(node.text(separator=" "))
    elif node.tag == "dl":
        for entry in pieces(node, TERMS):
            yield from entry_lines(entry, indent, depth)
    else:
        for item, marker in markers(node):
            if item.tag in LISTS:
                yield from list_lines(item, further_in(indent, ITEM_INDENT), depth + 1)
            elif marker:
                yield from told_lines(item, indent + marker, further_in(indent, ITEM_INDENT), depth)


def entry_lines(entry: LexborNode, indent: str = "", depth: int = 0) -> Iterator[str]:
    """Of a piece of a list of definitions."""
    told = told_at_once(entry, (), depth)
    if told is not None:
        yield from (indent + line for line in lines_of(told).split("\n") if line)
    elif entry.tag in LISTS:
        yield from list_lines(entry, further_in(indent, DEFINITION_INDENT), depth + 1)
    else:
        indent = further_in(indent, DEFINITION_INDENT) if entry.tag == "dd" else indent
        yield from told_lines(entry, indent, indent, depth)


def told_lines(node: LexborNode, begins: str = "", goes_on: str = "", depth: int = 0) -> Iterator[str]:
    """What an element says, with what stands before its first line and before those that follow; lists in it keep
    their marks and their places."""
    parts: list[str] = []
    nested: list[Nested] = []
    gather(node, parts, nested=nested)
    begun = 0
    for at, inner in (*nested, (len(parts), None)):
        for line in lines_of("".join(parts[begun:at])).split("\n"):
            if line:
                yield begins + line
                begins = goes_on
        if inner is not None:
            yield from list_lines(inner, goes_on, depth + 1)
        begun = at


def further_in(indent: str, by: int) -> str:
    return indent + " " * by if len(indent) < FARTHEST_IN else indent
