"""The numbers of a text, in one spelling, with what they count: “30 seconds” is not “30 minutes”. Pure."""

import re
from collections.abc import Iterator
from itertools import pairwise

from knowledge.texts.languages import calendar
from knowledge.texts.languages.little_words import SUBORDINATING, of_every
from knowledge.texts.languages.questions import language_of
from knowledge.texts.words import BESIDE_DIGITS, content, folded, words
from retrieval.answering.checking.numerals import ORDINALS, in_digits, spelt
from retrieval.answering.checking.periods import COUNTED, SPELT

# What a number counts, where no space parts the two: one sign tells it, and others are of the next word.
COUNTERS = (
    "年月日天周週旬季岁歳个個箇か小时時分秒刻元円圓圆角钱銭块塊万萬亿億千百成倍米尺寸里吨噸升度克斤"
    "人名位口户戸只匹头頭次回届屆遍层層階楼樓台家间間所室件份封条條项項级級种種枚杯本册冊页頁章节節卷号號点點班票辆輛艘架株"
    "년월일주개명원분초시간달살세회번배층권장조항만억천백대마리건차톤"
)
LETTERS = "bcdfghjklmnstvw" + "гмлт"  # of units; the others are words as well, and `г.` is a year
MONTHS = {  # by their English names; French “sept” is seven
    name: calendar.MONTHS["en"].split("|")[place]
    for name, place in calendar.places(calendar.MONTHS, calendar.SHORT_MONTHS).items()
    if name != "sept"
}
VERBS = frozenset(("may", "march", "mają"))  # in English, too; and “they have”, which is folded as “maja” is
HAVE = re.compile(r"\bmają\b", re.IGNORECASE)
_SIGNS = {
    "%": "% percent pct prozent procent pourcent percento процент процента процентов パーセント بالمئة بالمائة",
    "€": "€ euro euros eur евро ユーロ 欧元 يورو",
    "$": "$ dollar dollars usd dolar dólar dólares dollari dollaro доллар доллара долларов ドル 美元 دولار",
    "£": "£ pound pounds gbp pfund livres libras sterline фунт фунтов ポンド 英镑",
    "¥": "¥ yen jpy cny yuan иен юаней 円 元 圆 人民币",
    "chf": "chf sfr fr franken franc francs franchi",
    "°": "° degree degrees grad degré degrés grado grados gradi graus градус градуса градусов 度",
}
_CODES = "sek nok dkk pln czk huf ron bgn isk aud cad nzd inr brl mxn zar krw sgd hkd aed"
_SIGNS |= {code: code for code in _CODES.split()}
SIGNS = {folded(word): sign for sign, text in _SIGNS.items() for word in text.split()}
_UNITS = (  # one unit in its spellings
    "v volt volts|w watt watts|b bn billion|m metre metres meter meters mètre mètres metro metros metri"
    "|km kilometre kilometres kilometer kilometers|l litre litres liter liters litro litros litri"
    "|g gram grams gramme grammes gramm gramo gramos grammi|kg kilogram kilograms kilogramm kilo kilos"
    "|ms millisecond milliseconds|mb megabyte megabytes|gb gigabyte gigabytes"
)
_SHORT = {"second": "s", "minute": "min", "hour": "h", "day": "d"}
_ALIKE = [
    *map(str.split, _UNITS.split("|")),
    *([*_SHORT.get(unit, "").split(), *names] for unit, names in SPELT.items()),
]
SPELLINGS = {
    unit: said
    for said in ({(content(word) or [folded(word)])[0] for word in spellings} for spellings in _ALIKE)
    for unit in said
}
IN_ALL = "in all"  # beside what money is counted in, where no “million” is
SHARED = frozenset("$£¥")  # by several currencies: which one it is, its word tells
SIGN_OF = {(content(word) or [word])[0]: sign for word, sign in SIGNS.items()}

NO_LETTER = rf"(?<![^\W{BESIDE_DIGITS}])"
MINUS = (
    rf"{NO_LETTER}(?<![{COUNTERS}.,:/)\]%°-])(?<!\d\s)(?:-|−\s?|–(?=\d[\d.,]{{0,9}}\s?[°%]))"
    r"|\bminus |\bминус |零下|マイナス"
)
NUMBER = re.compile(
    rf"(?P<minus>{MINUS})?(?P<money>[$€£¥]\s?)?"
    rf"(?P<number>{NO_LETTER}\d{{1,3}}(?: \d{{3}})+(?!\d)(?:[.,]\d+)?|(?:(?<![\w.])\.)?\d+(?:[.,:/-]\d+)*)"
)
CODE = "|".join(["usd", "eur", "gbp", "jpy", "cny", "chf", "sfr", "fr", *_CODES.split()])
CODES = re.compile(rf"(?i:\b({CODE})\.?\s?\d|\d\s?({CODE})\b)")
MONTH = "|".join(sorted((name for name in MONTHS if name != "may"), key=len, reverse=True))
BEFORE = re.compile(rf"\b(?:(?P<month>{MONTH}|may)|(?P<code>{CODE}))\.?\s\Z")
MAGNITUDE = (
    r"(?:mi?ll?\w{0,9}|bi?ll?\w{0,9}|trill?\w{0,9}|mio|mrd|bn|thousand|tausend|тыс\w{0,3}|млн|млрд|мил+и\w{0,9})"
)
AFTER = re.compile(
    rf"(?:(?:st|nd|rd|th|er)\b)?(?:\.?\s*(?:(?:de|of|di|d)\b['’]?\s*)?(?P<month>{MONTH})\b"
    r"|\s?(?P<sign>[%‰€$£¥]|p(?:er|or|our) ?c(?:e|ie)nt[oi]?\b)"
    r"|[ -]?(?P<degree>°|o(?=c\b)|(?<=\d)o(?=f\b)|(?:degree|degre|grado|градус)\w{0,2}\b|grad[iu]?s?\b)"
    r"\s?(?P<scale>[cf](?:elsius|ahrenheit)?\b)?"
    rf"|[ -]?(?P<counter>[{COUNTERS}])"
    rf"|[ -]?(?P<letter>(?!г\.)[{LETTERS}])(?![\w'’]|\.\w|\. c)"
    rf"|(?!(?:st|nd|rd|th)\b)[ -]?(?P<word>[^\W\d_{BESIDE_DIGITS}]{{2,}}|[ァ-ヺー]{{2,}}))"
)
MONEY = re.compile(
    rf"(?:[ -]{MAGNITUDE}\.?)?(?:[ -](?:us|de|d|of)\b['’]?)?[ -]?(?P<word>[^\W\d_]{{2,9}}\b)"
    r"|[万萬亿億千百]{1,2}(?P<sign>[元円])"
)
MAGNIFIED = re.compile(
    r"[ -]?(?:mill?i(?:on|ard)\w*|mill?on\w*|milh\w+|milj\w+|bill?i?on\w*|bilh\w+|trill?i?on\w*|mio|mrd|bn|mil|k|m"
    r"|thousand|tausend|duizend|тыс\w*|мил+и\w+|млн|млрд)\b|[万萬亿億千百]"
)
MONIES = frozenset(one for pair in SIGN_OF.items() if pair[1] not in "%°" for one in pair)
GROUPED = re.compile(r"(?<=\d)(?<!\d{4})['’\u00a0\u2009\u202f](?=\d{3}(?!\d))")
SPACED = re.compile(r"(?<=\d) (?=\d{3}(?!\d))")
UNGROUPED = ("en", "zh", "ja", "ar")  # no space is written inside numbers: what looks like one parts two of a table
POINTS = re.compile(  # 3 percentage points are not 3 percent
    r"\b(?:percent(?:age)? points?|prozentpunkten?|points? de pourcentage|puntos? porcentual(?:es)?)\b"
)
RANGE = re.compile(r"\s?(?:[–—…-]|\.{3}|\b(?:to|and|bis|und|à|et|a|y|hasta|e|o)\b)\s?")
RAISED = str.maketrans("", "", "²³")  # of m², a unit
HYPHENED = re.compile(r"\d{1,3}(?:\.\d+)?-\d{1,3}(?:\.\d+)?|\d{1,2}:\d\d-\d{1,2}:\d\d")  # no telephone's
DATE = re.compile(r"(?P<year>[12]\d{3})-\d\d-\d\d")
YEAR = re.compile(r"[12]\d{3}")
BELOW_ONE = re.compile(r"0\.(?P<hundredths>\d\d)")
# It bears out “1 month”. Where it is said itself it may mean less: “one of”, “un mois”.
ONE = re.compile(r"\b(?:one|ein(?:e[mnrs]?)?|une?|un[oa]|een|uma?|один|одна)[ -](?P<word>[^\W\d_]{2,})")
# And of an ordinal in words: “2nd floor” of “second floor”.
ORDINAL = re.compile(rf"\b(?P<ordinal>{'|'.join(ORDINALS)}) (?P<word>[^\W\d_]{{2,}})")
# And of a time that a word tells more of: “7 days” of “seven lending days”.
OF_TIME = re.compile(rf"\b(?P<number>\d{{1,3}}) [^\W\d_]{{3,}} (?P<word>{'|'.join(sorted(COUNTED))})\b")
_SPENDING = "pay pays cost costs get gets receive receives need needs"
_SPENDING += " zahlen kosten erhalten bekommen brauchen paient coutent pagan cuestan"
_PLACING = "outside inside during within opposite beside behind below above beyond under over near throughout until"
_TELLING = "never always only also alone instead nie immer nur auch jamais toujours aussi nunca siempre solo"
# “Children under 12 pay”, “extension 99 outside …”, “those of 17 never …”, “under five because …”
NO_UNITS = of_every(SUBORDINATING) | {*_SPENDING.split(), *_PLACING.split(), *_TELLING.split()}
HOUR = re.compile(r"\d{1,2}:\d\d")
OF_HOURS = frozenset(("am", "pm", "uhr", *COUNTED))  # nothing else is counted by 20:00
# Behind such a word stands a name, not a count: “severity 2 incidents”.
GRADED = re.compile(r"\b(?:severity|level|class|grade|stage|zone|phase|category|stufe|niveau|nivel)\s\Z")


def beside_amounts(text: str) -> frozenset[str]:
    """Codes of currencies that stand with a number, as written: their amounts are compared, in any spelling."""
    return frozenset(one for found in CODES.finditer(text) for one in found.groups() if one)


def quantities(text: str) -> tuple[str, ...]:
    """Every number with its sign, and once more with each thing that says what it counts: a word, a month, `%`, `$`."""
    found = [(number, *(f"{number} {unit}" for unit in units)) for number, units, _ in _read(text)]
    return tuple(dict.fromkeys(one for each in found for one in each))


def known_quantities(text: str) -> frozenset[str]:
    """What a text bears out: its quantities, also as they may be said otherwise."""
    readings = [text]
    if SPACED.search(text) and language_of(text) in UNGROUPED:
        readings.append(SPACED.sub("  ", text))
    read = [one for reading in readings for one in _with_ranges(list(_read(reading, dated=True)))]
    read += [("1", [_unit(one["word"])]) for one in ONE.finditer(folded(text)) if content(one["word"])]
    read += _ordinals(text)
    read += [(one["number"], [_unit(one["word"])]) for one in OF_TIME.finditer(in_digits(text))]
    read += [other for number, units in read for other in _in_other_units(number, units)]
    said = _said(text) if any(unit in SHARED for _, units in read for unit in units) else frozenset()
    return frozenset(
        one
        for number, units in read
        for one in (number, *(f"{number} {other}" for unit in units for other in _other_words(unit, said)))
    )


def _in_other_units(number: str, units: list[str]) -> Iterator[tuple[str, list[str]]]:
    """“30 cents” of €0.30, “14 Uhr” of 14:00 Uhr, “14:00 Uhr” and “14:00 hours” of 14:00."""
    if (found := BELOW_ONE.fullmatch(number)) and not MONIES.isdisjoint(units):
        yield str(int(found["hundredths"])), CENTS
    elif number.endswith(":00"):
        yield number.removesuffix(":00"), units
    if HOUR.fullmatch(number) and not units:
        yield number, CLOCK


def _ordinals(text: str) -> Iterator[tuple[str, list[str]]]:
    for one in ORDINAL.finditer(folded(text)):
        if one["word"] == "of" or content(one["word"]):
            yield str(ORDINALS.index(one["ordinal"]) + 1), [_unit(one["word"])] if one["word"] != "of" else []


def _said(text: str) -> frozenset[str]:
    """The stems of its words; for one that carries no meaning, the word."""
    return frozenset((content(word) or [word])[0] for word in words(text))


def _other_words(unit: str, said: frozenset[str]) -> set[str]:
    """“30 dollars” for `$30` only where the text says that they are dollars; `$30` for “30 dollars” always."""
    named = {word for word, sign in SIGN_OF.items() if unit in SHARED and sign == unit and word in said}
    return {unit, unit[:1] if unit.startswith("°") else SIGN_OF.get(unit, unit), *named, *SPELLINGS.get(unit, ())}


def _with_ranges(found: list[tuple[str, list[str], str]]) -> Iterator[tuple[str, list[str]]]:
    """Of a range each end counts what the other does: “10 to 20 %”, “$10–20”; and so if it is written as one number."""
    for number, units, _ in found:
        yield number, units
        if HYPHENED.fullmatch(number) and (units or ":" in number):
            yield from ((end, units) for end in number.split("-"))
        elif date := DATE.fullmatch(number):
            yield date["year"], []
    for (low, low_units, _), (high, high_units, between) in pairwise(found):
        if RANGE.fullmatch(between):
            yield f"{low}-{high}", high_units
            yield low, high_units
            yield high, low_units


def months(text: str, but: frozenset[str] = frozenset()) -> frozenset[str]:
    """The months that a text names, by their English names."""
    return frozenset(MONTHS[word] for word in words(HAVE.sub("ma", text)) if word in MONTHS and word not in but)


def _read(text: str, dated: bool = False) -> Iterator[tuple[str, list[str], str]]:
    """Numbers, what they count, and the text before each since the last; a month before a number only where `dated`."""
    text = HAVE.sub("ma", GROUPED.sub("", text).translate(RAISED))
    text, end = POINTS.sub("ppoints", in_digits(text)), 0
    for match in NUMBER.finditer(text):
        number, start = spelt(match["number"]), match.start("number")
        if match["minus"]:
            number = f"-{number}"
        behind_letter = start > 0 and re.match(rf"[^\W\d{BESIDE_DIGITS}]", text[start - 1])
        units = [] if behind_letter else [*_before(text, match, dated), *_behind(text, match)]
        if not MONIES.isdisjoint(units) and not MAGNIFIED.match(text, match.end()):
            units.append(IN_ALL)  # “$30” is not borne out by “$30 million”
        yield number, units, text[end : match.start()]
        end = match.end()


def _before(text: str, match: re.Match[str], dated: bool) -> Iterator[str]:
    if match["money"]:
        yield match["money"].strip()
    elif found := BEFORE.search(text[max(0, match.start() - 12) : match.start()]):
        if found["code"]:
            yield SIGNS[found["code"]]
        elif dated:
            yield MONTHS[found["month"]]


def _behind(text: str, match: re.Match[str]) -> Iterator[str]:
    after, money = AFTER.match(text, match.end()), MONEY.match(text, match.end())
    if money and (word := (money["sign"] or money["word"])) in SIGNS:
        yield _unit(word)
    if after is None:
        return
    if after["month"]:
        yield MONTHS[after["month"]]
    elif after["sign"]:
        yield "%" if after["sign"].startswith("p") else after["sign"]
    elif after["degree"]:
        yield f"°{(after['scale'] or '')[:1]}"
    elif after["counter"]:
        yield _unit(after["counter"])
    elif match["money"] and not MAGNIFIED.match(text, match.end()):
        return  # “$10 monthly”: it counts money already
    elif _counts_nothing(text, match, after["word"] or ""):
        return
    elif after["letter"] or content(after["word"]):
        yield _unit(after["letter"] or after["word"])


def _counts_nothing(text: str, match: re.Match[str], word: str) -> bool:
    """Whether a number that a word follows is a date, an hour or a name, or the word one that nothing counts."""
    number = match["number"]
    is_hour = bool(word and HOUR.fullmatch(number)) and word not in OF_HOURS
    is_name = GRADED.search(text[: match.start()][-20:])
    return bool(YEAR.fullmatch(number) or DATE.fullmatch(number) or is_hour or is_name or word in NO_UNITS)


def _unit(word: str) -> str:
    """The sign for which a word stands, if for that alone; else the word's stem."""
    unit = (content(word) or [word])[0]
    sign = SIGN_OF.get(unit, unit)
    return unit if sign in SHARED else sign


CLOCK = [_unit(word) for word in ("uhr", "hours")]
CENTS = [_unit(word) for word in ("cents", "pence", "centimes", "centimos", "rappen")]
