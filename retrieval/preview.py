"""The excerpt that a result list shows: the stretch of a chunk that says most of the query. Pure."""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial

from knowledge.texts import analysis
from knowledge.texts.analysis import (
    AMOUNT,
    IN_PAIRS,
    INITIALS,
    IS_NUMBER,
    MARKS,
    MEASURED,
    NUMBER,
    SYLLABLE,
    levels_of,
    numbers_of,
    without_accents,
    words_of,
)
from knowledge.texts.words import ARABIC_PREFIX, INDIC, spelt_out

from .query import in_usual_width
from .word_forms import LEAST, akin, irregular

RUN = re.compile(rf"[{IN_PAIRS}]+")
SYMBOLIC = rf"(?<![^\W_])(?:[A-Za-z](?:\+\+|#)(?![^\W_])|{INITIALS})"  # C++, C#, AT&T
WHOLE = rf"{AMOUNT}|(?<!\d){NUMBER}|{SYMBOLIC}"  # what is told by all its characters
SIGNS = rf"{MARKS}{INDIC}"  # within words, though some are no \w
LETTERS = rf"(?:[^\W\d{IN_PAIRS}]++|[{SIGNS}]++)"
REST = rf"(?>{LETTERS}*)(?:(?!\d+\.\d)(?:[^\W{IN_PAIRS}]++|[{SIGNS}]++)+)?"  # of a word, up to a version: `python3.11`
WORD = re.compile(rf"{WHOLE}|(?=[^\W{IN_PAIRS}]){REST}")
BEGUN = rf"(?<![^\W{IN_PAIRS}]){REST}"  # a word, from where it begins
BEGUN_WORD, BEGUN_WHOLE_OR_WORD = re.compile(BEGUN), re.compile(rf"{WHOLE}|{BEGUN}")
WHOLE_BEGINS = rf"\d|[A-Za-z](?:\+\+|#)|{INITIALS}"
WIDTH = 260  # characters
BEFORE, BEHIND = 40, 40  # characters around what matched: a row is asked for by its name, and says its value behind it
NEAR = 40  # characters: a cut goes to the space that lies so near, else through the word
STEM = 4  # letters that matches share which are taken for one word, said again


def query_words(query: str) -> frozenset[str]:
    """The query's words, folded; of single letters those that make a name with a symbol, or stand for a word."""
    found = [word for word in analysis.words(in_usual_width(query)) if len(word) > 1 or SYLLABLE.match(word)]
    return frozenset(word.casefold() for word in (*found, *re.findall(SYMBOLIC, query)))


is_symbolic = re.compile(SYMBOLIC).fullmatch


@lru_cache(maxsize=16)
def unspaced(wanted: frozenset[str]) -> frozenset[str]:
    """Those that are characters of a script without spaces: analysis makes pairs of them."""
    return frozenset(filter(RUN.match, wanted))


def pairs(text: str, wanted: frozenset[str]) -> Iterator[tuple[int, int]]:
    """Where wanted characters and pairs of them stand in the runs of a script without spaces, which are no words."""
    for run in RUN.finditer(text) if unspaced(wanted) else ():
        for start in range(run.start(), run.end()):
            for end in range(start + 1, min(start + 2, run.end()) + 1):
                if text[start:end] in wanted:
                    yield start, end


def matcher(wanted: frozenset[str]) -> Callable[[str], bool]:
    """Tells whether a word of a text is a form of one of these folded words, or a run that holds one of their pairs.

    It remembers what it was asked.
    """
    by_beginning: dict[str, list[str]] = {}
    for way in known_ways(wanted):
        by_beginning.setdefault(way[:LEAST], []).append(way)

    @lru_cache(maxsize=4096)
    def is_match(word: str) -> bool:
        written = [*ways(word), *(levels_of(word) if IS_NUMBER(word) else ())]
        is_form = any(akin(way, other) for way in written for other in by_beginning.get(way[:LEAST], ()))
        return is_form or any(pairs(word, wanted))

    return is_match


def ways(word: str) -> list[str]:
    """How a word may be written, folded: bare, and with `ue` for `ü`; a number with other separators, or its unit
    apart; a word of Arabic without its article.
    """
    if IS_NUMBER(word):
        return list(dict.fromkeys([word, *numbers_of(word)]))
    if MEASURED.fullmatch(word):
        return [said for said in words_of(without_accents(word)) if len(said) > 1]
    if word.isascii():
        return [word.lower()]
    said = map(without_accents, (word, spelt_out(word)))
    return list(dict.fromkeys(way for one in said for way in (one, ARABIC_PREFIX.sub("", one))))


def known_ways(wanted: frozenset[str]) -> frozenset[str]:
    """How these words, or irregular forms of them, may be written, folded."""
    written = [way for word in wanted for way in ways(word)]
    return frozenset([*written, *(form for way in written for form in irregular(way))])


@lru_cache(maxsize=16)
def asking(query: str) -> tuple[Callable[[str], Iterator[re.Match[str]]], Callable[[str], bool], frozenset[str]]:
    """What finds in a text that which may be a form of a query's words, whether it is, and the words; made once for all
    the hits of a page."""
    wanted = query_words(query)
    if not wanted or not "".join(wanted).isascii():  # letters fold in ways that no pattern knows
        return WORD.finditer, matcher(wanted), wanted
    beginnings = "|".join(sorted({re.escape(way[:LEAST]) for way in known_ways(wanted)}))
    has_wholes = any(asked[0].isdigit() or is_symbolic(asked) for asked in wanted)
    marked = rf"\w{{0,{LEAST - 1}}}[^\x00-\x7f]"  # `über` for `ueber`
    wholes = f"|(?={WHOLE_BEGINS})" if has_wholes else ""
    begins = re.compile(rf"(?<![A-Za-z0-9_])(?=(?i:{beginnings})|{marked}){wholes}")
    word = BEGUN_WHOLE_OR_WORD if has_wholes else BEGUN_WORD
    return partial(beginning, begins, word), matcher(wanted), wanted


def beginning(begins: re.Pattern[str], word: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """The words of the text that begin so. One pattern for both would name the scripts without spaces, as `word` does:
    to compile that for each query takes longer than the rest of a search."""
    end = 0
    for place in begins.finditer(text):
        if place.start() >= end and (found := word.match(text, place.start())):
            end = found.end()
            yield found


def preview(text: str, query: str) -> str:
    """At most about WIDTH characters of `text`, white space folded, with “…” where it was cut."""
    folded = " ".join(text.split())
    if len(folded) <= WIDTH:
        return folded
    candidates, is_match, wanted = asking(query)
    places = [(match.start(), match.group()) for match in candidates(folded) if is_match(match.group())]
    places += [(start, folded[start:end]) for start, end in pairs(folded, wanted)]
    best = _best_start(sorted(places), len(folded), wanted)
    space = folded.rfind(" ", max(best - NEAR, 0), best)
    start = space + 1 if space >= 0 or best <= NEAR else best
    if best + WIDTH >= len(folded):
        end = len(folded)
    else:
        space = folded.rfind(" ", start + WIDTH // 2, start + WIDTH)
        end = space if space >= 0 else start + WIDTH
    return f"{'…' if start else ''}{folded[start:end]}{'…' if end < len(folded) else ''}"


def from_the_row(table: str, query: str) -> str:
    """A table, a line for each row, from the first of those on that have most of the query's words: what is asked of
    one row stands beside it in each."""
    candidates, is_match, _ = asking(query)
    rows = table.splitlines()

    def said(row: str) -> int:
        return len({match.group()[:STEM].casefold() for match in candidates(row) if is_match(match.group())})

    return "\n".join(rows[rows.index(max(rows, key=said)) :]) if rows else table


def _best_start(matches: Sequence[tuple[int, str]], length: int, wanted: frozenset[str]) -> int:
    """Where a window of WIDTH characters, of `length`, holds most different words that matched, then most of those that
    were `wanted` as they are, then most matches.

    The earliest of these, a little before its first match, as far as there is room behind the last. Forms of a word are
    one.
    """
    if not matches:
        return 0
    places = [place for place, _ in matches]
    words = [word[:STEM].casefold() for _, word in matches]
    exact = [word.casefold() if word.casefold() in wanted else "" for _, word in matches]
    ends = [bisect_left(places, place + WIDTH - BEHIND) for place in places]

    def worth(n: int) -> tuple[int, int, int, int]:
        within = slice(n, ends[n])
        return len({*words[within]}), len({*exact[within]} - {""}), ends[n] - n, -n

    best = max(range(len(places)), key=worth)
    first, last = places[best], places[ends[best] - 1]
    return max(0, min(max(first - BEFORE, min(first, last + BEHIND - WIDTH)), length - WIDTH))
