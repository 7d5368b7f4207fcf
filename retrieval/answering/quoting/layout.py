"""What stands where in a passage: sentences and tables, terms and items, what announces and what leads nowhere."""

import re
from collections.abc import Sequence
from functools import lru_cache

from knowledge.texts.items import ANY_MARK
from knowledge.texts.lines import column_of, depth_of, first_of, indent_of
from knowledge.texts.literals import OPTION
from knowledge.texts.stops import STOPS
from knowledge.texts.tables.readers import ends_head
from retrieval.answering.quoting.tables import is_table, tables_in
from retrieval.answering.sentences import (
    MARKED_HEADING,
    NO_TERMS_END,
    Span,
    code_spans,
    is_claim,
    is_question,
    sentence_spans,
)

WIDENED = 600  # characters of a quotation
LISTED_TOO = 900  # with what it announces
LISTED_WHOLE = 1500  # with the rest of a list, or of the steps after a first one
LISTED = re.compile(rf"{ANY_MARK}\s")
DIRECTIVE = re.compile(r"\.\. [\w:-]+::.*")
ENDS = STOPS + '"”’»)]`'
NUMBERS = re.compile(r"[\W\d]+")
HEADED = re.compile(r"\S{1,20}(?: \S{1,20})?(?: {2,}|\t)[ \t]*\S")  # a term, and beside it what is said of it
OVERLINE = "="
MAIL_HEAD = re.compile(r"(?:(?:From|To|Cc|Date): [^\n]*(?:\n|$)){2,}")  # as mail is written out
GREETING = re.compile(  # a paragraph of its own: “Dear all,”
    r"(?:dear|h(?:i|ello|ey)|good (?:morning|afternoon|evening)|liebe[rs]?|sehr geehrte[rs]?|hallo|guten (?:tag|morgen)"
    r"|ch(?:er|ère)s?|bonjour|estimad[oa]s?|querid[oa]s?|hola|gentil[ei]|car[aeio]|buongiorno|beste|geachte|prezad[oa]s?)"
    r"\b[^\n,.:;|]{0,60}[,!]",
    re.IGNORECASE,
)
TITLE_WORDS = 6
TITLE = re.compile(r"(?![a-z])[^\W\d_][^\d\n:|]{1,88}")  # what may be one: a number in a few words is told
SIGN = re.compile(r"\S{1,5} = ")  # in a table's legend, before what it means
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


def is_code(text: str, span: Span) -> bool:
    return span in code_spans(text)


def begins_item(text: str, span: Span) -> bool:
    """Whether it begins with the mark of a list's item; in code that is none."""
    return bool(LISTED.match(text, span.start)) and not is_code(text, span)


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

    Blank lines stand between at most where it is a directive, or an item that has paragraphs of its own.
    """
    start = text.rfind("\n", 0, place) + 1
    indent, apart = depth_of(line_at(text, start)), False
    while start and indent:
        end = start - 1
        start = text.rfind("\n", 0, end) + 1
        line = text[start:end]
        if not line.strip():
            apart = True
        elif depth_of(line) < indent:
            opens = not apart or DIRECTIVE.fullmatch(line.strip()) or LISTED.match(line.strip())
            return start + first_of(line) if opens else place
        elif apart:
            return place
    return place


def is_term(text: str, place: int) -> bool:
    """Whether a line begins here that the next one explains further in, as a glossary's or an option of a program; or
    one that explains a term itself, as the next does that stands as far in."""
    if text[text.rfind("\n", 0, place) + 1 : place].strip() or LISTED.match(text, place):
        return False
    if is_explained_below(text, place):
        return True
    following = next_line_as_far_in(text, place)
    as_far_in = following < len(text) and column_of(following, text) == column_of(place, text)
    return as_far_in and explains_itself(text, place) and is_explained(text, following)


def is_explained(text: str, place: int) -> bool:
    return is_explained_below(text, place) or explains_itself(text, place)


def is_explained_below(text: str, place: int) -> bool:
    """Whether the next line stands further in, and this one is no sentence."""
    line, below = line_at(text, place), line_below(text, place)
    return bool(below.strip()) and depth_of(below) > column_of(place, text) and line.rstrip()[-1:] not in NO_TERMS_END


def explains_itself(text: str, place: int) -> bool:
    """Whether a term stands on this line beside what is said of it; it is no row, as another paragraph follows."""
    return bool(HEADED.match(text, place)) and not line_below(text, place).strip()


def line_at(text: str, place: int) -> str:
    """From this place on."""
    return text[place:].partition("\n")[0]


def line_below(text: str, place: int) -> str:
    return text[place:].partition("\n")[2].partition("\n")[0]


def has_paragraphs(text: str, place: int) -> bool:
    """Whether an item of a list begins here that goes on below a blank line, further in."""
    below = line_below(text, text.find("\n", place) + 1)
    further_in = below.strip() and indent_of(below) > column_of(place, text)
    return bool(further_in and not line_below(text, place).strip()) and bool(LISTED.match(text, place))


def next_line_as_far_in(text: str, place: int) -> int:
    """Where the next line begins that stands as far in as this one, or further out; the text's end if none does."""
    indent = column_of(place, text)
    at = text.find("\n", place)
    while at != -1:
        end = text.find("\n", at + 1)
        line = text[at + 1 : end if end != -1 else len(text)]
        if line.strip() and depth_of(line) <= indent:
            return at + 1 + first_of(line)
        at = end
    return len(text)


def further_out(text: str, one: Span, than: Span) -> bool:
    """Whether its line begins further to the left."""
    here, there = (indent_of(text[text.rfind("\n", 0, span.start) + 1 : span.end]) for span in (one, than))
    return here < there


def leads_nowhere(text: str, last: Span) -> bool:
    """Whether a quotation should not end so: on what announces or asks, a heading, half a sentence, a bare number."""
    if is_code(text, last):
        return False
    alone = stands_below_blank(text, last) and text[last.end :].lstrip(" ").startswith("\n\n")
    at_the_end = last.end == len(text.rstrip())
    promises = announces(text, last) or asks(text, last)
    bare = bool(NUMBERS.fullmatch(text, last.start, last.end))
    defines = "\n" in text[last.start : last.end] and is_term(text, last.start)
    return promises or bare or ((alone or at_the_end) and is_open(text, last) and not defines)


def stands_below_blank(text: str, span: Span) -> bool:
    return text[: span.start].rstrip(" \t").endswith("\n\n")


def is_heading_at_the_end(text: str, span: Span) -> bool:
    """A few words on a line of their own below a sentence that ends, which head nothing of their passage: that ends
    with them. Below a question they answer it, and where nothing ends with a full stop they are text as well.
    """
    said, above = text[span.start :].rstrip(), text[: span.start].rstrip()
    is_last_line = span.end >= span.start + len(said) and "\n" not in said and stands_below_blank(text, span)
    is_below_sentence = above[-1:] in ENDS and not is_question(above)
    is_title = len(said.split()) <= TITLE_WORDS and bool(TITLE.fullmatch(said))
    return is_last_line and is_below_sentence and is_title and is_open(text, span)


def is_rest(text: str, span: Span) -> bool:
    """The end of a sentence or of a list's item whose beginning stands in the passage before: a page ended in it."""
    is_first = text[span.start].islower() and not text[: span.start].strip()
    is_begun = SIGN.match(text, span.start) or is_code(text, span)
    return is_first and not is_begun and (text[span.end - 1] in STOPS or bool(LISTED.match(text[span.end :].lstrip())))


def announces(text: str, span: Span) -> bool:
    """What ends with a colon or a directive, or a table's head without a row."""
    if is_code(text, span):
        return False
    lines = text[text.rfind("\n", 0, span.start) + 1 : span.end].split("\n")
    last_line = next((line for line in reversed(lines) if not OPTION.match(line)), "").strip()
    ends_so = bool(DIRECTIVE.fullmatch(last_line)) or ends_head(last_line)
    return not is_claim(text[span.start : span.end]) or ends_so


def asks(text: str, span: Span) -> bool:
    return is_question(text[span.start : span.end])


def opens_letter(text: str, span: Span) -> bool:
    """Who wrote to whom, or whom a letter greets: it says nothing of what is written below."""
    is_apart = text[: span.start].endswith("\n\n" if span.start else "") and text[span.end :].startswith("\n\n")
    said = text[span.start : span.end]
    return is_apart and bool(MAIL_HEAD.fullmatch(said) or GREETING.fullmatch(said))


def is_open(text: str, span: Span) -> bool:
    """A heading, or a sentence that a list, an example or a table follows."""
    is_unended = text[span.end - 1] not in ENDS and not LISTED.match(text, span.start)
    return is_unended and not is_table(text, span) and not is_code(text, span) and not opens_letter(text, span)


def is_overline(text: str, span: Span) -> bool:
    """The rule above a heading: another section begins."""
    return text[span.start] == OVERLINE and not is_table(text, span)


def paragraph_start(text: str, span: Span) -> int:
    start = span.start
    for before in reversed([one for one in parts(text) if one.end <= start]):
        if "\n\n" in text[before.end : start] or not is_claim(text[before.start : before.end]):
            break
        start = before.start
    return start


def item_at(text: str, place: int) -> int:
    """Where the item of a list begins in which this place stands, its first line or a later one; else the place."""
    if LISTED.match(text, place):
        return place
    block = text.rfind("\n\n", 0, place) + 1
    marks = [mark.start("mark") for mark in ITEM.finditer(text, block, place)]
    return marks[-1] if marks else place
