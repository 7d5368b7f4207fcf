"""Postings against the lexemes that Postgres finds in the chunks' texts today."""

import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from django.db import connection

from knowledge.models import Chunk, LexicalSegment, Snapshot
from knowledge.texts.analysis import ANALYSIS_VERSION, bare_words_of, tokens, words_of
from knowledge.texts.indexed import indexed

from .finding import Finding

SAMPLE = 200

LEXEMES = """
    SELECT lexeme, least(sum(often), 255)::int FROM (
        SELECT ordinal, lexeme, max(cardinality(positions)) AS often
        FROM unnest(%(tokens)s::int[], %(texts)s::text[]) AS written (ordinal, text),
             LATERAL unnest(to_tsvector(%(language)s::regconfig, text))
        GROUP BY ordinal, lexeme
    ) AS token GROUP BY lexeme
"""


def equal(deep: bool) -> Finding:
    """Every chunk of a ready snapshot stands in exactly one segment of its analysis, with the counts of its lexemes.

    What a former version of the analysis made of a text is not known any more, and not counted.
    """
    finding = Finding()
    kinds: dict[tuple[int, str], str] = {}
    for snapshot in Snapshot.objects.filter(state=Snapshot.State.READY).select_related("profile"):
        profile = snapshot.profile
        if profile.settings["analysis"] == ANALYSIS_VERSION:
            kinds[snapshot.library_id, profile.lexical_hash] = profile.settings["language"]
        held = segments_of(snapshot)
        chunks = Chunk.objects.filter(file_version__memberships__snapshot=snapshot).values_list("pk", flat=True)
        missing = np.setdiff1d(np.fromiter(chunks.iterator(), "<i8"), held)
        finding.expect(not len(missing), f"{snapshot}: {len(missing)} chunks without postings")
        finding.expect(len(np.unique(held)) == len(held), f"{snapshot}: a chunk stands in two segments")
    for (library, lexical), language in sorted(kinds.items()):
        for segment in LexicalSegment.objects.filter(library=library, lexical=lexical):
            compare(segment, language, deep, finding)
    return finding


def segments_of(snapshot: Snapshot) -> np.ndarray:
    segments = LexicalSegment.objects.filter(library=snapshot.library_id, lexical=snapshot.profile.lexical_hash)
    packed = segments.values_list("chunk_ids", flat=True)
    return np.concatenate([np.frombuffer(ids, "<i8") for ids in packed] or [np.empty(0, "<i8")])


def compare(segment: LexicalSegment, language: str, deep: bool, finding: Finding) -> None:
    """Unpack the whole segment once, and recount the lexemes of its chunks (of a fixed sample, unless `deep`)."""
    chunk_ids = np.frombuffer(segment.chunk_ids, "<i8")
    stored = unpack(segment)
    ordinals = list(range(len(chunk_ids)))
    chosen = ordinals if deep else sorted(random.Random(0).sample(ordinals, min(SAMPLE, len(ordinals))))  # noqa: S311
    for ordinal in chosen:
        chunks = Chunk.objects.select_related("section", "file_version__document_file")
        chunk = chunks.filter(pk=int(chunk_ids[ordinal])).first()
        if chunk is None:  # collected since; its place in the segment is dead
            continue
        path = chunk.file_version.document_file.path
        body, head = indexed(chunk.text, chunk.context, chunk.section.breadcrumb, path)
        expected = count(language, body), count(language, head)
        finding.expect(stored.get(ordinal, (Counter(), Counter())) == expected, f"chunk {chunk.pk} in {segment}")


def unpack(segment: LexicalSegment) -> dict[int, tuple[Counter[str], Counter[str]]]:
    """Local ordinal → lexeme counts of body and headings."""
    found: dict[int, tuple[Counter[str], Counter[str]]] = {}
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT lexeme, ordinals, body_counts, head_counts FROM knowledge_posting WHERE segment_id = %s",
            [segment.pk],
        )
        for lexeme, ordinals, body, head in cursor:
            add(found, lexeme, np.frombuffer(ordinals, "<i4").tolist(), bytes(body), bytes(head))
    return found


def add(
    found: dict[int, tuple[Counter[str], Counter[str]]], lexeme: str, ordinals: Sequence[int], body: bytes, head: bytes
) -> None:
    for ordinal, in_body, in_head in zip(ordinals, body, head, strict=True):
        counts = found.setdefault(ordinal, (Counter(), Counter()))
        if in_body:
            counts[0][lexeme] = in_body
        if in_head:
            counts[1][lexeme] = in_head


def count(language: str, text: str) -> Counter[str]:
    """A token says its lexemes once, as it is written and bare."""
    written = [
        (number, words(token)) for words in (words_of, bare_words_of) for number, token in enumerate(tokens(text))
    ]
    asked: dict[str, Any] = {
        "tokens": [number for number, _ in written],
        "texts": [" ".join(said) for _, said in written],
        "language": language,
    }
    with connection.cursor() as cursor:
        cursor.execute(LEXEMES, asked)
        return Counter(dict(cursor.fetchall()))
