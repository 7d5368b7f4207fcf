"""How many of the truly nearest ten the vector branch brings, sampled.

The branch is asked as a search asks it; the truth is every stored vector as Postgres has it, compared in full, with
those of its parts. With a filter, the ten nearest are those among the positions that the filter lets through.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from knowledge.models import Answer, Chunk, Embedding, Library, Snapshot, VectorRecall
from retrieval import vector
from retrieval.bm25 import highest, top
from retrieval.matrices import Floats32, content_hashes, stored_vectors
from retrieval.query import parse
from retrieval.query_vector import query_vector
from retrieval.view import SearchedSnapshot, View, one_read, unhurried

NEAREST = 10
SAMPLE = 100  # queries; the exact cosines take 4 bytes for each of them and each chunk
FILTERED = 0.01  # of the chunks
ROUNDING = 1e-6  # equal vectors may differ by so much in their cosines

Mask = NDArray[np.bool_]  # by position: whether a filter lets the chunk through


@dataclass(frozen=True, slots=True)
class Sample:
    """Vectors to ask for: (queries, dimension), and the position of the chunk that each is of, −1 for a question's."""

    asked: str
    vectors: Floats32
    selves: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Recall:
    queries: int
    recall: float
    lowest: float
    too_few: int


def measure_recall(library: Library, size: int = SAMPLE) -> list[VectorRecall]:
    """Rows for stored vectors and for questions, without a filter and with one that lets 1 % of the chunks through.

    Without those for which nothing could be measured. Raises LookupError when that is all of them, or the library has
    no active snapshot or nothing in it, EndpointError when questions cannot be embedded.
    """
    questions = questions_of(library, size)
    embedded = [query_vector(question) for question in questions]  # before the read: no transaction waits for a model
    with one_read(None, (library.slug,)) as view, unhurried():
        if not view.snapshots or not len(view.snapshots[0].chunk_ids):
            raise LookupError(f"{library} has no active snapshot with passages")
        searched = view.snapshots[0]
        asked = [found.values for found in embedded if found.space == searched.space_id]
        samples = [sample_vectors(searched, size)]
        if asked:
            samples.append(Sample("questions", np.array(asked, np.float32), np.full(len(asked), -1)))
        masks = [None, sample_mask(searched)] if len(searched.chunk_ids) * FILTERED > NEAREST else [None]
        measured = [
            (sample, mask, found)
            for sample in samples
            for mask, found in zip(masks, recalls(view, sample, masks), strict=True)
            if found.queries
        ]
    if not measured:
        raise LookupError(f"{library} has too few passages with vectors to measure the recall")
    rows = [as_row(searched, sample, mask, found) for sample, mask, found in measured]
    return VectorRecall.objects.bulk_create(rows)


def questions_of(library: Library, size: int) -> list[str]:
    """Of its golden questions, then of what was last asked of it, what is looked for; each once."""
    golden = [row.text for row in library.golden_questions.active().order_by("identifier")[:size]]
    asked = Answer.objects.order_by("-asked_at").values_list("searched_for", "snapshots")[: 10 * size]
    recent = [text for text, snapshots in asked if library.slug in (slug for slug, _ in snapshots)]
    return [text for text in dict.fromkeys(parse(text).text for text in [*golden, *recent]) if text][:size]


def sample_vectors(searched: SearchedSnapshot, size: int) -> Sample:
    """The vectors of chunks drawn by the manifest's hash: the same snapshot, the same sample."""
    chunks = searched.chunk_ids
    drawn = np.sort(generator(searched).choice(len(chunks), min(size, len(chunks)), replace=False))
    hashes = dict(Chunk.objects.filter(pk__in=chunks[drawn].tolist()).values_list("pk", "content_hash"))
    stored = Embedding.objects.filter(space=searched.space_id, content_hash__in=set(hashes.values()))
    vectors = {bytes(content): values for content, values in stored.values_list("content_hash", "vector")}
    known = [place for place in drawn.tolist() if bytes(hashes[int(chunks[place])]) in vectors]
    values = [vectors[bytes(hashes[int(chunks[place])])] for place in known]
    return Sample("vectors", np.array(values, np.float32), np.array(known, np.int64))


def sample_mask(searched: SearchedSnapshot) -> Mask:
    """One chunk in a hundred, drawn by the manifest's hash."""
    return generator(searched).random(len(searched.chunk_ids)) < FILTERED


def generator(searched: SearchedSnapshot) -> np.random.Generator:
    manifest_hash = Snapshot.objects.values_list("manifest_hash", flat=True).get(pk=searched.pk)
    return np.random.default_rng(int(manifest_hash[:16], 16))


def recalls(view: View, sample: Sample, masks: Sequence[Mask | None]) -> list[Recall]:
    """One for each mask; the exact cosines are computed once."""
    searched = view.snapshots[0]
    exact = exact_cosines(searched, sample.vectors)
    return [recall(sample, exact, mask, partial(branch, view, mask)) for mask in masks]


def branch(view: View, mask: Mask | None, query: Floats32) -> list[int]:
    """The positions that the vector branch ranks first: one more than the ten, for the query's own chunk is no find."""
    space = view.snapshots[0].space_id
    cosines = vector.cosines(view, space, query.tolist(), (), view.snapshots[0].retrieval_settings.depth, mask).values
    return top(cosines, NEAREST + 1, above=vector.UNKNOWN)


def exact_cosines(searched: SearchedSnapshot, queries: Floats32) -> Floats32:
    """(queries, chunks); −∞ for a chunk without a vector."""
    found = np.full((len(queries), len(searched.chunk_ids)), -np.inf, np.float32)
    for positions, rows in stored_vectors(searched, content_hashes(searched)):
        cosines = (queries @ rows.vectors.T).astype(np.float32)
        if searched.in_parts and rows.parts:
            everywhere = np.arange(len(positions))
            for own, query in zip(cosines, queries, strict=True):
                vector.with_parts(own, rows.parts, query, everywhere)
        found[:, positions] = cosines
    return found


def recall(sample: Sample, exact: Floats32, mask: Mask | None, ranked: Callable[[Floats32], list[int]]) -> Recall:
    """The share of each query's nearest by `exact` (queries, chunks) that `ranked` brings; ties are as good."""
    shares, too_few = [], 0
    for query, own, cosines in zip(sample.vectors, sample.selves.tolist(), exact, strict=True):
        allowed = np.isfinite(cosines) if mask is None else mask & np.isfinite(cosines)
        if own >= 0:
            allowed[own] = False
        expected = min(NEAREST, int(allowed.sum()))
        if not expected:
            continue
        least = highest(cosines[allowed], expected)
        brought = [place for place in ranked(query) if allowed[place]][:expected]
        shares.append(sum(cosines[place] >= least - ROUNDING for place in brought) / expected)
        too_few += len(brought) < expected
    return Recall(len(shares), float(np.mean(shares)) if shares else 1.0, float(min(shares, default=1.0)), too_few)


def as_row(searched: SearchedSnapshot, sample: Sample, mask: Mask | None, found: Recall) -> VectorRecall:
    return VectorRecall(
        library_id=searched.library_id,
        snapshot_number=searched.number,
        space_id=searched.space_id,
        chunks=len(searched.chunk_ids),
        asked=sample.asked,
        share=1.0 if mask is None else round(float(mask.mean()), 4),
        queries=found.queries,
        recall=found.recall,
        lowest=found.lowest,
        too_few=found.too_few,
    )
