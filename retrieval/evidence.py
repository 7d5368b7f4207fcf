"""Do the hits hold an answer at all? A signal that needs no model, and the documents' own words where it is strong.

The strength is the best hit's cosine similarity to the question plus the share of the question's content words that
this hit has (with its heading), less .2 where a name, a number or an identifier of the question stands in no hit.

Measured with MiniLM and BM25's first six hits; share of answerable questions kept / of unanswerable ones refused:

| threshold | off-topic | XQuAD en, gold paragraph removed | Northwind PDFs | Symfony sections | CNIL FAQ (fr) |
|---|---|---|---|---|---|
| .80, below: weak | – / .96 | .96 / .59 | 1.00 / .51 | .95 / – | 1.00 / – |
| 1.10, above: strong | – / 1.00 | .82 / .93 | 1.00 / .60 | .78 / – | .85 / – |

(Half of Northwind's "unanswerable" questions are answered by its documents; all 21 absurd ones are refused at .80. AUC:
this signal .93 on XQuAD and .86 on Northwind; cosine alone .81 and .85; shared words alone .91 and .84.) The cosine of
unrelated texts is near 0 with MiniLM and .4 and more with some larger models: `floor` is subtracted then. A model of
one language is deaf to others: with German questions .86 are kept. The check of the written answer comes after this.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log

from retrieval.citations import Checked, Quote, heading
from retrieval.results import Hit
from retrieval.sentences import windows
from retrieval.support import ENOUGH_OVERLAP, lacking, support
from retrieval.words import terms

WEAK = 0.8
STRONG = 1.1
WITHOUT_VECTORS = 1.6  # times the share of words alone: weak below one half (.95 kept, .77 refused off-topic)
MISSING = 0.2
RELEVANT = 0.34  # of the question's content words, in a sentence with its quote
EXTRACTS = 2
NEWS = 2  # content words beyond the question's: a heading that repeats it answers nothing
PER_RANK = 0.05  # the ranking knows more than shared words
NEARLY_AS_GOOD = 0.8  # of the best extract's share of the question's words


@dataclass(frozen=True, slots=True)
class Evidence:
    strength: float

    @property
    def weak(self) -> bool:
        return self.strength < WEAK

    @property
    def strong(self) -> bool:
        return self.strength >= STRONG


def weigh(question: str, hits: Sequence[Hit], floor: float = 0.0) -> Evidence:
    """How likely the hits answer the question, on the scale of the table above."""
    if not hits:
        return Evidence(0.0)
    shares = [share(question, f"{heading(hit)} {hit.text}") for hit in hits]
    cosines = [hit.scores.get("vector") for hit in hits]
    known = [cosine for cosine in cosines if cosine is not None]
    if known:  # a hit that the vector branch did not find is no nearer than those it found
        strengths = [
            words + ((min(known) if cosine is None else cosine) - floor) / (1 - floor)
            for words, cosine in zip(shares, cosines, strict=True)
        ]
    else:
        strengths = [words * WITHOUT_VECTORS for words in shares]
    missing = lacking(question, " ".join(f"{heading(hit)} {hit.text}" for hit in hits))
    return Evidence(max(strengths) - (MISSING if missing else 0.0))


def share(question: str, text: str) -> float:
    """The part of the question's content words that a text has."""
    wanted = terms(question)
    return len(wanted & terms(text)) / len(wanted) if wanted else 0.0


def answers(question: str, checked: Checked) -> bool:
    """Whether at least half of the sentences are borne out, and one of them answers.

    Small models repeat the question, or a passage's first sentence: both are true and answer nothing. So one sentence
    must say more than the question, have that from its quote, and be about the question.
    """
    claims = [sentence for sentence in checked.sentences if not sentence.text.endswith(":")]
    if 2 * sum(sentence.supported for sentence in claims) < len(claims):
        return False
    quotes = {citation.n: citation.quote for citation in checked.citations}
    for sentence in claims:
        about = " ".join(quotes[n] for n in sentence.citations)
        new = terms(sentence.text) - terms(question)
        told = len(new & terms(about)) >= len(new) * ENOUGH_OVERLAP
        if sentence.supported and new and told and share(question, f"{sentence.text} {about}") >= RELEVANT:
            return True
    return False


def extract(question: str, hits: Sequence[Hit]) -> dict[int, Quote]:
    """The spans nearest to the question, by the number of their hit: at most two, the best first."""
    weights = weigh_terms(question, hits)
    best = {n: quote for n, hit in enumerate(hits, 1) if (quote := _nearest(question, hit, weights))}
    values = {n: relevance(best[n].text, weights, heading(best[n].hit)) - PER_RANK * (n - 1) for n in best}
    least = max(values.values(), default=0.0) * NEARLY_AS_GOOD
    chosen = sorted((n for n in best if values[n] > 0 and values[n] >= least), key=lambda n: (-values[n], n))[:EXTRACTS]
    return {n: best[n] for n in chosen}


def rests_on_the_best(question: str, checked: Checked, hits: Sequence[Hit]) -> bool:
    """Whether an answer cites words about as near to the question as the nearest that could be quoted.

    A small model answers from whatever it read last. What it says may be true, and of something else.
    """
    weights = weigh_terms(question, hits)
    cited = [relevance(citation.quote, weights, heading(citation.hit)) for citation in checked.citations]
    nearest = [relevance(quote.text, weights, heading(quote.hit)) for quote in extract(question, hits).values()]
    return max(cited, default=0.0) >= max(nearest, default=0.0) * NEARLY_AS_GOOD


def weigh_terms(question: str, hits: Sequence[Hit]) -> dict[str, float]:
    """The question's content words, the rarer among the hits the heavier; they sum to 1."""
    held = [terms(f"{heading(hit)} {hit.text}") for hit in hits]
    weights = {term: log(2 + len(held)) - log(1 + sum(term in one for one in held)) for term in terms(question)}
    total = sum(weights.values())
    return {term: weight / total for term, weight in weights.items()} if total else {}


def relevance(text: str, weights: dict[str, float], above: str) -> float:
    """The weighted share of the question's words in a text; those in the heading above it count half."""
    here, there = terms(text), terms(above)
    return sum(weight if term in here else weight / 2 if term in there else 0.0 for term, weight in weights.items())


def _nearest(question: str, hit: Hit, weights: dict[str, float]) -> Quote | None:
    texts = {span: hit.text[span.start : span.end] for span in windows(hit.text)}
    texts = {span: text for span, text in texts.items() if len(terms(text) - terms(question)) >= NEWS}
    span = max(texts, key=lambda span: (relevance(texts[span], weights, ""), -len(texts[span])), default=None)
    return Quote(hit, span, support(texts[span], texts[span])) if span else None
