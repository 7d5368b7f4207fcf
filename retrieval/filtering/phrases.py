"""Which chunks say what stands in quotes, or after a minus.

A phrase is looked for in Postgres, in the chunks whose postings hold all of its lexemes. Where these are many, those
that BM25 puts first for the phrase are read, until ENOUGH hold it or CHECKED were read, and a note says so.
"""

import hashlib
import time

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from knowledge.models import Chunk
from knowledge.texts.analysis import readings, without_accents
from retrieval.bm25 import top
from retrieval.lexical import holding_all, languages, look_up, query_lexemes, scores
from retrieval.naming import name_of
from retrieval.query import Term, is_identifier
from retrieval.view import Cache, View

from .columns import Mask

CHECKED = 2_000  # chunks read for one phrase
READ_AT_ONCE = 250
ENOUGH = 500  # chunks that hold it: more than any branch ranks
MAY_TAKE = 2.0  # seconds, all those of a query together

HOLDS_PHRASE = """
    SELECT ordinal - 1 FROM unnest(%(texts)s::text[]) WITH ORDINALITY AS piece (text, ordinal)
    WHERE to_tsvector(%(language)s::regconfig, text) @@ (
        phraseto_tsquery(%(language)s::regconfig, %(phrase)s) || phraseto_tsquery(%(language)s::regconfig, %(bare)s)
    )
"""

_phrases: Cache[tuple[NDArray[np.intp], NDArray[np.intp]]] = Cache(256)


def saying(view: View, term: Term, within: Mask, notes: list[str], until: float) -> Mask | None:
    """By position, whether a chunk of those `within` holds the term's lexemes, and for a quote in its order, of an
    identifier spelt so; None when it has none. In a language in which it has none it asks for nothing, and excludes
    nothing.
    """
    mask, any_lexeme = np.zeros(view.offsets[-1], np.bool_), False
    for language in sorted(languages(view)):
        lexemes = query_lexemes(language, term.value)
        any_lexeme |= bool(lexemes)
        if not lexemes:
            mask |= in_language(view, language) & (not term.excluded)
            continue
        held = holding_all(view, language, lexemes) & within
        if term.quoted and (sum(lexemes.values()) > 1 or is_identifier(term.value)):
            mask[in_order(view, language, term, held, notes, until)] = True
        else:
            mask |= held
    if any_lexeme:
        return mask
    if view.snapshots:
        notes.append(f"“{term.value}” holds only words that every text has, so it was left out.")
    return None


def in_language(view: View, language: str) -> Mask:
    """By position, whether a chunk is of a snapshot in this language."""
    spoken = [searched.language == language for searched in view.snapshots]
    return np.repeat(np.array(spoken, np.bool_), np.diff(view.offsets))


def in_order(view: View, language: str, term: Term, held: Mask, notes: list[str], until: float) -> NDArray[np.intp]:
    """Positions of those of the chunks `held` that hold the phrase; remembered, unless time was up. What was not read
    is not shown.
    """
    holders, digest = np.flatnonzero(held), hashlib.sha256(np.packbits(held).tobytes()).digest()
    key = (tuple(searched.key for searched in view.snapshots), language, term.value, term.excluded, digest)
    enough = len(holders) if term.excluded else ENOUGH
    if (known := _phrases.get(key)) is None:
        known = read_for(view, language, term.value, holders, enough, until)
        if time.monotonic() < until:
            _phrases.put(key, known)
    found, read = known
    if len(read) == len(holders):
        return found
    notes.append(f"{len(holders):,} passages hold the words of “{term.value}”; the {len(read):,} likeliest were read.")
    return np.setdiff1d(holders, np.setdiff1d(read, found)) if term.excluded else found


def read_for(
    view: View, language: str, phrase: str, holders: NDArray[np.intp], enough: int, until: float
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Positions of the chunks that hold the phrase, and of those that were read: at most CHECKED, until `enough` do, or
    time is up.
    """
    if len(holders) > READ_AT_ONCE:
        holders = holders[top(scores(look_up(view, phrase))[holders], CHECKED)]
    found: list[int] = []
    read = 0
    while read < len(holders) and len(found) < enough and time.monotonic() < until:
        batch = holders[read : read + READ_AT_ONCE]
        found += those_that_say(view, language, phrase, batch)
        read += len(batch)
    return np.array(sorted(found), np.intp), holders[:read]


def those_that_say(view: View, language: str, phrase: str, positions: NDArray[np.intp]) -> set[int]:
    """Positions of the chunks that hold the phrase; of an identifier, with its signs and in any capitals."""
    literal = without_accents(name_of(phrase)) if is_identifier(phrase) else ""
    place = dict(zip(view.chunk_columns.chunks[positions].tolist(), positions.tolist(), strict=True))
    pieces: list[str] = []
    owners: list[int] = []
    chunks = Chunk.objects.filter(pk__in=list(place)).order_by()
    for pk, breadcrumb, *texts in chunks.values_list("pk", "section__breadcrumb", "context", "text"):
        said = [
            piece for piece in (*breadcrumb, *texts) if piece and (not literal or literal in without_accents(piece))
        ]
        read = [reading for piece in said for reading in readings(piece)]
        pieces += read
        owners += [place[pk]] * len(read)
    asked = readings(phrase)
    with connection.cursor() as cursor:
        cursor.execute(HOLDS_PHRASE, {"texts": pieces, "language": language, "phrase": asked[0], "bare": asked[-1]})
        return {owners[ordinal] for (ordinal,) in cursor.fetchall()}
