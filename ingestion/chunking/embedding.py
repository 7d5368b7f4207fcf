"""The texts that stand for a chunk in an embedding space."""

import re
from collections.abc import Iterator, Sequence
from hashlib import sha256

from knowledge.texts.formats import Notation
from knowledge.texts.markup import without_markup
from knowledge.texts.stops import SPACED, UNSPACED

PARTS_VERSION = 1
PART_CHARACTERS = 450  # about 100 tokens
LONGEST_BREADCRUMB = 60  # tokens, estimated
LONGEST_CONTEXT = 60
LONGEST_SUMMARY = 300  # of a section
CUTS = re.compile(rf"(?<=[{SPACED}])\s+|(?<=[{UNSPACED}])|\n\s*\n|\n(?=\s*[-*•])")  # sentences, paragraphs, list items
PIECE = re.compile(r"[a-zA-Z]{1,4}|\d{1,3}|[^\sa-zA-Z\d]")


def told(text: str, notation: Notation | None = None, context: str = "") -> str:
    """What a text says without its markup; a text that is nothing but markup, as it stands."""
    return without_markup(text, notation, context) or text


def told_by_hash(breadcrumb: Sequence[str], text: str, context: str, content_hash: bytes) -> str | None:
    """What of a chunk is embedded, as its hash tells: its words, or all of it (of code and plain text). None where
    neither has this hash.
    """
    written_in = (Notation.RST, Notation.MARKDOWN, Notation.WRITTEN_OUT)
    for said in (*(told(text, notation, context) for notation in written_in), text):
        if hash_of(breadcrumb, said, context) == content_hash:
            return said
    return None


def hash_of(breadcrumb: Sequence[str], said: str, context: str = "") -> bytes:
    return sha256(embedding_text(breadcrumb, said, context).encode()).digest()


def embedding_text(breadcrumb: Sequence[str], text: str, context: str = "") -> str:
    """The titles that lead to the text, what it needs to be understood (its table's header), and the text itself."""
    return "\n".join(part for part in (heading_path(breadcrumb), shorten(context, LONGEST_CONTEXT), text) if part)


def embedded_parts(breadcrumb: Sequence[str], text: str, context: str = "") -> list[str]:
    """As `embedding_text`, of each part of the text; of the whole where it is one part."""
    parts = list(parts_of(text))
    return [embedding_text(breadcrumb, part, context) for part in (parts if len(parts) > 1 else [text])]


def parts_of(text: str) -> Iterator[str]:
    """The text in stretches of whole sentences, in order, as many in each as fit. No white space around them."""
    start = end = 0
    for place, after in stretches(text):
        if start < end and after - start > PART_CHARACTERS:
            yield text[start:end]
            start = end = place
        start = place if start == end else start
        end = after
    if start < end:
        yield text[start:end]


def stretches(text: str) -> Iterator[tuple[int, int]]:
    """What is never cut: where it begins and ends, without white space around it."""
    start = 0
    for cut in (*(match.end() for match in CUTS.finditer(text)), len(text)):
        if stretch := text[start:cut].strip():
            place = text.index(stretch, start)
            yield place, place + len(stretch)
        start = cut


def heading_path(breadcrumb: Sequence[str]) -> str:
    """The last titles of the path that fit; the very last is shortened if need be."""
    kept: list[str] = []
    left = LONGEST_BREADCRUMB
    for title in reversed(breadcrumb):
        cost = estimate(title) + 1
        if cost > left:
            break
        left -= cost
        kept.insert(0, title)
    return " > ".join(kept) or shorten(breadcrumb[-1] if breadcrumb else "", LONGEST_BREADCRUMB)


def estimate(text: str) -> int:
    """A number of tokens that vocabularies in use seldom exceed, without asking one."""
    return sum(1 for _ in PIECE.finditer(text))


def shorten(text: str, tokens: int) -> str:
    """As much of the text's beginning as `tokens` pieces reach."""
    for count, piece in enumerate(PIECE.finditer(text)):
        if count == tokens:
            return text[: piece.start()].rstrip()
    return text
