"""From a model's text to sentences whose citations have been looked up, and a quote for each.

A quote is an exact span of the cited chunk, one to three of its sentences or lines: the least that bears the sentence
out.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count

from knowledge.texts.formats import Notation, notation_of
from knowledge.texts.lines import column_of
from knowledge.texts.stops import STOPS
from retrieval.answering.checking.support import Support, support
from retrieval.answering.marks import cited_numbers, without_marks
from retrieval.answering.quoting.held import Held, held_in
from retrieval.answering.quoting.tables import head_above, quotable, with_its_table
from retrieval.answering.sentences import (
    LIST_MARK,
    ROW,
    Span,
    is_claim,
    names_columns,
    sentence_spans,
)
from retrieval.answering.typesetting import before_mark, unwrapped
from retrieval.results import Citation, Hit, Sentence

ITS_OWN = re.compile(r"\d{1,3}[.)]\s|```|~~~")  # a number or a listing
LONGEST_LOOP = 8  # sentences
CLEARLY = 0.1  # of the sentence's words, that another quotation has more


@dataclass(frozen=True, slots=True)
class Quote:
    hit: Hit
    span: Span
    support: Support

    @property
    def text(self) -> str:
        return self.hit.text[self.span.start : self.span.end]

    @property
    def told(self) -> str:
        """Its text in an answer. Lines of a program stay as they are."""
        return self.text if self.hit.is_program else unwrapped(self.text, self.column, self.begins_block)

    @property
    def column(self) -> int:
        """How far in it begins in its line."""
        return column_of(self.span.start, self.hit.text)

    @property
    def begins_block(self) -> bool:
        """Whether a blank line stands above it, in a text in which what stands further in may be code."""
        above = self.hit.text[: self.span.start].rstrip(" \t")
        return above[-2:] in ("", "\n\n") and notation_of(self.hit.source_file) is not Notation.TEXT

    @property
    def lines(self) -> range:
        """Of the document, within those of the hit."""
        first = self.hit.line_start + self.hit.text.count("\n", 0, self.span.start)
        last = min(first + self.text.count("\n"), max(self.hit.line_end, self.hit.line_start))
        return range(min(first, last), last + 1)

    def citation(self, n: int) -> Citation:
        verified = self.support.holds and self.text in self.hit.text
        lines, head = self.lines, head_above(self.hit.text, self.span, self.hit.context)
        return Citation(n, self.text, verified, lines[0], lines[-1], self.hit, head)


@dataclass(frozen=True, slots=True)
class Checked:
    """An answer's sentences and citations after the check.

    `invented` counts citations of passages that are none, or not the one that bears the sentence out.
    """

    text: str
    sentences: tuple[Sentence, ...]
    citations: tuple[Citation, ...]
    invented: int


def best_quote(sentence: str, parts: Sequence[Hit]) -> Quote | None:
    """The shortest span of a passage's chunks that bears the sentence out, else the nearest one; None for no text."""
    quotes = [
        Quote(hit, span, support(sentence, said, heading(hit), head, hit.text, table))
        for hit in parts
        for held in [held_in(sentence, hit.text, hit.context)]
        for span in quotable(hit.text, hit.context, sentence)
        for said in [
            "\n".join([hit.text[span.start : span.end], *(one.asked for one in held if is_of(one, span, hit))])
        ]
        for above in [head_above(hit.text, span, hit.context)]
        for head in [above and above + " " * column_of(span.start, hit.text)]
        for table in [with_its_table(hit.text, span, hit.context)]
    ]
    return max((overruled(quote, quotes) for quote in quotes), key=_quality, default=None)


def is_of(held: Held, span: Span, hit: Hit) -> bool:
    """Whether a span is the row, with the mark of a list's item at most."""
    return held.row.span == span or (held.row.span in span and "\n" not in hit.text[span.start : span.end])


def overruled(quote: Quote, quotes: Sequence[Quote]) -> Quote:
    """A quotation that seems to bear the sentence out, while another of its passage is nearer to it and says else.

    What is around it has more of its words; or one sentence elsewhere clearly more; or what stands within it as many.
    """
    if not quote.support.holds:
        return quote
    for other in quotes:
        if other.hit is quote.hit and (against := _against(other, quote)):
            return replace(quote, support=replace(quote.support, reversed=against))
    return quote


def _against(other: Quote, quote: Quote) -> str:
    """By what another quotation says else than the sentence, if it is nearer to it."""
    shown, more = other.support, other.support.overlap - quote.support.overlap
    denied = "denied" if shown.negation_differs else ""
    if more >= 0 and other.span in quote.span:
        return shown.reversed or ("" if shown.missing else denied)
    if more > 0 and quote.span in other.span:
        return shown.reversed
    nearer = more > CLEARLY and not shown.missing and other.span in sentence_spans(other.hit.text)
    return shown.reversed or denied if nearer else ""


def check(text: str, passages: Sequence[Sequence[Hit]]) -> Checked:
    """Each sentence of an answer looked up in the passages that it cites, or in all of them where none of those holds.

    Numbers of passages that do not exist are taken out of the text. A sentence without citation, or with a wrong one,
    gets the passage that bears it out, if one does. What says again what was just said is left out.
    """
    spans = with_their_marks(text)
    again = repeated([text[span.start : span.end] for span in spans])
    sentences: list[Sentence] = []
    quotes: dict[int, Quote] = {}
    pieces: list[str] = []
    invented = position = 0
    for place, span in enumerate(spans):
        original = text[span.start : span.end]
        if place in again:
            pieces.append(text[position : span.start].rstrip())
            position = span.end
            continue
        named = cited_numbers(original)
        announces = place + 1 < len(spans) and not is_claim(original)
        if (not named and announces) or names_columns(original):
            sentences.append(Sentence(without_marks(original), (), False))  # it says nothing that could be borne out
            continue
        cited = [n for n in named if 1 <= n <= len(passages)]
        invented += len(named) - len(cited)
        bare = without_marks(original)
        found = _quotes(bare, cited, passages)
        if not any(quote.support.holds for quote in found.values()):
            elsewhere = borne_out_by(bare, passages, cited)
            invented += len(cited) if elsewhere else 0
            found = elsewhere or found
        given: dict[int, None] = {}
        for n, quote in found.items():
            number = number_for(n, quote, quotes, len(passages))
            quotes[number] = together(quotes[number], quote) if number in quotes else quote
            given[number] = None
        sentences.append(Sentence(bare, tuple(given), any(quote.support.holds for quote in found.values())))
        pieces += [text[position : span.start], _marked(original, bare, named, tuple(given))]
        position = span.end
    pieces.append(text[position:])
    citations = tuple(quotes[n].citation(n) for n in sorted(quotes))
    return Checked("".join(pieces).strip(), tuple(sentences), citations, invented)


def with_their_marks(text: str) -> list[Span]:
    """The sentences; marks that stand alone belong to the one before, or at the beginning to the first."""
    spans: list[Span] = []
    waiting: Span | None = None
    for span in sentence_spans(text):
        if without_marks(text[span.start : span.end]).strip(STOPS):
            spans.append(Span(waiting.start if waiting else span.start, span.end))
            waiting = None
        elif spans:
            spans[-1] = Span(spans[-1].start, span.end)
        else:
            waiting = waiting or span
    return spans


def repeated(sentences: Sequence[str]) -> set[int]:
    """Places of sentences that say what the one before says, or as several together what those say: small models loop.

    A step of a procedure may well come twice: what has a number of its own is none, and no code.
    """
    said = [LIST_MARK.sub("", without_marks(sentence)).casefold() for sentence in sentences]
    places: set[int] = set()
    for length in range(1, LONGEST_LOOP + 1):
        for place in range(length, len(said) - length + 1):
            if said[place - length : place] == said[place : place + length]:
                places.update(range(place, place + length))
    return {place for place in places if not ITS_OWN.match(sentences[place])}


def number_for(n: int, quote: Quote, quotes: dict[int, Quote], passages: int) -> int:
    """The passage's number; where it stands for words of another of its chunks already, one that is free."""

    def fits(number: int) -> bool:
        return number not in quotes or quotes[number].hit.chunk_id == quote.hit.chunk_id

    return n if fits(n) else next(number for number in count(passages + 1) if fits(number))


def together(one: Quote, other: Quote) -> Quote:
    """The words that bear out both sentences: what reaches from one to the other. What bears nothing out gives way."""
    if not (one.support.holds and other.support.holds):
        return max(one, other, key=_quality)
    span = Span(min(one.span.start, other.span.start), max(one.span.end, other.span.end))
    return Quote(one.hit, span, max(one, other, key=_quality).support)


def extracted(quotes: dict[int, Quote]) -> Checked:
    """An answer made of quotations alone."""
    sentences = tuple(Sentence(quote.told, (n,), True) for n, quote in quotes.items())
    text = "\n\n".join(f"{said.text}{before_mark(said.text)}[{said.citations[0]}]" for said in sentences)
    return Checked(text, sentences, tuple(quotes[n].citation(n) for n in sorted(quotes)), 0)


def borne_out_by(sentence: str, passages: Sequence[Sequence[Hit]], but: Sequence[int]) -> dict[int, Quote]:
    """The best quotation of all passages, `but` those, by its passage's number; nothing where none bears it out."""
    found = _quotes(sentence, [n for n in range(1, len(passages) + 1) if n not in but], passages)
    holding = [(n, quote) for n, quote in found.items() if quote.support.holds]
    return dict([max(holding, key=lambda item: _quality(item[1]))]) if holding else {}


def _quotes(sentence: str, numbers: Sequence[int], passages: Sequence[Sequence[Hit]]) -> dict[int, Quote]:
    found = {n: best_quote(sentence, passages[n - 1]) for n in numbers}
    return {n: quote for n, quote in found.items() if quote}


def _marked(original: str, bare: str, named: tuple[int, ...], found: tuple[int, ...]) -> str:
    """The sentence with exactly the citations that were found, where the model put them if it put them right."""
    if named == found:
        return original
    marks = "".join(f"[{n}]" for n in found)
    if marks and ROW.fullmatch(bare):
        return f"{bare.removesuffix('|').rstrip()} {marks} |"  # within the last cell
    return f"{bare} {marks}" if marks else bare


def _quality(quote: Quote) -> tuple[bool, int, float, int]:
    shown = quote.support
    return (
        shown.holds,
        -len(shown.missing) - shown.negation_differs,
        shown.overlap,
        -(quote.span.end - quote.span.start),
    )


def heading(hit: Hit) -> str:
    """What a reader sees above the chunk: names there hold for its text."""
    return " ".join(titles(hit))


def titles(hit: Hit) -> tuple[str, ...]:
    return (*hit.breadcrumb, hit.section_title, hit.source_file)
