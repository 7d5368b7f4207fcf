"""Whether two words are forms of one, near to what Postgres's stemmers say in any of their languages. Pure.

Both are one beginning and two endings of the same language. For the stems themselves Postgres would have to be asked of
every word of a page. In the documents that this was made by, 97 of 100 pairs of words with one lexeme are told in
English and German, 82 to 91 in French, Spanish, Italian, Portuguese, Dutch, Swedish and Russian. Of the English pairs
that are told, one in five has two lexemes: most of these are forms, too (load, loader).
"""

import re
from collections.abc import Iterable

from knowledge.texts.words import IRREGULAR

LEAST = 3  # letters before the endings of plurals and verbs: rule, rules
SURE = 4  # before any other, which may be a word's own end
LONG = 8  # where so many letters are shared, a few others are endings in any language
FEW = 3
NO_LETTER = re.compile(r"[\x00-@[-`{-\x7f]")  # of ASCII; vowel signs of Indic scripts are no letters to Python
VOWELS = re.compile("[aeiouy]+")
UNLIKE = {"er", "es"}  # behind one syllable: server, serves

# Endings (`-` is none) that go together: of plurals and verbs; behind a longer beginning; and besides, behind two
# syllables, those that make another kind of word.
COMMON = ("- s es e", "- e s es ed d ing ings", "y ies ied ying", "e en s es st t te ten", "- e en")
LANGUAGES = {
    "English": (
        "- e s es ed ing ings ly er ers est ful less ness",
        "or ors al als ally ic ical ion ions ation ations ational ative able ible ance ances ant ent ence ency ate"
        " ates ated ating ator ators ity ities ive ively ize izes ized izing izer izers ization izations"
        " ise ises ised ising isation ment ments ement ements ous fully encies ability ibility",
    ),
    "English, in y": ("- y ies ied ier iest ily iness", ""),
    "German": (
        "- e em en end ende enden er ern es in innen n nen s",
        "ung ungen isch ische ischen bar keit heit ion ionen lich liche lichen licher",
    ),
    "German verbs": ("e en end ende enden er est et st t te tem ten ter tes ung ungen", ""),
    "German, in l": ("el eln", ""),
    "Scandinavian": ("- a an ar arna are at ade ades ande ar as ast e en ena er erna et n na or orna s t", ""),
    "Dutch": ("- de den e en er ers ing ingen s t te ten", "heid"),
    "French": (
        "- e s es er ez ee ees ent ant ante ants antes ait ais aient ons ont ions iez era erai erez eront erait i ie"
        " ies ir is issent issez it re u ue ues us x aux al ale ales oi oie oyer oyez",
        "ion ions ation ations ateur ateurs atrice ement ements ment eur eurs euse euses if ive ifs ives ite ites able"
        " ables ance ances ique iques",
    ),
    "French, in ier": ("ie ier iez ies ient ification ifications ication ications", ""),
    "Spanish": (
        "- a an ar as e en er es ir o os amos emos imos ado ada ados adas ido ida idos idas ando endo iendo ara aran"
        " era ira aba aban aria eria iria aron ieron aste iste",
        "ion iones acion aciones ador adora adores ante antes mente amente able ables idad idades ivo iva ivos ivas"
        " amiento imiento arlo arla arlos arlas andolo andola",
    ),
    "Italian": (
        "- a e he hi i o are ere ire ato ata ati ate isce isci ito ita iti ite uto uta uti ute ano ono ando endo ante",
        "azione azioni zione zioni tore tori mente amente ibile abile abili arlo arla arne",
    ),
    "Portuguese": (
        "- a as am e em es o os ar er ir ado ada ados adas ido ida ando endo indo ou eu iu ao oes ara era",
        "acao acoes cao coes ador adora adores mente amente amento avel idade eria",
    ),
}


def irregulars() -> dict[str, list[str]]:
    """By its first form, the others of a word's that no ending tells."""
    rows: dict[str, list[str]] = {}
    for form, root in IRREGULAR.items():
        rows.setdefault(root, []).append(form)
    return rows


def endings(rows: Iterable[str]) -> list[frozenset[str]]:
    return [frozenset(ending.strip("-") for ending in row.split()) for row in rows]


SHORT = endings(COMMON)
INFLECTED = endings(inflected for inflected, _ in LANGUAGES.values())
MADE = endings(" ".join(both) for both in LANGUAGES.values())
ROWS = irregulars()
LONGEST = max(map(len, frozenset().union(*MADE)))


def irregular(word: str) -> list[str]:
    """The other forms of a folded word that no ending tells."""
    root = IRREGULAR.get(word, word)
    return [form for form in (root, *ROWS.get(root, ())) if form != word]


def akin(one: str, other: str) -> bool:
    """Whether these may be forms of one word: folded, without accents, alike in their first letters."""
    if one == other:
        return True
    if NO_LETTER.search(f"{one}{other}"):
        return False
    shorter, longer = sorted((len(one), len(other)))
    shared = next((at for at in range(shorter) if one[at] != other[at]), shorter)
    if not (one.isascii() and other.isascii()):
        return shared >= max(SURE, shorter - FEW)
    if shared >= LONG and longer - shared <= FEW:
        return True
    return any(end_alike(one, other, at) for at in range(shared, max(LEAST, longer - LONGEST - 1) - 1, -1))


def end_alike(one: str, other: str, at: int) -> bool:
    """Whether what stands behind so many letters, which both begin with, are endings of one language."""
    ends, syllables = {undoubled(one, at), undoubled(other, at)}, len(VOWELS.findall(one[:at]))
    if not syllables:
        return False
    groups = MADE if syllables > 1 else INFLECTED
    if at < SURE or (syllables == 1 and ends == UNLIKE):
        groups = []
    return any(ends <= group for group in (*SHORT, *groups))


def undoubled(word: str, at: int) -> str:
    """What stands behind these letters; `ing` of running."""
    rest = word[at:]
    return rest[1:] if len(rest) > 2 and rest[0] == word[at - 1] else rest
