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

import re
from collections.abc import Callable, Iterator, Sequence
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
EXTRACTED_SENTENCES = 30  # of a hit
COMPARED = 20  # of some 44, those with most of the question's words: the best is among 16 of them for all of Northwind
WIDENED = 600  # characters of an extract that takes in what follows
SHORT = 400  # below, an extract goes on in the next paragraph
LISTED_TOO = 900  # with the list that it announces
LISTED = re.compile(r"(?:[-*+•‣◦–]|\(?\d{1,3}[.)]|#\.|[a-z][.)])\s")
DIRECTIVE = re.compile(r"[ \t]*\.\. [\w:-]+::.*")
ENDS = '.!?…。！？؟।"”’»)]`'
TABLE_BORDERS = "|+="
NEWS = 2  # content words beyond the question's: a heading that repeats it answers nothing
PER_RANK = 0.1  # the ranking knows more than shared words: the first quotation of Northwind's page .66 to .69 (.05)
UNNAMED = (
    0.1  # for each name of the question that neither a hit nor its heading has: twins of a handbook are told apart
)
NEARLY_AS_GOOD = 0.8  # of the best extract's share of the question's words
ADDS = 5  # content words of a second extract that the best has not
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
    told = [
        (relevance(text, weights, heading(hit)) - strange, n, hit, span, text)
        for n, hit in enumerate(hits[:EXTRACTED_HITS], 1)
        for strange in [UNNAMED * len(lacking(question, f"{heading(hit)} {hit.text}"))]
        for span, say in telling_spans(question, hit)
        for text in [hit.text[say.start : say.end]]
    ]
    told = sorted(told, key=lambda one: PER_RANK * one[1] - one[0])[:COMPARED]
    texts = [text for *_, text in told]
    cosines = similarity(texts) if similarity and texts else [0.0] * len(texts)
    found = [
        Extract(n, Quote(hit, widened(hit, span), support(text, text)), cosine + words)
        for (words, n, hit, span, text), cosine in zip(told, cosines, strict=True)
    ]
    found = [one for one in found if one.quote.support.holds]  # a question says nothing
    best: dict[int, Extract] = {}
    for one in found:
        best[one.n] = max(best.get(one.n, one), one, key=lambda each: each.value - PER_RANK * each.n)
    ordered = sorted(best.values(), key=lambda each: (PER_RANK * each.n - each.value, each.n))
    good = [one for one in ordered if one.value >= ordered[0].value * NEARLY_AS_GOOD and one.value > 0]
    return tuple(one for one in good if goes_with(one, ordered[0]))[:EXTRACTS]


def goes_with(one: Extract, best: Extract) -> bool:
    """Whether it stands near the best, and says something else."""
    hit, first = one.quote.hit, best.quote.hit
    if one is not best and news(one.quote.text, terms(best.quote.text)) < ADDS:
        return False
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


def telling_spans(question: str, hit: Hit) -> Iterator[tuple[Span, Span]]:
    """Sentences and lines that say more than the question does, and what of the text says it: of a heading, or of what
    announces a list, that with what it stands over. A heading that repeats the question answers nothing.
    """
    asked = terms(question)
    for span in sentence_spans(hit.text)[:EXTRACTED_SENTENCES]:
        say = widened(hit, span) if is_open(hit.text, span) else span
        if news(hit.text[say.start : say.end], asked) >= NEWS and not announces(hit.text, say):
            yield span, say


def news(text: str, asked: set[str]) -> int:
    """Content words that the question does not have. A number is often the whole answer: it counts for two."""
    return sum(2 if in_digits(term).isdigit() else 1 for term in terms(text) - asked)


def widened(hit: Hit, span: Span) -> Span:
    """The sentence and those that follow it, while they are short together; beyond its paragraph only if it is short.

    Where nothing is left to follow, and it is short still, those before it: a sentence that sums up needs them.
    """
    text, spans = hit.text, sentence_spans(hit.text)
    end = told_until(text, span, [one for one in spans if one.start >= span.end])
    start = span.start
    for before in reversed([one for one in spans if one.end <= span.start]):
        if end - start >= SHORT or end - before.start > WIDENED or text[before.start] in TABLE_BORDERS:
            break
        start = before.start
    return Span(start, end)


def told_until(text: str, span: Span, following: Sequence[Span]) -> int:
    """The end of the last sentence that belongs to the first, so that all are short together.

    A list that it announces belongs to it, and the paragraph below a heading. What is announced and does not fit, or
    is cut off at the passage's end, is left out, but for the first itself.
    """
    kept, listing = [span], False
    for one in following:
        item = bool(LISTED.match(text, one.start))
        below = "\n\n" in text[kept[-1].end : one.start]
        listing = (announces(text, kept[-1]) or listing) and (item or (listing and not below))
        goes_on = listing or is_open(text, kept[-1]) or kept[-1].end - span.start < SHORT
        most = LISTED_TOO if listing else WIDENED
        if (below and not goes_on) or text[one.start] in TABLE_BORDERS or one.end - span.start > most:
            break
        kept.append(one)
    while len(kept) > 1 and (announces(text, kept[-1]) or is_cut_off(text, kept[-1])):
        kept.pop()
    return kept[-1].end


def announces(text: str, span: Span) -> bool:
    return text[span.end - 1] in ":：" or bool(DIRECTIVE.fullmatch(text, text.rfind("\n", 0, span.end) + 1, span.end))


def is_open(text: str, span: Span) -> bool:
    """A heading, or a sentence that a list, an example or a table follows."""
    return text[span.end - 1] not in ENDS and not LISTED.match(text, span.start)


def is_cut_off(text: str, span: Span) -> bool:
    return span.end == len(text.rstrip()) and is_open(text, span)
