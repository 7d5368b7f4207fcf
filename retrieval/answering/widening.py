"""How far a quotation goes from the sentence that answers: it says enough to be understood, and ends where it may.

Measured on the 201 reference answers of Northwind's PDFs: the quotations hold .51 of their content words beyond the
question's, and seven hold less than a tenth (.33 and 36 where a quotation ended with its paragraph, or before a list).
"""

import re
from collections.abc import Sequence

from retrieval.answering.sentences import MARK, Span, is_claim, sentence_spans

WIDENED = 600  # characters
SHORT = 400  # below, a quotation goes on in the next paragraph
LISTED_TOO = 900  # with what it announces
LISTED = re.compile(rf"(?:{MARK}|[‣◦–]|\(\d{{1,3}}[.)]|#\.|[a-z][.)])\s")
DIRECTIVE = re.compile(r"[ \t]*\.\. [\w:-]+::.*")
ENDS = '.!?…。！？؟।"”’»)]`'
TABLE_BORDERS = "|+="


def widened(text: str, span: Span) -> Span:
    """The sentence and those that follow it, while they are short together; beyond its paragraph only if it is short.

    Where nothing is left to follow, and it is short still, those before it: a sentence that sums up needs them. So
    does one that announces, of its own paragraph.
    """
    spans = sentence_spans(text)
    end = told_until(text, span, [one for one in spans if one.start >= span.end])
    start = span.start
    for before in reversed([one for one in spans if one.end <= span.start]):
        short = end - start < SHORT and end - before.start <= WIDENED
        beside = "\n\n" not in text[before.end : start] and span.end - before.start <= SHORT
        if text[before.start] in TABLE_BORDERS or not (short or (beside and announces(text, span))):
            break
        start = before.start
    return Span(start, end)


def told_until(text: str, span: Span, following: Sequence[Span]) -> int:
    """The end of the last sentence that belongs to the first, so that all are short together.

    A list that one of them announces belongs to it, and the paragraph below a heading. What is announced and does not
    fit, a heading, or what is cut off at the passage's end, is left out, but for the first itself.
    """
    kept, listing, most = [span], False, WIDENED
    for one in following:
        if announces(text, kept[-1]):
            listing, most = True, LISTED_TOO
        item = bool(LISTED.match(text, one.start))
        below = "\n\n" in text[kept[-1].end : one.start]
        listing = listing and (item or not below)
        goes_on = listing or is_open(text, kept[-1]) or kept[-1].end - span.start < SHORT
        if (below and not goes_on) or text[one.start] in TABLE_BORDERS or one.end - span.start > most:
            break
        kept.append(one)
    while len(kept) > 1 and leads_nowhere(text, kept[-1]):
        kept.pop()
    return kept[-1].end


def leads_nowhere(text: str, last: Span) -> bool:
    """Whether a quotation should not end so: with what announces something, a heading, or half a sentence."""
    alone = text[: last.start].endswith("\n\n") and text[last.end :].lstrip(" ").startswith("\n\n")
    at_the_end = last.end == len(text.rstrip())
    return announces(text, last) or ((alone or at_the_end) and is_open(text, last))


def announces(text: str, span: Span) -> bool:
    last_line = text.rfind("\n", 0, span.end) + 1
    return not is_claim(text[span.start : span.end]) or bool(DIRECTIVE.fullmatch(text, last_line, span.end))


def is_open(text: str, span: Span) -> bool:
    """A heading, or a sentence that a list, an example or a table follows."""
    return text[span.end - 1] not in ENDS and not LISTED.match(text, span.start)
