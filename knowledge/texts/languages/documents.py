"""Which language a text is in: by its script, or else by the little words that make up a third of any prose.

Deterministic and small, and good enough to label a file; a library for it weighs 10 to 100 MB.
"""

import re
import unicodedata
from collections import Counter
from functools import lru_cache

SAMPLE = 8_000  # characters
LONGEST_WORD = 40  # characters; Chinese has no spaces
FEWEST_LETTERS = 4  # of a script that belongs to one language
OF_JAPANESE = 0.05  # kana for each Chinese character beside them: lists have few, and names in Chinese some
MIXED = 0.25  # of all letters: a file in several languages may have a line of Japanese
FEWEST_HITS = 3
FEWEST_DIFFERENT = 2  # words among them
FEWEST_WORDS = 12
SCRIPTS = {"HIRAGANA": "ja", "KATAKANA": "ja", "HANGUL": "ko", "CJK": "zh", "GREEK": "el", "HEBREW": "he",
           "THAI": "th", "ARMENIAN": "hy", "GEORGIAN": "ka", "DEVANAGARI": "hi", "BENGALI": "bn", "TAMIL": "ta",
           "ARABIC": "ar", "CYRILLIC": "ru"}  # fmt: skip
WORDS = {
    "en": "the of and a to in is that for it as with on be by this are or from at which have not you can",
    "de": "der die und das den von zu mit sich des auf für ist im dem nicht ein eine als auch werden aus oder wird",
    "fr": "le la les de des et du un une est que pour dans qui par sur au avec ne pas ce plus sont vous aux",
    "es": "el la de que y los del las un por con no una su para es al lo como más o se si pero sus",
    "it": "il di che la e è per un in del non con una le si da dei sono come alla anche della gli nel più",
    "pt": "o que de e do da em um para com não uma os no se na por mais as dos como mas ao ele das são",
    "nl": "de het een van en in is dat op te zijn met voor niet aan er om ook als bij maar door naar worden",
    "sv": "och att det i en som är på av för med till den har de inte om ett han var jag från kan",
    "da": "og i at det er en til af på som med de den for ikke der var et har kan eller om fra",
    "no": "og i det er på som en til av for at med de ikke den har et om var fra kan men eller ble",
    "fi": "ja on ei se että oli hän mutta ovat kun joka myös tai niin sen ole voi kuin mukaan jos",
    "pl": "i w na z do że się nie to jest o jak po za od przez dla oraz są być który może tym tego",
    "cs": "a v na se je že to s z do pro o jako by jsou které při jsem od není nebo která podle tak ale",
    "hu": "a az és hogy nem is egy ez van meg vagy mint csak de ki volt már lehet kell után még azt",
    "ro": "și în de la a cu o nu pe care din că este un pentru mai sunt au prin sau fi ca se",
    "tr": "ve bir bu da de için ile olarak çok daha olan gibi ne en kadar sonra var ya ise değil her",
    "uk": "і в не на що з до як за та від це є для про його але або які бути також їх",
    "ru": "и в не на что с по как к из за это для от он но его или также при есть",
    "bg": "и на за да се от не е че с по са като при или ще до това има които",
    "fa": "و در به از که این را با است برای آن یک خود تا کرد بر هم نیز شد",
    "ar": "في من على إلى عن أن التي الذي هذا هذه ما لا كان مع أو هو ذلك بين",
    "ur": "کے کی میں ہے اور سے کا کو نے پر یہ ہیں کہ تھا ایک",
}  # fmt: skip
COMMON = {language: frozenset(words.split()) for language, words in WORDS.items()}
# What opens a question: a text too short for the words above is often one. None that is English, too (as Polish `co`).
ASKING = {
    "sv": "vem vad när vart hur varför vilken vilket vilka",
    "da": "hvem hvad hvornår hvor hvordan hvorfor hvilken hvilke",
    "no": "hvem hva når hvor hvordan hvorfor hvilken hvilket",
    "fi": "kuka mikä mitä milloin missä kuinka miksi onko",
    "pl": "kto kiedy gdzie ile czy jaki jaka jakie który która które dlaczego",
    "cs": "kdo kdy kde kolik proč jaký jaká jaké který",
    "hu": "mikor hol hogyan mennyi hány miért melyik",
    "ro": "cine când unde cât câte cum",
    "tr": "kim nasıl nerede kaç neden hangi",
}
_ENGLISH = """
the of and is that it with be this are from which have you can how what when where who why does my your will was were
they there should would not for by
"""
ENGLISH = frozenset(_ENGLISH.split())
_ENGLISH_TOO = """
ale am an at au ca care cine cum da de den die do en et fi han her in kim la mai med men mi mint na ne no nu on pe per
pro se sen so till to un van var ve
"""
ENGLISH_TOO = frozenset(_ENGLISH_TOO.split())  # or names, abbreviations and code
ELSEWHERE = {
    word
    for language, opening in ASKING.items()
    for word in COMMON[language].union(opening.split()) - COMMON["en"] - ENGLISH - ENGLISH_TOO
    if len(word) > 1  # a letter stands in code and after an apostrophe, too
}
OWN_LETTERS = {"ы": "ru", "ё": "ru", "э": "ru", "ї": "uk", "є": "uk", "ґ": "uk"}
RIVALS = {"ru": ("ru", "uk", "bg"), "ar": ("ar", "fa", "ur")}
LATIN = tuple(language for language in WORDS if not any(language in rivals for rivals in RIVALS.values()))
WORD = re.compile(r"[^\W\d_]+")


def detect(text: str) -> str:
    """An ISO 639-1 code, or "" when the text is short, or not in a language that is known here."""
    words = WORD.findall(unicodedata.normalize("NFC", text[:SAMPLE]).lower())
    letters: Counter[str] = Counter()
    for word in words:
        if word.isascii():
            letters[""] += len(word)
        else:
            letters.update(map(script_of, word[:LONGEST_WORD]))
    if not letters:
        return ""
    both = letters["ja"] + letters["zh"]
    if letters["ja"] > OF_JAPANESE * letters["zh"] and both >= max(FEWEST_LETTERS, MIXED * letters.total()):
        return "ja"
    script = max(letters, key=lambda script: (letters[script], script))
    if script and script not in RIVALS:
        return script if letters[script] >= FEWEST_LETTERS else ""
    if script == "ru" and (own := Counter(OWN_LETTERS[letter] for letter in "".join(words) if letter in OWN_LETTERS)):
        return own.most_common(1)[0][0]
    return most_words(words, RIVALS.get(script, LATIN), fallback=script)


def may_be_english(text: str) -> bool:
    """Whether nothing tells that `text`, however short, is in another language."""
    if (language := detect(text)) not in ("", *LATIN):
        return False
    words = WORD.findall(unicodedata.normalize("NFC", text[:SAMPLE]).lower())
    accented = sum(not word.isascii() for word in words)
    strange = sum(word in ELSEWHERE for word in words) + accented // 2
    return language == "en" or strange <= sum(word in ENGLISH for word in words)


def most_words(words: list[str], languages: tuple[str, ...], fallback: str) -> str:
    counts = Counter(words)
    hits = {
        language: sum(counts[word] for word in COMMON[language])
        for language in languages
        if sum(word in counts for word in COMMON[language]) >= FEWEST_DIFFERENT
    }
    if not hits:
        return fallback if len(words) >= FEWEST_WORDS else ""
    best = max(hits, key=lambda language: hits[language])
    if len(words) >= FEWEST_WORDS and hits[best] >= max(FEWEST_HITS, len(words) // 25):
        return best
    return fallback if len(words) >= FEWEST_WORDS else ""


@lru_cache(maxsize=10_000)
def script_of(character: str) -> str:
    """The language that mostly uses the character's script; "" for Latin."""
    name = unicodedata.name(character, "").split(" ")[0].split("-")[0]
    return SCRIPTS.get(name, "")
