"""Which language is spoken, of a dozen, in texts as short as a question. Pure; no data files."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from itertools import chain

from knowledge.texts.languages.documents import ASKING, COMMON, ELSEWHERE, OF_JAPANESE, WORD
from knowledge.texts.words import STOP_WORDS, folded, words

# What else tells a language, of questions above all. In documents these words may carry meaning: they stop nothing.
ASKED_WITH = {
    "en": "am get he her him his mine need our she they us want",
    "fr": "ai avez avons dois doit fait faire faut fera ma mes moi mon peux puis sera suis ta tes toi ton tu veux",
    "de": "brauche darf dürfen gibt habe kein keine mein meine meinen meiner mich mir muss müssen soll tun",
    "es": "debo hacer hago he me mi mis necesito podemos puede puedo quiero tengo",
    "it": "devo dov faccio fare ho mi mia mie miei mio possiamo posso può voglio",
    "nl": "doen ga kun mag mijn mij moet moeten mogen",
    "pt": "devo eu fazer meu minha posso preciso quero tenho",
    "cs": "ale aby být co jak jako jaký je jsem jsou kde kdo kdy kolik která které který mohu můžu na nebo není od po"
    " pro proč se si tak že",
    "pl": "co ile mam mogę moja moje moją mój muszę po za zrobić",
}
# Letters that others hardly write, and "j'ai". São Paulo and a price in zł stand in texts of any language.
TELLING_LETTERS = {
    "fr": r"œ|\b(?:j|qu|aujourd)['’]",
    "de": "ß",
    "es": "[¿¡ñ]",
    "pt": r"(?:(?<!\bs)ão|ões)\b",
    "cs": "[čěřšůýž]",
    "pl": r"[ąęż]|(?<!\bz)ł",
}
_ENGLISH_TOO = """
ai am co come con dan den door doen en eu fare ga hat hay he ho ile ma mag mam me men mes met mi mia mie mir mis moi
mon ne over par per po pour puis sin so son ta tes ton tu tun us van war was za
"""
ENGLISH_TOO = frozenset(_ENGLISH_TOO.split())  # alone they tell nothing: "timothy hay" is no Spanish
TELLING_WORDS = 12  # from so many on
TELLING_SHARE = 0.07  # of a text's words are among the commonest of its language; of prose it is a quarter or more
_COMMON = {
    language: frozenset(folded(word) for said in (STOP_WORDS, ASKED_WITH) for word in said.get(language, "").split())
    for language in {**STOP_WORDS, **ASKED_WITH}
}
KANJI = "euc_jis_2004"  # has all that Japanese is written in, and hardly a simplified letter of Chinese
NO_KANJI = frozenset("么麼你您怎每哪嗎")  # though it has these
# Languages that nothing is said in here, by their words as they are spelt: folded, “för” is English. Twice what opens a
# question: it tells more.
OTHERS = {language: [*COMMON[language], *ASKING[language].split() * 2] for language in ASKING.keys() - _COMMON.keys()}
THEIR_LETTERS = re.compile("[åøığşőűșț]")
OF_OTHERS = ELSEWHERE.intersection(chain(*OTHERS.values())).difference(*_COMMON.values())


def language_of(text: str, beside: Iterable[str] = ()) -> str:
    """A guess among a dozen languages, by script, the commonest words and a few letters; where nothing tells, or too
    little, or two alike, that of the texts `beside` it, and English in the end, as for any other language.
    """
    likely = likeliest(text)
    if len(likely) == 1:
        return likely[0]
    others = (language for other in beside for language in likeliest(other)[:1])
    return next((language for language in others if language in likely or not likely), (*likely, "en")[0])


def languages_of(*texts: str) -> frozenset[str]:
    """All that each of these texts may be in that tells; else all that any of them may; none where nothing tells."""
    known = [frozenset(likely) for text in texts if (likely := likeliest(text))]
    return (frozenset.intersection(*known) or frozenset.union(*known)) if known else frozenset()


@lru_cache(maxsize=2048)
def likeliest(text: str) -> tuple[str, ...]:
    """The languages that it may be in, those that are as likely beside each other; English for one that is none of the
    dozen. None where too little tells: a table has few of these words, and "per" alone makes no Italian.
    """
    scripts = (r"[^\W\d_]", r"[\u3040-\u30ff]", r"[\u3400-\u9fff]", r"[\u0600-\u06ff]")
    every, kana, chinese, arabic = (len(re.findall(script, text)) for script in scripts)
    if (kana + chinese) * 4 > every:
        return ("ja",) if kana > OF_JAPANESE * chinese and not tells_chinese(text) else ("zh",)
    if arabic * 4 > every:
        return ("ar",)
    if re.search(r"[\u0400-\u04ff]", text):
        return ("ru",)
    spoken = [word for word in words(text) if len(word) > 1]  # a letter stands in addresses and code, too
    written = unicodedata.normalize("NFC", text).lower()
    letters = {language: len(re.findall(those, written)) for language, those in TELLING_LETTERS.items()}
    counts = {
        language: sum(word in common for word in spoken) + letters.get(language, 0)
        for language, common in _COMMON.items()
    }
    most, elsewhere = max(counts.values()), of_others(written)
    if len(spoken) >= TELLING_WORDS and max(most, elsewhere) < TELLING_SHARE * len(spoken):
        return ()
    if elsewhere > most:
        return ("en",)
    return tuple(
        language
        for language, common in _COMMON.items()
        if counts[language] == most and (letters.get(language) or (common & {*spoken}) - ENGLISH_TOO)
    )


def tells_chinese(text: str) -> bool:
    """Whether it has letters of Chinese alone, and no more hiragana than those: “如何使用鮮の每日优惠券退款？”"""
    letters = "".join(re.findall(r"[\u3400-\u9fff]", text))
    simplified = len(letters) - len(letters.encode(KANJI, "ignore").decode(KANJI))
    own = simplified + sum(letter in NO_KANJI for letter in letters)
    return own > 0 and own >= len(re.findall(r"[\u3040-\u309f]", text))


def of_others(written: str) -> int:
    """How much of it, in small letters, is of the likeliest of the other languages. One word alone is nothing: DIN is
    Romanian, too.
    """
    spelt = Counter(word for word in WORD.findall(written) if len(word) > 1)
    most = max(sum(spelt[word] for word in known) for known in OTHERS.values()) + len(THEIR_LETTERS.findall(written))
    return most if most > 1 and not OF_OTHERS.isdisjoint(spelt) else 0
