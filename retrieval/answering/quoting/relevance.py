"""How much of a question a text has, and what it says beyond it. Pure."""

from collections.abc import Sequence
from math import log

from knowledge.texts.words import terms
from retrieval.answering.checking.numerals import in_digits
from retrieval.answering.citations import heading
from retrieval.answering.quoting.held import held_in
from retrieval.answering.sentences import LIST_MARK
from retrieval.results import Hit

EVERYWHERE = 0.5  # the weight of a word that all hits have: the subject counts, even against one that is rare by chance


def weigh_terms(question: str, hits: Sequence[Hit]) -> dict[str, float]:
    """The question's content words, the rarer among the hits the heavier; they sum to 1. In one order, whatever process
    asks: sums of floats depend on it, and ties decide what is quoted.
    """
    held = [terms(f"{heading(hit)} {hit.text}") for hit in hits]
    often = {term: sum(term in one for one in held) for term in sorted(terms(question))}
    weights = {term: log(2 + len(held)) - log(1 + count) + EVERYWHERE for term, count in often.items()}
    total = sum(weights.values())
    return {term: weight / total for term, weight in weights.items()} if total else {}


def relevance(here: set[str], weights: dict[str, float], above: set[str]) -> float:
    """The weighted share of the question's words among those of a text; those in the heading above it count half."""
    return sum(weight if term in here else weight / 2 if term in above else 0.0 for term, weight in weights.items())


def told_of(question: str, hit: Hit) -> str:
    """All that a hit says: its headings, its text, and of the question's numbers those in the ranges of its rows."""
    held = held_in(question, hit.text, hit.context)
    return " ".join([heading(hit), hit.text, *(one.asked for one in held)])


def news(text: str, asked: set[str]) -> int:
    """Content words that the question does not have. A number is often the whole answer: it counts for two, unless it
    is that of a list's item."""
    said = terms(LIST_MARK.sub("", text))
    return sum(2 if in_digits(term).isdigit() else 1 for term in said - asked)
