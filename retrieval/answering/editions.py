"""Years, versions, what is numbered: the dividend of 2023 does not answer for 2022, nor what 9.6 changed for 9.7, nor a
table of Classes 1, 3 and 5 for Class 2. Pure.

A small reader takes the one for the other, and the check of an answer has nothing to compare: the sentence is true.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from knowledge.texts.languages.little_words import AND, OR, alternation, of_every
from knowledge.texts.languages.questions import language_of
from knowledge.texts.words import BESIDE_DIGITS, content, plain, stem, words
from retrieval.answering.checking.clauses import SENTENCE_END
from retrieval.answering.checking.excepted import ALL
from retrieval.answering.checking.numerals import ORDINALS, in_digits
from retrieval.answering.checking.periods import PERIODS
from retrieval.answering.checking.quantities import MONTHS
from retrieval.answering.dates import unit

YEARS = "year"
YEAR = re.compile(
    rf"(?<![^\W_{BESIDE_DIGITS}])(?<![.,:/+])(?<!\d-)(?:19|20)\d\d(?![^\W_{BESIDE_DIGITS}]|[:+]|[.,]\d|-\d\d-|/\d{{3}}(?!\d))"
)
VERSION = re.compile(
    r"(?<![\w.-])(?:(?P<name>[^\W\d_][\w+#-]*)[ \t]+v?|v)(?P<number>\d{1,3}(?:\.\d{1,3}){0,3})(?![\w%+]|[.,]\d)",
    re.IGNORECASE,
)
TITLE = re.compile(r"\W*v?(?P<number>\d{1,3}(?:\.\d{1,3}){1,3})\W*(?:\(.*\)|\d[\d./-]*)?\W*", re.IGNORECASE)
WORDS = re.compile(r"[^\W\d_]+")
UNNAMED = frozenset(("version", "versao", "versie", "wersja", "versione", "release", "v"))

# Beside them a year or a version is a bound, beyond which others lie; in the languages of answers, folded.
BEFORE = frozenset(
    plain(
        "since from after before until till by as up to through than between under least minimum minimal mindestens"
        " seit ab nach vor bis zwischen als depuis des apres avant jusqu jusqu'en entre partir"
        " desde hasta antes despues dal dalla dopo prima fino tra sinds vanaf tot voor na tussen dan"
        " od do przed po miedzy niz ate depois с от до после по"
    ).split()
)
BEHIND = of_every(OR) | frozenset(
    plain(
        "to until through onward onwards up upwards later newer above higher minimum bis aufwärts neuer höher später"
        " ultérieur ultérieures supérieure suivantes posterior posteriores superior superiores successive successiva"
        " superiori hoger later nieuwer wyżej nowsza nowszy новее выше"
    ).split()
)
JOINS = of_every(AND)  # “3.8 and newer”
# What such a word stands beside is when something began, or was written down: it holds for other years, too.
_DATED = """
add introduc publi[sc] adopt effective in\\sforce revis updat amend found establish built
open(?:ed|s)\\b launch elect appoint agreement act\\b law\\b regulation
price\\slist copyright new\\sin\\b available support as\\sof
eingeführt stand\\b gegründet erbaut beschlossen fassung hinzugefügt neu\\sin\\b gewählt
ajouté adopté fondé mis\\sà\\sjour añadid aprobad fundad actualizad aggiunt approvat fondat aggiornat
toegevoegd opgericht adicionad dodan założon
"""
DATED = re.compile(rf"\b(?:{'|'.join(plain(_DATED).split())})|©")
OF_A_DAY = re.compile(rf"(?:{'|'.join(sorted(MONTHS))})\W{{1,3}}\Z")
ASKS_WHEN = re.compile(
    plain(
        r"\b(?:when|what year|which year|how long|wann|welchem jahr|wie lange|quand|quelle année|cuándo|qué año|quando"
        r"|che anno|que ano|wanneer|kiedy|когда)\b|いつ|何年|什么时候|哪一?年|متى"
    )
)
BOUND_BY_SIGNS = re.compile(r"\s*(?:[–—+~]|-(?!\d\d-)|/(?:\d\d)?\d\d(?![/\d])|以|年?(?:から|まで|以|之|到|至|起))")
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
LABELS = re.compile(r"(?:\A|[|\n])[^\w\n]*\Z")  # what begins a line or a cell
GOES_ON = re.compile(r"[\w,;)]\s*\Z")
RANGE = re.compile(  # 3 to 6, year 3 – year 6; folded
    r"(?<![\d.,])(?P<first>\d{1,3})\s?"
    r"(?:[-–—~]|,?\s?\.{3}\s?,?|\b(?:to|through|until|till|bis|a|au|al|hasta|fino|ate|tot|do|до)\b)\s?"
    r"(?:[^\W\d_]+ )?(?P<last>\d{1,3})(?![\d%]|[.,]\d)"
)
_AT_TIMES = "any always immer toujours siempre sempre altijd zawsze всегда ежедневно"
_EVERY = "allen wszystkich każdej każdego każdym всех всем каждая каждое каждой каждого каждом"
EVERY = "|".join(sorted({*ALL, *plain(_EVERY).split()} - {"each", *plain(_AT_TIMES).split()}))
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
REST = frozenset(plain(_REST).split())
ORDINAL_SIGN = r"(?:st|nd|rd|th|ers?|re|e|[ao])?"
SERIES = 2  # others of it
WORDS_BEFORE = 3  # “from 1 January 2025”
BESIDE = 80  # characters that may hold them


@dataclass(frozen=True, slots=True)
class Edition:
    """A year, or a version: of what has this name, or of whatever is spoken of."""

    name: str
    number: str
    is_bound: bool = False
    is_dating: bool = False  # when something began, or was written down

    def is_akin(self, other: "Edition") -> bool:
        return self.name == other.name or (not self.name and other.name != YEARS)

    def is_told(self, text: str) -> bool:
        return bool(re.search(rf"(?<![\d.]){re.escape(self.number)}(?!\d)", text))


def are_of_another(question: str, quotation: str, titles: Sequence[str]) -> bool:
    """Whether a quotation and the titles above it tell another year or version than the question does, and not that.

    A bound tells of many (“since 2019”, “3.2 or later”), so do several; a year in which something began, or was
    written down, holds for others; and whoever asks when something is, asks for another.
    """
    if are_numbered_otherwise(question, quotation, titles):
        return True
    asked = [edition for edition in editions(question) if not edition.is_bound]
    if not asked or (ASKS_WHEN.search(plain(question)) and all(edition.name == YEARS for edition in asked)):
        return False
    told = [*editions(quotation), *(edition for title in titles for edition in (*editions(title), *of_title(title)))]
    every = "\n".join((*titles, quotation))
    return all(is_another(edition, told) and not edition.is_told(every) for edition in asked)


def is_another(asked: Edition, told: list[Edition]) -> bool:
    akin = [edition for edition in told if edition.is_akin(asked)]
    is_one = len({edition.number for edition in akin}) == 1
    return is_one and not any(
        edition.is_bound or edition.is_dating or f"{asked.number}.".startswith(f"{edition.number}.") for edition in akin
    )


def are_numbered_otherwise(question: str, quotation: str, titles: Sequence[str]) -> bool:
    """Whether they tell several others of the series that the question asks for one of, or are headed by another, and
    never tell its number: Years 1, 3 and 5 for Year 2, not Years 1 to 3, nor what is said of all or of the others."""
    said = in_digits(question)
    said = said.replace(" do ", " ") if language_of(question) == "en" else said  # Polish “up to”
    asked = [one for one in numbered(said) if not one.is_bound and int(one.number)]
    if not asked:
        return False
    quotation, *titles = (in_arabic(text, {one.name for one in asked}) for text in (quotation, *titles))
    told = [] if is_of_all(quotation) else [*numbered(quotation, labels=True)]
    above = [one for title in titles for one in numbered(title, labels=True)]
    every = in_digits("\n".join((*titles, quotation)))
    return all(is_of_series(one, told, above) and not is_said(one, every) for one in asked)


def in_arabic(text: str, names: set[str]) -> str:
    """With the Roman numerals behind these names as digits: Level II is Level 2."""

    def read(found: re.Match[str]) -> str:
        digits = ROMAN.sub(lambda numeral: str(ROMANS.index(numeral[0]) + 1), found["numbers"])
        return f"{found['name']} {digits}" if stem(plain(found["name"])) in names else found[0]

    return NUMBERED_IN_ROMAN.sub(read, text)


def is_of_all(text: str) -> bool:
    """Whether something is said of all, or of the others, and not only for every day."""
    folded = plain(text)
    of_all = (one["behind"] for one in OF_ALL.finditer(folded))
    is_every = any(behind not in PERIODS and not unit(behind) for behind in of_all)
    return is_every or not REST.isdisjoint(words(folded))


def is_of_series(asked: Edition, told: list[Edition], above: list[Edition]) -> bool:
    headed = [one for one in above if one.name == asked.name]
    akin = [*headed, *(one for one in told if one.name == asked.name)]
    are_several = bool(headed) or len({one.number for one in akin}) >= SERIES
    return are_several and not any(one.is_bound for one in akin)


def is_said(asked: Edition, folded: str) -> bool:
    """Whether a text with its numerals as digits tells this number, or numbers around it; not of others: “2 hours”."""
    number = int(asked.number)
    ranges = ((int(one["first"]), int(one["last"])) for one in RANGE.finditer(folded))
    if {*ORDINALS[number - 1 : number]} & {*words(folded)} or any(first <= number <= last for first, last in ranges):
        return True
    for one in re.finditer(rf"(?<![\w.,€$£]){number}{ORDINAL_SIGN}(?![\w%]|[.,]\d)\s?", folded):
        before = WORDS.findall(folded[max(one.start() - BESIDE, 0) : one.start()])[-1:]
        behind = WORDS.match(folded, one.end())
        if asked.name in map(stem, before) or not (behind and content(behind[0])):
            return True
    return False


def numbered(text: str, labels: bool = False) -> Iterator[Edition]:
    """What has a small number behind its name; of `labels` only what begins a line or a cell, or has a capital within
    a sentence: neither borrows 2 bikes nor is open until 5."""
    for found in NUMBERED.finditer(text):
        folded = plain(found["name"])
        before = text[max(found.start() - BESIDE, 0) : found.start()]
        is_label = LABELS.search(before) or (found["name"][0].isupper() and GOES_ON.search(before))
        if (is_label or not labels) and content(folded) and folded not in BEFORE and folded not in MONTHS:
            for number in re.findall(r"\d+", found["numbers"]):
                yield Edition(stem(folded), number, is_bounded(text, found.start(), found.end(), 1))


def editions(text: str) -> Iterator[Edition]:
    for found in YEAR.finditer(text):
        yield placed(text, YEARS, found[0], found.start(), found.end())
    for found in VERSION.finditer(text):
        name = plain(found["name"] or "v")
        if name in UNNAMED or ("." in found["number"] and content(name)):
            at = found.start("name") if found["name"] else found.start()
            yield placed(text, "" if name in UNNAMED else name, found["number"], at, found.end())


def placed(text: str, name: str, number: str, start: int, end: int) -> Edition:
    """With what is said beside it, in its sentence."""
    around, beyond = plain(text[max(start - BESIDE, 0) : start]), plain(text[end : end + BESIDE])
    before, behind = SENTENCE_END.split(around)[-1], SENTENCE_END.split(beyond)[0]
    is_dating = DATED.search(f"{before} {behind}") or OF_A_DAY.search(around)
    in_brackets = around.endswith("(") and beyond.startswith(")")
    return Edition(name, number, is_bounded(text, start, end), bool(is_dating or in_brackets))


def is_bounded(text: str, start: int, end: int, words_before: int = WORDS_BEFORE) -> bool:
    before = SENTENCE_END.split(plain(text[max(start - BESIDE, 0) : start]))[-1]
    first = WORDS.findall(SENTENCE_END.split(plain(text[end : end + BESIDE]))[0])[:2]
    first = first[1:] if first and first[0] in JOINS else first[:1]
    is_bound = BEFORE.intersection(before.split()[-words_before:]) or BEHIND.intersection(first)
    return bool(is_bound or BOUND_BY_SIGNS.match(text, end))


def of_title(title: str) -> Iterator[Edition]:
    """The version that a changelog's section is about."""
    if found := TITLE.fullmatch(title):
        yield Edition("", found["number"])
