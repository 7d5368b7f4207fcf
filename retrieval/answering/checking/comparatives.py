"""What bounds a number, a day or anything else, by language: “at least”, “no later than Friday”, “before”. Pure.

Alternatives, parted by bars. With `#` one bounds what is a number alone, behind `~` unless a verb has it as its
particle. Chinese, Japanese and Arabic compare elsewhere, by other means.
"""

from collections.abc import Iterator, Mapping
from functools import cache

from knowledge.texts.words import STOP_WORDS, folded, terms

Phrases = Mapping[str, str]  # by language

DENIED = "no|not|nicht|niet|nie|non|não|nao|pas|не"
LEAST: Phrases = {
    "en": r"at least|minimum|minimum of|(?<!\d )(?<!\d)min\.?",
    "de": r"mindestens|wenigstens|zumindest|minimal|mind\.?",
    "fr": "au moins|minimum", "es": "al menos|mínimo|por lo menos", "it": "almeno|minimo",
    "nl": "minstens|minimaal|minste #", "pt": "pelo menos|mínimo",
    "pl": "co najmniej|przynajmniej|minimum|minimalnie", "ru": r"минимум|мин\.?", "zh": "至少|最低",
    "ja": "少なくとも|最低", "ar": "الأقل",
}  # fmt: skip
MOST: Phrases = {
    "en": r"at most|up to #|not exceeding #|maximum|maximum of|max\.?",
    "de": r"höchstens|maximal|allenfalls|bis zu #", "fr": "au plus|maximum|jusqu['’]à #",
    "es": "máximo|a lo sumo|hasta #", "it": "massimo|fino a #", "nl": "hoogstens|maximaal|hoogste #|tot #",
    "pt": "máximo|até #", "pl": r"co najwyżej|maksymalnie|maksimum|maks\.?|do #", "ru": r"максимум|макс\.?|до #",
    "zh": "最多|最大", "ja": "多くとも|最大", "ar": "الأكثر",
}  # fmt: skip
MORE: Phrases = {
    "en": "more than|longer than|greater than|~over #|above #", "de": "mehr als|länger als|über #", "fr": "plus de",
    "es": "más de", "it": "più di", "nl": "meer dan|langer dan", "pt": "mais de|mais do que",
    "pl": "więcej niż|dłużej niż|ponad #|powyżej #", "ru": "более|больше|дольше|свыше #", "zh": "", "ja": "", "ar": "",
}  # fmt: skip
LESS: Phrases = {
    "en": "less than|fewer than|under #|below #", "de": "weniger als|kürzer als|unter #", "fr": "moins de",
    "es": "menos de", "it": "meno di", "nl": "minder dan|korter dan", "pt": "menos de|menos do que",
    "pl": "mniej niż|krócej niż|poniżej #", "ru": "менее|меньше", "zh": "", "ja": "", "ar": "",
}  # fmt: skip
LATER: Phrases = {
    "en": "later than", "de": "später als", "fr": "plus tard que", "es": "más tarde de|más tarde del|más tarde que",
    "it": "più tardi", "nl": "later dan", "pt": "mais tarde", "pl": "później niż", "ru": "позднее|позже", "zh": "",
    "ja": "", "ar": "",
}  # fmt: skip
EARLIER: Phrases = {
    "en": "earlier than", "de": "früher als", "fr": "plus tôt que",
    "es": "más temprano de|más temprano del|más temprano que", "it": "più presto", "nl": "eerder dan",
    "pt": "mais cedo", "pl": "wcześniej niż", "ru": "ранее|раньше", "zh": "", "ja": "", "ar": "",
}  # fmt: skip
# Of two events, and of a time.
BEFORE: Phrases = {
    "en": "before", "de": "vor", "fr": "avant", "es": "antes", "it": "prima", "nl": "voor", "pt": "antes",
    "pl": "przed", "ru": "до", "zh": "之前", "ja": "前に", "ar": "قبل",
}  # fmt: skip
AFTER: Phrases = {
    "en": "after", "de": "nach", "fr": "après", "es": "después", "it": "dopo", "nl": "na", "pt": "depois|após",
    "pl": "po", "ru": "после", "zh": "之后|之後", "ja": "後に", "ar": "بعد",
}  # fmt: skip
IN_TURN = frozenset(("then", "afterwards", "danach", "anschliessend", "puis"))  # after what was said last
# Of a time alone.
ENDS: Phrases = {
    "en": "until|till|up to|prior to", "de": "bis|bis zu|bis zum|spätestens",
    "fr": "jusqu['’]à|jusqu['’]au|d['’]ici", "es": "hasta", "it": "fino a|fino al|entro", "nl": "tot|uiterlijk",
    "pt": "até", "pl": "do", "ru": "до", "zh": "", "ja": "", "ar": "",
}  # fmt: skip
BEGINS: Phrases = {
    "en": "from|since|starting|following|as of", "de": "ab|seit", "fr": "à partir de|à partir du|dès|depuis",
    "es": "desde|a partir de|a partir del", "it": "dal|a partire da|a partire dal", "nl": "vanaf|sinds",
    "pt": "desde|a partir de|a partir do", "pl": "od", "ru": "с|от", "zh": "", "ja": "", "ar": "",
}  # fmt: skip
_PARTICLE_VERBS = (  # “carry over 5 days” is not “more than 5”
    "bring brings brought bringing carry carries carried carrying go goes went gone going hand hands handed handing"
    " leave leaves left leaving move moves moved moving pass passes passed passing roll rolls rolled rolling"
    " spread spreads spreading take takes took taken taking turn turns turned turning"
)
_SIGNS = {
    "~": "".join(rf"(?<!\b{verb} )" for verb in _PARTICLE_VERBS.split()),
    " #": r"(?=\s?(?:[^\W\d]+\s)?[$€£¥]?\s?\d)",
}


def phrases(*said: Phrases) -> str:
    """For a regular expression: any of them in any language, as written and folded."""
    spoken = dict.fromkeys(spelt for one in _each(*said) for spelt in (one, folded(one)))
    longest_first = "|".join(sorted(spoken, key=len, reverse=True))
    for sign, meant in _SIGNS.items():
        longest_first = longest_first.replace(sign, meant)
    return longest_first


def one_word(*said: Phrases) -> frozenset[str]:
    """Those of a single word, folded, that bound more than a number."""
    return frozenset(folded(one) for one in _each(*said) if one.isalpha())


def spoken_terms(*said: Phrases) -> set[str]:
    """The terms of those that bound more than a number: no preposition, as Italian “fino”, with a stem of nouns."""
    return terms(" ".join(one for one in _each(*said) if "#" not in one))


@cache
def others(languages: frozenset[str]) -> frozenset[str]:
    """What bounds in another language and is a word of grammar in these: Polish “do” in English."""
    own = {
        one.strip("~# ")
        for said in (LEAST, MOST, MORE, LESS, AFTER)
        for one in _each({each: said.get(each, "") for each in languages})
    }
    return frozenset(folded(word) for each in languages for word in STOP_WORDS.get(each, "").split() if word not in own)


def _each(*said: Phrases) -> Iterator[str]:
    return (one for each in said for text in each.values() for one in text.split("|") if one)


# The sides on which a comparison leaves what it compares.
SIDES = {
    side: rf"(?:{DENIED}) (?:{phrases(denied)})|{phrases(compared)}"
    for side, denied, compared in (
        ("least", LESS, MORE), ("most", MORE, LESS), ("later", EARLIER, LATER), ("earlier", LATER, EARLIER),
    )
}  # fmt: skip
