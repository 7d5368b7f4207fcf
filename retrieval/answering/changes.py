"""What became of quoted words in today's text of their file. Pure."""

import re

from retrieval.answering.sentences import WIDEST, Span, sentence_spans
from retrieval.answering.words import terms

AKIN = 0.5  # of the content words: what is less alike is another sentence


def find(quote: str, text: str) -> Span | None:
    """Where the words stand now: word for word, or but for white space."""
    if (start := text.find(quote)) >= 0:
        return Span(start, start + len(quote))
    pattern = r"\s+".join(map(re.escape, quote.split()))
    found = re.search(pattern, text) if pattern else None
    return Span(*found.span()) if found else None


def nearest(quote: str, text: str) -> Span | None:
    """The sentences of today's text that are most like the quotation, about as many; None where nothing is."""
    wanted, count = terms(quote), len(sentence_spans(quote))
    spans = sentence_spans(text)
    held = [terms(text[span.start : span.end]) for span in spans]
    least = count - 1 if count > WIDEST else 1
    sizes = range(least, max(count + 1, WIDEST) + 1)
    places = [(start, size) for size in sizes for start in range(len(spans) - size + 1)]

    def like(place: tuple[int, int]) -> float:
        start, size = place
        return likeness(wanted, set().union(*held[start : start + size]))

    start, size = max(places, key=like, default=(0, 0))  # of equals the shortest, the first
    return Span(spans[start].start, spans[start + size - 1].end) if size and like((start, size)) >= AKIN else None


def likeness(wanted: set[str], here: set[str]) -> float:
    return 2 * len(wanted & here) / (len(wanted) + len(here)) if wanted or here else 0.0
