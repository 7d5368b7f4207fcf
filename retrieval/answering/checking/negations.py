"""Whether one text denies what another says, clause by clause: “accidents are covered, illness is not”. Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from knowledge.texts.languages.little_words import (
    BETWEEN,
    NO,
    ONLY,
    SUBORDINATING,
    YES,
    Said,
    alternation,
    of_these,
)
from knowledge.texts.languages.questions import languages_of
from knowledge.texts.words import folded, stem, tells, terms, words
from retrieval.answering.checking.clauses import CONTRASTING, PARTING, STOPS, unparted
from retrieval.answering.checking.comparatives import DENIED, EARLIER, LATER, LESS, MORE, phrases

# They deny the word behind them; the others may stand before the subject of what is denied: “no refunds are possible”.
_VERBAL: Said = {
    "en": "not never cannot hardly scarcely", "de": "nicht nie niemals kaum", "fr": "ne pas jamais",
    "es": "nunca jamás", "it": "", "pt": "não nunca jamais", "nl": "niet nooit", "pl": "nie nigdy", "ru": "не никогда",
    "ar": "لا لم لن ليس ليست",
}  # fmt: skip
_OTHERS: Said = {  # no Italian “mai”, beside which “non” stands: May is spelt so, too
    "en": "no none nor neither nobody nothing without",
    "de": "kein keine keines keinen keinem keiner ohne weder niemand niemanden niemandem nichts",
    "fr": "aucun aucune sans ni non",
    "es": "no ningún ninguna ninguno sin tampoco ni nada nadie",
    "it": "no non né nessun nessuno nessuna senza niente nulla",
    "nl": "geen zonder niemand niets",
    "pt": "nenhum nenhuma sem ninguém nem nada",
    "pl": "bez żaden żadna żadne żadnych nikt nic",
    "ru": "нет без нельзя никто ничего ни",
    "ar": "بدون دون غير",
}
# Denials themselves: “not excluded” is none.
_LEXICAL: Said = {
    "en": "exclude excludes excluded excluding prohibited forbidden banned lack lacks lacked avoid avoids avoided"
    " avoiding refrain refrains refrained refraining",
    "de": "vermeiden vermeide vermeidet ausgeschlossen verboten untersagt",
    "fr": "éviter évitez évite interdit interdite interdits exclu exclus exclue",
    "es": "evitar evite excluye excluido excluidos prohibido prohibida prohibidos",
    "it": "vietato vietata vietati vietate esclude escluso esclusi",
    "nl": "verboden uitgesloten",
    "pt": "evitar evite proibido proibida proibidos proibidas exclui excluído",
    "pl": "zabroniony zabroniona zabronione wykluczony wykluczona wykluczone",
    "ru": "запрещен запрещена запрещено запрещены исключен исключена исключено исключены невозможен невозможна"
    " невозможно невозможны",
    "ar": "",
}
PREFIXED = re.compile(r"\bnon-(?=\w)", re.IGNORECASE)
ITS_WORD = "nonword"  # stands for the prefix, which denies one word: “non-emergency care is covered”
SIGN_WORD = "not"  # stands for what denies in scripts without spaces
# “The bank charges no fee” is “does not charge a fee”; “works without a licence” is not “does not work without one”.
_DETERMINERS: Said = {
    "en": "no", "de": "kein keine keinen keinem keiner", "fr": "aucun aucune", "it": "nessun nessuna", "nl": "geen",
    "es": "ningún ninguna", "pt": "nenhum nenhuma", "pl": "", "ru": "", "ar": "",
}  # fmt: skip
_WITHOUT: Said = {
    "en": "without", "de": "ohne", "fr": "sans", "es": "sin", "it": "senza", "nl": "zonder", "pt": "sem", "pl": "bez",
    "ru": "без", "ar": "بدون دون",
}  # fmt: skip
_MODAL = (
    "need needs must shall darf durfen durft muss mussen soll sollen debe deben puede pueden doit doivent peut peuvent"
    " faut deve devono devem pode podem puo possono moet moeten mag mogen должен должна должны может могут"
)
MODAL = frozenset(stemmed for word in _MODAL.split() for stemmed in terms(word))
_NOUNS = "museo museos musei museen sol soles sole pod pods dev devs"
NOUNS = frozenset(_NOUNS.split())  # with stems of those
_FORMS_OF_BE = "is are was were be been ist sind war waren est sont es esta estan son e sono"
FORMS_OF_BE = frozenset(_FORMS_OF_BE.split())
FINITE = FORMS_OF_BE | frozenset(f"can do does did will {_MODAL}".split())  # they speak for a clause of its own
REACH = 4  # words
VERB_LAST = frozenset(("nicht", "niet"))  # behind these what they deny may stand last
ELISIONS = frozenset("dl")  # of “d'utiliser” and “de l'eau”: they use up none of it
FEW = 3  # content words: a shorter part goes on with a list, if nothing in it speaks for a clause of its own
_IN_FRONT = (
    "after before by during in at on for from until since within with under over an am auf ab bei bis im in nach"
    " seit vor wahrend fur mit apres avant pendant dans en le la les au aux a des pour depuis despues antes durante"
    " desde hasta por para el los las con"
)
ADVERBIAL = re.compile(rf"\s*(?:{'|'.join(_IN_FRONT.split())}|{alternation(BETWEEN)})\s[^:]*,\s\Z")
STATEMENT_END = re.compile(rf"{STOPS}|[:؟]\s")
PART_END = re.compile(rf"[,،]\s|[，、]|\s(?=(?:{PARTING})\s)")
ADVERSATIVE = re.compile(rf"\s*(?:{CONTRASTING}|ma|mas)\s")
PARALLEL = re.compile(  # of folded text
    rf"\s*(?:(?:{CONTRASTING}|ma|mas)\s(?:(?:{alternation(ONLY)})\s)?|(?:{alternation(ONLY)})\s)(?P<word>\w+)"
)
SIGNS = re.compile(
    r"n['’]t\b|\bfail(?:s|ed|ing)? to\b|"
    r"不(?![仅僅但过過断斷论論])|[没沒]|[無无](?![线線论論])|未(?![来來])|非(?![常洲])|ない|ません|(?<![はみて])なし"
    r"|(?<![가-힣])(?:없|않|못[하한할합했]|아니다|아닌|아닙)[가-힣]*"
)
ELIDED = re.compile(r"\bn['’](?=\w+\s(?:plus|rien|personne|point)\b)")  # others deny by themselves, “que” does not
BOUND = re.compile(  # “no later than 31 May” denies nothing
    rf"\b(?:{DENIED}) (?:{phrases(MORE, LESS, LATER, EARLIER)})(?!\w)|\b(?:not|nicht|non) (?:only|nur|seulement)\b",
    re.IGNORECASE,
)
_REPLIES = "|".join((*YES.values(), *NO.values())).replace(" ", "|")
REPLY = re.compile(rf"\A\s*(?:{_REPLIES})\s*[,،，、!！—–]\s*", re.IGNORECASE)  # of text that is not folded


@dataclass(frozen=True, slots=True)
class Denials:
    """The words of some languages that deny: all of them, and which of them do so how; and what else parts clauses."""

    all: frozenset[str]
    verbal: frozenset[str]
    lexical: frozenset[str]
    determiners: frozenset[str]
    without: frozenset[str]
    conjunctions: frozenset[str]


@cache
def denials(languages: frozenset[str]) -> Denials:
    """Of these languages, or of every where none is known: “sin” and “ni” deny in Spanish, and nothing in English."""
    verbal, lexical = of_these(languages, _VERBAL) | {SIGN_WORD}, of_these(languages, _LEXICAL)
    determiners, without, conjunctions = (of_these(languages, said) for said in (_DETERMINERS, _WITHOUT, SUBORDINATING))
    every = verbal | lexical | of_these(languages, _OTHERS) | {ITS_WORD}
    return Denials(every, verbal, lexical, determiners, without, conjunctions)


@dataclass(frozen=True, slots=True)
class Clause:
    terms: frozenset[str]
    negated: frozenset[str]  # that a negation reaches: those soon behind it, or else those before it
    heads: frozenset[str]  # that a verb's negation stands before
    subject: frozenset[str]  # of what “is forbidden”
    determined: bool  # a determiner denies in it
    elliptical: bool  # nothing stands behind its negation: “illness is not”


def denies(sentence: str, passage: str) -> bool:
    """Whether a clause is denied on one side and said plainly on the other, or denied of something else."""
    languages = languages_of(sentence, passage)
    there, said = clauses(passage, languages), clauses(sentence, languages)
    return any(_denied(one, there) if one.negated else _plainly_denied(one, there) for one in said)


def is_denial(text: str, languages: frozenset[str]) -> bool:
    """Whether it denies anything: “non-participating providers” are spoken of, not denied."""
    spoken = PREFIXED.sub("", text)
    return bool(denials(languages).all & {*words(spoken)} or SIGNS.search(folded(spoken)))


def _denied(one: Clause, there: Sequence[Clause]) -> bool:
    """Of a clause with a negation: whether none there has it, too, or another says the same plainly."""
    agreeing = [other for other in there if _agree(one, other)]
    if not agreeing:
        return True
    nearest = max(len(one.terms & _completed(other, one)) for other in agreeing)
    plainly = (len(one.terms & other.terms) for other in there if one.negated <= other.terms and not other.negated)
    # As near are both “not lent to children” and “lent to adults”: of the adults it is denied by neither.
    is_whole = one.elliptical or any(
        other.elliptical or one.negated <= other.negated | other.subject for other in agreeing
    )
    return max(plainly, default=0) >= nearest + is_whole


def _completed(clause: Clause, by: Clause) -> frozenset[str]:
    """The terms of a clause; “on Mondays it is not” leaves out what another denies, too."""
    return clause.terms | by.negated if clause.elliptical else clause.terms


def _agree(one: Clause, other: Clause) -> bool:
    misplaced = (not other.determined and one.heads & other.terms - other.negated - other.subject) or (
        not one.determined and other.heads & one.terms - one.negated - one.subject
    )
    same = (
        one.negated & (other.negated | other.subject)
        or one.subject & other.negated
        or (one.elliptical and other.negated and one.negated & other.terms)
        or (other.elliptical and other.negated & one.terms)
    )
    return bool(same) and not misplaced


def _plainly_denied(one: Clause, there: Sequence[Clause]) -> bool:
    """Of a clause without negation: whether one there denies it that none as near says plainly."""
    plainly = [other.terms & one.terms for other in there if not other.negated]
    for other in there:
        shared, denied = one.terms & other.terms, one.terms & other.negated
        if denied and not any(denied <= said and len(said) >= len(shared) for said in plainly):
            return True
    return False


@lru_cache(maxsize=2048)
def clauses(text: str, languages: frozenset[str]) -> tuple[Clause, ...]:
    deny = denials(languages)
    found = (part for sentence in STATEMENT_END.split(text) for part in _parts(REPLY.sub("", sentence, count=1), deny))
    return tuple(clause for part in found if (clause := _clause(part, deny)).terms)


def _parts(sentence: str, deny: Denials) -> Iterator[str]:
    """Parts between commas and conjunctions, those that only go on with a list joined to the one before."""
    whole: list[str] = []
    known: set[str] = set()
    spelt_out = SIGNS.sub(f" {SIGN_WORD} ", ELIDED.sub("ne ", BOUND.sub(" ", sentence)))
    for piece in _pieces(PREFIXED.sub(f"{ITS_WORD} ", unparted(spelt_out))):
        part = _spelt_out(piece, "".join(whole), deny)
        own = terms(part)
        is_denied = (deny.all - deny.lexical) & {*words(part)}
        stands_alone = part != piece or ADVERSATIVE.match(part) or len(own) > FEW or is_denied or own & known
        if whole and stands_alone and not _is_adverbial(whole, deny):
            yield "".join(whole)
            whole, known = [], set()
        whole.append(part)
        known |= own
    yield "".join(whole)


def _spelt_out(part: str, before: str, deny: Denials) -> str:
    """“But to adults” and “only to adults” behind “not lent to children”: with what that has before the same word."""
    parallel = PARALLEL.match(folded(part))
    if not parallel or not FINITE.isdisjoint(words(part)):
        return part
    spoken = words(before)
    denied = next((at for at, word in enumerate(spoken) if word in deny.verbal), len(spoken))
    if parallel["word"] not in spoken[denied:]:
        return part
    same = spoken.index(parallel["word"], denied)
    return f"{' '.join(word for word in spoken[:same] if word not in deny.all)} {part}"


def _is_adverbial(front: Sequence[str], deny: Denials) -> bool:
    """Whether a sentence begins so as to go on: “After 30 days, …”, which says nothing by itself."""
    first = folded(front[0])
    alone = len(front) == 1 and ADVERBIAL.match(first) and not deny.all & {*words(first)}
    return bool(alone) and sum(not term.isdigit() for term in terms(first)) <= FEW


def _pieces(sentence: str) -> Iterator[str]:
    start = 0
    for end in PART_END.finditer(sentence):
        yield sentence[start : end.end()]
        start = end.end()
    yield sentence[start:]


def _clause(text: str, deny: Denials) -> Clause:
    spoken = [word for word in words(text) if word not in ELISIONS]
    negated: set[str] = set()
    heads: set[str] = set()
    subject: set[str] = set()
    behind = False
    for place, word in enumerate(spoken):
        if word in deny.all and not _cancelled(spoken, place, deny):
            after = _content(_reached(spoken, place, deny), deny)
            before = _content(spoken[max(0, place - REACH) : place], deny)
            if word == "pas":
                after = _content(spoken[max(0, place - 1) : place], deny) + after  # “n'utilisez pas”
            after = after or ([] if before else _content(spoken[place + 1 : place + 1 + 3 * REACH], deny)[:REACH])
            reached = after or before
            subject.update(before if word in deny.lexical and spoken[place - 1] in FORMS_OF_BE else ())
            negated.update(reached)
            heads.update(after[:1] if word in deny.verbal and not (word in VERB_LAST and after[1:]) else ())
            behind = behind or bool(after)
    elliptical = bool(negated) and not behind
    determined = bool(deny.determiners & {*spoken})
    return Clause(
        without_modals(text), frozenset(negated), frozenset(heads), frozenset(subject), determined, elliptical
    )


def _reached(spoken: Sequence[str], place: int, deny: Denials) -> Sequence[str]:
    """The words behind a negation that it may deny, none of another clause."""
    ahead = spoken[place + 1 : place + 1 + (1 if spoken[place] == ITS_WORD else REACH)]
    return ahead[: next((at for at, word in enumerate(ahead) if word in deny.conjunctions | deny.without), len(ahead))]


def _cancelled(spoken: Sequence[str], place: int, deny: Denials) -> bool:
    """“Not excluded”: a negation that soon meets a denial, and that denial. “Without gloves prohibited” is none."""
    if spoken[place] in deny.lexical:
        before = spoken[max(0, place - REACH) : place]
        return any(word in deny.all - deny.lexical - deny.without for word in before)
    behind = spoken[place + 1 : place + 1 + REACH]
    return spoken[place] not in deny.without and not deny.lexical.isdisjoint(behind)


def _content(spoken: Sequence[str], deny: Denials) -> list[str]:
    return [stemmed for word in spoken if word not in deny.all for stemmed in without_modals(word)]


def without_modals(text: str) -> frozenset[str]:
    """Its terms, but for those of modal verbs: “museo” is none, though it has the stem of “muss”."""
    told = ((word, stem(word)) for word in words(text) if tells(word))
    return frozenset(stemmed for word, stemmed in told if stemmed not in MODAL or word in NOUNS)
