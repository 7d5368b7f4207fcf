"""Sentences of answers and of documents, as spans: code blocks, lists, abbreviations, 3.5 and file names survive."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from knowledge.texts.abbreviations import LOOKED_AT, ends_no_sentence
from knowledge.texts.fences import code_lines
from knowledge.texts.items import MARK
from knowledge.texts.lines import indent_of
from knowledge.texts.literals import literal_lines
from knowledge.texts.stops import SPACED, UNSPACED
from knowledge.texts.words import UNSPACED_RUN
from retrieval.answering.remarks import is_remark
from retrieval.results import Sentence

NUMBERS = r"\d{1,3}(?:\s*,\s*\d{1,3})*"
MARKED = rf"\[{NUMBERS}\]"  # what a citation looks like; in code it is none
MARKED_FENCE = re.compile(rf"(?P<fence>[ \t]*(?:`{{3,}}|~{{3,}})[ \t]*)(?:{MARKED}[ \t]*)+")  # closed, and cited
CITED_LINE = re.compile(rf"(?P<said>.*?\S)(?:[ \t]{{1,9}}{MARKED}){{1,9}}[ \t]*")
MARKERS_AFTER = rf"(?:[ \t]*{MARKED}){{0,9}}"
# Text is often wrapped at a fixed width: a line's end ends a sentence only before an empty line or a list item.
# The rule below a table's head goes with it.
RULE = r"[ \t]*\|[ \t]*:?-{2,}"
LINE_END = rf"\s*\n(?!{RULE})(?=[ \t]*(?:\n|(?:{MARK}|[#|>])\s))\s*"
# A full stop ends a sentence where white space and no small letter follows; not inside 3.5, file names, abbreviations.
END = re.compile(
    rf"(?<![{SPACED}])[{SPACED}]+[\"'”’»)\]]*{MARKERS_AFTER}(?=\s++(?![a-zà-ÿа-я,;])|\Z)"
    rf"|(?<![{UNSPACED}])[{UNSPACED}]+[」』”）]*{MARKERS_AFTER}"
    rf"|(?<!\s){MARKERS_AFTER}{LINE_END}"
)
LIST_NUMBER = re.compile(r"(?:^|\n)[^\S\n]*(?:\d{1,3}|#)\Z")
LIST_MARK = re.compile(rf"^{MARK}\s+")
ROW = re.compile(r"\|.*\|", re.DOTALL)  # of a table that a model writes
HEAD_ROW = re.compile(r"[ \t]*\|[^\n]*\n[ \t|:-]+")
MARKED_HEADING = re.compile(r"#{1,6}\s+\S[^\n]*")
BARE = re.compile(r"[^\W\d_][^\n\d.!?…:;|`]*[^\W\d_]\)?")
POINTS_BACK = re.compile(
    r"(?:(?:in|for|at|on|by|to|after|before|if) )?(?:this|that|these|those|it|its|they|them|their|such|he|she|his|her"
    r"|dies\w*|diese[mnrs]?|er|sie|es|deren|dessen|ce|cette|ces|il|elle|ils|elles|esto|est[ae]s?|ell[oa]s?"
    r"|however|but|otherwise|therefore|instead|the (?:latter|former)|both"
    r"|jedoch|aber|allerdings|andernfalls|sonst|deshalb|daher|stattdessen|beide|letztere[rs]?"
    r"|pourtant|cependant|toutefois|sinon|sin embargo|pero|en cambio|tuttavia|altrimenti|echter|no entanto|однако)\b"
    r"|ただし|しかし|そのため|但是|然而|不过|因此",
    re.IGNORECASE,
)
FEW_WORDS, FEW_BOLD_WORDS = 2, 6
NO_TERMS_END = (*".,:;!?", "")  # of a paragraph's first line, of what announces
WIDEST = 3  # sentences or lines in a quote
LONGEST = 600  # characters


@dataclass(frozen=True, slots=True)
class Span:
    start: int
    end: int

    def __contains__(self, other: "Span") -> bool:
        return self.start <= other.start and other.end <= self.end


@lru_cache(maxsize=512)
def sentence_spans(text: str) -> tuple[Span, ...]:
    """Spans of sentences, list items, headings and whole code blocks, without the white space around them."""
    return tuple(span for block in blocks(text) for span in _split(text, block))


@lru_cache(maxsize=512)
def code_spans(text: str) -> frozenset[Span]:
    """Those of them that are code blocks."""
    return frozenset(span for block in blocks(text) if block[1] for span in _split(text, block))


def is_claim(sentence: str, cited: bool = False) -> bool:
    """Whether it says something that can be held against a passage: what ends with a colon announces what follows.

    Nor does a heading, unless a source was given for it: “Anna Keller [2]” is an answer. Nor does the head of a table.
    """
    said = sentence.strip("*_ ")
    announces = said.endswith((":", "：")) or names_columns(sentence)
    return bool(said) and not announces and (cited or not is_heading(sentence))


def asserts(sentence: str, cited: bool) -> bool:
    """Whether a sentence of an answer is a claim, and no remark beside one: “Yes.”, “The passages do not say.”"""
    return is_claim(sentence, cited) and (cited or not is_remark(sentence))


def claims(sentences: Iterable[Sentence]) -> list[Sentence]:
    return [sentence for sentence in sentences if asserts(sentence.text, bool(sentence.citations))]


def doubtful(sentences: Iterable[Sentence]) -> list[Sentence]:
    """What is claimed and not borne out."""
    return [sentence for sentence in claims(sentences) if not sentence.supported]


def names_columns(sentence: str) -> bool:
    """Whether it is the head of a table, with the rule below it."""
    return bool(HEAD_ROW.fullmatch(sentence))


def is_heading(sentence: str) -> bool:
    """Whether a line is marked as a heading, or has but a few words and nothing that ends, lists or counts them."""
    if MARKED_HEADING.fullmatch(sentence):
        return True
    said = sentence.strip("*_")
    fewest = FEW_WORDS if said == sentence else FEW_BOLD_WORDS
    return len(said.split()) <= fewest and bool(BARE.fullmatch(said)) and not UNSPACED_RUN.search(said)


def is_question(sentence: str) -> bool:
    return sentence.endswith(("?", "？", "؟"))


@lru_cache(maxsize=512)
def windows(text: str) -> tuple[Span, ...]:
    """Every span of one to three neighbouring sentences that is short enough to be quoted; of longer code its lines."""
    spans = tuple(
        piece
        for span in sentence_spans(text)
        for piece in (_lines(text, span) if span.end - span.start > LONGEST else (span,))
    )
    wide = (
        Span(spans[i].start, spans[j - 1].end)
        for i in range(len(spans))
        for j in range(i + 1, min(i + WIDEST, len(spans)) + 1)
    )
    return tuple(span for span in wide if span.end - span.start <= LONGEST) or spans


def blocks(text: str) -> Iterator[tuple[Span, bool]]:
    """The text in pieces, and of each whether it is code: a fenced listing with its fences, a literal block or a
    session. No mark behind it belongs to it."""
    lines = text.split("\n")
    marked = [MARKED_FENCE.fullmatch(line) for line in lines]
    fenced = code_lines([mark["fence"] if mark else line for line, mark in zip(lines, marked, strict=True)])
    literal = literal_lines(["" if at in fenced else line for at, line in enumerate(lines)])
    code = fenced | literal
    position = start = 0
    for at, (line, mark) in enumerate(zip(lines, marked, strict=True)):
        if at in code and at - 1 not in code:
            yield Span(position, start), False
            position = start
        if at in code and at + 1 not in code:
            cited = CITED_LINE.fullmatch(line) if at in literal else None
            end = start + len(mark["fence"] if mark else cited["said"] if cited else line)
            yield Span(position, end), True
            position = end
        start += len(line) + 1
    yield Span(position, len(text)), False


def _split(text: str, block: tuple[Span, bool]) -> Iterator[Span]:
    span, code = block
    start = span.start
    ends: list[int] = []
    if not code:
        ended = (match.end() for match in END.finditer(text, span.start, span.end) if not _abbreviated(text, match))
        ends = sorted([*_before_terms(text, span), *ended])
    for end in [*ends, span.end]:
        if piece := text[start:end].strip():
            begin = text.index(piece, start)
            whole = Span(begin, begin + len(piece))
            yield from _lines(text, whole) if len(piece) > LONGEST and not code else (whole,)
        start = end


def _before_terms(text: str, span: Span) -> Iterator[int]:
    """Where a definition ends and the next begins: with a line further out than those above and below it, that is no
    sentence. It may begin with a small letter, and what is above it end without a full stop."""
    lines = text[span.start : span.end].split("\n")
    end = span.start
    for above, line, below in zip(lines, lines[1:], lines[2:], strict=False):
        end += len(above)
        is_term = above.strip() and below.strip() and line.rstrip()[-1:] not in NO_TERMS_END
        if is_term and indent_of(line) < min(indent_of(above), indent_of(below)):
            yield end
        end += 1


def _lines(text: str, span: Span) -> Iterator[Span]:
    """A table or a listing has no sentences."""
    for line in re.finditer(r"\S[^\n]*", text[span.start : span.end]):
        yield Span(span.start + line.start(), span.start + line.end())


def _abbreviated(text: str, match: re.Match[str]) -> bool:
    """Whether it is no end: behind an abbreviation, or where two stops open a line as RST's markup does."""
    start = match.start()
    if not match[0].startswith("."):
        return False
    if match[0].startswith(".."):
        return match[0] == ".." and not text[max(0, start - LOOKED_AT) : start].rpartition("\n")[2].strip()
    is_list_mark = LIST_NUMBER.search(text, max(0, start - len("\n    100")), start)
    return bool(is_list_mark) or (match.end() < len(text) and ends_no_sentence(text, start))
