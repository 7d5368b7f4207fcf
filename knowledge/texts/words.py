"""Words of a text, made comparable across inflections and scripts. Pure; no data files."""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from knowledge.texts.analysis import ALL_UNSPACED, HANGUL, WITHOUT_PARTS, composed

# A word; or a run of a script that writes without spaces, compared by pairs of characters.
BESIDE_DIGITS = rf"{ALL_UNSPACED}{HANGUL}"  # scripts that put no space between a number and the words around it
INDIC = "\u0900-\u0963\u0966-\u0dff"  # with the vowel signs, which no \w is
LETTERS = rf"(?:[^\W_{ALL_UNSPACED}]+|[{INDIC}]+)+"
WORD = re.compile(rf"[{ALL_UNSPACED}]+|{LETTERS}(?:['’]{LETTERS})*")
SOUNDS = re.compile("[\u0900-\u1aaf\u1b00-\u1cff\u3099\u309a]")  # marks that make another letter: バス is not ハス
UNSPACED_RUN = re.compile(f"[{ALL_UNSPACED}]")
ARABIC_PREFIX = re.compile(r"^(?:وال|بال|كال|فال|لل|ال)(?=.{2})")

STOP_WORDS = {
    "en": "a about all also am an and any are as at be been but by can could did do does for from had has have how"
    " i if in into is it its may me more my of on or our over per shall should so such than that the their them"
    " then there these they this those to under was we were what when where which who whom whose why will"
    " with would you your not no",
    "fr": "à au aux avec ce ces cet cette comment comme dans de des du elle elles en est et être il ils je la"
    " le les leur l d mais ne nous on ou où par pas peut pour quand que quel quelle quelles quels qui quoi"
    " sa se ses son sont sur un une vous y",
    "de": "als am an auch auf aus bei bis das dass dem den der des die durch ein eine einem einen einer eines"
    " er es für hat haben ich ihr im in ist kann können man mit nach nicht oder sich sie sind so über um"
    " und unter viele von vor wann war warum was welche welchem welchen welcher welches wenn wer werden"
    " wie wir wird wo worden wurde wurden zu zum zur",
    "es": "a al como cómo con cual cuál cuáles cuando cuándo cuántos cuánto de del desde donde dónde e el ella"
    " en entre es esta este estos fue fueron ha han hay la las lo los más no o para pero por qué que quién"
    " se ser si sin sobre son su sus también un una uno y",
    "it": "a ai al alla anche che chi ci come con cosa da dal dalla dei del della delle di dove e è gli ha"
    " hanno i il in la le lo ma nel nella non o per perché più quale quali quando quanto se si sono su sua"
    " sul sulla suo tra un una uno",
    "nl": "aan als bij dan dat de deze die dit door een en er heeft hebben het hij hoe ik in is je kan kunnen"
    " maar met na naar niet of om ook op over te tot uit van veel voor waar waarom wanneer was wat we"
    " welke werd wie wordt zich zijn ze zo",
    "pt": "a ao aos as com como da das de do dos é e ela ele em entre era foi há mais mas na não nas no nos o"
    " onde os ou para pela pelo por porque qual quais quando quanto que quem se sem ser são sobre sua seu"
    " também um uma",
    "pl": "albo być był była było były czy dla do gdzie jak jaka jakie jakich jaki jako jest kiedy kto która które"
    " który których lub może można na nie oraz przed przez przy się są także tego tej też tylko tym że",
    "ru": "а без более был была были было быть в во вы где да для до его ее если есть еще же за и из или их к"
    " как какая какие какой каком когда кого кто ли между на над не него но о об он она они от по под при"
    " с со сколько так также там то только у что чем чему что это этого этой",
    "ar": "من في على الى إلى عن مع هذا هذه ذلك التي الذي ما ماذا متى أين كيف كم هل هو هي و أو ثم قد كان كانت لا"
    " لم لن ان أن إن بعد قبل بين كل اي أي",
}
# Where a pair of characters has one of these, it is a question word's or a particle's.
UNSPACED_STOPS = re.compile("[的了是什么怎哪谁吗呢]|多少|如何|为何|何[时地处]|几[个次年天]|有多")
_ENDINGS = (
    "ings ing edly ed ies es ez er ers en em ern s e n a as o os i y ys ly"
    " ами ями ого его ому ему ыми ими ов ев ей ам ям ах ях ый ий ой ая яя ое ее ые ие ую юю ом ем а я о е у ю ы и ь"
    " ات ون ين ها هم ة ه ي"
)
ENDINGS = tuple(sorted(_ENDINGS.split(), key=len, reverse=True))
STEM_LENGTH = 7  # "configure", "configured" and "configuration" meet; so do the cases of most languages
# Forms that no ending tells, each row behind the word that they are forms of. No form that is a word of its own, too;
# nor what is open (geöffnet, ouvert, abierto), which need not open then.
_IRREGULAR = """
use used uses using; pay paid; send sent; keep kept; hold held; make made; give gave given; take took taken;
write wrote written; begin began begun; buy bought; sell sold; lose lost; meet met; spend spent; build built;
choose chose chosen; wear wore worn; drive drove driven; break broke broken; tell told; say said; show shown;
teach taught; think thought; bring brought; catch caught; know knew known; grow grew grown; see seen; go goes went gone;
become became; run ran; win won; withdraw withdrew withdrawn; draw drew drawn; lend lent; seek sought; hide hidden;
forget forgot forgotten; speak spoken; freeze frozen; steal stolen; child children; man men; woman women; foot feet;
arbeiten arbeitet gearbeitet; ausleihen ausgeliehen ausleiht; beginnen begonnen beginnt; betragen betragt;
bezahlen bezahlt; bleiben bleibt geblieben; brauchen braucht gebraucht; bringen bringt gebracht; buchen bucht gebucht;
durfen darf durft; erhalten erhalt; fahren fahrt gefahren; finden findet gefunden; geben gegeben gibt;
gelten gilt gegolten; kaufen gekauft kauft; kommen gekommen kommt; kosten gekostet kostet; kundigen gekundigt kundigt;
leihen geliehen leiht; melden gemeldet meldet; mieten gemietet mietet; mitbringen mitbringt mitgebracht; mussen muss;
nehmen genommen nimmt; nutzen genutzt nutzt; offnen offnet; prufen gepruft pruft; rauchen geraucht raucht;
schliessen schliesst; schreiben geschrieben schreibt; sperren gesperrt sperrt;
sprechen gesprochen spricht; stellen gestellt stellt; suchen gesucht sucht; tragen getragen tragt; verfallen verfallt;
verlieren verliert verloren verlust; zahlen gezahlt zahlt; devoir doit doivent; obtenir obtient obtenu; oeil yeux;
ouvrir ouvre ouvrent; perdre perdu perdue perdues perdus perte pertes;
permettre permet permettent permis; pouvoir peuvent; prendre prennent pris; recevoir recoit recoivent recu;
travail travaux; venir venu viennent vient; abrir abre abren; cerrar cierra cierran;
costar cuesta cuestan; devolver devuelto devuelve devuelven; empezar empieza empiezan;
perder perdida perdidas perdido pierde; poder puede pueden puedo; tener tengo tiene tienen
"""
IRREGULAR = {form: row.split()[0] for row in _IRREGULAR.split(";") for form in row.split()[1:]}
UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})
# German, where no word of English has these letters: ü, ö and ä written out, participles, infinitives with “zu”. Then
# plurals of French.
SPELT_OUT = re.compile(
    r"^ue(?=b)|(?<=schl)ue(?=ss)|(?<=[bkrt])ue(?=nd)|(?<![aceiou])[aou]e(?=ck|ff|ft|h[lmnrtu]|ng|pf|rf|rz|sch|tz)"
)
PARTICIPLE = re.compile(
    r"(?P<before>ab|auf|aus|ein|mit|um|vor|zu|an(?=\w+t(?:e[mnrs]?)?$))ge(?!hen)"
    r"(?P<root>\w{3,}?)(?:(?<!ig)(?<!nd)(?<!ung)en|e?t)(?:e[mnrs]?)?"
)
ZU = re.compile(  # no Auszubildenden, Aufzuchten or Vorzugspreisen
    r"(?P<before>ab|an|auf|aus|bei|bereit|ein|mit|nach|teil|um|vor|weiter|zu|zuruck|zusammen)"
    r"zu(?!\w{2,}enden$|cht|gs)(?P<root>\w{3,}(?:en|e[lr]n)|uben)"
)
FRENCH_PLURAL = re.compile(r"(?P<root>\w{3,})aux")
# What Korean writes behind a noun, in a word with it: particles, “to be” and “to do”, of which one may follow another.
# None that says more: from, until, only, than.
KOREAN = re.compile(
    r"(?<=\w[^\W\d_])(?:은|는|이|가|을|를|의|에|에서|에게|으?로|와|과|도|이나"
    r"|입니다|이다|이며|인가요?|이에요|예요|합니다|한다|하다|하는|하지|하고|하며|하면|하려면|해야|하세요|하십시오)+$"
)
# Two persons of one stem: the employer and the employee, der Auftraggeber und der Auftragnehmer.
COUNTERPART = re.compile(
    r"(?P<root>(?:address|appoint|assign|consign|employ|examin|franchis|interview|less|licens|ment|mortgag|nomin|pay"
    r"|pledg|promis|train|transfer|trust)(?=ee)|\w{3,}(?=nehmer|geber|tari[oa]))"
    r"(?P<part>ee|nehmer|geber|tari)(?:s|n|in|innen|[oa]s?)?"
)


def folded(text: str) -> str:
    """Folded for comparison: compatibility forms, case, accents and points, kinds of digits and quotes."""
    if text.isascii():
        return text.lower()
    letters = unicodedata.normalize("NFKD", text.casefold()).translate(WITHOUT_PARTS)
    kept = "".join(sign for sign in letters if unicodedata.category(sign) != "Mn" or SOUNDS.match(sign))
    kept = re.sub(r"[^\x00-\x7f]", lambda found: _digit(found[0]), kept).replace("ـ", "")
    return unicodedata.normalize("NFC", kept)


def spelt_out(text: str) -> str:
    """As names are written where no key has an `ü`."""
    return text if text.isascii() else composed(text).casefold().translate(UMLAUTS)


def _digit(character: str) -> str:
    return str(unicodedata.decimal(character)) if character.isdecimal() else character


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """Of one folded word. A word with a digit is left as it is, but for Korean particles."""
    if "\uac00" <= word[-1:] <= "\ud7a3":
        word = KOREAN.sub("", word)
    if any(character.isdigit() for character in word):
        return word
    if person := COUNTERPART.fullmatch(word):
        return person["root"][:STEM_LENGTH] + person["part"]
    word = SPELT_OUT.sub(lambda found: found[0][0], word)
    word = IRREGULAR.get(word) or regular(ARABIC_PREFIX.sub("", word))
    for ending in ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            break
    if len(word) > 3 and word[-1] in ("e", word[-2]):  # safe, safely; cancel, cancelling
        word = word[:-1]
    return word[:STEM_LENGTH]


def regular(word: str) -> str:
    """The infinitive of a German participle or one with “zu”, the singular of a French plural, if it is one."""
    if plural := FRENCH_PLURAL.fullmatch(word):
        return plural["root"] + ("au" if plural["root"].endswith("e") else "al")
    if infinitive := ZU.fullmatch(word):
        return infinitive["before"] + infinitive["root"]
    participle = PARTICIPLE.fullmatch(word)
    return f"{participle['before']}{participle['root']}en" if participle else word


def words(text: str) -> list[str]:
    """Folded words in order; unspaced scripts give overlapping pairs of characters."""
    found: list[str] = []
    for run in WORD.findall(folded(text)):
        if not run.isascii() and UNSPACED_RUN.match(run):
            found += [run[i : i + 2] for i in range(len(run) - 1)] or [run]
        elif "'" in run or "’" in run:
            found += re.split(r"['’]", run)
        else:
            found.append(run)
    return found


_STOPPED_IN = {language: frozenset(map(folded, text.split())) for language, text in STOP_WORDS.items()}
_STOPPED = frozenset().union(*_STOPPED_IN.values())
_OFTEN = Counter(word for stopped in _STOPPED_IN.values() for word in stopped)
_OF_ONE = {word: language for language, stopped in _STOPPED_IN.items() for word in stopped if _OFTEN[word] == 1}
FEWEST_TELLING = 2  # words that only English has


def content(text: str) -> list[str]:
    """Stems of the words that carry meaning, in order: in English where it surely is, or else in any language.

    “Door”, “van” and “comment” carry none in Dutch and in French.
    """
    spoken = words(text)
    language = "en" if is_surely_english(spoken) else ""
    return [stem(word) for word in spoken if tells(word, language)]


def is_surely_english(spoken: Sequence[str]) -> bool:
    """Whether folded words have some that only English has, and at most half as many of another language alone."""
    found = Counter(_OF_ONE[word] for word in spoken if word in _OF_ONE)
    english = found.pop("en", 0)
    return english >= max(FEWEST_TELLING, 2 * max(found.values(), default=0))


def tells(word: str, language: str = "") -> bool:
    """Whether a folded word, or a pair of characters, carries meaning: in this language, or in any."""
    if len(word) == 1:
        return word.isdigit()
    return word not in _STOPPED_IN.get(language, _STOPPED) and (word.isascii() or not UNSPACED_STOPS.search(word))


def terms(text: str) -> set[str]:
    return set(content(text))
