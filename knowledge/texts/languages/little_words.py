"""The words of grammar, by language of the answers: and, or, is, can, must, only, if, yes, no. Pure.

Rules that look for such words take them from here, and say what they leave out. Chinese, Japanese and, for “and”,
Arabic write them without spaces: a rule looks for those itself.
"""

from collections.abc import Mapping

from knowledge.texts.words import STOP_WORDS, folded

Said = Mapping[str, str]  # by language

AND: Said = {
    "en": "and", "fr": "et", "de": "und", "es": "y e", "it": "e ed", "nl": "en", "pt": "e", "pl": "i oraz", "ru": "и",
    "ar": "و",
}  # fmt: skip
OR: Said = {
    "en": "or", "fr": "ou", "de": "oder", "es": "o", "it": "o oppure", "nl": "of", "pt": "ou", "pl": "lub albo",
    "ru": "или", "ar": "أو",
}  # fmt: skip
# Before a noun; “than”, “as” and what only joins clauses is none.
PREPOSITIONS: Said = {
    "en": "of for at on by with without from in into to under over near behind between before after during",
    "fr": "de d pour sur sous avec sans dans chez en par entre avant après à",
    "de": "für mit ohne von bei in an auf aus nach vor zu über unter zwischen",
    "es": "de para por con sin en sobre desde hasta entre", "it": "di da in con su per tra fra senza",
    "nl": "van voor met zonder op in uit bij naar tussen", "pt": "de para por com sem em sobre entre",
    "pl": "do na w z dla od po przy bez", "ru": "в на с для от до по из без у", "ar": "في من على إلى",
}  # fmt: skip
# What may and what must be told apart: `degrees`. No Polish “ma”, which is Italian for “but”.
AUXILIARIES: Said = {
    "en": "is are was were be been will would shall should can could may might must has have had do does did",
    "fr": "est sont peut peuvent doit doivent a ont",
    "de": "ist sind war waren wird werden kann können darf dürfen muss müssen soll sollen hat haben",
    "es": "es son puede pueden debe deben ha han se",
    "it": "sono può possono deve devono ha hanno viene vengono",
    "nl": "is zijn wordt worden kan kunnen mag mogen moet moeten heeft hebben zal zullen",
    "pt": "são pode podem deve devem tem têm",
    "pl": "jest są może mogą musi muszą mają można",
    "ru": "может могут должен должна должны имеет имеют можно",
    "zh": "可以 能够 必须 应当",
}
# Verbs and what else says so. Where a language has one word for “may” and “can”, it is of what may be.
MAY: Said = {
    "en": "may can could might optional optionally", "fr": "peut peuvent peux pouvez pourra pourront permet permettent",
    "de": "dürfen darf dürft können kann könnt könnte könnten",
    "es": "puedo puede pueden puedes podemos podrá podrán permite permiten",
    "it": "può possono puoi possiamo potete potrà potranno", "nl": "mogen mag kunnen kan kunt",
    "pt": "posso pode podem podemos poderá poderão", "pl": "mogę może mogą można możesz możemy",
    "ru": "могу может можем могут можно", "zh": "", "ja": "", "ar": "",
}  # fmt: skip
MUST: Said = {
    "en": "must shall mandatory obligatory compulsory required obliged",
    "fr": "doit doivent dois devez devons devra devront obligatoire obligatoires",
    "de": "müssen muss müsst verpflichtet pflicht",
    "es": "debe deben debes debemos deberá deberán obligatorio obligatoria obligatorios obligatorias",
    "it": "deve devono devi dovete dobbiamo dovrà dovranno obbligatorio obbligatoria obbligatori",
    "nl": "moeten moet verplicht", "pt": "deve devem devemos deverá deverão obrigatório obrigatória",
    "pl": "musi muszą musisz musimy należy", "ru": "должен должна должны обязан обязаны", "zh": "", "ja": "", "ar": "",
}  # fmt: skip
ONLY: Said = {
    "en": "only solely exclusively", "fr": "seul seuls seule seules seulement uniquement exclusivement",
    "de": "nur ausschließlich lediglich", "es": "solo solamente únicamente exclusivamente",
    "it": "solo soltanto solamente unicamente esclusivamente", "nl": "alleen uitsluitend enkel slechts",
    "pt": "apenas somente só exclusivamente unicamente", "pl": "tylko wyłącznie jedynie",
    "ru": "только лишь исключительно", "zh": "只有 仅限", "ja": "のみ だけ", "ar": "فقط",
}  # fmt: skip
YES: Said = {
    "en": "yes", "fr": "oui", "de": "ja", "es": "sí", "it": "sì", "nl": "ja", "pt": "sim", "pl": "tak", "ru": "да",
    "zh": "是的 是", "ja": "はい", "ar": "نعم",
}  # fmt: skip
NO: Said = {
    "en": "no", "fr": "non", "de": "nein", "es": "no", "it": "no", "nl": "nee", "pt": "não", "pl": "nie", "ru": "нет",
    "zh": "不是 不", "ja": "いいえ", "ar": "لا",
}  # fmt: skip
IF: Said = {
    "en": "if when where", "fr": "si quand lorsque", "de": "wenn falls insofern", "es": "si cuando", "it": "se quando",
    "nl": "als wanneer indien", "pt": "se quando", "pl": "jeśli jeżeli gdy kiedy", "ru": "если когда", "ar": "إذا",
}  # fmt: skip

SUBORDINATING: Said = {
    "en": "if when while unless until because", "de": "wenn falls solange weil bevor", "fr": "si quand sauf lorsque",
    "es": "si cuando mientras porque", "it": "se quando mentre finché perché", "nl": "als wanneer indien tenzij omdat",
    "pt": "se quando enquanto porque", "pl": "jeśli jeżeli gdy kiedy dopóki ponieważ", "ru": "если когда пока",
    "ar": "إذا",
}  # fmt: skip
BETWEEN: Said = {
    "en": "between", "fr": "entre", "de": "zwischen", "es": "entre", "it": "tra fra", "nl": "tussen", "pt": "entre",
    "pl": "między pomiędzy", "ru": "между", "ar": "بين",
}  # fmt: skip


def of_every(*said: Said, but: str = "") -> frozenset[str]:
    """Folded, of every language, but for some."""
    return frozenset(folded(word) for one in said for spoken in one.values() for word in spoken.split()) - {
        *but.split()
    }


def alternation(*said: Said, but: str = "", of: str = "") -> str:
    """For a regular expression: one of them in every language, or in one, but for some."""
    spoken = ({of: one[of]} for one in said) if of else said
    return "|".join(sorted(of_every(*spoken, but=but)))


def of_these(languages: frozenset[str], *said: Said) -> frozenset[str]:
    """Folded, of these languages. Where none is known, or a table has none of these, of every one, but for what says
    something else in these: Italian “si” is no Spanish “si”.
    """
    return frozenset().union(*(_of_these(languages, one) for one in said))


def _of_these(languages: frozenset[str], said: Said) -> frozenset[str]:
    known = languages & said.keys()
    if known:
        return of_every({language: said[language] for language in known})
    return of_every(said) - of_every({language: STOP_WORDS.get(language, "") for language in languages})
