"""What the documents give to answer a question from: the hits, how strong they are, and what could be quoted."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import numpy as np
from django.conf import settings

from knowledge.endpoints import EndpointError
from retrieval.answering.evidence import Evidence, calibrated, margin, weigh
from retrieval.answering.quoting.continuing import going_on, is_cut_off
from retrieval.answering.quoting.extracts import Extract, extract
from retrieval.answering.reader_scores import can_read, reader_scores
from retrieval.query import parse
from retrieval.query_vector import query_vector, recognised_endpoint
from retrieval.results import Hit
from retrieval.view import release_connection


@dataclass(frozen=True)
class Grounds:
    """Quotations are looked for when they are first asked for, and once: models read them."""

    question: str
    hits: tuple[Hit, ...]
    cautions: Mapping[str, float] = field(default_factory=dict)  # of libraries, by slug: as they are set
    after: Callable[[Hit], Hit | None] = lambda hit: None  # the passage behind one

    @cached_property
    def evidence(self) -> Evidence:
        return weigh(self.question, self.hits, cosine_range(self.question, self.hits))

    @cached_property
    def extracts(self) -> tuple[Extract, ...]:
        """Raises EndpointError when the embedding model is away, without AI_OFFLINE_FALLBACK."""
        asked = self.question
        return extract(asked, self.hits, partial(similarities, asked), partial(reader_scores, asked))

    @cached_property
    def quotations(self) -> tuple[Extract, ...]:
        """What is shown: the extracts, the best of them with its rest where its passage cuts it off."""
        best, *others = self.extracts or (None,)
        if best is None or not is_cut_off(best) or (following := self.after(best.quote.hit)) is None:
            return self.extracts
        known = {hit.chunk_id: n for n, hit in enumerate(self.hits, 1)}
        whole = going_on(best, following, known.get(following.chunk_id, len(self.hits) + 1))
        return *whole, *(one for one in others if one.n not in {part.n for part in whole})

    @property
    def margin(self) -> float:
        """By how much they are more than enough, before any caution."""
        return margin(self.evidence, self.extracts)

    @property
    def caution(self) -> float:
        """Of the library whose words would be shown first."""
        return self.cautions.get(self.extracts[0].quote.hit.library, 0.0) if self.extracts else 0.0

    @property
    def are_enough(self) -> bool:
        """To show the documents' own words for an answer."""
        return self.margin >= self.caution

    @property
    def are_worth_asking(self) -> bool:
        """Whether a model may try. What is weak by its words may still be what a reader takes for the answer; without
        one, or where a name is lacking, it stays weak whatever could be quoted."""
        if not self.evidence.weak:
            return True
        return not self.evidence.lacks_a_name and can_read(self.question) and self.are_enough

    @property
    def suffice(self) -> bool:
        """Whether the documents' own words are the answer where no model writes one."""
        return self.are_worth_asking and self.are_enough

    def as_json(self) -> dict[str, Any]:
        """For the ledger: why they were enough, or not. Quotations that nobody looked for are not looked for here."""
        found = self.__dict__.get("extracts", ())
        told = [
            {"value": round(one.value, 3), "opinion": None if one.logit is None else round(one.logit, 3)}
            for one in found
        ]
        evidence = self.evidence
        return {
            "strength": round(evidence.strength, 3),
            "lacks_a_name": evidence.lacks_a_name,
            "quotations": told,
            "margin": round(self.margin, 3) if found else None,
            "caution": self.caution if found else None,
        }


def similarities(question: str, texts: Sequence[str]) -> list[float]:
    """Cosines to the question, as MiniLM would give them; zeros where no embedding endpoint answers, so that words
    decide alone."""
    try:
        asked = query_vector(parse(question).text)  # known since the search
        endpoint = recognised_endpoint().endpoint
        release_connection()
        cosines = endpoint.embed_documents(texts) @ np.array(asked.values, np.float32)
    except EndpointError:
        if not settings.AI_OFFLINE_FALLBACK:
            raise
        return [0.0] * len(texts)
    return [calibrated(cosine, asked.cosine_range) for cosine in cosines.tolist()]


def cosine_range(question: str, hits: Sequence[Hit]) -> float:
    """Of the cosines that the hits have. Without any no model is looked for: the search knew that it is away."""
    if all(hit.scores.get("vector") is None for hit in hits):
        return 1.0
    try:
        return query_vector(parse(question).text).cosine_range  # known since the search
    except EndpointError:
        return 1.0
