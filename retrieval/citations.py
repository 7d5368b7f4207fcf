"""From a model's text to sentences whose citations have been looked up, and a quote for each.

A quote is an exact span of the cited chunk, one to three of its sentences or lines: the least that bears the sentence
out.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from retrieval.results import Citation, Hit, Sentence
from retrieval.support import Support, support

MARKER = re.compile(r"\[(\d{1,3}(?:\s*,\s*\d{1,3})*)\]")
MARKER_BEFORE = re.compile(rf"\s*{MARKER.pattern}")
FENCE = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[^\n]*$|\Z)", re.MULTILINE | re.DOTALL)
MARKERS_AFTER = r"(?:[ \t]*\[\d{1,3}(?:\s*,\s*\d{1,3})*\])*"
# Text is often wrapped at a fixed width: a line's end ends a sentence only before an empty line or a list item.
LINE_END = r"\s*\n(?=[ \t]*(?:\n|[-*+•#|>]\s|\d{1,3}[.)]\s))\s*"
# A full stop ends a sentence where white space and no small letter follows; not inside 3.5, file names, abbreviations.
END = re.compile(
    rf"[.!?؟…]+[\"'”’»)\]]*{MARKERS_AFTER}(?=\s+(?![a-zà-ÿа-я,;])|\Z)"
    rf"|[。！？]+[」』”）]*{MARKERS_AFTER}"
    rf"|{MARKERS_AFTER}{LINE_END}"
)
ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|cf|vs|etc|approx|resp|no|fig|sec|ch|pp?|dr|mr|mrs|ms|prof|st|inc|ltd|co|jr|z\.b|d\.h|u\.a|bzw|ca|nr"
    r"|abs|art|usw|env|p\.ej|sr|sra|dott|т\.е|т\.д|г)|\b[^\W\d_]|^\s*\d{1,3})\.$",
    re.IGNORECASE,
)
WIDEST = 3  # sentences or lines in a quote
LONGEST = 600  # characters


@dataclass(frozen=True, slots=True)
class Span:
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Quote:
    hit: Hit
    span: Span
    support: Support

    @property
    def text(self) -> str:
        return self.hit.text[self.span.start : self.span.end]

    def citation(self, n: int) -> Citation:
        first = self.hit.line_start + self.hit.text.count("\n", 0, self.span.start)
        last = min(first + self.text.count("\n"), max(self.hit.line_end, self.hit.line_start))
        verified = self.support.holds and self.text in self.hit.text
        return Citation(n, self.text, verified, min(first, last), last, self.hit)


@dataclass(frozen=True, slots=True)
class Checked:
    """An answer's sentences and citations after the check; `invented` counts citations of passages that are none."""

    text: str
    sentences: tuple[Sentence, ...]
    citations: tuple[Citation, ...]
    invented: int


def sentence_spans(text: str) -> list[Span]:
    """Spans of sentences, list items, headings and whole code blocks, without the white space around them."""
    return [span for block in _blocks(text) for span in _split(text, block)]


def cited_numbers(sentence: str) -> tuple[int, ...]:
    """`[1]`, `[1, 2]`, `[1][2]` in order, each once."""
    found = (int(number) for marks in MARKER.findall(sentence) for number in marks.split(","))
    return tuple(dict.fromkeys(found))


def without_marks(sentence: str) -> str:
    return MARKER_BEFORE.sub("", sentence).strip()


def best_quote(sentence: str, hit: Hit) -> Quote | None:
    """The shortest span of the chunk that bears the sentence out, else the nearest one; None for an empty chunk."""
    above = heading(hit)
    spans = windows(hit.text)
    quotes = [Quote(hit, span, support(sentence, hit.text[span.start : span.end], above)) for span in spans]
    return max(quotes, key=_quality, default=None)


def check(text: str, hits: Sequence[Hit]) -> Checked:
    """Each sentence of an answer looked up in the passages that it cites, or in all of them where it cites none.

    Numbers of passages that do not exist are taken out of the text. A sentence without citation gets the passage that
    bears it out, if one does.
    """
    sentences: list[Sentence] = []
    quotes: dict[int, Quote] = {}
    pieces: list[str] = []
    invented = position = 0
    for span in sentence_spans(text):
        original = text[span.start : span.end]
        named = cited_numbers(original)
        cited = [n for n in named if 1 <= n <= len(hits)]
        invented += len(named) - len(cited)
        bare = without_marks(original)
        found = _quotes(bare, cited or range(1, len(hits) + 1), hits)
        holding = {n: quote for n, quote in found.items() if quote.support.holds}
        if not cited:
            found = dict([max(holding.items(), key=lambda item: _quality(item[1]))]) if holding else {}
        for n, quote in found.items():
            quotes[n] = max(quotes.get(n, quote), quote, key=_quality)
        sentences.append(Sentence(bare, tuple(found), bool(holding)))
        pieces += [text[position : span.start], _marked(original, bare, named, tuple(found))]
        position = span.end
    pieces.append(text[position:])
    citations = tuple(quotes[n].citation(n) for n in sorted(quotes))
    return Checked("".join(pieces).strip(), tuple(sentences), citations, invented)


def extracted(quotes: dict[int, Quote]) -> Checked:
    """An answer made of quotations alone."""
    sentences = tuple(Sentence(" ".join(quote.text.split()), (n,), True) for n, quote in quotes.items())
    text = "\n\n".join(f"{sentence.text} [{sentence.citations[0]}]" for sentence in sentences)
    return Checked(text, sentences, tuple(quotes[n].citation(n) for n in sorted(quotes)), 0)


def _quotes(sentence: str, numbers: Sequence[int] | range, hits: Sequence[Hit]) -> dict[int, Quote]:
    found = {n: best_quote(sentence, hits[n - 1]) for n in numbers}
    return {n: quote for n, quote in found.items() if quote}


def _marked(original: str, bare: str, named: tuple[int, ...], found: tuple[int, ...]) -> str:
    """The sentence with exactly the citations that were found, where the model put them if it put them right."""
    if named == found:
        return original
    marks = "".join(f"[{n}]" for n in found)
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
    return " ".join((*hit.breadcrumb, hit.section_title, hit.source_file))


@lru_cache(maxsize=512)
def windows(text: str) -> tuple[Span, ...]:
    """Every span of one to three neighbouring sentences that is short enough to be quoted."""
    spans = sentence_spans(text)
    wide = (
        Span(spans[i].start, spans[j - 1].end)
        for i in range(len(spans))
        for j in range(i + 1, min(i + WIDEST, len(spans)) + 1)
    )
    return tuple(span for span in wide if span.end - span.start <= LONGEST) or tuple(spans)


def _blocks(text: str) -> Iterator[tuple[Span, bool]]:
    position = 0
    for fence in FENCE.finditer(text):
        yield Span(position, fence.start()), False
        yield Span(fence.start(), fence.end()), True
        position = fence.end()
    yield Span(position, len(text)), False


def _split(text: str, block: tuple[Span, bool]) -> Iterator[Span]:
    span, code = block
    start = span.start
    ends = (
        []
        if code
        else [match.end() for match in END.finditer(text, span.start, span.end) if not _abbreviated(text, match)]
    )
    for end in [*ends, span.end]:
        if piece := text[start:end].strip():
            begin = text.index(piece, start)
            whole = Span(begin, begin + len(piece))
            yield from _lines(text, whole) if len(piece) > LONGEST and not code else (whole,)
        start = end


def _lines(text: str, span: Span) -> Iterator[Span]:
    """A table or a listing has no sentences."""
    for line in re.finditer(r"\S[^\n]*", text[span.start : span.end]):
        yield Span(span.start + line.start(), span.start + line.end())


def _abbreviated(text: str, match: re.Match[str]) -> bool:
    if not match[0].startswith(".") or match[0].startswith(".."):
        return False
    line = text.rfind("\n", 0, match.start()) + 1
    return bool(ABBREVIATION.search(text[line : match.start() + 1]))
