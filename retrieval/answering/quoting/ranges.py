"""What a cell of a table says that says a range of numbers: “up to 12 m”, “6–14 years”, “ab 18 Jahren”. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import inf

from knowledge.texts.languages.little_words import AND, OR, Said, alternation
from retrieval.answering.checking.comparatives import AFTER, BEGINS, ENDS, LEAST, LESS, MORE, MOST, phrases
from retrieval.answering.checking.numerals import in_digits, spelt
from retrieval.answering.checking.quantities import months

LONGEST = 60  # characters of a cell that says a range and nothing else
_TO: Said = {"en": "to through", "de": "bis", "fr": "à", "es": "a", "it": "a", "nl": "tot", "pt": "a", "pl": "do"}
_UPWARD: Said = {
    "en": "more older over above up upward upwards onward onwards longer larger higher later",
    "de": "mehr älter darüber aufwärts länger größer höher später", "fr": "plus davantage",
    "es": "más mayores adelante", "it": "più oltre", "nl": "meer ouder langer hoger", "pt": "mais",
    "pl": "więcej starsi wyżej", "ru": "более больше старше выше",
}  # fmt: skip
_DOWNWARD: Said = {
    "en": "less fewer younger under below shorter smaller lower",
    "de": "weniger jünger darunter kürzer kleiner niedriger", "fr": "moins", "es": "menos menores", "it": "meno",
    "nl": "minder jonger korter lager", "pt": "menos", "pl": "mniej młodsi niżej", "ru": "менее меньше младше ниже",
}  # fmt: skip
NUMBER = re.compile(r"(?<![a-z\d.,])[$€£¥]?\s?(?P<number>\d{1,3}(?: \d{3})+(?!\d)|\d+(?:[.,]\d+)*)")
DATED = re.compile(r"\d[:/]\d|\d\.(?:\D|\d+\.)|[^\W\d_]\d")  # times, dates, names: “E07”
ASIDE = re.compile(r"\s*\([^()]*\)")  # “up to 6 months (probation)”
OR_SO = rf"(?:(?:{alternation(AND, OR)}) )?"
# Each before a number.
FROM = re.compile(rf"(?:\b(?:{phrases(LEAST, BEGINS)})|≥|>=)\s*(?=[$€£¥\d])")
ABOVE = re.compile(rf"(?:\b(?:{phrases(MORE, AFTER)})|>)\s*(?=[$€£¥\d])")
UP_TO = re.compile(rf"(?:\b(?:{phrases(MOST, ENDS)}|{alternation(_TO)})|≤|<=)\s*(?=[$€£¥\d])")
BELOW = re.compile(rf"(?:\b(?:{phrases(LESS)})|<)\s*(?=[$€£¥\d])")
BOUND = re.compile(rf"(?:\b(?:{phrases(LEAST, MORE, MOST, LESS)})|[<>≤≥]=?)\s*(?=[$€£¥\d])")
JOINT = re.compile(rf"(?:[-–—…~]|\.\.\.?|\b(?:{alternation(AND, _TO)}))\s*\Z")
AND_MORE = re.compile(rf"\s?\+|\b{OR_SO}(?:{alternation(_UPWARD)})\s*\Z|以上")
AND_LESS = re.compile(rf"\b{OR_SO}(?:{alternation(_DOWNWARD)})\s*\Z|以下")
UNDER = re.compile(r"未満|未满")


@dataclass(frozen=True, slots=True)
class Range:
    """Numbers from the one to the other, and whether each of the two is among them."""

    low: float = -inf
    high: float = inf
    has_low: bool = True
    has_high: bool = True

    def holds(self, number: float) -> bool:
        above = number > self.low or (number == self.low and self.has_low)
        return above and (number < self.high or (number == self.high and self.has_high))


def value_of(number: re.Match[str]) -> float | None:
    """Of a NUMBER; None of what has two points, such as a version."""
    value = spelt(number["number"])
    return float(value) if value.replace(".", "", 1).isdigit() else None


@lru_cache(maxsize=2048)
def range_in(cell: str) -> Range | None:
    """What a cell says that says a range or a number, and nothing else."""
    said = in_digits(ASIDE.sub("", cell)).strip()
    if not said or len(said) > LONGEST or DATED.search(said) or months(said):
        return None
    found = [*NUMBER.finditer(said)]
    values = [value for one in found if (value := value_of(one)) is not None]
    if not 1 <= len(found) <= 2 or len(values) < len(found):
        return None
    first, last = found[0].end("number"), found[-1].end("number")
    if len(found) == 1:
        return bound(said[:first], values[0], said[first:])
    between, (low, high) = said[first : found[1].start()], values
    is_below = bool(BELOW.search(said, first, last))
    joins = is_below or UP_TO.search(said, first, last) or JOINT.search(between)
    return Range(low, high, not ABOVE.search(said, 0, first), not is_below) if joins and low < high else None


def bound(said: str, number: float, behind: str) -> Range | None:
    """Of a single number, which is the whole range where a name at most stands before it."""
    if FROM.search(said) or AND_MORE.search(behind):
        return Range(low=number)
    if ABOVE.search(said):
        return Range(low=number, has_low=False)
    if BELOW.search(said) or UNDER.search(behind):
        return Range(high=number, has_high=False)
    if UP_TO.search(said) or AND_LESS.search(behind):
        return Range(high=number)
    return Range(number, number) if len(said.split()) <= 2 else None


def narrowest(ranges: Sequence[Range | None], number: float) -> int | None:
    """The place of the range that holds the number: of “up to 10” and “up to 12” the lower, of “from 2” and “from 5”
    the higher. None where two hold it alike: “up to 2” and “from 2”.
    """
    holding = [(at, one) for at, one in enumerate(ranges) if one and one.holds(number)]
    closed = [(at, one) for at, one in holding if one.high - one.low < inf] or holding
    least = min((one.high for _, one in closed), default=inf)
    nearest = [(at, one) for at, one in closed if one.high == least]
    most = max((one.low for _, one in nearest), default=-inf)
    last = [at for at, one in nearest if one.low == most]
    is_told_twice = any(one.low == -inf for _, one in closed) and any(one.high == inf for _, one in closed)
    return last[0] if len(last) == 1 and not is_told_twice else None
