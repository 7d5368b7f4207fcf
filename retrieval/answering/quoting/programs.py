"""What is quoted from a program: whole units, and the symbol that is asked for. Sentences are of documents. Pure."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from pathlib import PurePosixPath

from knowledge.texts.lines import indent_of
from knowledge.texts.words import terms
from retrieval.answering.sentences import Span, sentence_spans
from retrieval.results import Hit

LONGEST = 1500  # characters
STRING = re.compile(r'"{3}|\'{3}')  # of several lines
CLOSES = tuple(")]}")
DOCSTRING = re.compile(r"""(?P<marks>"{3}|'{3})\s*(?P<said>.*?)\s*(?P=marks)""", re.DOTALL)
NAME_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\dA-Z_]+|\d+")
ASKS_FOR_CODE = re.compile(r"\b(?:(?:source|quell)?code|quelltext|implementation|código|codice)\b", re.IGNORECASE)
ASKS_FOR_UNIT = re.compile(  # words that other things are called by, too: of these the best hit has to be it
    r"\b(?:function|method|class|funktion|methode|klasse|fonction|méthode|classe|función|método|clase|funzione|metodo"
    r"|functie|função)\b",
    re.IGNORECASE,
)


ABOUT_PROGRAMS = re.compile(  # words that are asked of programs, and names as programs write them
    r"\b(?:api|argument|bug|call(?:s|ed)?|class|cli|comput(?:e[sd]?|ed|ing)|error|exception|flag|implement(?:s|ed)?|import"
    r"|module|parameter|program|programm|programme|rais(?:e[sd]?|ing)|returns?|script|test|variable)\b"
    r"|\w_\w|\w\(|\w\.\w|(?-i:[a-z][A-Z])",
    re.IGNORECASE,
)


@lru_cache(maxsize=512)
def units(text: str) -> tuple[Span, ...]:
    """What blank lines part, outside of strings, before lines that stand no further in than any: functions, classes."""
    lines = list(lines_outside_strings(text))
    margin = min((indent_of(text[line.start : line.end]) for line in lines), default=0)
    starts = [line.start for line in lines if line == lines[0] or begins_unit(text, line, margin)]
    pieces = pairwise([*starts, len(text)])
    return tuple(Span(start, start + len(text[start:end].rstrip())) for start, end in pieces)


def begins_unit(text: str, line: Span, margin: int) -> bool:
    """Whether a line stands below a blank one, at the margin, and closes nothing."""
    said, above = text[line.start : line.end], text[: line.start].split("\n")[-2:-1]
    return indent_of(said) == margin and not said.lstrip().startswith(CLOSES) and not "".join(above).strip()


def lines_outside_strings(text: str) -> Iterator[Span]:
    """Those with something on them that begin in no string of several lines."""
    at, inside = 0, ""
    for line in text.split("\n"):
        if line.strip() and not inside:
            yield Span(at, at + len(line))
        for marks in STRING.findall(line):
            inside = "" if inside == marks else inside or marks
        at += len(line) + 1


def said_in(text: str) -> Iterator[tuple[Span, Span]]:
    """Sentences, within units, and the unit that each is quoted in."""
    for unit in units(text):
        for span in sentence_spans(text[unit.start : unit.end]):
            said = Span(unit.start + span.start, unit.start + span.end)
            yield said, quoted_of(text, unit, said)


def quoted_of(text: str, unit: Span, said: Span) -> Span:
    """The unit; a docstring alone without its marks; of a long unit the lines from its first, or, if what is said is
    too far below that, from the one it begins in."""
    if docstring := DOCSTRING.fullmatch(text, unit.start, unit.end):
        return Span(*docstring.span("said"))
    if unit.end - unit.start <= LONGEST:
        return unit
    outside = [line.start for line in lines_outside_strings(text) if line.start <= said.start]
    start = unit.start if said.end - unit.start <= LONGEST or not outside else outside[-1]
    line_end = text.rfind("\n", said.end, min(start + LONGEST, unit.end))
    return Span(start, max(line_end, said.end))


def is_about_programs(question: str) -> bool:
    """Whether the words of a question are those of somebody who reads programs."""
    return any(pattern.search(question) for pattern in (ASKS_FOR_CODE, ASKS_FOR_UNIT, ABOUT_PROGRAMS))


def asked_symbol(question: str, hits: Sequence[Hit]) -> int | None:
    """Where among the hits the first symbol is that a question for code names in its words."""
    asked = terms(question) | terms(apart(question))
    likely = hits if ASKS_FOR_CODE.search(question) else hits[:1] if ASKS_FOR_UNIT.search(question) else ()
    return next((at for at, hit in enumerate(likely) if hit.is_program and is_named(hit, asked)), None)


def is_named(hit: Hit, asked: set[str]) -> bool:
    """Whether it is a symbol all of whose name's words are among these: `late_charge`, `View.lateCharge`."""
    name = terms(apart(hit.section_title.rpartition(".")[2]))
    return bool(name) and name <= asked and hit.section_title != PurePosixPath(hit.source_file).name


def apart(text: str) -> str:
    """The words of identifiers as words."""
    return " ".join(NAME_PART.findall(text))
