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

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log

from retrieval.answering.citations import Checked, Quote, heading
from retrieval.answering.relations import in_digits
from retrieval.answering.sentences import Span, sentence_spans, windows
from retrieval.answering.support import ENOUGH_OVERLAP, lacking, support
from retrieval.answering.words import terms
from retrieval.results import Hit

WEAK = 0.8
STRONG = 1.1
STRONG_EXTRACT = 0.9  # so near an extract answers on middling evidence (sample: 3 of 6 regained, 1 of 8 lost)
WITHOUT_VECTORS = 1.6  # times the share of words alone: weak below one half (.95 kept, .77 refused off-topic)
MISSING = 0.2
RELEVANT = 0.34  # of the question's content words, in a sentence with its quote
EXTRACTS = 2
EXTRACTED_HITS = 5  # hits whose sentences are compared with the question
EXTRACTED_SENTENCES = 12  # of a hit
COMPARED = 20  # of some 44, those with most of the question's words: the best is among 16 of them for all of Northwind
WIDENED = 420  # characters of an extract that takes in what follows
TABLE_BORDERS = "|+="
NEWS = 2  # content words beyond the question's: a heading that repeats it answers nothing
PER_RANK = 0.1  # the ranking knows more than shared words: the first quotation of Northwind's page .66 to .69 (.05)
NEARLY_AS_GOOD = 0.8  # of the best extract's share of the question's words
BESIDE = 4  # chunks: a second extract from farther off, or of another page, is of something else in most cases


Similarity = Callable[[Sequence[str]], Sequence[float]]  # texts in, cosines to the question out


@dataclass(frozen=True, slots=True)
class Extract:
    """A quotation that may answer: the number of its hit, and how near it is to the question."""

    n: int
    quote: Quote
    value: float

    @property
    def lines(self) -> range:
        citation = self.quote.citation(self.n)
        return range(citation.line_start, citation.line_end + 1)


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
    """The part of the question's content words that a text has. Single digits alone ask nothing: `' OR 1=1 --`."""
    wanted = terms(question)
    return len(wanted & terms(text)) / len(wanted) if any(len(term) > 1 for term in wanted) else 0.0


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
        about = " ".join(nearest_to(sentence.text, quotes[n]) for n in sentence.citations)
        new = terms(sentence.text) - terms(question)
        told = len(new & terms(about)) >= len(new) * ENOUGH_OVERLAP
        if sentence.supported and new and told and share(question, f"{sentence.text} {about}") >= RELEVANT:
            return True
    return False


def nearest_to(sentence: str, quote: str) -> str:
    """The sentences of a quotation that bear this one out: others may stand beside it."""
    spans = [quote[span.start : span.end] for span in windows(quote)]
    return next((text for text in sorted(spans, key=len) if support(sentence, text).overlap >= ENOUGH_OVERLAP), quote)


def extract(question: str, hits: Sequence[Hit], similarity: Similarity | None = None) -> tuple[Extract, ...]:
    """The spans nearest to the question, the best first: one, and perhaps a second beside it.

    `similarity` gives the cosine of texts to the question; without it shared words decide alone. On 150 XQuAD questions
    with four paragraphs each, the best sentence held the answer for .72 by cosine, .83 by words, .85 by their sum.
    """
    weights = weigh_terms(question, hits)
    spans = [
        (relevance(hit.text[span.start : span.end], weights, heading(hit)), n, hit, span)
        for n, hit in enumerate(hits[:EXTRACTED_HITS], 1)
        for span in telling_spans(question, hit)
    ]
    spans = sorted(spans, key=lambda one: PER_RANK * one[1] - one[0])[:COMPARED]
    texts = [hit.text[span.start : span.end] for _, _, hit, span in spans]
    cosines = similarity(texts) if similarity and texts else [0.0] * len(texts)
    found = [
        Extract(n, Quote(hit, widened(hit, span), support(text, text)), cosine + words)
        for (words, n, hit, span), text, cosine in zip(spans, texts, cosines, strict=True)
    ]
    best: dict[int, Extract] = {}
    for one in found:
        best[one.n] = max(best.get(one.n, one), one, key=lambda each: each.value - PER_RANK * each.n)
    ordered = sorted(best.values(), key=lambda each: (PER_RANK * each.n - each.value, each.n))
    good = [one for one in ordered if one.value >= ordered[0].value * NEARLY_AS_GOOD and one.value > 0]
    return tuple(one for one in good if goes_with(one, ordered[0]))[:EXTRACTS]


def goes_with(one: Extract, best: Extract) -> bool:
    hit, first = one.quote.hit, best.quote.hit
    return (hit.version, hit.page) == (first.version, first.page) and abs(hit.ordinal - first.ordinal) <= BESIDE


def rests_on_the_best(question: str, checked: Checked, extracts: Sequence[Extract]) -> bool:
    """Whether an answer cites words that overlap with the nearest that could be quoted.

    A small model answers from whatever it read last. What it says may be true, and of something else.
    """
    nearest = {(one.quote.hit.chunk_id, line) for one in extracts for line in one.lines}
    cited = {
        (citation.hit.chunk_id, line)
        for citation in checked.citations
        for line in range(citation.line_start, citation.line_end + 1)
    }
    return bool(nearest & cited)


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


def telling_spans(question: str, hit: Hit) -> list[Span]:
    """Sentences and lines that say more than the question does: a heading that repeats it answers nothing."""
    asked = terms(question)
    spans = sentence_spans(hit.text)[:EXTRACTED_SENTENCES]
    return [span for span in spans if news(hit.text[span.start : span.end], asked) >= NEWS]


def news(text: str, asked: set[str]) -> int:
    """Content words that the question does not have. A number is often the whole answer: it counts for two."""
    return sum(2 if in_digits(term).isdigit() else 1 for term in terms(text) - asked)


def widened(hit: Hit, span: Span) -> Span:
    """The sentence and those that follow it in its paragraph or list, while they are short together."""
    end = span.end
    for following in sentence_spans(hit.text):
        if following.start < end:
            continue
        apart = "\n\n" in hit.text[end : following.start] or hit.text[following.start] in TABLE_BORDERS
        if apart or following.end - span.start > WIDENED:
            break
        end = following.end
    return Span(span.start, end)
