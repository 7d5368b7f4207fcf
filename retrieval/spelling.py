"""Words that nothing searched holds, and the words that were probably meant.

Candidates come from the lexemes of the searched segments by trigrams (pg_trgm), the nearest by edits is taken, and what
is suggested is a word of a passage that this search may see: never one of another library or of a withdrawn file.
"""

import re
import time
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import psycopg
from django.db import OperationalError, connection, transaction
from numpy.typing import NDArray

from knowledge.models import Chunk
from knowledge.storage import statements
from knowledge.texts.analysis import CAMEL, tokens, without_accents, words, words_of
from knowledge.texts.words import folded, tells

from .bm25 import top
from .compounds import NUMBERED, halves
from .filtering.columns import Mask, words_in_paths
from .filtering.names import said_of
from .filtering.phrases import those_that_say
from .lexical import holding_all, languages, look_up, query_lexemes, scores, segments
from .query import Query, Role, in_usual_width
from .slips import SHORTEST, SHORTEST_PART, beginning, distance, is_part, like, other_beginning, slips
from .view import View

JOINING = {"danish", "dutch", "finnish", "german", "hungarian", "norwegian", "simple", "swedish"}  # may join words
NAME = re.compile(r"(?<!\S)-?\w+:(?=[^\s:])")  # of `name:value`
RUN = re.compile(r"[^\W\d_]+")
CONTRACTED = re.compile(r"(?:are|ca|could|did|do|does|had|has|have|is|should|was|were|wo|would)nt", re.IGNORECASE)
LONGEST = 30  # letters of a word that may be misspelt
SHORTEST_MEANT = 3  # letters of what may be meant instead
MOST_WORDS = 12  # of a query whose spelling is looked at
MOST_WRONG = 3
STRANGE = 3  # so many words, all unknown: another language, or nothing that anybody wrote here
ACRONYM = 5  # letters, all capitals: NULL is no slip for FULL
SURE = 256  # bytes of ordinals: a lexeme that stands in so few chunks may stand in none that is visible
NEAREST = 50  # lexemes, by trigrams
WEIGHED = 3  # of them, by edits
SLIPPED = 2  # of them, one slip away as a whole
MANY_SHARED = 0.4  # of the trigrams of two lexemes
READ = 4  # passages read for each, for the word as people write it
READ_MORE = 16  # where they have only words that are further off
READ_APART = 24  # passages read for two words side by side
NEAR_LENGTH = 3  # letters that a word is shorter or longer than one that is like it
STEMMED = 8  # letters that a stem may lack: Bestimmungen, bestimm

LEXEMES = """
    SELECT asked.word, found.lexeme, (
        SELECT coalesce(sum(length(ordinals)), 0) FROM knowledge_posting posting
        WHERE posting.lexeme = found.lexeme AND posting.segment_id = ANY(%(segments)s)
    )
    FROM unnest(%(words)s::text[]) AS asked (word), unnest(to_tsvector(%(language)s::regconfig, asked.word)) AS found
"""
NEAR = """
    SELECT lexeme, sum(length(ordinals)) FROM knowledge_posting
    WHERE (lexeme = ANY(%(slips)s) OR (lexeme %% %(lexeme)s AND lexeme !~ '[0-9]')) AND segment_id = ANY(%(segments)s)
    GROUP BY lexeme ORDER BY lexeme = ANY(%(slips)s) DESC, similarity(lexeme, %(lexeme)s) DESC, lexeme LIMIT %(most)s
"""
HOLDING = """
    SELECT lexeme FROM knowledge_posting
    WHERE lexeme LIKE %(part)s AND lexeme !~ '[0-9]' AND segment_id = ANY(%(segments)s)
    GROUP BY lexeme ORDER BY sum(length(ordinals)) DESC, lexeme LIMIT %(most)s
"""
THRESHOLD = "SELECT set_config('pg_trgm.similarity_threshold', %s, true)"
FORMS = """
    SELECT word FROM unnest(%(words)s::text[], %(bare)s::text[]) AS said (word, bare)
    WHERE %(lexeme)s = ANY(tsvector_to_array(to_tsvector(%(language)s::regconfig, word || ' ' || bare)))
"""


@dataclass(frozen=True, slots=True)
class Guess:
    word: str
    edits: int
    beside: int  # other words of the query that one passage holds with it
    passages: int  # that hold a form of it

    @property
    def order(self) -> tuple[int, int, int, str]:
        return self.edits, -self.beside, -self.passages, self.word


class TooLate(Exception):
    """The search has waited long enough for suggestions."""


class Patience:
    """How long a search waits for its suggestions, all their statements together."""

    def __init__(self, seconds: float) -> None:
        self._until = time.monotonic() + seconds

    def limit(self) -> None:
        """Let the next statements take what time is left. Raises TooLate when none is."""
        left = int((self._until - time.monotonic()) * 1000)
        if left < 1:
            raise TooLate
        statements.limit(left)


@dataclass(frozen=True, slots=True)
class Field:
    """Where one language's words may stand that were meant."""

    view: View
    language: str
    missing: dict[str, str]  # words that no chunk in it holds, with their lexemes
    others: NDArray[np.intp]  # by position, how many other words of the query a chunk holds
    allowed: Mask | None
    patience: Patience


def corrections(
    view: View, query: Query, joined: Container[str], allowed: Mask | None, degraded: list[str], seconds: float
) -> dict[str, str]:
    """For words of the query that no searched passage holds: what a passage that may be found has instead. Those that
    stand there `joined` with others are right, and those in a file's path.
    """
    asked = misspellable(query)
    if not asked or not view.snapshots:
        return {}
    if allowed is not None and not allowed.any():  # for a phrase that is misspelt itself
        allowed = None
    found: dict[str, str] = {}
    try:
        with transaction.atomic():
            patience = Patience(seconds)
            patience.limit()
            unknown = {language: missing(view, language, asked) for language in sorted(languages(view))}
            wrong = [
                word for word in asked if word not in joined and all(word in lexemes for lexemes in unknown.values())
            ]
            in_paths = words_in_paths(view, wrong)
            wrong = [word for word in wrong if word not in in_paths]
            if len(wrong) == len(asked) >= STRANGE:
                wrong = []
            fields = [
                Field(view, language, lexemes, known(view, language, asked, lexemes), allowed, patience)
                for language, lexemes in unknown.items()
                if wrong
            ]
            for word in wrong[:MOST_WRONG]:
                found[word] = apart(view, word, allowed, patience) or (meant(fields, word) if word.isalpha() else "")
            transaction.set_rollback(True)  # of the settings: nothing was written
    except (OperationalError, psycopg.OperationalError, TooLate):
        degraded.append("spelling")
    return {word: other for word, other in found.items() if other}


def apart(view: View, word: str, allowed: Mask | None, patience: Patience) -> str:
    """The two words that it is made of, where a passage that may be found says them side by side; or nothing."""
    parted = halves(word)
    each = sorted({half for both in parted for half in both})
    for language in sorted(languages(view)) if parted else ():
        patience.limit()
        known = {half: lexeme for half, lexeme, size in standing(view, language, each) if size}
        for one, other in parted:
            if one not in known or other not in known:
                continue
            patience.limit()
            holders = holding_all(view, language, {known[one], known[other]})
            places = np.flatnonzero(holders if allowed is None else holders & allowed)
            said = f"{one} {other}"
            if len(places) > READ_APART:
                places = places[top(scores(look_up(view, said))[places], READ_APART)]
            if len(places) and those_that_say(view, language, said, places):
                return said
    return ""


def meant(fields: Sequence[Field], word: str) -> str:
    """The likeliest word of all languages, or nothing: where none is one slip away, a compound that it is a part of."""
    best: Guess | None = None
    for guessed in (likely, compounds_of):
        guesses = [guess for field in fields for guess in guessed(field, word)]
        best = min([*guesses, *([best] if best else [])], key=lambda guess: guess.order, default=None)
        if best and best.edits <= 1:
            break
    return like(word, best.word) if best else ""


def misspellable(query: Query) -> list[str]:
    """The words of the query, in order, an identifier's parts one by one, and names with a number; none when the query
    is long.

    A name that was meant as a filter's is none: that is said already. What is of another width is sought in the usual.
    """
    parts = parts_of(query, (Role.WORD, Role.PHRASE))
    if len(parts) > MOST_WORDS:
        return []
    filters = said_of(query)
    return list(
        dict.fromkeys(
            part
            for part in parts
            if part.lower() not in filters
            and SHORTEST <= len(part) <= LONGEST
            and list(words(part)) == [part]
            and in_usual_width(part) == part
            and tells(folded(part))  # `Comment` of a question in French is no slip where nobody says it
            and not (part.isupper() and part.isalpha() and len(part) <= ACRONYM)
            and not CONTRACTED.fullmatch(part)  # `don't` is two words that every text has
        )
    )


def correctable(query: Query, phrases: bool) -> list[str]:
    """Where a misspelt word may be searched for as it was meant, too: outside of phrases."""
    return parts_of(query, (Role.WORD,) if phrases else (Role.WORD, Role.PHRASE))


def parts_of(query: Query, roles: Sequence[Role]) -> list[str]:
    texts = [NAME.sub("", term.value) for term in query.terms if term.role in roles]
    letters = [part for text in texts for run in RUN.findall(text) for part in CAMEL.split(run)]
    return [*letters, *(numbered.group() for text in texts for numbered in NUMBERED.finditer(text))]


def missing(view: View, language: str, asked: list[str]) -> dict[str, str]:
    """The words whose lexeme no visible chunk in this language holds, with that lexeme. Stop words are not missing."""
    return {
        word: lexeme
        for word, lexeme, size in standing(view, language, asked)
        if not size or (size <= SURE and not holding_all(view, language, [lexeme]).any())
    }


def standing(view: View, language: str, asked: list[str]) -> list[tuple[str, str, int]]:
    """The lexemes of these words, and how many bytes of ordinals each has in the searched segments."""
    with connection.cursor() as cursor:
        cursor.execute(LEXEMES, {"words": asked, "segments": segments(view, language), "language": language})
        return cursor.fetchall()


def known(view: View, language: str, asked: list[str], unknown: Container[str]) -> NDArray[np.intp]:
    """By position, how many of the words a chunk in this language holds, but for those that none does."""
    said = query_lexemes(language, " ".join(word for word in asked if word not in unknown))
    held = [holding_all(view, language, [lexeme]) for lexeme in said]
    return np.sum(held, axis=0, dtype=np.intp) if held else np.zeros(view.offsets[-1], np.intp)


def likely(field: Field, word: str) -> Iterator[Guess]:
    """Words that stand where a hit may be and are nearest to this one. Where a slip hides an ending, a lexeme that is
    near to the word's beginning will do, if a form of it is near to the word."""
    typed, lexeme, most = without_accents(word), field.missing[word], 1 if len(word) <= 5 else 2
    with_ending = 2 if len(word) <= 6 else 3
    fewest = most + 1
    for bound, other in nearest(field, typed, lexeme, most):
        if bound > fewest:
            return
        field.patience.limit()
        places = held_at(field, other)
        edits, form = nearest_form(field, other, typed, places[:READ])
        if edits > bound and len(places) > READ:
            edits, form = min((edits, form), nearest_form(field, other, typed, places[READ:READ_MORE]))
        if len(form) < SHORTEST_MEANT or other_beginning(typed, without_accents(form), edits):
            continue
        if edits <= most or (
            edits <= with_ending and distance(without_accents(lexeme), without_accents(other)) <= most
        ):
            fewest = min(fewest, edits)
            yield Guess(form, edits, int(field.others[places].max(initial=0)), len(places))


def held_at(field: Field, lexeme: str) -> NDArray[np.intp]:
    """Where it stands and a hit may be: first where most of the other words do."""
    holders = holding_all(field.view, field.language, [lexeme])
    places = np.flatnonzero(holders if field.allowed is None else holders & field.allowed)
    return places[np.argsort(-field.others[places], kind="stable")]


def compounds_of(field: Field, word: str) -> Iterator[Guess]:
    """Compounds that stand where a hit may be and that this word is a part of, the most used first."""
    view, language, lexeme = field.view, field.language, field.missing[word]
    if language not in JOINING or len(word) < SHORTEST_PART:
        return
    field.patience.limit()
    part = lexeme if len(lexeme) >= SHORTEST_PART else without_accents(word)
    asked: dict[str, Any] = {"part": f"%{part}%", "segments": segments(view, language), "most": WEIGHED}
    with connection.cursor() as cursor:
        cursor.execute(HOLDING, asked)
        found = [other for (other,) in cursor.fetchall() if is_part(part, other)]
    for other in found:
        field.patience.limit()
        places = held_at(field, other)
        forms = forms_in(view.chunk_columns.chunks[places[:READ]].tolist(), language, other, len(other), STEMMED)
        for form in [form for form in sorted(forms) if is_part(word, form)][:1]:
            yield Guess(form, 0, int(field.others[places].max(initial=0)), len(places))


def nearest_form(field: Field, lexeme: str, typed: str, places: NDArray[np.intp]) -> tuple[int, str]:
    """How many edits away it is, and the word itself, or nothing."""
    forms = forms_in(field.view.chunk_columns.chunks[places].tolist(), field.language, lexeme, len(typed))
    return min(((distance(typed, without_accents(form)), form) for form in forms), default=(LONGEST, ""))


def nearest(field: Field, typed: str, lexeme: str, most: int) -> list[tuple[int, str]]:
    """The lexemes nearest by edits to its beginning, with how many, the most used first; and of those that are a slip
    away as a whole some in any case, for stems of two letters may be at the beginning of anything. Those that share
    many trigrams with this one are asked for first: asking for few reads much of the index, and is done when many bring
    nothing, or a rarity."""
    written = without_accents(lexeme), typed
    for threshold in (MANY_SHARED, few_shared(lexeme)):
        field.patience.limit()
        near = sorted(
            (min(beginning(without_accents(other), one) for one in written), -size, other)
            for other, size in sharing(field, lexeme, threshold)
        )
        if near and near[0][0] <= 1 and -near[0][1] > SURE:
            break
    found = [(edits, other) for edits, _, other in near if edits <= most]
    slipped = [one for one in found if min(distance(without_accents(one[1]), asked) for asked in written) <= 1]
    return list(dict.fromkeys([*found[:WEIGHED], *slipped[:SLIPPED]]))


def few_shared(lexeme: str) -> float:
    """Of its trigrams: the shorter it is, the fewer outlive a slip."""
    return 0.2 if len(lexeme) <= 5 else 0.25 if len(lexeme) == 6 else 0.3


def sharing(field: Field, lexeme: str, threshold: float) -> list[tuple[str, int]]:
    """Lexemes, and how much is written of them, that share this part of their trigrams with this one, after those that
    differ by a slip which may leave none."""
    held = segments(field.view, field.language)
    asked: dict[str, Any] = {"lexeme": lexeme, "slips": slips(lexeme), "segments": held}
    with connection.cursor() as cursor:
        cursor.execute(THRESHOLD, [str(threshold)])
        cursor.execute(NEAR, asked | {"most": NEAREST})
        return cursor.fetchall()


def forms_in(chunks: list[int], language: str, lexeme: str, length: int, longer: int = NEAR_LENGTH) -> list[str]:
    """The words of these chunks, about as long as this, that Postgres takes for the lexeme."""
    letters = set(lexeme)
    rows = Chunk.objects.filter(pk__in=chunks).values_list("section__breadcrumb", "context", "text")
    written = {token for breadcrumb, *texts in rows for piece in (*breadcrumb, *texts) for token in tokens(piece)}
    said = sorted(
        {
            word
            for token in written
            if has(token, letters)  # as any word in it has: most tokens are left out here
            for word in words_of(token)
            if -NEAR_LENGTH <= len(word) - length <= longer and has(word, letters)
        }
    )
    asked: dict[str, Any] = {
        "words": said,
        "bare": [*map(without_accents, said)],
        "lexeme": lexeme,
        "language": language,
    }
    with connection.cursor() as cursor:
        cursor.execute(FORMS, asked)
        return [word for (word,) in cursor.fetchall()]


def has(word: str, letters: set[str]) -> bool:
    """All of them but one, which an ending cut off may change: happy, happi."""
    return len(letters.difference(word.casefold(), without_accents(word))) <= 1
