"""What became of quoted words in today's text of their file. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

from retrieval.answering.sentences import Span, windows
from retrieval.answering.words import terms

AKIN = 0.5  # of the content words: what is less alike is another sentence
PIECE = re.compile(r"\S+\s*")


@dataclass(frozen=True, slots=True)
class Piece:
    """Words that are the same, were removed or were added."""

    kind: str
    text: str


def find(quote: str, text: str) -> Span | None:
    """Where the words stand now: word for word, or but for white space."""
    if (start := text.find(quote)) >= 0:
        return Span(start, start + len(quote))
    pattern = r"\s+".join(map(re.escape, quote.split()))
    found = re.search(pattern, text) if pattern else None
    return Span(*found.span()) if found else None


def nearest(quote: str, text: str) -> Span | None:
    """The sentences of today's text that are most like the quotation; None where nothing is."""
    wanted = terms(quote)

    def likeness(span: Span) -> float:
        here = terms(text[span.start : span.end])
        return 2 * len(wanted & here) / (len(wanted) + len(here)) if wanted or here else 0.0

    best = max(windows(text), key=lambda span: (likeness(span), -span.start), default=None)
    return best if best and likeness(best) >= AKIN else None


def differences(before: str, after: str) -> Iterator[Piece]:
    old, new = PIECE.findall(before), PIECE.findall(after)
    bare = [[word.strip() for word in words] for words in (old, new)]
    for tag, a, b, c, d in SequenceMatcher(None, bare[0], bare[1], autojunk=False).get_opcodes():
        if tag == "equal":
            yield Piece("same", "".join(new[c:d]))
            continue
        if a < b:
            yield Piece("removed", "".join(old[a:b]))
        if c < d:
            yield Piece("added", "".join(new[c:d]))
