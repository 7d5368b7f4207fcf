"""What became of quoted words in today's text of their file. Pure."""

import re
from bisect import bisect_right
from functools import cache
from itertools import accumulate

from knowledge.texts.items import MARK
from knowledge.texts.words import folded, terms
from retrieval.answering.sentences import WIDEST, Span, sentence_spans

AKIN = 0.5  # of the content words: what is less alike is another sentence
SAYS_NOTHING = re.compile(rf"(?>(?:{MARK}\s+|[\s#>*_.,;:!?…\"'“”„‘’«»()\[\]。！？「」『』（）])*)")


def find(quote: str, text: str, line: int = 1, part: bool = False) -> Span | None:
    """Where the words stand now, word for word or but for white space: of several places the nearest to a line.

    They begin and end where sentences do: in “Deposit: 500 euros” nothing says “Deposit: 50”. As a part of a sentence,
    they may stand anywhere.
    """
    pattern = r"\s+".join(map(re.escape, quote.split()))
    found, at, here = list[tuple[int, Span]](), 0, 1
    for match in re.finditer(pattern, text) if pattern else ():
        here, at = here + text.count("\n", at, match.start()), match.start()
        if part or is_whole(text, Span(*match.span())):
            found.append((abs(here - line), Span(*match.span())))
    return min(found, key=lambda one: one[0])[1] if found else None


def is_whole(text: str, span: Span) -> bool:
    """Whether its sentences say nothing before it and nothing behind it."""
    spans = sentence_spans(text)
    first, last = (spans[bisect_right(spans, at, key=lambda one: one.start) - 1] for at in (span.start, span.end - 1))
    around = text[min(first.start, span.start) : span.start], text[span.end : max(last.end, span.end)]
    return all(map(SAYS_NOTHING.fullmatch, around))


def was_part(quote: str, text: str, line: int) -> bool:
    """Whether a chunk's end cut the quotation off within a sentence of the text that it was taken from."""
    place = find(quote, text, line, part=True)
    return place is not None and not is_whole(text, place)


def nearest(quote: str, text: str) -> Span | None:
    """The sentences of today's text that are most like the quotation, about as many; None where nothing is.

    Of equals the shortest, the first. Words are compared only where enough of the quotation's letters stand (a term is
    a part of its folded word): in a long text that is nearly nowhere.
    """
    wanted, count = terms(quote), len(sentence_spans(quote))
    spans = sentence_spans(text)
    letters = (folded(text[span.start : span.end]) for span in spans)
    shared = list(accumulate((sum(term in sentence for term in wanted) for sentence in letters), initial=0))
    held = cache(lambda number: terms(text[spans[number].start : spans[number].end]))
    least = count - 1 if count > WIDEST else 1
    best, found = 0.0, None
    for size in range(least, max(count + 1, WIDEST) + 1):
        for start in range(len(spans) - size + 1):
            most = shared[start + size] - shared[start]
            at_most = 2 * most / (len(wanted) + most) if most else 0.0
            if at_most < AKIN or at_most <= best:
                continue
            like = likeness(wanted, set().union(*map(held, range(start, start + size))))
            if like >= AKIN and like > best:
                best, found = like, Span(spans[start].start, spans[start + size - 1].end)
    return found


def likeness(wanted: set[str], here: set[str]) -> float:
    return 2 * len(wanted & here) / (len(wanted) + len(here)) if wanted or here else 0.0
