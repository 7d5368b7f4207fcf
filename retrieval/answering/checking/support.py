"""Does a passage say what a sentence says? A deterministic check by words and patterns of its languages, no model.

What can be copied wrongly must be there literally: numbers with their units, identifiers, quoted spans, names.
A negation must be on both sides or on neither, and nothing may be said the other way round (relations). The rest is the
share of the sentence's content words that the passage has.

Measured on 396 sentences of Northwind's reference answers, against their page and its neighbours / a page of another
document, best span of up to three sentences: .83 / .003 supported at an overlap of .6 (.5: .89 / .018; .7: .80 / 0).
Against a whole page instead of a span .020 of the wrong ones pass: hence spans.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from knowledge.texts.analysis import ALL_UNSPACED
from knowledge.texts.items import MARK
from knowledge.texts.languages.questions import language_of
from knowledge.texts.words import folded, spelt_out, stem, words
from retrieval.answering.checking.blends import blended
from retrieval.answering.checking.choices import rejoined
from retrieval.answering.checking.conditions import dropped, generalised, untold
from retrieval.answering.checking.degrees import differs
from retrieval.answering.checking.excepted import Excepted, exception_in
from retrieval.answering.checking.figures import spelt_as
from retrieval.answering.checking.negations import REPLY, denies, without_modals
from retrieval.answering.checking.opposites import opposed, outside
from retrieval.answering.checking.pairings import mispaired
from retrieval.answering.checking.particles import reversed_roles
from retrieval.answering.checking.quantities import VERBS, beside_amounts, known_quantities, months, quantities
from retrieval.answering.checking.relations import swapped
from retrieval.answering.checking.replaced import replaced
from retrieval.answering.checking.reserved import reserved
from retrieval.answering.checking.roles import counterpart, exchanged, misattributed, of_another, traded
from retrieval.answering.checking.synonyms import in_common_words
from retrieval.answering.checking.tables import misplaced, named_as, of_another_row, quantities_in_columns
from retrieval.answering.checking.tenses import mistimed
from retrieval.answering.checking.universals import restricted, unexcepted, universal
from retrieval.answering.marks import without_marks
from retrieval.answering.sentences import is_question

Check = Callable[[str, str], str]
# Each names the word by which a sentence of a passage's words says something else; empty if none.
REVERSALS: tuple[Check, ...] = (
    swapped, opposed, outside, mispaired, differs, exchanged, traded, reversed_roles, counterpart, misattributed,
    of_another, rejoined, dropped, untold, generalised, universal, unexcepted, restricted, replaced, reserved, mistimed,
)  # fmt: skip
ENOUGH_OVERLAP = 0.6
CIRCLE = 20  # words: a sentence of more that has each of them three times says nothing

LIST_ITEM = re.compile(rf"^[ \t]*{MARK}\s+", re.MULTILINE)
_SOURCES = "agreement contract document documentation guide handbook information manual passage policy rules text"
LEAD = re.compile(  # “According to the handbook,”: names in it count all the same
    rf"\A\s*(?:(?:according to|based on)\s(?:\w+\s){{0,3}}(?:{'|'.join(_SOURCES.split())})\s?,"
    r"|(?:laut|gemäß|nach)\s(?:(?:der|dem|den)\s)?(?:anleitung|dokument|handbuch|richtlinie|satzung|text|vertrag)\b)",
    re.IGNORECASE,
)
QUOTED = re.compile(r"[\"“„«]([^\"“”„«»]{8,}?)[\"”“»]")
IDENTIFIER = re.compile(  # what separates its parts stands in none of them: else time doubles with every part
    r"`([^`\n]+)`"
    r"|((?:--|[@$%\\/]|(?<!\w))[A-Za-z_][\w]*(?:(?:::|->|[.\\/:]|-+)[\w$]+){0,40}(?:_\w+|\(\)|::\w+|->\w+|\\\w+|/\w+|\.\w{2,})\w*(?:\(\))?)"
    r"|((?:--|[@$])[A-Za-z][\w-]+)"
    r"|\b([A-Za-z]+[a-z][A-Z]\w*|[A-Z]{2,}\d*|[A-Z]\d{1,3})\b"
)
LETTER = rf"[^\W\d_{ALL_UNSPACED}]"
NAME = re.compile(  # a word that does not begin its sentence; with a digit all of it: Neo4j
    rf"(?<=[^\W_][\s,;(’'])[\s(]*({LETTER}{{3,}}(?:\d[^\W_{ALL_UNSPACED}]*)?)"
)
LONE_LETTER = re.compile(r"(?<=[^\W\d_]{2}\s)(?!I\b)[A-Z](?=\s|[.,;:!?)]|\Z)")  # of “Plan A”
PERSON = re.compile(r"\b(?:Herrn?|Frau)\s+(?:(?:Dr|Prof)\.\s+){0,2}([^\W\d_]{2,})")


@dataclass(frozen=True, slots=True)
class Support:
    """How far a passage bears a sentence out. `missing` names what it lacks, for people."""

    overlap: float
    missing: tuple[str, ...]
    negation_differs: bool
    reversed: str = ""  # the word by which it says the reverse

    @property
    def holds(self) -> bool:
        contradicted = self.negation_differs or self.reversed
        return self.overlap >= ENOUGH_OVERLAP and not (self.missing or contradicted)


def support(
    sentence: str, passage: str, heading: str = "", head: str = "", around: str = "", table: str = ""
) -> Support:
    """The check of one sentence (without its citation marks) against a passage, which stands in what is `around` it.

    Names and identifiers may also stand in the heading that the passage is under. `head` is that of its table, where
    it begins below it: the columns are named there. `table` has all its rows, where the passage is some of them.
    """
    sentence, passage = named_as(head, spelt_as(passage, sentence)), spelt_as(sentence, passage)
    claims = _claims(sentence)
    if claims.empty:
        return Support(0.0, (), False)
    told = below(head, passage)
    evidence, above = _evidence(told), _evidence(heading)
    own = claims.terms - above.stems  # what the heading says already would carry any sentence about the subject
    overlap = min(_overlap(claims.terms, evidence.stems), _overlap(own, evidence.stems))
    missing = (*_unsaid(claims, evidence, told), *_unknown(claims, evidence, above))
    said, there = in_common_words(claims.text), in_common_words(passage)
    excepted = exception_in(said, there)
    denied = excepted is Excepted.LOST or (excepted is not Excepted.DENIED and denies(said, there))
    enough = overlap >= ENOUGH_OVERLAP and not (missing or denied)
    said = in_common_words(sentence)
    checks = [check for check in REVERSALS if check is not opposed] if excepted is Excepted.DENIED else REVERSALS
    against = contradicts(said, there, in_common_words(head), checks) if enough else ""
    whole = in_common_words(f"{heading}\n{table}") if enough and table else ""
    against = against or of_another_row(said, in_common_words(told), whole)
    against = against or (blended(claims.text, around or told, f"{heading}\n{head}") if enough else "")
    return Support(overlap, missing, denied, against)


def contradicts(sentence: str, passage: str, head: str, checks: Sequence[Check]) -> str:
    """The word by which a sentence says else than a passage that has the same words; empty if none, as for the passage
    itself."""
    if sentence.strip() == passage.strip():
        return ""
    found = (check(sentence, passage) for check in checks)
    return misplaced(sentence, below(head, passage)) or next(filter(None, found), "")


def below(head: str, passage: str) -> str:
    """A passage whose first rows belong to a table, with that table's head, which ends with how far in they begin."""
    is_parted = not head or head.rstrip(" \t").endswith("\n")
    return f"{head}{passage}" if is_parted else f"{head}\n{passage}"


def _overlap(claimed: frozenset[str], found: frozenset[str]) -> float:
    return len(claimed & found) / len(claimed) if claimed else 1.0


def lacking(question: str, text: str) -> tuple[str, ...]:
    """Names and identifiers of a question that stand nowhere in a text."""
    return tuple(_unknown(_claims(question), _evidence(text)))


def _unsaid(claims: "_Claims", evidence: "_Evidence", told: str) -> list[str]:
    """The numbers that a passage says neither in its words nor, by the heads of their columns, in its tables."""
    unsaid = [number for number in claims.numbers if number not in evidence.numbers]
    in_tables = quantities_in_columns(told) if unsaid else frozenset()
    return [number for number in unsaid if number not in in_tables]


def _unknown(claims: "_Claims", *evidence: "_Evidence") -> Iterator[str]:
    stems = frozenset().union(*(given.stems for given in evidence))
    yield from (literal for literal in claims.literals if not any(literal in given.text for given in evidence))
    yield from (name for name in claims.names if stems.isdisjoint(_stems(name)))
    yield from sorted(claims.letters.difference(*(given.letters for given in evidence)))
    yield from sorted(claims.months.difference(*(given.months for given in evidence)))


@dataclass(frozen=True, slots=True)
class _Claims:
    text: str  # without what only leads to it: marks, a list's number, “Yes,”
    terms: frozenset[str]
    numbers: tuple[str, ...]
    literals: tuple[str, ...]
    names: tuple[str, ...]
    letters: frozenset[str]  # that tell one thing of a kind from another: Plan A
    months: frozenset[str]
    empty: bool  # says nothing that could be borne out: no content, a question, words going round in circles


@dataclass(frozen=True, slots=True)
class _Evidence:
    text: str
    stems: frozenset[str]
    letters: frozenset[str]
    numbers: frozenset[str]
    months: frozenset[str]


@lru_cache(maxsize=256)
def _claims(sentence: str) -> _Claims:
    bare = REPLY.sub("", LIST_ITEM.sub("", without_marks(sentence)), count=1)
    literals = [next(filter(None, found.groups())) for found in IDENTIFIER.finditer(bare)] + QUOTED.findall(bare)
    compared = beside_amounts(bare)
    # German writes every noun with a capital: there they are words like others, but for people's names.
    named = (PERSON if language_of(bare) == "de" else NAME).findall(bare)
    spoken, content = words(bare), without_modals(in_common_words(LEAD.sub("", bare)))
    content = frozenset(term for term in content if not term.isdigit())
    numbers = quantities(bare)
    # A timetable repeats its hours, a list of prices what they are of: neither goes round in circles.
    circling = goes_in_circles(spoken) and goes_in_circles([word for word in spoken if not word.isdigit()])
    return _Claims(
        text=bare,
        terms=content,
        numbers=numbers,
        literals=tuple(dict.fromkeys(_squeeze(one.removesuffix("()")) for one in literals if one not in compared)),
        names=tuple(dict.fromkeys(name for name in named if name[0].isupper() and name not in compared)),
        letters=frozenset(LONE_LETTER.findall(bare)),
        months=months(bare, VERBS),
        empty=circling or is_question(bare.rstrip()) or not (content or numbers),
    )


def goes_in_circles(spoken: Sequence[str]) -> bool:
    return len(spoken) > CIRCLE and len(set(spoken)) * 3 < len(spoken)


@lru_cache(maxsize=2048)
def _evidence(passage: str) -> _Evidence:
    return _Evidence(
        text=_squeeze(passage),
        stems=_stems(passage) | _stems(in_common_words(passage)),
        letters=frozenset(re.findall(r"\b[A-Z]\b", passage)),
        numbers=known_quantities(passage),
        months=months(passage),
    )


def _stems(text: str) -> frozenset[str]:
    """With those of Mueller where it says Müller."""
    return frozenset(stem(word) for said in dict.fromkeys((text, spelt_out(text))) for word in words(said))


def _squeeze(text: str) -> str:
    quotes = str.maketrans("“”„«»’‘", '"""""\'\'')
    return " ".join(folded(text).translate(quotes).replace("`", "").split())
