"""The documents' own words as an answer: the spans of the hits that are nearest to the question."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from itertools import islice, pairwise

from knowledge.texts.comments import comments, without
from knowledge.texts.targets import targets
from knowledge.texts.words import content, terms
from retrieval.answering.checking.support import lacking, support
from retrieval.answering.citations import Quote, heading, titles
from retrieval.answering.editions import are_of_another
from retrieval.answering.quoting.clauses import clause_within
from retrieval.answering.quoting.completing import with_its_steps, with_what_it_notes
from retrieval.answering.quoting.held import held_in
from retrieval.answering.quoting.layout import LISTED, announces, is_heading_at_the_end, is_open, is_term, parts
from retrieval.answering.quoting.programs import asked_symbol, is_about_programs, said_in
from retrieval.answering.quoting.relevance import news, relevance, told_of, weigh_terms
from retrieval.answering.quoting.rows import asked_head, below_its_head, has_digit, shown_alone, telling_row
from retrieval.answering.quoting.tables import is_table
from retrieval.answering.quoting.widening import widened
from retrieval.answering.sentences import Span
from retrieval.results import Hit

EXTRACTS = 2
EXTRACTED_HITS = 5  # hits whose sentences are compared with the question
EXTRACTED_SENTENCES = 30  # of a hit
COMPARED = 14  # of some 44, those with most of the question's words
QUOTED = 8  # of those, whose quotations are compared and read, too: docs/decisions/0024
TOGETHER = 0.3  # if the question's content words follow each other in the quotation as they do in the question
NEWS = 2  # content words beyond the question's: a heading that repeats it answers nothing
PER_RANK = 0.1  # the ranking knows more than shared words: the first quotation of Northwind's page .66 to .69 (.05)
UNNAMED = 0.1  # for each name of the question that a hit and its heading lack: twins of a handbook are told apart
NEARLY_AS_GOOD = 0.8  # of the best extract's share of the question's words
IN_CODE = 0.2  # less, of a quotation from code: what documents and code both say is for people to read in documents
ROW_ASKED_FOR = 0.3  # more, where a row is named: "Which department is Leo in?" is not answered by whose deputy he is
LEFT_OUT = 0.1  # of the question's words, by weight, that a second extract has and the best has not
BESIDE = 4  # chunks: a second extract from farther off, or of another page, is of something else in most cases

DEFINED = 0.8  # more, of the definition of what is asked for: “Who is the treasurer?”
LABEL = re.compile(rf"(?:{LISTED.pattern})?[*_]*(?P<label>[^\W_][^:|*_\n]{{1,60}})[*_]*:[*_]*\s+\S")

PER_LOGIT = 0.2  # of a reader's opinion: docs/decisions/0024
READ_ENOUGH = 0.3  # a reader's logit, whatever the strength: docs/decisions/0024
OF_ANOTHER = 6.0  # logits less, of another year or version than is asked for: whatever a reader thinks, it is none
READ_SURELY = 2.0  # a logit, of sentences in documents beside programs that share more of the question's words

Similarity = Callable[[Sequence[str]], Sequence[float]]  # texts in, cosines to the question out
Reading = Callable[[Sequence[str]], Sequence[float]]  # texts in, a reader's logits out, or nothing at all


@dataclass(frozen=True, slots=True)
class ReaderScore:
    """A reader's logit of a quotation; of a table, and of its telling row by itself."""

    logit: float | None = None
    row: float | None = None


NOT_READ = (ReaderScore(),) * QUOTED


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence of the nth hit, the quotation it would be shown in, and the worth of the question's words there."""

    n: int
    hit: Hit
    said: Span
    quoted: Span
    words: float
    row: str = ""  # of a table the one that tells
    row_alone: Span | None = None  # of a long table that one, if the question asks for it

    @property
    def sentence(self) -> str:
        return self.hit.text[self.said.start : self.said.end]

    @property
    def quotation(self) -> str:
        return self.hit.text[self.quoted.start : self.quoted.end]

    def is_of_another(self, question: str) -> bool:
        """Whether it tells another year or version than is asked for."""
        return are_of_another(question, f"{self.quotation}\n{self.row}", titles(self.hit))

    def quote(self) -> Quote:
        """Of a long table the row that the question asks for, if that is one; of numbered steps all; a note beside
        what it qualifies."""
        quoted = self.row_alone or self.quoted
        if self.row_alone is None and not self.hit.is_program:
            text = self.hit.text
            quoted = with_what_it_notes(text, with_its_steps(text, quoted, self.said.start))
        return Quote(self.hit, quoted, support(self.sentence, self.sentence))

    def worth(self, cosine: float = 0.0) -> float:
        return cosine + self.words - PER_RANK * self.n


@dataclass(frozen=True, slots=True)
class Extract:
    """A quotation that may answer: the number of its hit, and how near it is to the question."""

    n: int
    quote: Quote
    value: float
    said: Span  # the sentence that it was chosen for
    logit: float | None = None  # a reader's opinion of it
    row_head: frozenset[str] = frozenset()  # of a row that the question asks for, as content words
    is_asked_code: bool = False  # the symbol that the question asks to see
    is_unasked_program: bool = False  # nothing of programs is asked
    is_of_another: bool = False  # year or version than the question

    @property
    def worth(self) -> float:
        in_code = IN_CODE if self.quote.hit.language else 0.0
        of_another = PER_LOGIT * OF_ANOTHER if self.is_of_another else 0.0
        asked_for = ROW_ASKED_FOR if self.row_head else 0.0
        return self.value - PER_RANK * self.n + PER_LOGIT * (self.logit or 0.0) - in_code - of_another + asked_for


def extract(
    question: str, hits: Sequence[Hit], similarity: Similarity | None = None, reading: Reading | None = None
) -> tuple[Extract, ...]:
    """The spans nearest to the question, the best first: one, and perhaps a second beside it.

    `similarity` gives the cosine of texts to the question; without it shared words decide alone. On 150 XQuAD questions
    with four paragraphs each, the best sentence held the answer for .72 by cosine, .83 by words, .85 by their sum.
    `reading` gives a reader's logits of texts that begin with their heading.
    """
    if code := asked_code(question, hits):
        return (code,)
    weights = weigh_terms(question, hits)
    by_words = sorted(candidates(question, hits, weights), key=Candidate.worth, reverse=True)
    told = tuple(islice(distinct(by_words), COMPARED))
    near = zip(told, cosines(similarity, [one.row or one.hit.plain(one.sentence) for one in told]), strict=True)
    nearest = sorted(near, key=lambda each: each[0].worth(each[1]), reverse=True)[:QUOTED]
    around = cosines(similarity, [one.row or one.hit.plain(one.quotation) for one, _ in nearest])
    asked = terms(question)
    read = quotation_scores([one for one, _ in nearest], reading) if reading else ()
    found = [
        Extract(
            one.n,
            one.quote(),
            (cosine + wide) / 2 + one.words,
            one.said,
            score.logit,
            row_asked_for(one, asked, score),
            is_of_another=one.is_of_another(question),
        )
        for (one, cosine), wide, score in zip(nearest, around, read or NOT_READ[: len(nearest)], strict=True)
    ]
    best_first = documents_first(question, sorted(found, key=lambda one: one.worth, reverse=True))
    telling = [one for one in best_first if one.value > 0]  # a question says nothing
    best: dict[int, Extract] = {}
    for one in telling:
        best.setdefault(one.n, one)
    return tuple(one for one in best.values() if goes_with(one, telling[0], weights))[:EXTRACTS]


def documents_first(question: str, best_first: list[Extract]) -> list[Extract]:
    """Where nothing of programs is asked, they come behind what a reader surely takes for an answer in documents, and
    are known to be unasked for."""
    if not best_first or not best_first[0].quote.hit.is_program or is_about_programs(question):
        return best_first
    told = [replace(one, is_unasked_program=True) if one.quote.hit.is_program else one for one in best_first]
    return sorted(told, key=lambda one: not one.is_unasked_program and (one.logit or 0.0) >= READ_SURELY, reverse=True)


def asked_code(question: str, hits: Sequence[Hit]) -> Extract | None:
    """The whole of a symbol that the question asks to see: no sentence of it answers, and no reader knows code."""
    if (at := asked_symbol(question, hits[:EXTRACTED_HITS])) is None:
        return None
    hit = hits[at]
    quote = Quote(hit, Span(0, len(hit.text.rstrip())), support(hit.text, hit.text))
    return Extract(at + 1, quote, 1.0, quote.span, is_asked_code=True) if quote.support.holds else None


def row_asked_for(one: Candidate, asked: set[str], score: ReaderScore) -> frozenset[str]:
    """The head of a row that answers: words, if a reader takes the row by itself for an answer; a code, anyway."""
    head = asked_head(one.quotation, asked)
    is_believed = score.row is None or score.row >= READ_ENOUGH
    return head if is_believed or any(map(has_digit, head)) else frozenset()


def quotation_scores(nearest: Sequence[Candidate], reading: Reading) -> Sequence[ReaderScore]:
    """The reader's of each: of a table as a whole or of its telling row, which a reader overlooks between others; of
    that row alone where it is shown alone. Nothing where nothing was read.
    """
    told = [[below_its_head(one.hit, one.quoted), *filter(None, [one.row])] for one in nearest]
    texts = [one.hit.plain(one.hit.headed(text)) for one, texts in zip(nearest, told, strict=True) for text in texts]
    logits = iter(reading(texts))
    read = []
    for one, texts in zip(nearest, told, strict=True):
        if those := [*islice(logits, len(texts))]:
            row = those[-1] if one.row else None
            read.append(ReaderScore(row if row is not None and one.row_alone else max(those), row))
    return read


def cosines(similarity: Similarity | None, texts: Sequence[str]) -> Sequence[float]:
    return similarity(texts) if similarity and texts else [0.0] * len(texts)


def candidates(question: str, hits: Sequence[Hit], weights: dict[str, float]) -> Iterator[Candidate]:
    asking = terms(question)
    asked = set(pairwise(content(question)))  # whatever small words stand between them: "Manager of Marketing"
    headed = [(n, hit, terms(heading(hit))) for n, hit in enumerate(hits, 1)]
    telling = [(n, hit, above) for n, hit, above in headed if terms(hit.text) - above]  # not a heading alone
    for n, hit, above in (*telling[:EXTRACTED_HITS], *defining(asking, telling[EXTRACTED_HITS:])):
        strange = UNNAMED * len(lacking(question, told_of(question, hit)))
        for said, quoted in telling_spans(question, hit):
            held = next((one for one in held_in(question, hit.text, hit.context) if one.row.span in quoted), None)
            alone = shown_alone(hit, quoted, asking, held)
            row = telling_row(hit, quoted, weights, alone, held)
            sentence = terms(row or hit.text[said.start : said.end])
            words = content(hit.text[quoted.start : quoted.end])
            shared = (relevance(sentence, weights, above) + relevance(set(words), weights, above)) / 2
            together = len(asked & set(pairwise(words))) / max(len(asked), 1)
            defined = DEFINED if defines(hit, said, asking) else 0.0
            yield Candidate(n, hit, said, quoted, shared + TOGETHER * together + defined - strange, row, alone)


Headed = tuple[int, Hit, set[str]]  # the number of a hit, the hit, the words of its titles


def defining(asked: Set[str], further: Sequence[Headed]) -> list[Headed]:
    """Those of the hits further down that define what is asked for."""
    return [each for each in further if any(defines(each[1], span, asked) for span in parts(each[1].text))]


def defines(hit: Hit, span: Span, asked: Set[str]) -> bool:
    """Whether a sentence begins with what is asked for, and nothing else, as a term or a label: “Treasurer:”"""
    if hit.is_program or not asked:
        return False
    line = hit.text[span.start : span.end].partition("\n")[0]
    if terms(line) == asked:
        return is_term(hit.text, span.start)
    label = LABEL.match(line)
    return bool(label and terms(label["label"]) == asked)


def distinct(found: Iterable[Candidate]) -> Iterator[Candidate]:
    """Of each quotation the first of the sentences that it would be shown for, if that can be checked."""
    seen: set[tuple[int, Span]] = set()
    for one in found:
        if (one.n, one.quoted) not in seen and one.quote().support.holds:
            seen.add((one.n, one.quoted))
            yield one


def goes_with(one: Extract, best: Extract, weights: dict[str, float]) -> bool:
    """Whether it is nearly as good as the best, stands near it, and has words of the question that the best has not. A
    reader, if there is one, takes it for an answer, too."""
    hit, first = one.quote.hit, best.quote.hit
    near = (hit.version, hit.page) == (first.version, first.page) and abs(hit.ordinal - first.ordinal) <= BESIDE
    more = sum(weights.get(term, 0.0) for term in terms(one.quote.text) - terms(best.quote.text))
    other_row = is_table(hit.text, one.quote.span) and best.row_head and not one.row_head
    good = more >= LEFT_OUT and one.value >= best.value * NEARLY_AS_GOOD
    is_read = one.logit is None or one.logit >= READ_ENOUGH
    return one is best or (near and good and is_read and not other_row)


def telling_spans(question: str, hit: Hit) -> Iterator[tuple[Span, Span]]:
    """Sentences, lines and tables that say more than the question does, each with the quotation that it would be shown
    in, and alone if it is of a clause. A heading, or what announces a list, says what it stands over; one that repeats
    the question answers nothing, nor does one at the end of the passage.
    """
    asked = terms(question)
    if hit.is_program:
        told = islice(said_in(hit.text), EXTRACTED_SENTENCES)
        yield from ((said, quoted) for said, quoted in told if news(hit.text[said.start : said.end], asked) >= NEWS)
        return
    remarks, leading = comments(hit.text, hit.source_file), targets(hit.text, hit.source_file)
    unseen, parting = (*remarks, *leading), (*remarks, *parting_targets(hit.text, leading))
    for span in parts(hit.text)[:EXTRACTED_SENTENCES]:
        if any(start <= span.start < end for start, end in unseen) or is_heading_at_the_end(hit.text, span):
            continue
        quoted = between(parting, span, widened(hit.text, span), hit.text)
        said = quoted if is_open(hit.text, span) else span
        if news(hit.text[said.start : said.end], asked) >= NEWS and not announces(hit.text, said):
            yield said, quoted
            if (clause := clause_within(hit.text, span.start)) and clause != quoted:
                yield span, clause


def parting_targets(text: str, found: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Those of the targets of links that do not stand between a list or a table and what announces it."""
    for at, (start, end) in enumerate(found):
        if not without(text[:start], found[:at]).rstrip().endswith(":"):
            yield start, end


def between(parting: Sequence[tuple[int, int]], span: Span, quoted: Span, text: str) -> Span:
    """As much of a quotation around its sentence as stands between two comments or targets of links, if they part."""
    start = max([quoted.start, *(end for _, end in parting if end <= span.start)])
    end = min([quoted.end, *(start for start, _ in parting if start >= span.end)])
    said = text[start:end].strip()
    return Span(begin := text.index(said, start), begin + len(said))
