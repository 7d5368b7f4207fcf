"""How far a quotation goes from the sentence that answers: it says enough to be understood, and ends where it may.

Measured on the 201 reference answers of Northwind's PDFs: the quotations hold .51 of their content words beyond the
question's, and seven hold less than a tenth (.33 and 36 where a quotation ended with its paragraph, or before a list).
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from knowledge.texts.lines import column_of, indent_of
from knowledge.texts.tables.readers import ends_head
from retrieval.answering.quoting.tables import is_table, tables_in
from retrieval.answering.sentences import MARK, MARKED_HEADING, POINTS_BACK, Span, is_claim, is_question, sentence_spans

WIDENED = 600  # characters
SHORT = 400  # below, a quotation goes on in the next paragraph
LISTED_TOO = 900  # with what it announces
LISTED_WHOLE = 1500  # with the rest of a list, or of the steps after a first one
STEP = re.compile(
    r"(?:step|level|phase|stage|schritt|stufe|étape|niveau|paso|nivel|fase|passo|livello|stap)\s+\d{1,2}\b",
    re.IGNORECASE,
)
LISTED = re.compile(rf"(?:{MARK}|[‣◦–]|\(\d{{1,3}}[.)]|#\.|[a-z][.)])\s")
DIRECTIVE = re.compile(r"\.\. [\w:-]+::.*")
ENDS = '.!?…。！？؟।"”’»)]`'
NUMBERS = re.compile(r"[\W\d]+")
SENTENCE_ENDS = ".!?…"
LEANS = re.compile(  # what is said of the rows of the table above
    r"(?:below|above|add|take|deduct|plus|less|half|double|otherwise|for (?:each|every|all)|in (?:each|all) cases?)\b",
    re.IGNORECASE,
)
NO_TERMS_END = (*".,;:!?", "")  # of a paragraph's first line, of what announces
OVERLINE = "="
MAIL_HEAD = re.compile(r"(?:(?:From|To|Cc|Date): [^\n]*(?:\n|$)){2,}")  # as mail is written out
GREETING = re.compile(  # a paragraph of its own: “Dear all,”
    r"(?:dear|h(?:i|ello|ey)|good (?:morning|afternoon|evening)|liebe[rs]?|sehr geehrte[rs]?|hallo|guten (?:tag|morgen)"
    r"|ch(?:er|ère)s?|bonjour|estimad[oa]s?|querid[oa]s?|hola|gentil[ei]|car[aeio]|buongiorno|beste|geachte|prezad[oa]s?)"
    r"\b[^\n,.:;|]{0,60}[,!]",
    re.IGNORECASE,
)
ITEM = re.compile(rf"^[ \t]*(?P<mark>{LISTED.pattern})", re.MULTILINE)


@lru_cache(maxsize=512)
def parts(text: str) -> tuple[Span, ...]:
    """Sentences, and tables with their heads: whole, or in pieces of as many rows as may be quoted together."""
    tables = [table.span for table in tables_in(text)]
    beyond = Span(len(text), len(text))
    found: list[Span] = []
    for span in sentence_spans(text):
        table = next((table for table in tables if table.start <= span.start < table.end), beyond)
        most = LISTED_WHOLE if table.end - table.start <= LISTED_WHOLE else LISTED_TOO
        if found and found[-1].start >= table.start and span.end - found[-1].start <= most:
            found[-1] = Span(found[-1].start, span.end)
        else:
            found.append(span)
    return tuple(found)


def widened(text: str, span: Span) -> Span:
    """The sentence and those that follow it, while they are short together; beyond its paragraph only if it is short.

    Where nothing is left to follow, and it is short still, those before it: a sentence that sums up needs them. So
    does one that announces, of its own paragraph, and one that begins with "this", "they" or "however". What stands
    further in than the line above it (a definition, an item, a warning) begins there, and ends where it ends; so does
    what begins with such a line. What answers a question that is a paragraph of its own begins with that.
    """
    spans = parts(text)
    end = told_until(text, span, [one for one in spans if one.start >= span.end])
    opening = min(opens_at(text, span.start), item_at(text, span.start))
    if opening == span.start and is_term(text, opening):
        return Span(opening, end)
    if DIRECTIVE.match(text, opening) or (opening < span.start and end - opening <= LISTED_TOO):
        return Span(opening, end)
    start = span.start
    if question := question_above(text, span, spans):
        return Span(question.start, end) if end - question.start <= LISTED_TOO else Span(start, end)
    for before in reversed([one for one in spans if one.end <= span.start]):
        short = end - start < SHORT and end - before.start <= WIDENED
        beside = "\n\n" not in text[before.end : start]
        announced = announces(text, span) and span.end - before.start <= SHORT
        meant = bool(POINTS_BACK.match(text, start)) and end - before.start <= LISTED_TOO
        promised = text[before.end - 1] == ":" and not LISTED.match(text, start) and end - before.start <= LISTED_TOO
        leans = LEANS.match(text, start)
        other_table = not (beside or leans) and is_table(text, before) and not is_table(text, span)
        leads_in = (short and not other_table) or promised or (beside and (announced or meant))
        if is_overline(text, before) or is_rest(text, before) or opens_letter(text, before) or not leads_in:
            break
        start = before.start
    return Span(start, end)


def question_above(text: str, span: Span, spans: Sequence[Span]) -> Span | None:
    """The question that is the paragraph directly above."""
    above = next((one for one in reversed(spans) if one.end <= span.start), None)
    return above if above and is_asked_apart(text, above) and not text[above.end : span.start].strip() else None


def is_asked_apart(text: str, one: Span) -> bool:
    """Whether it is a question, and a paragraph of its own; a heading stands above what is quoted anyway."""
    apart = text[: one.start].endswith("\n\n" if one.start else "") and text[one.end :].startswith("\n\n")
    return apart and asks(text, one) and not MARKED_HEADING.match(text, one.start)


def opens_at(text: str, place: int) -> int:
    """Where the line begins that this place stands below, further in: a term, an item, a directive; else the place.

    Blank lines stand between at most where it is a directive.
    """
    start = text.rfind("\n", 0, place) + 1
    indent, apart = indent_of(text[start:place]), False
    while start and indent:
        end = start - 1
        start = text.rfind("\n", 0, end) + 1
        line = text[start:end]
        if not line.strip():
            apart = True
        elif indent_of(line) < indent:
            return start + indent_of(line) if not apart or DIRECTIVE.fullmatch(line.strip()) else place
        elif apart:
            return place
    return place


def is_term(text: str, place: int) -> bool:
    """Whether a line begins here that the next one explains further in, as a glossary's or an option of a program."""
    line, _, rest = text[place:].partition("\n")
    below = rest.partition("\n")[0]
    begins = not text[text.rfind("\n", 0, place) + 1 : place].strip()
    further_in = below.strip() and indent_of(below) > column_of(place, text)
    return bool(begins and further_in) and line.rstrip()[-1:] not in NO_TERMS_END and not LISTED.match(line)


def next_line_as_far_in(text: str, place: int) -> int:
    """Where the next line begins that stands as far in as this one, or further out; the text's end if none does."""
    indent = column_of(place, text)
    at = text.find("\n", place)
    while at != -1:
        end = text.find("\n", at + 1)
        line = text[at + 1 : end if end != -1 else len(text)]
        if line.strip() and indent_of(line) <= indent:
            return at + 1 + indent_of(line)
        at = end
    return len(text)


def told_until(text: str, span: Span, following: Sequence[Span]) -> int:
    """The end of the last sentence that belongs to the first, so that all are short together.

    A list that one of them announces belongs to it, the steps after a first one, and the paragraph below a heading.
    What is announced and does not fit, a heading, or what is cut off at the passage's end, is left out, but for the
    first itself.
    """
    kept, listing, most = [span], False, WIDENED
    term = opens_at(text, span.start)
    next_term = next_line_as_far_in(text, term) if is_term(text, term) else len(text)
    in_item = bool(LISTED.match(text, span.start))
    last_step = max((one.start for one in following if STEP.match(text, one.start)), default=-1)
    for one in following:
        if announces(text, kept[-1]):
            listing, most = True, LISTED_TOO
        item = bool(LISTED.match(text, one.start))
        below = "\n\n" in text[kept[-1].end : one.start]
        listing = listing and (item or not below)
        in_item = item or (in_item and not below)
        stepping = one.start <= last_step and any(STEP.match(text, said.start) for said in kept)
        most = LISTED_WHOLE if stepping else most
        promised = listing or stepping or is_open(text, kept[-1]) or asks(text, kept[-1])
        goes_on = promised or kept[-1].end - span.start < SHORT
        room = LISTED_WHOLE if listing and in_item else most
        leaves = below and ((further_out(text, one, span) and not promised) or is_asked_apart(text, one))
        if (
            (below and not goes_on)
            or leaves
            or one.start >= next_term
            or is_overline(text, one)
            or one.end - span.start > room
        ):
            break
        kept.append(one)
    while len(kept) > 1 and leads_nowhere(text, kept[-1]):
        kept.pop()
    return kept[-1].end


def further_out(text: str, one: Span, than: Span) -> bool:
    """Whether its line begins further to the left."""
    here, there = (indent_of(text[text.rfind("\n", 0, span.start) + 1 : span.end]) for span in (one, than))
    return here < there


def leads_nowhere(text: str, last: Span) -> bool:
    """Whether a quotation should not end so: on what announces or asks, a heading, half a sentence, a bare number."""
    alone = text[: last.start].endswith("\n\n") and text[last.end :].lstrip(" ").startswith("\n\n")
    at_the_end = last.end == len(text.rstrip())
    promises = announces(text, last) or asks(text, last)
    bare = bool(NUMBERS.fullmatch(text, last.start, last.end))
    return promises or bare or ((alone or at_the_end) and is_open(text, last))


def is_rest(text: str, span: Span) -> bool:
    """The end of a sentence or of a list's item whose beginning stands in the passage before: a page ended in it."""
    first = text[span.start].islower() and not text[: span.start].strip()
    return first and (text[span.end - 1] in SENTENCE_ENDS or bool(LISTED.match(text[span.end :].lstrip())))


def opens_letter(text: str, span: Span) -> bool:
    """Who wrote to whom, or whom a letter greets: it says nothing of what is written below."""
    is_apart = text[: span.start].endswith("\n\n" if span.start else "") and text[span.end :].startswith("\n\n")
    said = text[span.start : span.end]
    return is_apart and bool(MAIL_HEAD.fullmatch(said) or GREETING.fullmatch(said))


def announces(text: str, span: Span) -> bool:
    """What ends with a colon or a directive, or a table's head without a row."""
    last_line = text[text.rfind("\n", 0, span.end) + 1 : span.end].strip()
    ends_so = bool(DIRECTIVE.fullmatch(last_line)) or ends_head(last_line)
    return not is_claim(text[span.start : span.end]) or ends_so


def asks(text: str, span: Span) -> bool:
    return is_question(text[span.start : span.end])


def is_open(text: str, span: Span) -> bool:
    """A heading, or a sentence that a list, an example or a table follows."""
    is_unended = text[span.end - 1] not in ENDS and not LISTED.match(text, span.start)
    return is_unended and not is_table(text, span) and not opens_letter(text, span)


def is_overline(text: str, span: Span) -> bool:
    """The rule above a heading: another section begins."""
    return text[span.start] == OVERLINE and not is_table(text, span)


def item_at(text: str, place: int) -> int:
    """Where the item of a list begins in which this place stands, its first line or a later one; else the place."""
    if LISTED.match(text, place):
        return place
    block = text.rfind("\n\n", 0, place) + 1
    marks = [mark.start("mark") for mark in ITEM.finditer(text, block, place)]
    return marks[-1] if marks else place
