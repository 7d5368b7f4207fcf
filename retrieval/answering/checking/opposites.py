"""Words that exclude each other about the same thing: “open” and “closed”, “Monday” and “Tuesday”. Pure.

One is held against a sentence only where the passage has another of its row near the same words, and not itself.
"""

import re
from collections.abc import Callable
from functools import lru_cache, partial

from knowledge.texts.languages import calendar
from knowledge.texts.languages.questions import languages_of
from knowledge.texts.words import UNSPACED_RUN, folded, stem, terms
from retrieval.answering.checking.comparatives import AFTER, BEFORE, LEAST, MOST, one_word
from retrieval.answering.checking.negations import denials, is_denial

# Rows end with a semicolon. Their words exclude each other, parted by `|`; between two bars they say the same.
_AS_THEY_STAND = """
true | false; void invalid | valid; switch-on | switch-off; log-in log-on | log-out log-off;
least | most; min | max; more | less fewer; once | twice | thrice;
einmal | zweimal | dreimal; higher | lower; larger | smaller; greater | less;
longer | shorter; earlier | later; first 1st | second 2nd | third 3rd | fourth 4th | fifth 5th | last; inside | outside;
upper | lower; in-network | out-of-network; rose | fell dropped; up | down; left | right; clock-am | clock-pm;
half halves halfte moitie mitad | thirds drittel tiers | quarter quarters viertel cuarta; both | either; net | gross;
older | newer younger; altere alteren | neuere neueren jungere jungeren;
half halfte halb halbe halben moitie mitad | twice double doppelt doppelte doppelten doble;
mehr | weniger; moins | plus;
menos | mas;
vorab vorher zuvor | nachtraglich nachher hinterher; beforehand | afterwards afterward; antemano | posteriori;
менее | более; больше | меньше;
以上 | 以下 以内 未満; netto | brutto; neto | bruto;
always | usually often frequently | sometimes occasionally | rarely seldom | never;
immer | meistens oft häufig | manchmal gelegentlich | selten | nie niemals;
toujours | souvent | parfois | rarement | jamais; siempre | menudo frecuentemente | veces | raramente | nunca;
sempre | spesso | talvolta | raramente; altijd | vaak | soms | zelden | nooit;
zawsze | często | czasem | rzadko | nigdy;
всегда | часто | иногда | редко | никогда; 总是 | 经常 | 有时 | 很少;
all every everyone | most | many | some several | few; alle jeder jede jedes | meisten | viele | einige manche | wenige;
tous toutes chaque | plupart | beaucoup | certains certaines plusieurs; todos todas cada | mayoria | muchos muchas |
algunos algunas varios; tutti tutte ogni | molti molte | alcuni alcune;
wszystkie wszyscy każdy każda każde | większość | wiele wielu | niektóre niektórzy;
すべて 全て 全員 | 一部; كل جميع | بعض;
все каждый | некоторые многие;
所有 全部 | 一些 有些 部分; 開館 開場 開店 | 閉館 閉場 閉店 休館;
許可 | 禁止; 快 | 慢; 启用 | 禁用; 开放 打开 | 关闭; 允许 可以 | 禁止;
erste ersten | zweite zweiten | dritte dritten | vierte vierten | letzte letzten;
premier premiere | deuxieme | troisieme | dernier derniere; primer primera | segundo segunda | tercer tercera | ultimo;
первый первая | второй вторая | третий третья; 第一 | 第二 | 第三 | 第四
"""
_AS_THEY_STAND += f"""
; {" ".join(one_word(LEAST))} | {" ".join(one_word(MOST))}
; {BEFORE["ru"]} перед | {AFTER["ru"]}; {BEFORE["zh"]} {BEFORE["ja"]} | {AFTER["zh"].replace("|", " ")} {AFTER["ja"]}
"""
_IN_ALL_FORMS = """
increase raise | decrease reduce; allow permit | forbid prohibit ban;
grant approve accept | reject deny denied refuse decline;
require mandatory compulsory | optional voluntary; enable activate | disable deactivate; public | private;
open opens | closed; cheaper | dearer expensive; include | exclude; import | export; push | pull; dry | wet; hot | cold;
heavy | light; fast | slow; clockwise | counterclockwise anticlockwise; double | halve; encrypt | decrypt;
lock | unlock;
buy | sell; summer | winter | spring | autumn; red | green | blue | yellow; north | south | east | west; strong | weak;
erlaubt gestattet | verboten untersagt; geoffnet | geschlossen; genehmigt angenommen | abgelehnt; warme hitze | kalte;
inklusive einschliesslich | exklusive zuzuglich; schneller | langsamer; billig gunstig | teuer; links | rechts;
erhohen | verringern senken; steigt | sinkt; ouvert | ferme; ouvre | ferme;
obligatoire | facultatif facultative; obligatorio | facultativo; abre | cierra;
aperto | chiuso; apre | chiude; accepte | refuse rejete; permis autorise | interdit;
augmente | diminue; inclus | exclu; abierto abierta | cerrado cerrada; aceptado aceptada | rechazado rechazada;
permitido permitida | prohibido prohibida; incluido | excluido; aumenta | disminuye; barato | caro;
открыт | закрыт; разрешен | запрещен; включите | отключите выключите; принят | отклонен;
open geopend | gesloten; aberto aberta | fechado fechada; otwarty otwarta otwarte | zamknięty zamknięta zamknięte;
otwiera otwierają | zamyka zamykają; permesso ammesso consentito | vietato proibito; permitido | proibido;
toegestaan | verboden; dozwolony dozwolona dozwolone | zabroniony zabroniona zabronione;
مفتوح | مغلق; يسمح مسموح | يمنع ممنوع
"""
REACH = 4  # words on each side
DENIED = 3  # words behind a negation
PREFIX = re.compile(r"(?:un|dis)(?=\w{4})|(?:in|im|ir|il|des|de|не)(?=\w{5})")  # “unsafe”, but not “income”
TOKEN = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
CLOCK = re.compile(r"(?<=\d)\s?([ap])\.?\s?m\b\.?")
# “Off” carries meaning where something is turned off, or is off; elsewhere it is a preposition, as “on” is.
SWITCH = re.compile(
    r"\b(?:turn|switch|power)(?:s|es|ed|ing)?\b(?P<what>(?: \w+){0,3}?) (?P<on>on|off)\b"
    r"|\b(?P<is>is|are) (?P<state>on|off)(?= by default\b| in\b|[.,;]|\Z)"
)
LOG = re.compile(r"\blog(?:s|ged|ging)? (in|on|out|off)\b")

# A semicolon is none: “it is open on Sundays; on Mondays it is not”.
ENDS = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n\s*\n")
STOP = "."  # between the words of two sentences

FEW = 2  # terms

Concept = tuple[int, int]  # the row, and the place in it
_IsOne = Callable[[str], bool]


DAYS = -1  # the row of the weekdays
WEEKDAYS = calendar.places(calendar.DAYS)


def _concepts() -> dict[str, set[Concept]]:
    """The places of each word; of those that count in all their forms, of their stem behind `~`."""
    found: dict[str, set[Concept]] = {}
    standing, formed = (text.split(";") for text in (_AS_THEY_STAND, _IN_ALL_FORMS))
    found.update((day, {(DAYS, at)}) for day, at in WEEKDAYS.items())
    for number, row in enumerate([*standing, *formed]):
        for place, same in enumerate(row.split("|")):
            for word in map(folded, same.split()):
                key = word if number < len(standing) else f"~{stem(word)}"
                found.setdefault(key, set()).add((number, place))
    return found


CONCEPTS = _concepts()
_DAY = "|".join(sorted(WEEKDAYS, key=len, reverse=True))
FROM_DAY_TO_DAY = re.compile(rf"\b({_DAY})\s?(?:to|through|until|bis|au|a|al|hasta|tot|t/m|do|по|[–-])\s?({_DAY})\b")
_UNSPACED = sorted((word for word in CONCEPTS if UNSPACED_RUN.match(word)), reverse=True)
UNSPACED = re.compile("|".join(_UNSPACED))


def opposed(sentence: str, passage: str) -> str:
    """A word where the passage has one that excludes it, said, or denied as it is, of the same thing.

    If it has the word itself, too, that counts which is said of more of the same.
    """
    said, there = tokens(sentence), [word for part in ENDS.split(passage) for word in (*tokens(part), STOP)]
    known, own = _places(tuple(there)), _places(tuple(said))
    denying = denials(languages_of(sentence, passage)).all
    for place, word in enumerate(said):
        for row, at in concepts(word):
            others = {one for other, one in known if other == row} - {at}
            if not others or any(other == row and one != at for other, one in own):
                continue
            if row == DAYS and len(others) > 1:  # “Monday to Friday”
                continue
            if _is_nearer(said, place, there, denying, partial(_is_other, row, at), partial(_is_at, row, at)):
                return word
        if _is_nearer(said, place, there, denying, partial(_is_reverse, word), partial(_is_form, word)):
            return word
    return ""


def outside(sentence: str, passage: str) -> str:
    """A weekday beyond those from one to another, of which alone the passage speaks: “Tuesday to Sunday”."""
    spans = [(WEEKDAYS[first], WEEKDAYS[last]) for first, last in FROM_DAY_TO_DAY.findall(folded(passage))]
    if not spans or is_denial(sentence, languages_of(sentence, passage)):
        return ""
    known = {(first + n) % 7 for first, last in spans for n in range((last - first) % 7 + 1)}
    known |= {WEEKDAYS[word] for word in tokens(passage) if word in WEEKDAYS}
    return next((word for word in tokens(sentence) if WEEKDAYS.get(word, min(known)) not in known), "")


def _is_nearer(
    said: list[str], place: int, there: list[str], denying: frozenset[str], other: _IsOne, same: _IsOne
) -> bool:
    """Whether what excludes a word is said of more of the same than the word itself, and that of hardly anything."""
    nearest = _nearest(said, place, there, denying, other)
    return nearest > 0 and nearest > (own := _nearest(said, place, there, denying, same)) and own < FEW


def _is_form(word: str, other: str) -> bool:
    return stem(word) == stem(other)


def _is_reverse(word: str, other: str) -> bool:
    """Whether they are one word but for a prefix that denies it: “safe”, “unsafe”."""
    return stem(word) in _bare(other) or stem(other) in _bare(word)


@lru_cache(maxsize=50_000)
def _bare(word: str) -> tuple[str, ...]:
    """The stem of a word without such a prefix, if it has one."""
    prefix = PREFIX.match(word)
    return (stem(word[prefix.end() :]),) if prefix else ()


def _nearest(said: list[str], place: int, there: list[str], denying: frozenset[str], is_one: _IsOne) -> int:
    """How many terms stand both near a word and near such a one of the passage that is denied as it is."""
    about, denied = near(said, place), _denied(said, place, denying)
    found = (at for at, other in enumerate(there) if is_one(other) and denied == _denied(there, at, denying))
    return max((len(about & near(there, at)) for at in found), default=0)


def _is_at(row: int, at: int, word: str) -> bool:
    return (row, at) in concepts(word)


def _is_other(row: int, at: int, word: str) -> bool:
    return any(own == row and one != at for own, one in concepts(word))


def _denied(spoken: list[str], place: int, denying: frozenset[str]) -> bool:
    return any(word in denying for word in spoken[max(0, place - DENIED) : place])


@lru_cache(maxsize=2048)
def _places(spoken: tuple[str, ...]) -> frozenset[Concept]:
    return frozenset(one for word in spoken for one in concepts(word))


def concepts(word: str) -> set[Concept]:
    return CONCEPTS.get(word, set()) | CONCEPTS.get(f"~{stem(word)}", set())


def tokens(text: str) -> list[str]:
    """Folded words with their hyphens; of scripts without spaces what is in a row stands alone."""
    spoken = LOG.sub(r"log-\1", SWITCH.sub(_switched, CLOCK.sub(r" clock-\1m ", folded(text))))
    return TOKEN.findall(spoken if spoken.isascii() else UNSPACED.sub(r" \g<0> ", spoken))


def _switched(found: re.Match[str]) -> str:
    return f"{found['what'] or found['is'] or ''} switch-{found['on'] or found['state']}"


def near(spoken: list[str], place: int) -> set[str]:
    """Terms of the words around one in its sentence, but for those of its own row: “Monday to Friday”."""
    rows = {row for row, _ in concepts(spoken[place])}
    before, behind = spoken[max(0, place - REACH) : place], spoken[place + 1 : place + 1 + REACH]
    before = before[len(before) - before[::-1].index(STOP) :] if STOP in before else before
    behind = behind[: behind.index(STOP)] if STOP in behind else behind
    around = [*before, *behind]
    return terms(" ".join(word for word in around if all(row not in rows for row, _ in concepts(word))))
