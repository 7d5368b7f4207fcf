"""Numbers in one spelling: “three days” is “3 days”, “two hundred” 200, “fünfunddreißig” 35; 1,200.00 is 1200. Pure."""

import re
from collections.abc import Iterator

from knowledge.texts.languages.questions import language_of
from knowledge.texts.words import BESIDE_DIGITS, folded

_UP_TO_NINETEEN = {
    "en": "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen",
    "de": "ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn"
    " achtzehn neunzehn",
    "fr": "un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit"
    " dix-neuf",
    "es": "uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete"
    " dieciocho diecinueve",
}
_TENS = {
    "en": "twenty thirty forty fifty sixty seventy eighty ninety",
    "de": "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig",
    "fr": "vingt trente quarante cinquante soixante",
    "es": "veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa",
}
_OTHER_ONES = {"fr": ("une",), "es": ("un", "una")}
_SPANISH_HUNDREDS = "doscient trescient cuatrocient quinient seiscient setecient ochocient novecient"
_OTHERS = {
    2: "due twee dois два две двух dwa dwie dwóch", 3: "tre drie três три трех trzy trzech ثلاث ثلاثة",
    4: "quattro quatro четыре четырех cztery czterech أربع أربعة", 5: "cinque vijf пять пяти pięć pięciu خمس خمسة",
    6: "zes шесть шести sześć sześciu ست ستة", 7: "sette zeven sete семь семи siedem siedmiu سبع سبعة",
    8: "otto oito восемь восьми osiem ośmiu ثماني ثمانية", 9: "negen nove девять девяти dziewięć dziewięciu تسع تسعة",
    10: "dieci tien dez десять десяти dziesięć dziesięciu عشر عشرة",
    11: "undici", 12: "dodici twaalf dwanaście двенадцать", 13: "tredici", 14: "quattordici четырнадцать",
    15: "quindici",
    20: "venti twintig vinte", 30: "trenta dertig trinta тридцать", 40: "сорок", 80: "quatre-vingts",
    100: "hundred hundert cien",
    "2 times": "twice", "2 mal": "zweimal", "3 mal": "dreimal",
}  # fmt: skip
# Of Chinese and Japanese, before what they count; “one” says too little there. Not “十分”, which is “very”.
HAN = {sign: value for value, sign in enumerate("一二三四五六七八九十", 1)} | {"两": 2, "兩": 2}
BEFORE_COUNTED = re.compile(
    rf"(?<![{''.join(HAN)}百千万萬第])(?P<tens>[二三四五六七八九](?=十))?(?P<ten>十)?(?P<one>[一二两兩三四五六七八九])?"
    r"(?=[月日年天周週个個名人小时時间間件次回枚本台歳岁位点點层層楼階])"
)
NO_COUNTS = frozenset(("one", "ein", "un", "uno", "ciento", "sept", "neuf"))  # alone they often say something else
DIGITS = re.compile(rf"(?<![^\W{BESIDE_DIGITS}])(?<![.,])\d+(?:[.,:/-]\d+)*")  # dates and times are one
_ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth"
    " sixteenth seventeenth eighteenth nineteenth twentieth"
)
YEAR = re.compile(r"(?:19|20)\d{2}")
ORDINALS = tuple(_ORDINALS.split())
IN_THOUSANDS = re.compile(r"\d{1,3}(?:[.,]\d{3})+")
NO_CENTS = re.compile(r"(\d+|\d{1,3}(?:,\d{3})+(?=\.)|\d{1,3}(?:\.\d{3})+(?=,))[.,]00")
LEADING = re.compile(r"(?<![\d.,:])0(?=\d[.:]\d\d(?!\d))")  # of a time: 09:00


def _below_hundred(language: str) -> Iterator[tuple[str, int]]:
    """Numerals of one word, or of some joined by hyphens: “twenty-five”, “vingt-et-un”, “treinta-y-cinco”."""
    ones = list(enumerate(folded(_UP_TO_NINETEEN[language]).split(), 1))
    yield from ((word, value) for value, word in ones)
    for ten, word in enumerate(folded(_TENS[language]).split(), 2):
        yield word, 10 * ten
        last = 19 if word == "soixante" else 9
        for value, one in [*ones[:last], *((1, one) for one in _OTHER_ONES.get(language, ()))]:
            yield _joined(language, word, one), 10 * ten + value
    if language == "fr":
        yield from ((f"quatre-vingt-{one}", 80 + value) for value, one in ones)


def _joined(language: str, ten: str, one: str) -> str:
    if language == "de":
        return f"{one}und{ten}"
    if language == "es":
        return f"veinti{one}" if ten == "veinte" else f"{ten}-y-{one}"
    return f"{ten}-et-{one}" if one in ("un", "une", "onze") else f"{ten}-{one}"


BELOW_HUNDRED = {language: dict(_below_hundred(language)) for language in _TENS}


def _in_one_word() -> Iterator[tuple[str, int]]:
    """German hundreds and thousands, and Spanish hundreds: “zweihundertfünfzig”, “dreitausend”, “doscientas”."""
    german = BELOW_HUNDRED["de"]
    for count, word in enumerate(folded(_UP_TO_NINETEEN["de"]).split()[:9], 1):
        yield f"{word}hundert", 100 * count
        yield from ((f"{word}hundert{rest}", 100 * count + value) for rest, value in german.items())
    yield from ((f"hundert{rest}", 100 + value) for rest, value in german.items())
    yield from ((f"{word}tausend", 1000 * count) for word, count in german.items())
    for count, word in enumerate(_SPANISH_HUNDREDS.split(), 2):
        yield from ((f"{word}{ending}", 100 * count) for ending in ("os", "as"))
    yield "ciento", 100


_COUNTED = {word: value for known in BELOW_HUNDRED.values() for word, value in known.items()} | dict(_in_one_word())
NUMERALS = {word: str(value) for word, value in _COUNTED.items() if word not in NO_COUNTS}
NUMERALS |= {folded(word): str(value) for value, text in _OTHERS.items() for word in text.split()}
NO_NUMERALS = {"en": ("due", "once", "sept", "seize"), "fr": ("tres", "dos"), "nl": ("onze",)}  # “rent is due”
AMBIGUOUS = re.compile(rf"\b(?:{'|'.join(word for said in NO_NUMERALS.values() for word in said)})\b")
_WORD = r"[^\W\d_]+(?:-[^\W\d_]+){0,3}"
NUMERAL = re.compile(_WORD)
APART = re.compile(
    r"\b(?:vingt|trente|quarante|cinquante|soixante) et (?:une?|onze)\b"
    r"|\b(?:treinta|cuarenta|cincuenta|sesenta|setenta|ochenta|noventa) y"
    r" (?:un[oa]?|dos|tres|cuatro|cinco|seis|siete|ocho|nueve)\b"
)
# What multiplies the numeral before it.
SCALES = {
    "hundred": ("en", 100), "cent": ("fr", 100), "cents": ("fr", 100),
    "thousand": ("en", 1000), "tausend": ("de", 1000), "mille": ("fr", 1000), "mil": ("es", 1000),
}  # fmt: skip
HUNDREDS, THOUSANDS = (
    re.compile(
        rf"(?<![\w.,])(?:(?P<count>\d{{1,3}}|{_WORD})[ -](?P<scale>{scales})\b{alone})"
        rf"(?P<joined>(?: and)? (?P<rest>\d{{3}}(?![\d.,])|{_WORD})\b(?! hundred\b| cents?\b))?"
    )
    for scales, alone in (
        ("hundred|cents?", rf"|(?P<spanish>(?:{_SPANISH_HUNDREDS.replace(' ', '|')})[oa]s|(?<!\bpor )ciento)\b"),
        ("thousand|tausend|mille|mil", r"|(?P<spanish>(?!))"),
    )
)
# What marks a number up stands between it and what it counts: “**30** days”, “<b>30</b> days”.
AMOUNT = r"(?:[-−]\s?)?[$€£¥]?\d[\d.,:]{0,20}"
MARKED_UP = re.compile(
    rf"(?<![\w*_`])(?P<sign>[*_]{{1,3}}|`)(?P<number>{AMOUNT})(?P=sign)(?=[\s%)–-])"
    rf"|(?<!\w)<(?P<tag>b|strong|em|i|u|code|mark)>(?P<tagged>{AMOUNT})</(?P=tag)>(?=[\s%)–-])"
)
TWICE = re.compile(r"(?<![\w.,])(\d+(?:[.,]\d+)*) \(\1\)")  # “thirty (30) days”


def in_digits(text: str) -> str:
    """Folded text with its numerals as digits: “three days” is “3 days”, as “three (3) days” is and “**3** days”."""
    letters = MARKED_UP.sub(lambda one: one["number"] or one["tagged"], folded(text))
    letters = letters if letters.isascii() else BEFORE_COUNTED.sub(_in_han, letters)
    others = NO_NUMERALS.get(language_of(text), ()) if AMBIGUOUS.search(letters) else ()
    joined = APART.sub(lambda numeral: numeral[0].replace(" ", "-"), letters)
    scaled = THOUSANDS.sub(_multiplied, HUNDREDS.sub(_multiplied, joined))
    counted = NUMERAL.sub(lambda word: word[0] if word[0] in others else NUMERALS.get(word[0], word[0]), scaled)
    return TWICE.sub(r"\1", counted)


def _in_han(found: re.Match[str]) -> str:
    if found[0] in ("", "一"):
        return found[0]
    tens = HAN.get(found["tens"] or "", 1) * 10 if found["ten"] else 0
    return str(tens + HAN.get(found["one"] or "", 0))


def _multiplied(found: re.Match[str]) -> str:
    """“Two hundred and fifty” as 250; what only looks like it, as it stands: “two cents”, “several hundred”."""
    language, scale = SCALES[found["scale"]] if found["scale"] else ("es", 100)
    hundreds = _COUNTED[found["spanish"]] if found["spanish"] else _times(found["count"], language) * scale
    if not hundreds:
        return found[0]
    rest = _added(found["rest"] or "", language)
    return str(hundreds + rest) if 0 < rest < scale else f"{hundreds}{found['joined'] or ''}"


def _times(word: str, language: str) -> int:
    """How many hundreds or thousands; 0 if no numeral says it. “Six cents” may be money, and so may “un cent”."""
    if word.isdigit():
        return int(word) if language in ("en", "de") else 0
    if language in ("fr", "es") and word in ("six", "un", "uno"):
        return 0
    return 1 if (language, word) in (("en", "a"), ("de", "eine")) else BELOW_HUNDRED[language].get(word, 0)


def _added(word: str, language: str) -> int:
    return int(word) if word.isdigit() else 0 if word == "one" else BELOW_HUNDRED[language].get(word, 0)


def spelt(number: str) -> str:
    """One spelling for each: 1,200.00 and 1.200,00 and 1 200 are 1200, and 09:00 is 9:00."""
    number = LEADING.sub("", number.replace(" ", ""))
    if whole := NO_CENTS.fullmatch(number):
        number = whole[1]
    if number.startswith("."):
        return f"0{number}"
    return re.sub(r"[.,]", "", number) if IN_THOUSANDS.fullmatch(number) else number.replace(",", ".")


def numbers_of(text: str) -> frozenset[str]:
    return frozenset(map(spelt, DIGITS.findall(in_digits(text))))
