"""What is one of a numbered series: a table of Classes 1, 3 and 5 does not answer for Class 2. Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from knowledge.texts.languages.little_words import AND, alternation
from knowledge.texts.languages.questions import language_of
from knowledge.texts.tables.readers import tables_in
from knowledge.texts.words import content, folded, stem, words
from retrieval.answering.bounds import BEFORE, BESIDE, WORDS, is_bounded
from retrieval.answering.checking.excepted import ALL
from retrieval.answering.checking.numerals import ORDINALS, in_digits
from retrieval.answering.checking.periods import PERIODS
from retrieval.answering.checking.quantities import MONTHS
from retrieval.answering.dates import unit

_JOINED = rf"(?:,|\s?[&/]|\s(?:{alternation(AND)})\b)\s?"
_SMALL = r"\d{1,3}(?![\w%]|[.,:/]\d|\s?[€$£°])"
NUMBERED = re.compile(
    rf"(?<![^\W_])(?P<name>[^\W\d_]{{3,}})[ \t]+(?P<numbers>{_SMALL}(?:{_JOINED}{_SMALL})*)", re.IGNORECASE
)
_ROMANS = "I II III IV V VI VII VIII IX X XI XII XIII XIV XV XVI XVII XVIII XIX XX"
ROMANS = tuple(_ROMANS.split())
_ROMAN = rf"(?:{'|'.join(ROMANS)})(?!\w)"
ROMAN = re.compile(_ROMAN)
NUMBERED_IN_ROMAN = re.compile(rf"(?<![^\W_])(?P<name>[^\W\d_]{{3,}})[ \t]+(?P<numbers>{_ROMAN}(?:{_JOINED}{_ROMAN})*)")
COUNTED = re.compile(r"[0-9]{1,3}")
LABELS = re.compile(r"(?:\A|[|\n])[^\w\n]*\Z")  # what begins a line or a cell
GOES_ON = re.compile(r"[\w,;)]\s*\Z")
RANGE = re.compile(  # 3 to 6, year 3 – year 6; folded
    r"(?<![\d.,])(?P<first>\d{1,3})\s?"
    r"(?:[-–—~]|,?\s?\.{3}\s?,?|\b(?:to|through|until|till|bis|a|au|al|hasta|fino|ate|tot|do|до)\b)\s?"
    r"(?:[^\W\d_]+ )?(?P<last>\d{1,3})(?![\d%]|[.,]\d)"
)
_AT_TIMES = "any always immer toujours siempre sempre altijd zawsze всегда ежедневно"
_EVERY = "allen wszystkich każdej każdego każdym всех всем каждая каждое каждой каждого каждом"
EVERY = "|".join(sorted({*ALL, *folded(_EVERY).split()} - {"each", *folded(_AT_TIMES).split()}))
OF_ALL = re.compile(  # not “10 euros each”, nor Italian “alle 9”
    rf"\b(?:{EVERY}|each(?= \w))\b(?! \d)(?: (?:the|les|los|las|os|as|i|gli|le|de)\b)? ?(?P<behind>[^\W\d_]*)"
)
_REST = (
    "other others rest remaining remainder higher later above andere anderen anderer anderes übrige übrigen"
    " restliche restlichen höhere höheren höher spätere späteren autre autres reste supérieurs supérieures"
    " suivants suivantes otro otra otros otras demás resto superiores siguientes posteriores altro altra altri"
    " altre restanti superiori successivi successive ander anderen overige hogere latere outro outra outros outras"
    " demais restantes seguintes inny inna inne innych pozostałe pozostałych pozostali wyższe kolejne późniejsze"
    " другой другие других остальные остальных остальным выше следующие غيرها الاخرى باقي بقية سائر"
)
REST = frozenset(folded(_REST).split())
ORDINAL_SIGN = r"(?:st|nd|rd|th|ers?|re|e|[ao])?"
SERIES = 2  # others of it


@dataclass(frozen=True, slots=True)
class Numbered:
    """Class 2: the stem of the noun, and its number."""

    name: str
    number: str
    is_bound: bool


def are_numbered_otherwise(question: str, quotation: str, titles: Sequence[str]) -> bool:
    """Whether they tell several others of the series that the question asks for one of, or are headed by another, and
    never tell its number: Years 1, 3 and 5 for Year 2, not Years 1 to 3, nor what is said of all or of the others."""
    said = in_digits(question)
    said = said.replace(" do ", " ") if language_of(question) == "en" else said  # Polish “up to”
    asked = [one for one in numbered(said) if not one.is_bound and int(one.number)]
    if not asked:
        return False
    names = {one.name for one in asked}
    quotation, *titles = (in_arabic(text, names) for text in (quotation, *titles))
    told = [] if is_of_all(quotation) else [*numbered(quotation, labels=True), *counted_in_columns(quotation, names)]
    above = [one for title in titles for one in numbered(title, labels=True)]
    every = in_digits("\n".join((*titles, quotation)))
    return all(is_of_series(one, told, above) and not is_said(one, every) for one in asked)


def in_arabic(text: str, names: set[str]) -> str:
    """With the Roman numerals behind these names as digits: Level II is Level 2."""

    def read(found: re.Match[str]) -> str:
        digits = ROMAN.sub(lambda numeral: str(ROMANS.index(numeral[0]) + 1), found["numbers"])
        return f"{found['name']} {digits}" if stem(folded(found["name"])) in names else found[0]

    return NUMBERED_IN_ROMAN.sub(read, text)


def counted_in_columns(text: str, names: set[str]) -> Iterator[Numbered]:
    """The numbers in a column that is called so, if each follows the one before: “Week” above 14, 15 and 16. Others may
    be where something begins: “Level” above 1, 5 and 10."""
    for table in tables_in(text.split("\n")):
        heads, *rows = [*filter(None, [table.names]), *(row.cells for row in table.rows)] or [()]
        for at, head in enumerate(heads):
            cells = [row[at] if at < len(row) else "" for row in rows]
            name = stem((words(head) or [""])[-1])
            if name in names and all(map(COUNTED.fullmatch, cells)):
                numbers = [*map(int, cells)]
                if all(abs(one - other) == 1 for one, other in pairwise(numbers)):
                    yield from (Numbered(name, str(number), is_bound=False) for number in numbers)


def is_of_all(text: str) -> bool:
    """Whether something is said of all, or of the others, and not only for every day."""
    letters = folded(text)
    of_all = (one["behind"] for one in OF_ALL.finditer(letters))
    is_every = any(behind not in PERIODS and not unit(behind) for behind in of_all)
    return is_every or not REST.isdisjoint(words(letters))


def is_of_series(asked: Numbered, told: list[Numbered], above: list[Numbered]) -> bool:
    headed = [one for one in above if one.name == asked.name]
    akin = [*headed, *(one for one in told if one.name == asked.name)]
    are_several = bool(headed) or len({one.number for one in akin}) >= SERIES
    return are_several and not any(one.is_bound for one in akin)


def is_said(asked: Numbered, letters: str) -> bool:
    """Whether a text with its numerals as digits tells this number, or numbers around it; not of others: “2 hours”."""
    number = int(asked.number)
    ranges = ((int(one["first"]), int(one["last"])) for one in RANGE.finditer(letters))
    if {*ORDINALS[number - 1 : number]} & {*words(letters)} or any(first <= number <= last for first, last in ranges):
        return True
    for one in re.finditer(rf"(?<![\w.,€$£]){number}{ORDINAL_SIGN}(?![\w%]|[.,]\d)\s?", letters):
        before = WORDS.findall(letters[max(one.start() - BESIDE, 0) : one.start()])[-1:]
        behind = WORDS.match(letters, one.end())
        if asked.name in map(stem, before) or not (behind and content(behind[0])):
            return True
    return False


def numbered(text: str, labels: bool = False) -> Iterator[Numbered]:
    """What has a small number behind its name; of `labels` only what begins a line or a cell, or has a capital within
    a sentence: neither borrows 2 bikes nor is open until 5."""
    for found in NUMBERED.finditer(text):
        letters = folded(found["name"])
        before = text[max(found.start() - BESIDE, 0) : found.start()]
        is_label = LABELS.search(before) or (found["name"][0].isupper() and GOES_ON.search(before))
        if (is_label or not labels) and content(letters) and letters not in BEFORE and letters not in MONTHS:
            for number in re.findall(r"\d+", found["numbers"]):
                yield Numbered(stem(letters), number, is_bounded(text, found.start(), found.end(), 1))
