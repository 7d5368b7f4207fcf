"""What is said of searches and answers in Muniment's words, on pages and in a terminal alike."""

from collections.abc import Sequence

from knowledge.texts.formats import notation_of
from knowledge.texts.words import UNSPACED_STOPS, tells, words
from retrieval.answering.conclusions import EXTRACT
from retrieval.preview import is_symbolic, matcher, preview, query_words, unspaced
from retrieval.rendering.plain import listing, one_line
from retrieval.rerank import RERANKER
from retrieval.results import Hit

PROGRAMS = "en"  # what they are written in
NOTICES = {
    "embedding": "The embedding model does not answer, or is not the one that these libraries were read in with: "
    "these were found by their words only.",
    "vector": "Searching by meaning is not available, so these were found by their words only.",
    "rerank": "The reranker does not answer: the order is the one before reranking.",
    "chat": "The chat model gave no answer, so you see what the documents say and no summary of it.",
    "cut": "The chat model broke off: what it had written by then was checked, and the rest is missing.",
    "key": "The chat model's server refuses the API key. That is a fault of the configuration: tell an administrator.",
    "timeout": "The search took too long and was broken off. Try fewer or rarer words.",
    "database": "The database did not answer. Try again in a moment.",
    "spelling": "There was no time to look for other spellings.",
    "support": "Some sentences could not be checked against their sources.",
}
ANOTHER_MODEL = "Some of these libraries were read in with another embedding model: they are searched by words only."
NO_RERANKER = "No reranker is configured (RERANK_URL): the order is the one without."

QUOTED = "quoted from the documents, not written by a model: check that it answers your question"


def notice(name: str, hits: Sequence[Hit] = ()) -> str:
    """What a name in `degraded` means for the reader of these hits."""
    if name == "embedding" and any(hit.ranks.get("vector") for hit in hits):
        return ANOTHER_MODEL
    if name == "rerank" and RERANKER.is_off:
        return NO_RERANKER
    return NOTICES.get(name, f"Not available: {name}.")


def written_by(model: str) -> str:
    """Whose words an answer is in."""
    return QUOTED if model == EXTRACT else model


def excerpt(hit: Hit, query: str) -> str:
    """What the result list shows of a hit: lines of a program; of a document one, without markup, and without its title
    unless that is all.
    """
    if hit.is_program:
        return listing(hit.text, matcher(telling_words(query, PROGRAMS)))
    return preview(one_line(hit.whole, hit.section_title, notation_of(hit.source_file)) or hit.section_title, query)


def telling_words(query: str, language: str) -> frozenset[str]:
    """Not “how”, “can”, “the”: of all languages, where it is not said in which one the text is."""
    wanted = query_words(query)
    pairs_of = unspaced(wanted)
    return frozenset(
        word
        for word in wanted
        if (not UNSPACED_STOPS.search(word) if word in pairs_of else says(word, language) or is_symbolic(word))
    )


def says(word: str, language: str) -> bool:
    return any(tells(part, language) for part in words(word))
