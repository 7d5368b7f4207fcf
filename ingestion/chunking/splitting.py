"""Where an over-long block may be cut, from the least harmful places to the most."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise

from ingestion.documents import BlockKind
from knowledge.texts.abbreviations import ends_no_sentence
from knowledge.texts.items import MARK
from knowledge.texts.stops import STOPS, UNSPACED

Span = tuple[int, int]  # character offsets into the document's text, half-open
Splitter = Callable[[str, int, int], Iterable[int]]  # the offsets at which the piece start:end may be cut

BLANK_LINES = re.compile(r"\n(?:[^\S\n]*\n)+")
BEFORE_CODE = re.compile(r"\n(?:[^\S\n]*\n)+(?=([^\S\n]*)[^\s})\]])")  # what closes belongs to what is above it
MOST_INDENTS = 12  # of one block of code: each takes a round of cutting and counting
TOP_LEVEL = re.compile(r"\n(?=[^\s})\]])")
LINES = re.compile(r"\n")
ROWS = re.compile(r"\n(?=[+|\xa0]|[ \t]*[*+-][ \t]+[*+-][ \t]|[^\s+|])")
GRID_ROWS = re.compile(r"^[ \t]*\+[-=:+]+\+\n(?=[ \t]*\|)", re.M)  # a rule through some columns only ends no row
HTML_ROWS = re.compile(r"\n(?=[ \t]*<tr\b)", re.I)
ITEM = rf"(?:{MARK}|\(?\w{{1,3}}[.)])[ \t]"
ITEMS = re.compile(rf"\n(?={ITEM})")
NESTED_ITEMS = re.compile(rf"\n(?=[ \t]*{ITEM})")
TERMS = re.compile(r"\n(?=\S)")
SENTENCES = re.compile(
    rf"(?<=[{STOPS}])[\"'”’»)\]*_`]*\s+(?=[\"'“‘«(\[*_`¿¡]*[^\Wa-z_])"  # a stop, a space, and what may open a sentence
    rf"|(?<=[{UNSPACED}؟।])[」』”）]*+(?=\S)"
)
WORDS = re.compile(r"\s+")
LONGEST_CLUSTER = 32  # characters that one visible character is believed to take: more is an attack
JOINERS = "\u200d\ufe0e\ufe0f"


def at(pattern: re.Pattern[str]) -> Splitter:
    """Cuts after each match: what separates two pieces ends the first."""

    def cuts(text: str, start: int, end: int) -> Iterator[int]:
        for match in pattern.finditer(text, start, end):
            yield match.end()

    return cuts


def sentences(text: str, start: int, end: int) -> Iterator[int]:
    """Cuts behind each sentence, but not behind “Dr.”"""
    for match in SENTENCES.finditer(text, start, end):
        if not (text[match.start() - 1] == "." and ends_no_sentence(text, match.start() - 1)):
            yield match.end()


def paragraphs(text: str, start: int, end: int) -> Iterator[int]:
    """Cuts at blank lines, but leaves the first line of an RST directive with what it is about."""
    cuts = iter(at(BLANK_LINES)(text, start, end))
    if text[start:end].lstrip().startswith(".. "):
        next(cuts, None)
    yield from cuts


def outermost(text: str, start: int, end: int) -> Iterator[int]:
    """Cuts at the blank lines before what is indented least: of what is then still too long, at those within."""
    found = list(BEFORE_CODE.finditer(text, start, end))
    indents = {len(match[1]) for match in found}
    most = max(indents, default=0) if len(indents) > MOST_INDENTS else min(indents, default=0)
    yield from (match.end() for match in found if len(match[1]) <= most)


def halves(text: str, start: int, end: int) -> Iterator[int]:
    """Cuts near the middle: between words, or else between visible characters."""
    length = end - start
    if length > 1:
        space = WORDS.search(text, start + length // 2, end - length // 4)
        yield space.end() if space else whole_character(text, start + length // 2, end)


def whole_character(text: str, offset: int, end: int) -> int:
    for candidate in range(offset, min(offset + LONGEST_CLUSTER, end)):
        if not extends(text, candidate):
            return candidate
    return offset


def extends(text: str, offset: int) -> bool:
    """Whether the character there belongs to the one before it: accents, joiners, skin tones, pairs of flag letters."""
    character, before = text[offset], text[offset - 1]
    if unicodedata.category(character)[0] == "M" or character in JOINERS or before == "\u200d":
        return True
    flag = all("\U0001f1e6" <= letter <= "\U0001f1ff" for letter in (before, character))
    return flag or "\U0001f3fb" <= character <= "\U0001f3ff"


SPLITTERS: dict[BlockKind, tuple[Splitter, ...]] = {
    BlockKind.CODE: (outermost, at(TOP_LEVEL), at(LINES), halves),
    BlockKind.TABLE: (at(GRID_ROWS), at(HTML_ROWS), at(ROWS), at(LINES), halves),
    BlockKind.LIST: (at(ITEMS), at(NESTED_ITEMS), paragraphs, sentences, at(LINES), halves),
    BlockKind.DEFINITION: (at(TERMS), paragraphs, sentences, at(LINES), halves),
}
PROSE: tuple[Splitter, ...] = (paragraphs, sentences, at(LINES), halves)


def splitters(kind: BlockKind) -> tuple[Splitter, ...]:
    return SPLITTERS.get(kind, PROSE)


def split(text: str, span: Span, splitter: Splitter) -> list[Span]:
    """The span cut at the splitter's places, without the white space around the pieces."""
    start, end = span
    offsets = [start, *(cut for cut in splitter(text, start, end) if start < cut < end), end]
    pieces = (trim(text, a, b) for a, b in pairwise(offsets))
    return [piece for piece in pieces if piece[0] < piece[1]]


def trim(text: str, start: int, end: int) -> Span:
    """Without blank lines before, and white space after. The indentation of the first line stays."""
    while end > start and text[end - 1].isspace():
        end -= 1
    while (newline := text.find("\n", start, end)) >= 0 and not text[start:newline].strip():
        start = newline + 1
    return start, end
