"""The words of a question that name what it is about. Pure."""

import re
from collections.abc import Sequence
from itertools import pairwise

from knowledge.texts.languages import little_words
from knowledge.texts.languages.determiners import AN, EVERY, MERGED, MINE, THE
from knowledge.texts.languages.little_words import MAY, alternation, of_every
from knowledge.texts.languages.questions import language_of
from knowledge.texts.words import STOP_WORDS, folded, stem, terms, words
from retrieval.answering.followups.pronouns import (
    AUXILIARIES,
    BEHIND_RELATIVE,
    EXISTS,
    IMPERSONAL,
    LOWER_CASE_PRONOUNS,
    NEAR,
    NOTHING,
    PRONOUNS,
    REFERRING,
    RELATIVE,
    UNSPACED_REFERRING,
    VERB_IN_S,
)

# What follows them is named: "the library", "l'offre".
_ARTICLES = (THE, AN, MERGED, MINE, EVERY)
ARTICLES = {language: frozenset(word for said in _ARTICLES for word in said[language].split()) for language in THE}
# English names many without an article: "How can members renew their cards?"
BEFORE_MANY = AUXILIARIES - {"is", "was", "does", "has", "had"}
BEFORE_NOUN = ARTICLES["en"] | {"no"}
OF = frozenset(("of", "de", "von", "di", "van"))  # "the length of its warranty" is not the warranty's owner
LETTERS = re.compile(r"[^\W\d_]+|:")  # what stands before a colon is a topic, and named
WORD = re.compile(r"[^\W_]+(?:['’_.-][^\W_]+)*")
# What a question asks about a subject, and is no part of it.
_ASPECTS = (
    "long many much often far old big soon day days hour hour week month time times year years"
    " cost costs price mean means work works happen happens difference explain tell say does do use"
    " need want get make take give up down out off per kind sort type way"
    " puis-je peut-on pouvez-vous pouvons-nous dois-je doit-on faut-il est-ce ai-je peux pouvez dois doit faut"
    " darf darfst dürfen muss musst müssen soll sollen"
    " viel kostet kosten lange oft teuer combien coûte coûtent cuesta cuestan cuanto vale costa"
)
_PRICES = "cost costs price kostet kosten coute coutent cuesta cuestan costa"
# Each thing has its own: by itself such a word asks about the one that was spoken of.
_ATTRIBUTES = (
    "price cost charge rate deposit fee fine penalty warranty insurance discount limit maximum minimum weight"
    " height width length depth size capacity load range speed duration period age deadline colour color late"
    " rental loan lending total exact usual maximal minimal high heavy large paid due required refunded returned"
    " preis kosten kaution pfand gebühr leihgebühr mietgebühr miete strafe garantie gewährleistung versicherung"
    " rabatt grenze höchstgrenze obergrenze gewicht höchstgewicht höhe breite länge tiefe größe kapazität last"
    " reichweite geschwindigkeit dauer leihdauer mietdauer leihfrist frist höchstdauer mindestalter höchstalter"
    " alter farbe hoch schwer groß maximale maximal höchste minimale genaue"
    " prix coût tarif caution frais pénalité amende garantie assurance remise limite poids hauteur largeur"
    " longueur taille capacité charge vitesse durée délai âge couleur maximale"
    " precio coste costo tarifa fianza depósito multa garantía seguro descuento límite peso altura anchura"
    " longitud tamaño capacidad carga velocidad duración plazo edad color máximo máxima mínimo mínima"
    " prezzo tariffa cauzione deposito multa garanzia assicurazione sconto limite altezza larghezza lunghezza"
    " dimensione capacità carico velocità durata termine età colore massimo massima"
)
ATTRIBUTES = frozenset(stem(word) for word in words(_ATTRIBUTES))
COUNTED = frozenset(("year", "month", "week", "day", "type"))  # “year 4” is not 4
PRICES = frozenset(_PRICES.split())  # what is asked is said by the one word
ASPECTS = frozenset(folded(word) for word in _ASPECTS.split())
_PREDICATES = "optional optionally permet permettent permite permiten"  # no auxiliaries
_SMALL = (*(said.split() for said in STOP_WORDS.values()), *REFERRING.values(), *NEAR.values())
SMALL = (
    ASPECTS
    | of_every(little_words.AUXILIARIES)
    | of_every(MAY, but=_PREDICATES)
    | {folded(word) for said in _SMALL for word in said}
)
# “Must a deposit be paid before arrival?” is about the deposit.
SUBJECT_FIRST = re.compile(
    rf"\W*(?:{alternation(little_words.AUXILIARIES)})\s(?:{alternation(THE, AN, MINE, EVERY)})\s", re.IGNORECASE
)
ELISION = re.compile(r"^(?:[cdjlmnst]|qu)['’](?=\w{2})", re.IGNORECASE)  # l'offre


def is_content(word: str) -> bool:
    return folded(word) not in SMALL


def content_runs(question: str, also: frozenset[str] = frozenset()) -> list[str]:
    """Neighbouring words that carry meaning: “cargo bike” of “How long can you borrow a cargo bike?” Those of `also`
    are among them, each by itself."""
    runs: list[list[str]] = [[]]
    end, alone, counted = 0, False, ""
    for word in WORD.finditer(question):
        apart = alone or bool(question[end : word.start()].strip())
        named = ELISION.sub("", word[0])
        alone = folded(named) in also
        carries = alone or is_content(named)
        if apart or alone or not carries or named != word[0]:
            runs.append([])
        if carries:
            runs[-1] += [counted, named] if counted and named[0].isdigit() and not apart else [named]
        counted = named if folded(named) in COUNTED else ""
        end = word.end()
    return [" ".join(run) for run in runs if run and terms(" ".join(run))]


def refers(question: str) -> bool:
    """Whether a word of it stands for something that it does not name itself, in its own language.

    A capital within a question makes a name of a word, or a polite address: the IT department, Sie.
    """
    language = language_of(question)
    if unspaced := UNSPACED_REFERRING.get(language):
        return bool(unspaced.search(question))
    said = question.lower() if question.isupper() else question
    beside = (LOWER_CASE_PRONOUNS if said.islower() else PRONOUNS).get(language, NOTHING)
    personal = EXISTS.get(language, NOTHING).sub(" ", IMPERSONAL.get(language, NOTHING).sub(" ", said))
    if language == "en":
        personal = RELATIVE.sub(without_relative, personal)
    return bool(beside.search(said)) or says_pronoun(LETTERS.findall(personal), language)


def without_relative(found: re.Match[str]) -> str:
    return f"{found['article'] or ''} {found['noun']} " if is_relative(found) else found[0]


def is_relative(found: re.Match[str]) -> bool:
    """Whether “that” stands behind a noun and before what is said of it, as far as the words beside them tell."""
    noun, after = found["noun"], found["after"].casefold()
    has_article = (found["article"] or "").casefold() in BEFORE_NOUN
    if not (has_article or is_content(noun)):
        return False
    if after in BEHIND_RELATIVE or VERB_IN_S.fullmatch(found["after"]):
        return True
    many = noun.endswith("s") and is_content(after)
    return has_article and (many or after in ARTICLES["en"] or after.endswith("ed"))


def says_pronoun(spoken: Sequence[str], language: str) -> bool:
    """Whether one of these words is a pronoun, and not of something that is named before it."""
    pronouns, near = REFERRING.get(language, frozenset()), NEAR.get(language, frozenset())
    named, many = first_named(spoken, language), first_many(spoken)
    for at, word in enumerate(spoken):
        letters, is_name_or_address = word.casefold(), at > 0 and not word.islower()
        antecedent = min(named, many) if letters == "their" else named
        is_of_it = at > 0 and antecedent == at - 2 and spoken[at - 1] in OF
        if not is_name_or_address and (letters in pronouns or (letters in near and (antecedent >= at or is_of_it))):
            return True
    return False


def first_named(spoken: Sequence[str], language: str) -> int:
    """Where something is first named, by a name or after an article; the number of words if nothing is."""
    articles = ARTICLES.get(language, frozenset())
    for at, (before, word) in enumerate(pairwise(spoken), 1):
        if word == ":" or (is_content(word) and (before.casefold() in articles or not word.islower())):
            return at
    return len(spoken)


def first_many(spoken: Sequence[str]) -> int:
    """Where English first names many without an article, as far as verbs before them tell; else the number of words."""
    for at, (before, verb, word) in enumerate(zip(("", *spoken), spoken, spoken[1:], strict=False), 1):
        if is_content(word) and verb.casefold() in BEFORE_MANY and before.casefold() != "who":
            return at
    return len(spoken)


def names_only_attributes(question: str) -> bool:
    """Whether what it names is only what things have: the deposit, the late fee."""
    return ATTRIBUTES.issuperset(stem(word) for run in content_runs(question) for word in words(run))


def says_that_there_is(question: str) -> bool:
    return bool(EXISTS.get(language_of(question), NOTHING).search(question))


def is_name(run: str) -> bool:
    return any(character.isupper() or character in "_." for character in run[1:]) or run[:1].isupper()
