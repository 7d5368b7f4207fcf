"""Without what a quotation would mislead: the other steps of instructions, the rule that a note stands beside."""

import re
from collections import deque
from functools import lru_cache

from knowledge.texts.lines import first_of, indent_of
from retrieval.answering.quoting.clauses import clause_at
from retrieval.answering.quoting.layout import (
    LISTED,
    LISTED_TOO,
    LISTED_WHOLE,
    WIDENED,
    announces,
    further_out,
    is_open,
    is_overline,
    paragraph_start,
    parts,
)
from retrieval.answering.sentences import MARKED_HEADING, POINTS_BACK, Span, code_spans

FEW_WORDS = 3  # of an announcement within a paragraph: "Otherwise:", "If not:", "To do so:"
NOTE = re.compile(r"\.\. note::|!!! note\b|>\s?\[!note\]|(?:\*\*|__)?note:", re.IGNORECASE)
MARKS = ".|<>["  # of directives, comments, tables, and other notes
NUMBERED = re.compile(r"[ \t]*(?:(?P<number>\d{1,3})|#)[.)]\s+\S")


@lru_cache(maxsize=512)
def numbered_lists(text: str) -> tuple[Span, ...]:
    """Lists of two items or more whose numbers follow each other, from the first number to the end of the last item.

    An item ends at a heading and where, below a blank line, something stands that is not further in.
    """
    found: list[Span] = []
    items, last, indent, start, end, at = 0, 0, 0, 0, 0, 0
    below_blank = False
    code = deque(sorted(code_spans(text), key=lambda one: one.start))
    for line in text.split("\n"):
        while code and code[0].end <= at:
            code.popleft()
        is_code = bool(code) and code[0].start < at + len(line)
        item = None if is_code else NUMBERED.match(line)
        further_in = bool(items) and indent_of(line) > indent
        number = int(item["number"] or last + 1) if item else 0
        goes_on = bool(items and item) and indent_of(line) == indent and number == last + 1
        ends = bool(item) or below_blank or bool(MARKED_HEADING.match(line.lstrip()))
        if items and line.strip() and not goes_on and not further_in and ends:
            found += [Span(start, end)] if items > 1 else []
            items = 0
        if item and (goes_on or not items):
            start = start if items else at + first_of(line)
            items, last, indent = items + 1, number, indent_of(line)
        end = at + len(line.rstrip()) if line.strip() else end
        below_blank = not line.strip()
        at += len(line) + 1
    return tuple([*found, Span(start, end)] if items > 1 else found)


def with_its_steps(text: str, quoted: Span, place: int) -> Span:
    """The quotation of a sentence at this place with all of the numbered steps that it is one of, or below which it
    stands and reaches back into, and what announces them, if that is short enough: instructions without their first
    step mislead."""
    lists = numbered_lists(text)
    around = next((one for one in lists if one.start <= place < one.end), None)
    steps = around or next((one for one in lists if one.start < quoted.start < one.end <= place), None)
    if steps is None:
        return quoted
    before = next((one for one in reversed(parts(text)) if one.end <= steps.start), steps)
    leads_in = announces(text, before) and not is_overline(text, before)
    if around and not leads_in and (clause := clause_at(text, around, place)):
        return clause
    leading = (told_before(text, before), before.start, steps.start) if leads_in else (steps.start,)
    starts = (min(quoted.start, one) for one in leading)
    least = steps.end if around else quoted.end
    start = next((one for one in starts if least - one <= LISTED_WHOLE), None)
    if start is None:
        behind = (one.start for one in parts(text) if one.start >= steps.end)
        return quoted if around else Span(next(behind, place), quoted.end)
    return Span(start, quoted.end if steps.end < quoted.end <= start + WIDENED else least)


def is_clause(text: str, quoted: Span) -> bool:
    """Whether a quotation is one clause, and no more."""
    return any(clause_at(text, one, quoted.start) == quoted for one in numbered_lists(text) if one.end >= quoted.end)


def told_before(text: str, announcing: Span) -> int:
    """Where its paragraph begins, if what announces says too little without it ("Otherwise:"); else where it begins."""
    few = len(text[announcing.start : announcing.end].split()) <= FEW_WORDS
    points_back = POINTS_BACK.match(text, announcing.start)
    return paragraph_start(text, announcing) if few or points_back else announcing.start


def with_what_it_notes(text: str, quoted: Span) -> Span:
    """A quotation that begins with a note, with the paragraph above that the note is beside, if that is short enough:
    the exception without the rule misleads."""
    above = next((one for one in reversed(parts(text)) if one.end <= quoted.start), None)
    if not NOTE.match(text, quoted.start) or above is None or announces(text, above) or is_open(text, above):
        return quoted
    start = paragraph_start(text, above)
    is_prose = text[start] not in MARKS and not LISTED.match(text, start) and not further_out(text, quoted, above)
    return Span(start, quoted.end) if is_prose and quoted.end - start <= LISTED_TOO else quoted
