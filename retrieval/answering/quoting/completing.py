"""Without what a quotation would mislead: the other steps of instructions, the rule that a note stands beside. Clauses
of a contract stand for themselves.
"""

import re
from functools import lru_cache

from knowledge.texts.lines import indent_of
from retrieval.answering.quoting.widening import (
    LISTED,
    LISTED_TOO,
    LISTED_WHOLE,
    WIDENED,
    announces,
    further_out,
    is_open,
    is_overline,
    parts,
)
from retrieval.answering.sentences import MARKED_HEADING, POINTS_BACK, Span, is_claim

FEW_WORDS = 3  # of an announcement within a paragraph: "Otherwise:", "If not:", "To do so:"
NOTE = re.compile(r"\.\. note::|!!! note\b|>\s?\[!note\]|(?:\*\*|__)?note:", re.IGNORECASE)
MARKS = ".|<>["  # of directives, comments, tables, and other notes
NUMBERED = re.compile(r"[ \t]*(?:(?P<number>\d{1,3})|#)[.)]\s+\S")
# A clause says in a few words what it is about: in bold letters before its text, on a line of its own above it, or as a
# sentence: "2. Personal licence. The licence …" Three words are no order where they are "Use of the berth".
NUMBER = r"[ \t]*(?:\*\*)?(?:\d{1,3}|#)[.)][ \t]+"
WORD = r"\w+(?:['’]\w+)?"
TITLE = rf"{WORD}(?: {WORD})?|{WORD} (?:of|and|or|for|other)(?: {WORD}){{1,4}}"
CLAUSE = re.compile(
    rf"{NUMBER}(?:\*\*(?:{TITLE})(?:[.:]\*\*|\*\*[.:]?)[ \t]*\S|\w+(?: \w+)?[?]?\n+[ \t]*[^\s\d])", re.IGNORECASE
)
PLAIN_CLAUSE = re.compile(rf"{NUMBER}(?:{TITLE})\. (?=\S)", re.IGNORECASE)
ITEM = re.compile(r"^[ \t]*(?:\d{1,3}|#)[.)]\s", re.MULTILINE)
FEWEST_CLAUSES, MOST_ARE = 3, 0.75
LONG = {CLAUSE: 120, PLAIN_CLAUSE: 200}  # characters of one, on the average: steps are shorter


@lru_cache(maxsize=512)
def numbered_lists(text: str) -> tuple[Span, ...]:
    """Lists of two items or more whose numbers follow each other, from the first number to the end of the last item.

    An item ends at a heading and where, below a blank line, something stands that is not further in.
    """
    found: list[Span] = []
    items, last, indent, start, end, at = 0, 0, 0, 0, 0, 0
    below_blank = False
    for line in text.split("\n"):
        item = NUMBERED.match(line)
        further_in = bool(items) and indent_of(line) > indent
        number = int(item["number"] or last + 1) if item else 0
        goes_on = bool(items and item) and indent_of(line) == indent and number == last + 1
        ends = bool(item) or below_blank or bool(MARKED_HEADING.match(line.lstrip()))
        if items and line.strip() and not goes_on and not further_in and ends:
            found += [Span(start, end)] if items > 1 else []
            items = 0
        if item and (goes_on or not items):
            start = start if items else at + indent_of(line)
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


def clause_at(text: str, listed: Span, place: int) -> Span | None:
    """The item of a numbered list in which this place stands, if each of them stands for itself as in a contract: says
    what it is about, and is no short step."""
    line = text.rfind("\n", 0, listed.start) + 1
    items = ITEM.finditer(text, line, listed.end)
    starts = [one.start() for one in items if indent_of(one[0]) == indent_of(text[line : listed.start + 1])]
    are_clauses = any(
        listed.end - line >= long * len(starts)
        and sum(bool(clause.match(text, start)) for start in starts) >= MOST_ARE * len(starts)
        for clause, long in LONG.items()
    )
    if not are_clauses or len(starts) < FEWEST_CLAUSES:
        return None
    start = max((one for one in starts if one <= place), default=line)
    end = min((one for one in starts if one > place), default=listed.end)
    return Span(start, start + len(text[start:end].rstrip())) if end - start <= LISTED_WHOLE else None


def told_before(text: str, announcing: Span) -> int:
    """Where its paragraph begins, if what announces says too little without it ("Otherwise:"); else where it begins."""
    few = len(text[announcing.start : announcing.end].split()) <= FEW_WORDS
    points_back = POINTS_BACK.match(text, announcing.start)
    return paragraph_start(text, announcing) if few or points_back else announcing.start


def paragraph_start(text: str, span: Span) -> int:
    start = span.start
    for before in reversed([one for one in parts(text) if one.end <= start]):
        if "\n\n" in text[before.end : start] or not is_claim(text[before.start : before.end]):
            break
        start = before.start
    return start


def with_what_it_notes(text: str, quoted: Span) -> Span:
    """A quotation that begins with a note, with the paragraph above that the note is beside, if that is short enough:
    the exception without the rule misleads."""
    above = next((one for one in reversed(parts(text)) if one.end <= quoted.start), None)
    if not NOTE.match(text, quoted.start) or above is None or announces(text, above) or is_open(text, above):
        return quoted
    start = paragraph_start(text, above)
    is_prose = text[start] not in MARKS and not LISTED.match(text, start) and not further_out(text, quoted, above)
    return Span(start, quoted.end) if is_prose and quoted.end - start <= LISTED_TOO else quoted
