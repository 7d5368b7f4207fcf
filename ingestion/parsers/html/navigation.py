"""What leads elsewhere by links alone: lists, tables and lines of a site's pages, by what they are called or where they
stand. In place.
"""

import re
from collections.abc import Iterator

from selectolax.lexbor import LexborNode

from ingestion.parsers.html.elements import DEEPEST, LISTS, above
from ingestion.parsers.html.exported import hide
from ingestion.parsers.html.nodes import is_left_out, is_shown
from ingestion.parsers.writing import words

BARS = LISTS | words("center div dl form header p section table td")
CALLED = words(
    "breadcrumb breadcrumbs menu nav navbar navigation"
)  # in ids and classes, as topNav and nav_flow have it
WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
HOLDS_MORE = "h1, h2, h3, h4, h5, h6, .title, pre, table table, dd"
SENTENCE = re.compile(r"[.!?](?:\s|$)")
MOSTLY, NEARLY_ALL = 0.5, 0.9  # of the letters are those of links
FEW = 2  # links
LONGEST_NAME = 40  # letters before the languages in which a page is there, too


def leave_out_navigation(body: LexborNode) -> None:
    """But for a page that is nothing else."""
    found = [*called(body), *before_title(body), *languages(body)]
    if found and letters(body) > sum(letters(node) for node in found):
        for node in found:
            hide(node)


def called(body: LexborNode) -> Iterator[LexborNode]:
    """Those whose name says so, the outermost."""
    taken = set[int]()
    for node in body.css("[class], [id]"):
        if node.tag not in BARS or not is_called(node) or any(outer.mem_id in taken for outer in above(node)):
            continue
        if is_of_links(node, MOSTLY) and is_shown(node):
            taken.add(node.mem_id)
            yield node


def is_called(node: LexborNode) -> bool:
    names = f"{node.attributes.get('class') or ''} {node.attributes.get('id') or ''}"
    return not CALLED.isdisjoint(word.lower() for word in WORD.findall(names))


def before_title(body: LexborNode) -> Iterator[LexborNode]:
    """Those that stand above the title of the page, and are not called so."""
    title = body.css_first("h1")
    if title is None or not is_shown(title) or letters(title) == 0:
        return
    for around in (title, *above(title)):
        before = around.prev
        while before is not None:
            yield from of_links(before)
            before = before.prev


def of_links(node: LexborNode, depth: int = 0) -> Iterator[LexborNode]:
    if node.tag not in BARS or depth > DEEPEST or is_left_out(node) or is_called(node):
        return
    items, linked = len(node.css("li")), len(node.css("li a[href]"))
    if is_of_links(node, NEARLY_ALL) and linked <= items:  # not signatures, say, of linked types
        yield node
    else:
        for child in node.iter():
            yield from of_links(child, depth + 1)


def languages(body: LexborNode) -> Iterator[LexborNode]:
    """Those that lead to the same page in other languages."""
    seen = set[int]()
    for link in body.css("a[hreflang][rel~=alternate]"):
        around = link.parent
        if around is None or around.mem_id in seen or around.tag not in BARS:
            continue
        seen.add(around.mem_id)
        links = around.css("a[href]")
        others = [each for each in links if each.attributes.get("hreflang")]
        if len(others) >= len(links) - 1 and letters(around) - sum(map(letters, links)) <= LONGEST_NAME:
            yield around


def is_of_links(node: LexborNode, share: float) -> bool:
    """Whether its text is that of links, several of them, and no sentence."""
    links = node.css("a[href]")
    if len(links) <= FEW or node.css_first(HOLDS_MORE) is not None:
        return False
    beside = node.text()
    for link in links:
        beside = beside.replace(link.text(), " ", 1)
    return sum(map(letters, links)) > share * letters(node) and not SENTENCE.search(beside)


def letters(node: LexborNode) -> int:
    return sum(map(str.isalnum, node.text()))
