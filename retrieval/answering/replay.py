"""Would it still say that? An answer of the ledger, held against what the documents say and the search finds today.

No model is asked: what is compared are the quoted words, and whether today's passages bear each sentence out.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from knowledge.changes.word_diff import Piece, differences
from knowledge.models import Answer, AnswerCitation, DocumentFile, Library, SnapshotFile
from knowledge.models.library import Reader
from retrieval.answering.changes import find, nearest, was_part
from retrieval.answering.citations import best_quote
from retrieval.answering.ledger import Asking
from retrieval.answering.pipeline import retrieve
from retrieval.answering.revocation import closed_candidates, libraries_then, sees_all
from retrieval.answering.sentences import Span, is_claim, sentence_spans
from retrieval.results import Hit, SearchOptions, reading_url

SAYS = {
    "unchanged": "It stands where it stood, word for word.",
    "moved": "It stands elsewhere in its file, word for word.",
    "reworded": "It is worded otherwise now.",
    "gone": "Nothing in its file says it any more.",
    "removed": "Its file is not in the library any more.",
    "withheld": "Its file is not open to you.",
}
RENAMED = "It stands in {} now, word for word."


@dataclass(frozen=True, slots=True)
class SpanNow:
    """A citation's words then, and what became of them."""

    n: int
    status: str  # a key of SAYS
    library: str
    source_file: str
    quote: str
    line_start: int
    line_end: int
    source_file_now: str | None = None
    line_now: int | None = None
    url: str | None = None
    pieces: tuple[Piece, ...] = ()
    found: bool = False  # among today's passages

    @property
    def says(self) -> str:
        if self.status == "moved" and self.source_file_now != self.source_file:
            return RENAMED.format(self.source_file_now)
        return SAYS[self.status]


@dataclass(frozen=True, slots=True)
class SentenceNow:
    text: str
    then: bool
    now: bool


@dataclass(frozen=True, slots=True)
class Replay:
    answer: int
    question: str
    snapshots_then: tuple[tuple[str, int], ...]
    snapshots_now: tuple[tuple[str, int], ...]
    spans: tuple[SpanNow, ...]
    sentences: tuple[SentenceNow, ...]
    hits: tuple[Hit, ...]
    withheld: int = 0  # sentences that were borne out then and are not open to this reader: they are not compared

    @property
    def verdict(self) -> str:
        """yes, partly or no, of what is open; withheld where nothing is; or refused: it said nothing that could be held
        against the documents."""
        held = [sentence.now for sentence in self.sentences if sentence.then]
        if not held:
            return "withheld" if self.withheld else "refused"
        return "yes" if all(held) else "partly" if any(held) else "no"

    def as_json(self) -> dict[str, Any]:
        return {
            "answer": self.answer,
            "question": self.question,
            "verdict": self.verdict,
            "then": [{"slug": slug, "snapshot": number} for slug, number in self.snapshots_then],
            "now": [{"slug": slug, "snapshot": number} for slug, number in self.snapshots_now],
            "citations": [asdict(span) | {"says": span.says} for span in self.spans],
            "sentences": [asdict(sentence) for sentence in self.sentences],
            "withheld": self.withheld,
            "hits": [hit.as_json() for hit in self.hits],
        }


def replay(row: Answer, user: Reader) -> Replay:
    """Raises nothing that `search` does not: a library that is gone is searched no more."""
    options = row.options
    there = libraries_then(user, row)
    named = tuple(there.filter(slug__in=options.get("library", [])).values_list("slug", flat=True))
    asking = Asking(
        files=tuple(options.get("files", [])),
        pinned=tuple(options.get("pinned", [])),
        excluded=tuple(options.get("excluded", [])),
    )
    question = row.standalone or row.question
    hits: tuple[Hit, ...] = ()
    now: tuple[tuple[str, int], ...] = ()
    if named or not options.get("library"):
        result = retrieve(user, question, SearchOptions(named, options.get("mode") or "hybrid"), asking)
        hits, now = result.hits, tuple((library.slug, library.snapshot) for library in result.libraries)
    spans = tuple(spans_now(row, user, hits))
    shown = {span.n for span in spans if span.status != "withheld"}
    is_open = len(shown) == len(spans) and sees_all(row, user)
    sentences: list[SentenceNow] = []
    hidden = 0
    for entry in row.sentences:
        if is_open or (entry["supported"] and entry["citations"] and shown.issuperset(entry["citations"])):
            sentences += sentences_now(entry["text"], bool(entry["supported"]), hits)
        elif entry["supported"]:
            hidden += len(claimed(entry["text"]))
    known = set(there.values_list("slug", flat=True))
    then = tuple((slug, number) for slug, number in row.snapshots if slug in known)
    return Replay(row.pk, row.question, then, now, spans, tuple(sentences), hits, hidden)


def sentences_now(text: str, then: bool, hits: Sequence[Hit]) -> Iterator[SentenceNow]:
    """A quotation of several sentences, one by one: each is borne out where all of it stands still."""
    stands = any(find(text, hit.text) for hit in hits)
    for claim in claimed(text):
        yield SentenceNow(claim, then, stands or any(bears_out(hit, claim) for hit in hits))


def claimed(text: str) -> list[str]:
    said = [text[span.start : span.end] for span in sentence_spans(text)]
    return [one for one in said if is_claim(one)] or said


def bears_out(hit: Hit, claim: str) -> bool:
    if find(claim, hit.text):
        return True
    quote = best_quote(claim, [hit])
    return quote is not None and quote.support.holds


def spans_now(row: Answer, user: Reader, hits: Sequence[Hit]) -> Iterator[SpanNow]:
    """What a citation quotes is found through its link: by name, another library could stand in for one that is gone.

    Without a link nothing tells to whom it was open, so it is withheld, as it is from the answer's own page.
    """
    open_libraries = Library.objects.readable_by(user).exclude(pk__in=closed_candidates(user, row))
    readable = set(open_libraries.values_list("pk", flat=True))
    linked = row.citations.select_related("file_version__document_file__library__active_snapshot")
    for citation in linked.defer("file_version__text"):
        document = citation.file_version.document_file if citation.file_version else None
        if document is None or document.withdrawn_at or document.library_id not in readable:
            yield SpanNow(citation.n, "withheld", "", "", "", 0, 0)
            continue
        place = document.library.slug, document.path, citation.quote, citation.line_start, citation.line_end
        yield became(SpanNow(citation.n, "removed", *place), citation, document, hits)


def became(span: SpanNow, citation: AnswerCitation, document: DocumentFile, hits: Sequence[Hit]) -> SpanNow:
    active = document.library.active_snapshot
    member = member_now(citation, document)
    if active is None or member is None:
        return span
    path = member.document_file.path
    text = member.file_version.text
    same = member.file_version.sha256 == citation.sha256
    place = find(span.quote, text, span.line_start) or cut_off(citation, text)
    near = place or nearest(span.quote, text)
    if near is None:
        return replace(span, status="gone")
    line = span.line_start if same else line_of(text, near)
    last = line + text.count("\n", near.start, near.end) if not same else span.line_end
    stood = span.source_file, span.line_start
    status = "reworded" if place is None else "unchanged" if (path, line) == stood else "moved"
    found = any((hit.library, hit.source_file) == (span.library, path) and span.quote in hit.text for hit in hits)
    pieces = tuple(differences(span.quote, text[near.start : near.end])) if place is None else ()
    url = reading_url(span.library, active.number, path, (line, last), f"L{line}")
    now = replace(span, source_file_now=path, line_now=line, url=url)
    return replace(now, status=status, pieces=pieces, found=found)


def member_now(citation: AnswerCitation, document: DocumentFile) -> SnapshotFile | None:
    """The file in its library's active snapshot; where it is gone, an open one that has its bytes: it was renamed."""
    active = document.library.active_snapshot
    if active is None:
        return None
    members = active.files.select_related("file_version", "document_file")
    renamed = members.filter(file_version__sha256=citation.sha256, document_file__withdrawn_at__isnull=True)
    return members.filter(document_file=document).first() or renamed.order_by("document_file__path").first()


def cut_off(citation: AnswerCitation, text: str) -> Span | None:
    """Where a quotation stands that was no whole sentence then, either."""
    then = citation.file_version
    if then is None or not was_part(citation.quote, then.text, citation.line_start):
        return None
    return find(citation.quote, text, citation.line_start, part=True)


def line_of(text: str, span: Span) -> int:
    return text.count("\n", 0, span.start) + 1
