"""Whether an archive is whole, and its vectors those that its model makes: a few of them are made again."""

import hashlib
import random
from typing import Any

import numpy as np

from ingestion.code_vectors import fitted
from knowledge.endpoints import Embedder
from knowledge.spaces import SAME_MODEL_COSINE

from .checking import Archive
from .contents import ArchivedFile, ArchivedSummary
from .layout import expect

SAMPLE = 32  # vectors that are made again
OTHER_VECTORS = "the archive's vectors are not those of its texts: import it with --embed"


def check_all(archive: Archive, endpoint: Embedder | None, for_code: Embedder | None) -> None:
    """Everything once, before anything is written. A sample of the vectors is made again where the model is there."""
    texts, code = Sample(endpoint), Sample(for_code, cut=True)
    for file in archive.files():
        if archive.has_originals:
            archive.original(file.record["sha256"], file.record["size"])
        if file.vectors is not None and file.summary_vectors is not None and endpoint:
            for place, vector in enumerate(file.vectors):
                offer_chunk(texts, file, place, vector)
            for summary, vector in zip(file.summaries, file.summary_vectors, strict=True):
                if summary_hash(file, summary) not in file.content_hashes:  # else it has that chunk's
                    texts.offer(file.embedded_summary(summary), vector)
        if file.code_vectors is not None and for_code:
            for place, vector in zip(file.code, file.code_vectors, strict=True):
                code.offer(file.embedded(place), vector)
    for sample in (texts, code):
        expect(sample.is_true(), OTHER_VECTORS)


def offer_chunk(sample: "Sample", file: ArchivedFile, place: int, vector: Any) -> None:
    """Its parts, where it has some: what its vector has to do with them was checked."""
    if file.parts is None:
        sample.offer(file.embedded(place), vector)
        return
    texts, vectors = file.embedded_parts(place), file.parts[place] if len(file.parts[place]) else [vector]
    expect(len(texts) == len(vectors), OTHER_VECTORS)
    for text, own in zip(texts, vectors, strict=True):
        sample.offer(text, own)


def summary_hash(file: ArchivedFile, summary: ArchivedSummary) -> bytes:
    return hashlib.sha256(file.embedded_summary(summary).encode()).digest()


class Sample:
    """A few texts with the vectors that they are said to have, each as likely as any other to be among them."""

    def __init__(self, endpoint: Embedder | None, cut: bool = False) -> None:
        """`cut`: of a text that is too long for the model, its beginning was embedded."""
        self.cut, self.endpoint, self.chosen, self.seen = cut, endpoint, random.SystemRandom(), 0
        self.kept: list[tuple[str, Any]] = []

    def offer(self, text: str, vector: Any) -> None:
        self.seen += 1
        slot = len(self.kept) if len(self.kept) < SAMPLE else self.chosen.randrange(self.seen)
        if slot < SAMPLE:
            self.kept[slot : slot + 1] = [(text, vector)]

    def is_true(self) -> bool:
        """Raises EndpointError."""
        if self.endpoint is None or not self.kept:
            return True
        texts = [text for text, _ in self.kept]
        own = self.endpoint.embed_documents(fitted(texts, self.endpoint) if self.cut else texts)
        alike = (own * np.stack([vector for _, vector in self.kept])).sum(axis=1) >= SAME_MODEL_COSINE
        return bool(alike.all())
