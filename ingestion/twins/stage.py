"""The stage of a build that compares the files of a snapshot, and keeps which are near twins.

Nearly the same text: at least NEAR of their shingles are in both. The same outline: at least NEAR of their headings, of
which there are many, are in both, and so are most of their words, counted; two handbooks that were written from one
plan have that in common, and few sentences. The same bytes: a copy; a file of only a few words can only be that.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from functools import lru_cache

import numpy as np
from django.db.models import Q

from ingestion.progress import Progress
from knowledge.models import FileSignature, FileVersion, NearTwin, Section, Snapshot

from . import similarity

NEAR = 0.8
LEAST_SHINGLES = 30
LEAST_TITLES = 10
SAME_WORDS = 0.6
KEPT = 64  # files at hand: more than are compared each with each

Pair = tuple[int, int]


def find_twins(snapshot: Snapshot, progress: Progress) -> None:
    """Rows for the pairs that nobody has looked at: those with a version that had no signature yet.

    Of copies the first is compared for all. The others get their signatures, and are compared, when it is gone.
    """
    versions = set(snapshot.files.values_list("file_version", flat=True))
    known = FileSignature.objects.filter(file_version__in=versions)
    same = set(copies(snapshot))
    again = {copy for _, copy in same}
    told = NearTwin.objects.filter(kind=NearTwin.Kind.COPY, other__in=again).values_list("one", "other")
    found = {pair: twin(pair, NearTwin.Kind.COPY, 1.0) for pair in same.difference(told)}
    new = sorted(versions - again - set(known.values_list("pk", flat=True)))
    progress.total = len(new)
    if not new and not found:
        return
    signatures, fresh = [sign(pk, progress) for pk in new], set(new)
    others = [row for row in (*known.defer("file_version"), *signatures) if row.pk not in again]
    texts, outlines = lru_cache(KEPT)(shingles_of), lru_cache(KEPT)(titles_of)
    for pair in sorted(candidates(others, "words", fresh) - found.keys()):
        if (share := similarity.jaccard(*map(texts, pair))) >= NEAR:
            found[pair] = twin(pair, NearTwin.Kind.TEXT, share)
    for pair in sorted(candidates(others, "outline", fresh) - found.keys()):
        if (share := similarity.jaccard(*map(outlines, pair))) >= NEAR and of_words(pair) >= SAME_WORDS:
            found[pair] = twin(pair, NearTwin.Kind.OUTLINE, share)
    NearTwin.objects.bulk_create([found[pair] for pair in sorted(found)], ignore_conflicts=True)
    FileSignature.objects.bulk_create(signatures, ignore_conflicts=True)  # last: a killed build compares again
    progress.counters["near_twins"] += len(found)


def twin(pair: Pair, kind: NearTwin.Kind, share: float) -> NearTwin:
    return NearTwin(one_id=pair[0], other_id=pair[1], kind=kind, similarity=round(share, 4))


def sign(pk: int, progress: Progress) -> FileSignature:
    shingles, outline = shingles_of(pk), titles_of(pk)
    progress.advance()
    return FileSignature(
        file_version_id=pk,
        words=similarity.signature(shingles).tobytes() if len(shingles) >= LEAST_SHINGLES else b"",
        outline=similarity.signature(outline).tobytes() if len(outline) >= LEAST_TITLES else b"",
    )


def text_of(pk: int) -> str:
    return FileVersion.objects.values_list("text", flat=True).get(pk=pk)


def shingles_of(pk: int) -> similarity.Hashes:
    return similarity.hashed(similarity.shingles(text_of(pk)))


def titles_of(pk: int) -> similarity.Hashes:
    named = Section.objects.filter(file_version=pk).values_list("title", flat=True)
    return similarity.hashed({" ".join(similarity.words(title)) for title in named} - {""})


def copies(snapshot: Snapshot) -> Iterable[Pair]:
    """Each version with the first of those that hold the same bytes; empty files hold nothing to be the same."""
    members = FileVersion.objects.filter(memberships__snapshot=snapshot).exclude(Q(size=0) | Q(chunk_count=0))
    alike: dict[str, list[int]] = defaultdict(list)
    for sha256, pk in members.order_by("pk").values_list("sha256", "pk"):
        alike[sha256].append(pk)
    for group in alike.values():
        yield from ((group[0], other) for other in group[1:])


def candidates(signatures: Iterable[FileSignature], part: str, fresh: set[int]) -> set[Pair]:
    packed = {row.pk: bytes(getattr(row, part)) for row in signatures}
    arrays = {pk: np.frombuffer(value, np.uint32) for pk, value in packed.items() if value}
    return {pair for pair in similarity.alike(arrays) if fresh & {*pair}}


def of_words(pair: Pair) -> float:
    return similarity.weighted_jaccard(*(Counter(similarity.words(text_of(pk))) for pk in pair))
