"""How far a quotation goes from the sentence that answers: it says enough to be understood, and ends where it may.

Measured on the 201 reference answers of Northwind's PDFs: the quotations hold .51 of their content words beyond the
question's, and seven hold less than a tenth (.33 and 36 where a quotation ended with its paragraph, or before a list).
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from retrieval.answering.quoting.layout import (
    DIRECTIVE,
    ENDS,
    LISTED,
    LISTED_TOO,
    LISTED_WHOLE,
    WIDENED,
    announces,
    asks,
    begins_item,
    further_out,
    has_paragraphs,
    is_asked_apart,
    is_code,
    is_open,
    is_overline,
    is_rest,
    is_term,
    item_at,
    leads_nowhere,
    next_line_as_far_in,
    opens_at,
    opens_letter,
    paragraph_start,
    parts,
    question_above,
)
from retrieval.answering.quoting.tables import is_table
from retrieval.answering.sentences import POINTS_BACK, Span

SHORT = 400  # characters: below, a quotation goes on in the next paragraph
LEGEND = 200  # characters of a paragraph above a table that is about its rows
STEP = re.compile(
    r"(?:step|level|phase|stage|schritt|stufe|étape|niveau|paso|nivel|fase|passo|livello|stap)\s+\d{1,2}\b",
    re.IGNORECASE,
)
LEANS = re.compile(  # what is said of the rows of the table above
    r"(?:below|above|add|take|deduct|plus|less|half|double|otherwise|for (?:each|every|all)|in (?:each|all) cases?)\b",
    re.IGNORECASE,
)


def widened(text: str, span: Span) -> Span:
    """The sentence and those that follow it, while they are short together; beyond its paragraph only if it is short.

    Where nothing is left to follow, and it is short still, those before it: a sentence that sums up needs them. So
    does one that announces, of its own paragraph, and one that begins with "this", "they" or "however". What stands
    further in than the line above it (a definition, an item, a warning) begins there, and ends where it ends; so does
    what begins with such a line. What answers a question that is a paragraph of its own begins with that, code with
    what announces it.
    """
    spans = parts(text)
    if is_code(text, span) and (first := announcing(text, span, spans)) != span:
        around = widened(text, first)
        return Span(around.start if around.end >= span.end else first.start, max(around.end, span.end))
    end = told_until(text, span, [one for one in spans if one.start >= span.end])
    opening = entry_at(text, span.start)
    if opening == span.start and not is_code(text, span) and is_term(text, opening):
        return Span(opening, end)
    if DIRECTIVE.match(text, opening) or (opening < span.start and end - opening <= LISTED_TOO):
        return Span(opening, end)
    if question := question_above(text, span, spans):
        return Span(question.start, end) if end - question.start <= LISTED_TOO else Span(span.start, end)
    return Span(told_from(text, span, end, [one for one in spans if one.end <= span.start]), end)


def entry_at(text: str, place: int) -> int:
    """Where the item, the definition or the directive begins in which this place stands; else the place."""
    return min(opens_at(text, place), item_at(text, place))


def announcing(text: str, code: Span, spans: Sequence[Span]) -> Span:
    """The sentence that announces a block of code, or the directive above it where no other does; else the code."""
    first = code
    for one in reversed([one for one in spans if one.end <= code.start]):
        if not announces(text, one) or is_overline(text, one) or code.end - one.start > LISTED_WHOLE:
            break
        first = one
    return first


def told_until(text: str, span: Span, following: Sequence[Span]) -> int:
    """The end of the last sentence that belongs to the first, so that all are short together.

    What is announced and does not fit, a heading, or what is cut off at the passage's end, is left out, but for the
    first itself.
    """
    kept, _ = grown(text, span, following)
    while len(kept) > 1 and leads_nowhere(text, kept[-1]):
        kept.pop()
    return kept[-1].end


def grown(text: str, span: Span, following: Sequence[Span]) -> tuple[list[Span], str]:
    """A sentence with those of the following that its quotation goes on with, and the name of the rule that ends it;
    none where the text ends."""
    kept = [span]
    for at in growths(text, span, following):
        if rule := next((rule for rule in ENDINGS if rule(at)), None):
            return kept, rule.__name__
        kept.append(at.next)
    return kept, ""


@dataclass(frozen=True, slots=True)
class Growth:
    """A quotation that grows: its first and its last sentence, and the next, of which is to be said whether it belongs
    to them."""

    text: str
    first: Span
    last: Span
    next: Span
    next_entry: int  # where the definition ends that it stands in, or the item that has paragraphs
    is_listing: bool  # what was announced goes on
    is_in_item: bool  # of a list
    is_stepping: bool  # further steps follow a first one
    most: int  # characters

    @property
    def is_below(self) -> bool:
        """Whether another paragraph begins."""
        return is_apart(self.text, self.last, self.next)

    @property
    def is_promised(self) -> bool:
        """A list that is announced, the steps after a first one, what stands below a heading, answers a question, or
        explains a literal block, whose end nothing marks."""
        is_literal = is_code(self.text, self.last) and self.text[self.last.end - 1] not in ENDS
        promises = is_open(self.text, self.last) or asks(self.text, self.last) or is_literal
        return self.is_listing or self.is_stepping or promises


def growths(text: str, first: Span, following: Sequence[Span]) -> Iterator[Growth]:
    """The quotation before each of the following sentences, if it has all before."""
    term = opens_at(text, first.start)
    has_an_end = is_term(text, term) or has_paragraphs(text, term)
    next_entry = next_line_as_far_in(text, term) if has_an_end else len(text)
    last_step = max((one.start for one in following if STEP.match(text, one.start)), default=-1)
    is_in_item, is_listing, has_step, most = begins_item(text, first), False, False, WIDENED
    for last, one in pairwise((first, *following)):
        is_item, below = begins_item(text, one), is_apart(text, last, one)
        has_step = has_step or bool(STEP.match(text, last.start))
        if announces(text, last):
            is_listing, most = True, LISTED_TOO
        if has_step and one.start <= last_step:
            most = LISTED_WHOLE
        is_listing = is_listing and (is_item or not below)
        is_in_item = is_item or (is_in_item and not below)
        is_stepping = has_step and one.start <= last_step
        yield Growth(text, first, last, one, next_entry, is_listing, is_in_item, is_stepping, most)


def is_apart(text: str, one: Span, following: Span) -> bool:
    return "\n\n" in text[one.end : following.start]


def begins_another_entry(at: Growth) -> bool:
    return at.next.start >= at.next_entry


def begins_another_section(at: Growth) -> bool:
    return is_overline(at.text, at.next)


def begins_another_question(at: Growth) -> bool:
    return at.is_below and is_asked_apart(at.text, at.next)


def stands_further_out(at: Growth) -> bool:
    return at.is_below and not at.is_promised and further_out(at.text, at.next, at.first)


def says_enough(at: Growth) -> bool:
    return at.is_below and not at.is_promised and at.last.end - at.first.start >= SHORT


def would_be_too_long(at: Growth) -> bool:
    is_whole = at.is_listing and (at.is_in_item or is_code(at.text, at.next))
    return at.next.end - at.first.start > (LISTED_WHOLE if is_whole else at.most)


ENDINGS: tuple[Callable[[Growth], bool], ...] = (
    begins_another_entry, begins_another_section, begins_another_question, stands_further_out, says_enough,
    would_be_too_long,
)  # fmt: skip


def told_from(text: str, span: Span, end: int, before: Sequence[Span]) -> int:
    """Where the quotation of a sentence begins that ends so: with it, or with one before it that leads to it; with none
    in the middle of an item or a definition. A table, with the short paragraph directly above it.
    """
    start = begun = legend_above(text, span, end, before)
    for one in reversed(before):
        if one.start >= start:
            continue
        at = Approach(text, span, start, end, one)
        told = Span(at.begin, one.end)
        ends_before = is_overline(text, told) or is_rest(text, told) or opens_letter(text, told)
        if ends_before or not any(leads(at) for leads in LEADING):
            break
        start = at.begin
        begun = start if entry_at(text, start) == start else begun
    return begun


def legend_above(text: str, table: Span, end: int, before: Sequence[Span]) -> int:
    """Where the short paragraph begins that stands directly above a table: what its signs mean, or what all of its rows
    have in common; where the span begins that is no table, or below something else."""
    above = before[-1] if before else table
    start = paragraph_start(text, above)
    is_other = (
        is_code(text, above) or is_table(text, above) or LISTED.match(text, start) or further_out(text, table, above)
    )
    is_short = above.end - start <= LEGEND and end - start <= LISTED_WHOLE
    return start if is_short and is_table(text, table) and not is_other and not is_rest(text, above) else table.start


@dataclass(frozen=True, slots=True)
class Approach:
    """A quotation as far as it is known, from the sentence on that it is for, and the one before it."""

    text: str
    said: Span
    start: int
    end: int
    before: Span

    @property
    def is_beside(self) -> bool:
        """Whether both stand in one paragraph."""
        return "\n\n" not in self.text[self.before.end : self.start]

    @property
    def begin(self) -> int:
        """Where it would begin with the sentence before it: a paragraph above is told from its beginning, unless that
        sentence announces."""
        is_whole = not self.is_beside and not announces(self.text, self.before)
        return paragraph_start(self.text, self.before) if is_whole else self.before.start

    @property
    def length(self) -> int:
        """With the sentence before it."""
        return self.end - self.begin


def is_short_without(at: Approach) -> bool:
    """A table above stands for itself, unless this leans on it."""
    belongs = at.is_beside or bool(LEANS.match(at.text, at.start))
    is_other_table = not belongs and is_table(at.text, at.before) and not is_table(at.text, at.said)
    return at.end - at.start < SHORT and at.length <= WIDENED and not is_other_table


def is_announced(at: Approach) -> bool:
    colon = at.text[at.before.end - 1] == ":"
    return colon and not LISTED.match(at.text, at.start) and at.length <= LISTED_TOO


def leads_to_what_announces(at: Approach) -> bool:
    return at.is_beside and announces(at.text, at.said) and at.said.end - at.before.start <= SHORT


def is_pointed_back_to(at: Approach) -> bool:
    return at.is_beside and bool(POINTS_BACK.match(at.text, at.start)) and at.length <= LISTED_TOO


LEADING: tuple[Callable[[Approach], bool], ...] = (
    is_short_without, is_announced, leads_to_what_announces, is_pointed_back_to,
)  # fmt: skip
