"""What leads elsewhere by links alone: lists, tables and lines of a site's pages, by what they are called or where they
stand. In place.
"""

import re
from collections.abc import Iterator, Sequence

from selectolax.lexbor import LexborNode

from ingestion.parsers.html.elements import ANY_HEADING, DEEPEST, HEADINGS, LISTS, above
from ingestion.parsers.html.exported import hide
from ingestion.parsers.html.furniture import TITLES
from ingestion.parsers.html.nodes import is_left_out, is_shown
from ingestion.parsers.writing import words
from knowledge.texts.stops import SENTENCE_END

BARS = LISTS | words("center div dl form header p section table td")
CALLED = words(
    "breadcrumb breadcrumbs menu nav navbar navigation"
)  # in ids and classes, as topNav and nav_flow have it
WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
LINKS = "a[href]:not([href^='mailto:' i], [href^='tel:' i])"  # addresses and numbers are content
HOLDS_MORE = f"{TITLES}, pre, table table, dd"
MOSTLY, NEARLY_ALL = 0.5, 0.9  # of the letters are those of links
FEW = 2  # links
MOST_AROUND = 8  # that are called so and are none: each is read whole
OFTEN = 2  # links have one text beside them at most: where more have one, it describes them
LONGEST_NAME = 40  # letters before the languages in which a page is there, too


def leave_out_navigation(body: LexborNode) -> None:
    """But for a page that is nothing else, below its headings: a map of a site."""
    found = {node.mem_id: node for node in (*called(body), *before_title(body), *languages(body))}.values()
    if found and letters(body) > sum(map(letters, (*found, *body.css(ANY_HEADING)))):
        for node in found:
            hide(node)


def called(body: LexborNode) -> Iterator[LexborNode]:
    """Those whose name says so, the outermost."""
    tried, taken = set[int](), set[int]()
    for node in body.css("[class], [id]"):
        if node.tag not in BARS or not is_called(node):
            continue
        around = [outer.mem_id for outer in above(node)]
        if len(tried.intersection(around)) > MOST_AROUND or not taken.isdisjoint(around):
            continue
        tried.add(node.mem_id)
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
    if node.tag not in BARS or depth > DEEPEST or is_left_out(node) or is_called(node) or is_headed(node):
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


def is_headed(node: LexborNode) -> bool:
    """Whether a heading stands right above it."""
    before = node.prev
    while before is not None and before.tag == "-text" and not (before.text_content or "").strip():
        before = before.prev
    return before is not None and before.tag in HEADINGS


def is_of_links(node: LexborNode, share: float) -> bool:
    """Whether its text is that of links, several of them, and no sentence, nor does it describe them."""
    links = node.css(LINKS)
    if len(links) <= FEW or node.css_first(HOLDS_MORE) is not None:
        return False
    if sum(map(letters, links)) <= share * letters(node):
        return False
    said = beside(node.text(), links)
    texts = sum(any(map(str.isalnum, each)) for each in said)
    return OFTEN * texts <= len(links) and not SENTENCE_END.search(" ".join(said))


def beside(text: str, links: Sequence[LexborNode]) -> list[str]:
    """What the text says before, between and behind the links, which are in it in their order."""
    said, end = list[str](), 0
    for link in links:
        start = text.find(own := link.text(), end)
        if start >= 0:
            said.append(text[end:start])
            end = start + len(own)
    return [*said, text[end:]]


def letters(node: LexborNode) -> int:
    return sum(map(str.isalnum, node.text()))
