"""The words of grammar, by language of the answers: and, or. Pure.

Rules that look for such words take them from here, and say what they leave out. Chinese, Japanese and, for “and”,
Arabic write them without spaces: a rule looks for those itself.
"""

from collections.abc import Mapping
from functools import cache

from knowledge.texts.words import STOP_WORDS, plain

Said = Mapping[str, str]  # by language

AND: Said = {
    "en": "and", "fr": "et", "de": "und", "es": "y e", "it": "e ed", "nl": "en", "pt": "e", "pl": "i oraz", "ru": "и",
    "ar": "و",
}  # fmt: skip
OR: Said = {
    "en": "or", "fr": "ou", "de": "oder", "es": "o", "it": "o oppure", "nl": "of", "pt": "ou", "pl": "lub albo",
    "ru": "или", "ar": "أو",
}  # fmt: skip


def of_every(*said: Said, but: str = "") -> frozenset[str]:
    """Folded, of every language, but for some."""
    return frozenset(plain(word) for one in said for spoken in one.values() for word in spoken.split()) - {*but.split()}


def of(language: str, *said: Said) -> frozenset[str]:
    """Folded, but for those that say something else in this language: Dutch “of” is no English “of”."""
    return of_every(*said) - _else(language).difference(*(plain(one.get(language, "")).split() for one in said))


@cache
def _else(language: str) -> frozenset[str]:
    return frozenset(plain(STOP_WORDS.get(language, "")).split())
