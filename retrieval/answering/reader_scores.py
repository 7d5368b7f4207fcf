"""A model's opinion of whether a quotation answers the question: it reads both together, as no vector does.

The embedded reader is a cross-encoder with an adapter of Muniment's own (benchmarks/reader). It has learnt
English alone.
"""

from collections.abc import Sequence

from knowledge.endpoints import EndpointError
from knowledge.endpoints.status import EndpointStatus
from knowledge.texts.languages.documents import may_be_english
from knowledge.texts.languages.questions import language_of
from retrieval.answering.followups.followup import marked
from retrieval.view import release_connection

READ_TOKENS = 173  # of question and quotation: it learnt from no longer pairs, and takes longer ones for answers
READER = EndpointStatus("reader")


def can_read(question: str) -> bool:
    """Whether there is a reader, and the question is in its language."""
    if not is_english(question):
        return False
    release_connection()
    try:
        return READER.proven() is not None
    except EndpointError:
        return False


def reader_scores(question: str, texts: Sequence[str]) -> list[float]:
    """A logit per text, the higher the likelier it answers; none at all without a reader, or in another language."""
    if not texts or not is_english(question) or not is_english("\n".join(texts)):
        return []
    release_connection()
    try:
        return READER.scores(marked(question), texts, READ_TOKENS)
    except EndpointError:
        return []  # a help, and no need: an image without embedded models has none


def is_english(text: str) -> bool:
    """Whether `text` may be given to the reader: one of few words counts as English where nothing tells another."""
    return language_of(text) == "en" and may_be_english(text)
