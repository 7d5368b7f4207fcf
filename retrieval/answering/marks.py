"""Citation marks, `[1]` or `[1, 2]`, told from the indexes and lists of code. Pure."""

import re
from collections.abc import Iterable, Iterator, Mapping

from knowledge.texts.fences import CODE_IN_LINE
from knowledge.texts.stops import SPACED, STOPS, UNSPACED
from knowledge.texts.words import BESIDE_DIGITS
from retrieval.answering.sentences import MARKED, NUMBERS, Span, blocks

MARK = re.compile(MARKED)
APART = re.compile(rf"[\s{STOPS},;:，؛、；：”’»」』）{BESIDE_DIGITS}]")
PROSE_FOLLOWS = re.compile(
    rf"(?:[ \t]*{MARKED}){{0,9}}(?:[{SPACED}]+[\"'”’»)]*(?=\s|\Z)|[{UNSPACED}]|[ \t]*(?:\n|\Z)|[,;:)*]*\s+(?=[^\W\d_]))"
)  # the end of a sentence, or more words: “signed[1], and …”
OPENED = re.compile(r"(?:\A|\s)[(（*_]{1,3}\Z")  # “([1])” and “**[1]**”, but not `f([1])`
# Before the bracket and behind it: what prose does not have.
NAME = re.compile(r"(?:[_{}]|\w[(\[]|\.\w|[a-z][A-Z]|[^\W\d_]\d)\S*\Z|=\s*\S+\Z")
OPERATED = re.compile(r"\s?=|\(|;[ \t]*(?:\n|\Z)|\.[a-z]")
# A passage of the prompt begins a line, whatever ends the one before.
LINE_BEGINS = re.compile(rf"((?:^|[\r\v\f\x1c-\x1e\x85\u2028\u2029])[ \t\u00a0\u3000]*)\[({NUMBERS})\]", re.MULTILINE)
NUMBER = re.compile(r"\d+")
NOUGHT = re.compile(r"\b0+\b")  # passages are numbered from 1: “[0, 100] percent”
LOOKED_AT = 60  # characters before the bracket


def citation_marks(text: str) -> Iterator[re.Match[str]]:
    """Marks outside code that stand behind white space, punctuation or another mark.

    Behind a letter only where prose goes on or ends and the word is no name: `minutes[1],`, but not `sys.argv[1],`
    """
    end = 0
    for span, is_code in prose_and_code(text):
        for match in () if is_code else MARK.finditer(text, span.start, span.end):
            if match.start() == end or _is_citation(text, match):
                end = match.end()
                yield match


def prose_and_code(text: str) -> Iterator[tuple[Span, bool]]:
    """The text in pieces, and of each whether it is code: a fenced listing, or code within a line."""
    for block, is_listing in blocks(text):
        start = block.start
        for code in () if is_listing else CODE_IN_LINE.finditer(text, block.start, block.end):
            yield Span(start, code.start()), False
            yield Span(*code.span()), True
            start = code.end()
        yield Span(start, block.end), is_listing


def _is_citation(text: str, match: re.Match[str]) -> bool:
    is_assigned = text[max(0, match.start() - 2) : match.start()].rstrip().endswith("=")
    if NOUGHT.search(match[0]) or text.startswith("(", match.end()) or is_assigned:
        return False
    before = text[max(0, match.start() - LOOKED_AT) : match.start()]
    if APART.match(text, match.start() - 1) or OPENED.search(before):
        return True
    return bool(PROSE_FOLLOWS.match(text, match.end())) and not is_index(text, match)


def is_index(text: str, match: re.Match[str]) -> bool:
    """Whether a number in brackets stands directly behind a word as in code, not as a note does."""
    before = text[max(0, match.start() - LOOKED_AT) : match.start()]
    if not re.search(r"[\w)\]]\Z", before):
        return False
    return bool(NAME.search(before) or OPERATED.match(text, match.end())) or match[0] == "[0]"


def without_marks(text: str) -> str:
    kept, end = [], 0
    for mark in citation_marks(text):
        kept.append(text[end : mark.start()].rstrip())
        end = mark.end()
    return "".join([*kept, text[end:]]).strip()


def cited_numbers(sentence: str) -> tuple[int, ...]:
    """`[1]`, `[1, 2]`, `[1][2]` in order, each once."""
    found = (int(number) for mark in citation_marks(sentence) for number in NUMBER.findall(mark[0]))
    return tuple(dict.fromkeys(found))


def renumbered(text: str, numbers: Mapping[int, int]) -> str:
    """With these numbers in its marks instead of those that they have."""
    kept, end = [], 0
    for mark in citation_marks(text):
        kept += [text[end : mark.start()], NUMBER.sub(lambda n: str(numbers.get(int(n[0]), n[0])), mark[0])]
        end = mark.end()
    return "".join([*kept, text[end:]])


def as_named(named: Iterable[int], known: Iterable[int]) -> dict[int, int]:
    """Of the known numbers what they are counted as, 1, 2, …, in the order in which they are named; the rest last."""
    rest = dict.fromkeys(known)
    order = dict.fromkeys(n for n in named if n in rest) | rest
    return {n: place for place, n in enumerate(order, start=1)}


def defused(text: str) -> str:
    """A document's text whose numbers in brackets can pass for no passage and no citation.

    Code stays as it is, but for what begins a line as a passage does.
    """
    pieces = ((text[span.start : span.end], is_code) for span, is_code in prose_and_code(text))
    return "".join(defused_code(piece) if is_code else MARK.sub(_defused, piece) for piece, is_code in pieces)


def _defused(match: re.Match[str]) -> str:
    return match[0] if is_index(match.string, match) else f"({match[0][1:-1]})"


def defused_code(code: str) -> str:
    return LINE_BEGINS.sub(r"\1(\2)", code)
