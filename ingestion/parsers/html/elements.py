"""Elements of HTML by their names and attributes: which say nothing, which end a line, which nobody sees."""

from selectolax.lexbor import LexborNode

from ingestion.parsers.writing import words
from knowledge.texts import html_elements as html

COMMENTS = words("-comment _comment !doctype")
FORMULA = words("annotation annotation-xml")  # once more, as TeX
OTHERS = words("colgroup del frame frameset head img nav noembed title")
SILENT = html.ALOUD | html.CONTROLS | html.EMBEDDED | html.UNSEEN | html.VOID | FORMULA | OTHERS | COMMENTS
BLOCKS = html.BLOCKS | html.OLD_BLOCKS | html.TABLES | {"hr"}
HEADINGS = {f"h{level}": level for level in range(1, 7)}
ANY_HEADING = ", ".join(HEADINGS)
LISTS = frozenset(("ul", "ol", "menu", "dir"))
UNSEEN = ("display:none", "visibility:hidden")
DEEPEST = 200  # nested elements: what lies deeper is read as one text


def classes(node: LexborNode) -> list[str]:
    return (node.attributes.get("class") or "").lower().split()


def roles(node: LexborNode) -> list[str]:
    """What it says it is, to those who read pages aloud and to readers of books."""
    return f"{node.attributes.get('role') or ''} {node.attributes.get('epub:type') or ''}".split()


def is_hidden(node: LexborNode) -> bool:
    """Whether no reader sees it. Panels of tabs are seen one at a time, and what waits for a search once found."""
    attributes = node.attributes
    if attributes.get("role") == "tabpanel" or attributes.get("hidden") == "until-found":
        return False
    style = (attributes.get("style") or "").replace(" ", "").lower()
    return "hidden" in attributes or any(unseen in style for unseen in UNSEEN)


def above(node: LexborNode) -> list[LexborNode]:
    """What it is in, up to the body; of what is nested too deeply not all."""
    found: list[LexborNode] = []
    while (parent := node.parent) is not None and parent.tag != "body" and len(found) <= DEEPEST:
        found.append(parent)
        node = parent
    return found
