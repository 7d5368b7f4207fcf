"""The texts that stand for pictures: where a table says yes and no by them, they are all that it says."""

from selectolax.lexbor import LexborNode

from ingestion.parsers.html.elements import above, is_hidden
from ingestion.parsers.pictures import alternative

MOST_FRAMES = 4  # around a picture


def alt_of(node: LexborNode) -> str:
    """ "" without one, and for one that says what stands beside it, or where a link that has no words leads."""
    alt = alternative(node.attributes.get("alt")) if node.tag == "img" else ""
    if not alt or is_hidden(node):
        return ""
    framed = frames(node)
    if any(frame.tag == "a" for frame in framed) or shows_formula(beside(node)[0]):
        return ""
    captions = (each for each in beside(framed[-1]) if each is not None and each.tag == "figcaption")
    return "" if any(" ".join(each.text().split()) == alt for each in captions) else f" {alt} "


def frames(node: LexborNode) -> list[LexborNode]:
    """It, and what there is around it that holds nothing else."""
    found = [node.parent if node.parent is not None and node.parent.tag == "picture" else node]
    node = found[0]
    while len(found) <= MOST_FRAMES and beside(node) == (None, None) and node.parent is not None:
        node = node.parent
        found.append(node)
    return found


def beside(node: LexborNode) -> tuple[LexborNode | None, LexborNode | None]:
    """What stands right before it and right after it."""
    before, after = node.prev, node.next
    if before is not None and is_blank(before):
        before = before.prev
    if after is not None and is_blank(after):
        after = after.next
    return before, after


def is_blank(node: LexborNode) -> bool:
    return node.tag == "-text" and not (node.text_content or "").strip()


def shows_formula(before: LexborNode | None) -> bool:
    """Whether what stands before the picture shows its formula, too."""
    if before is None or before.tag == "-text":
        return False
    formula = before if before.tag == "math" else before.css_first("math")
    return formula is not None and not any(is_hidden(each) for each in (formula, *above(formula)))
