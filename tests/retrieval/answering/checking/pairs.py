"""How a sentence of an answer is held against a passage."""

from retrieval.answering.citations import best_quote
from tests.retrieval.answering_fakes import make_hit


def holds(sentence: str, passage: str) -> bool:
    """As an answer's sentence is checked: against the spans of a passage."""
    quote = best_quote(sentence, [make_hit(passage)])
    return quote is not None and quote.support.holds
