"""The text that stands for a chunk in an embedding space."""

import re
from collections.abc import Sequence

LONGEST_BREADCRUMB = 60  # tokens, estimated
LONGEST_CONTEXT = 60
LONGEST_SUMMARY = 300  # of a section
PIECE = re.compile(r"[a-zA-Z]{1,4}|\d{1,3}|[^\sa-zA-Z\d]")


def embedding_text(breadcrumb: Sequence[str], text: str, context: str = "") -> str:
    """The titles that lead to the text, what it needs to be understood (its table's header), and the text itself."""
    return "\n".join(part for part in (heading_path(breadcrumb), shorten(context, LONGEST_CONTEXT), text) if part)


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
