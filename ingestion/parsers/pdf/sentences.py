"""Sentences of a PDF that liteparse tears: lines of theirs that have words in the type of code come as code, and first
lines of paragraphs as headings, or as paragraphs of their own, where most of the text is smaller.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise, product

from ingestion.documents import union
from ingestion.parsers.pdf.blocks import Found
from ingestion.parsers.pdf.outline import bookmarked
from ingestion.parsers.pdf.paragraphs import ENDED, WIDER, Line, room
from ingestion.parsers.pdf.spoken import Page

PROSE = ("paragraph", "list_item")
JOINED = {*product(PROSE, ("code", "paragraph")), *product(("code", "heading"), ("paragraph",))}
PROMPT = re.compile(r"[$#>%]\s|>>>")
FULL = 2  # other lines that reach as far to the right, from which the edge of the text is told
LONGEST_WORD = 0.3  # of a line
LARGER = 1.35  # times the height of the line below: a heading, for raised letters and accents make lines higher, too


def whole_sentences(found: Sequence[Found], page: Page, usual: float | None) -> list[Found]:
    """The blocks, what goes on with a sentence joined to the prose that it goes on with; code may begin one, too."""
    if usual is None:
        return list(found)
    running = (block for block in found if block.kind in (*PROSE, "code"))
    prose = list({id(line): line for block in running for line in block.lines}.values())  # paragraphs share a block's
    kept: list[Found] = []
    after_code = False
    for block in found:
        is_code = block.kind == "code"
        is_beside = kept and (is_code or after_code or is_torn(kept[-1], block, page))
        if is_beside and goes_on(kept[-1], block, prose, usual):
            kept[-1] = together(kept[-1], block, page)
        else:
            kept.append(block)
        after_code = is_code
    return kept


def is_torn(above: Found, below: Found, page: Page) -> bool:
    """Whether it begins with a small letter, below prose that is no rows of a table or a first line that looks like a
    heading.
    """
    if not above.lines or not below.lines or not below.lines[0].goes_on:
        return False
    return is_first_line(above, below.lines[0], page) if above.kind == "heading" else "\n" not in above.text


def is_first_line(heading: Found, below: Line, page: Page) -> bool:
    """Whether it is no heading by its size or a bookmark, and one line in one piece, unlike `abort()   [Function]`."""
    line, *others = heading.lines
    is_larger = line.height > LARGER * below.height
    return not (others or is_larger or line.has_gap or bookmarked(heading.text, page.outline))


def goes_on(above: Found, below: Found, prose: Sequence[Line], usual: float) -> bool:
    """Whether no sentence ends between them: the line above is full, and the one below stands right beneath it."""
    if not above.lines or not below.lines or (above.kind, below.kind) not in JOINED:
        return False
    last, first = above.lines[-1], below.lines[0]
    if above.kind == "code" and not (first.goes_on and runs_on(above.lines, prose)):
        return False
    if below.kind == "code" and not runs_on(below.lines, prose):
        return False
    is_near = -WIDER < room(last, first) <= usual + WIDER
    return is_near and is_full(last, first, prose) and not ENDED.search(above.text) and not PROMPT.match(below.text)


def runs_on(lines: Sequence[Line], prose: Sequence[Line]) -> bool:
    return all(is_full(line, below, prose) for line, below in pairwise(lines))


def is_full(line: Line, below: Line, prose: Sequence[Line]) -> bool:
    """Whether the first word of the line below had no room in it, as far as the lines above each other reach."""
    others = (other for other in prose if other is not line and other is not below)
    edges = sorted(other.right for other in others if other.left < line.right and other.right > line.left)
    if len(edges) < FULL:
        return False
    edge = edges[-FULL]
    word = (below.right - below.left) * (len(below.text.split(" ", 1)[0]) + 1) / max(len(below.text), 1)
    return line.right + min(word, (edge - line.left) * LONGEST_WORD) > edge


def together(above: Found, below: Found, page: Page) -> Found:
    texts = [" ".join(block.text.split()) for block in (above, below)]
    text = " ".join(page.lines(texts).split("\n"))
    kind = above.kind if above.kind in PROSE else "paragraph"
    box = union([above.box, below.box])
    return replace(above, kind=kind, text=text, language="", box=box, lines=(*above.lines, *below.lines))
