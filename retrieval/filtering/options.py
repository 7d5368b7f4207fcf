"""Words behind a dash that passages write with it: options of commands (`tar -xzf a.tar.gz`), and no exclusions."""

import re
from collections.abc import Callable, Iterable
from functools import cache

import numpy as np

from knowledge.models import Chunk
from knowledge.texts.analysis import without_accents, words
from knowledge.texts.words import tells
from retrieval.bm25 import Floats, top
from retrieval.lexical import holding_all, languages, look_up, query_lexemes, scores
from retrieval.query import SUSPENDED, Query, Term, plain
from retrieval.view import View

from .names import for_a_word

READ = 100  # passages for one word: the likeliest by what stands beside it
ENUMERATED = re.compile(r"(?:^|\s)[^\W\d_][\w-]*,\s+\Z")  # “-änderung” follows, as in “Abschluss, -änderung”
WRITTEN = r"(?<![^\s\"'`]){}(?![\w-])"


def with_options(view: View, query: Query, notes: list[str]) -> Query:
    """The query, in which exclusions are words that a passage writes so, in a line in which, or under a title in which,
    another of its words stands before. `notes` says so.
    """
    beside = frozenset(word for word in map(without_accents, words(query.text)) if tells(word))
    exclusions = [term for term in query.exclusions if beside and not term.quoted]
    if not exclusions:
        return query
    scored = cache(lambda: scores(look_up(view, query.text)))
    options = [term for term in exclusions if is_written(view, term, scored, beside)]
    notes += [for_a_word(term.written, "passages write it so") for term in options]
    return Query(tuple(plain(term.written) if term in options else term for term in query.terms))


def is_written(view: View, term: Term, scored: Callable[[], Floats], beside: frozenset[str]) -> bool:
    """`scored` gives the scores of what stands beside it, which only many passages are chosen by."""
    written = re.compile(WRITTEN.format(re.escape(term.written)))
    held = np.zeros(view.offsets[-1], np.bool_)
    for language in sorted(languages(view)):
        if lexemes := query_lexemes(language, term.value):
            held |= holding_all(view, language, lexemes)
    places = np.flatnonzero(held)
    if len(places) > READ:
        places = places[top(scored()[places], READ)]
    chunks = Chunk.objects.filter(pk__in=view.chunk_columns.chunks[places].tolist(), text__contains=term.written)
    read = chunks.order_by().values_list("section__breadcrumb", "text")
    return any(beside.intersection(map(without_accents, words(before))) for before in befores(read, written))


def befores(passages: Iterable[tuple[list[str], str]], written: re.Pattern[str]) -> Iterable[str]:
    """What stands before the word wherever it is written so: the titles, and the beginning of its line."""
    for breadcrumb, text in passages:
        for found in written.finditer(text):
            before = text[text.rfind("\n", 0, found.start()) + 1 : found.start()]
            if not (SUSPENDED.search(before) or ENUMERATED.search(before)):
                yield "\n".join([*breadcrumb, before])
