"""The values that retrieval exchanges: query → candidates → ranking → hits → passages → answer → citations."""

import re
from dataclasses import asdict, dataclass, field, replace
from typing import Any
from urllib.parse import quote

from knowledge.texts.comments import without_comments
from knowledge.texts.formats import notation_of
from knowledge.texts.markup import without_markup
from knowledge.texts.tables.readers import head_of

from .compounds import with_joined
from .explanation_values import Explanation, WhyNot
from .notations import is_document
from .query import Query

MOST = 200  # hits of one search
MOST_SHOWN = 50  # of them on a page, or read for an answer
NEAREST = 5  # sections, beside a refusal
VERSION = re.compile(r"\d\.\d")  # in the title of a changelog's section


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """How to search. `libraries` are slugs (none: all that the user may read); a `snapshot` needs exactly one.

    None stands for what the searched libraries' settings say (retrieval.retrieval_settings).
    """

    libraries: tuple[str, ...] = ()
    mode: str = "hybrid"  # hybrid | lexical | vector | tree | code
    top_k: int | None = None
    snapshot: int | None = None
    depth: int | None = None  # candidates taken from each branch before fusion
    fusion: str | None = None  # scores | rrf
    lexical_weight: float | None = None  # of "scores": above 1, words count more; below, meaning
    rrf_k: int | None = None  # of "rrf"
    diversity: float | None = None  # how much better hits of its section and file take from a hit; 0: nothing
    rerank: bool | None = None  # None: where one is configured and no library is against it; True: asked for
    explain: bool = False  # each hit says why it stands where it stands
    why_not: str = ""  # a path, or path#anchor: the result says where it was lost
    facets: bool = False  # count libraries, formats, sections … among the candidates
    remembered: bool = True  # whether an earlier result of the same search will do
    phrases: bool = True  # whether a quote must stand in a passage word for word; else its words are words
    patience: float = 0.5  # seconds that a search waits for what misspelt words may mean
    files: tuple[str, ...] = ()  # globs of paths, beside what the query's own filters say


@dataclass(frozen=True, slots=True)
class SearchedLibrary:
    slug: str
    snapshot: int


@dataclass(frozen=True, slots=True)
class Hit:
    """One chunk as found. `text` is the whole chunk: the quote; `preview_text` is what a result list shows of it."""

    rank: int
    library: str
    source_file: str
    version: str  # SHA-256 of the file version's bytes
    section_title: str
    breadcrumb: tuple[str, ...]
    section_anchor: str
    line_start: int
    line_end: int
    page: int | None
    language: str
    preview_text: str
    chunk_id: int
    url: str
    text: str
    char_start: int  # of the chunk in its file version's text
    char_end: int
    snapshot: int
    ordinal: int  # of the chunk in its file version
    natural_language: str = ""  # of its file, as detected
    context: str = ""  # what it needs to be understood and does not hold: the heads of the table that it goes on with
    ranks: dict[str, int | None] = field(default_factory=dict)
    scores: dict[str, float | None] = field(default_factory=dict)
    explain: Explanation | None = None

    def headed(self, text: str) -> str:
        """A text of this hit as a model reads it: below the headings, which say what it often leaves unsaid.

        What a version added or removed is its text's first line: a reader that has learnt from a document's title and a
        section's makes nothing of “Changelog › 7.42 › Added”.
        """
        titles = [*dict.fromkeys(self.breadcrumb)]
        kind = titles[-1:] if len(titles) > 2 and VERSION.search(titles[-2]) else []
        return "\n".join([" › ".join(titles[: len(titles) - len(kind)]), *kind, text])

    def plain(self, text: str) -> str:
        """A text of this hit as models read it: without its markup, if anything is left then."""
        return without_markup(text, notation_of(self.source_file)) or text

    @property
    def is_program(self) -> bool:
        return not is_document(self.source_file)

    @property
    def whole(self) -> str:
        """The text without its comments, and where it goes on with a table the head of that before it."""
        seen = without_comments(self.text, self.source_file)
        return head_of(seen, self.context) + seen

    def as_json(self) -> dict[str, Any]:
        """The hit's keys of the contract, where what is absent is null: prose has no language of code."""
        kept = {name: value for name, value in asdict(self).items() if name not in ("context", "natural_language")}
        return kept | {"language": self.language or None}


def reading_url(library: str, snapshot: int, path: str, lines: tuple[int, int], anchor: str) -> str:
    """Where a citation lands."""
    place = f"snapshot={snapshot}&lines={lines[0]}-{lines[1]}#{quote(anchor)}"
    return f"/read/{library}/{quote(path)}?{place}"


@dataclass(frozen=True, slots=True)
class Filter:
    """One of `retrieval.query.FIELDS`, with what stood behind it."""

    field: str
    value: str
    excluded: bool


@dataclass(frozen=True, slots=True)
class Understood:
    """What was taken from the query: `text` is looked for, the rest decides where."""

    text: str = ""
    phrases: tuple[str, ...] = ()
    exclusions: tuple[str, ...] = ()
    filters: tuple[Filter, ...] = ()


def understood(query: Query, phrases: bool) -> Understood:
    """What a reader is told of the query. Without `phrases` none of its quotes was looked for as one."""
    return Understood(
        query.text,
        query.phrases if phrases else (),
        tuple(term.value for term in query.exclusions),
        tuple(Filter(term.field, term.value, term.excluded) for term in query.filters),
    )


@dataclass(frozen=True, slots=True)
class FacetValue:
    label: str
    count: int
    filter: str  # as it is written in a query


@dataclass(frozen=True, slots=True)
class Facet:
    name: str
    values: tuple[FacetValue, ...]


@dataclass(frozen=True, slots=True)
class SearchResult:
    query: str
    libraries: tuple[SearchedLibrary, ...]
    mode: str
    degraded: tuple[str, ...]
    took_ms: dict[str, float | None]  # by stage; None for one that this search did without
    hits: tuple[Hit, ...]
    why_not: tuple[WhyNot, ...] = ()
    facets: tuple[Facet, ...] = ()  # if asked for
    remembered: bool = False  # an earlier search's hits: nothing that they were made of has changed
    understood: Understood = Understood()
    notes: tuple[str, ...] = ()  # sentences about what was asked and could not be done
    did_you_mean: str | None = None  # the query with other words for those that nothing here says, or with file:
    corrected: dict[str, str] = field(default_factory=dict)  # such words, and what was searched for in their place

    @property
    def marked(self) -> str:
        """What the words of a hit are compared with."""
        return with_joined(" ".join([self.understood.text, *self.corrected.values()]))

    def as_json(self) -> dict[str, Any]:
        return asdict(replace(self, hits=())) | {"hits": [hit.as_json() for hit in self.hits]}


@dataclass(frozen=True, slots=True)
class Citation:
    """`[n]` of an answer: the quoted span of a hit's chunk, and whether the server found it there itself."""

    n: int
    quote: str
    verified: bool
    line_start: int  # of the quote, inside the hit's span
    line_end: int
    hit: Hit
    table_head: str = ""  # with its rules, of the table whose rows are quoted, where the quote is without it

    def as_json(self) -> dict[str, Any]:
        keys = ("n", "quote", "verified", "table_head")
        spans = {"line_start": self.line_start, "line_end": self.line_end}
        return {**{key: getattr(self, key) for key in keys}, **self.hit.as_json(), **spans}


@dataclass(frozen=True, slots=True)
class Sentence:
    text: str
    citations: tuple[int, ...]
    supported: bool
    hint: float | None = None  # a reranker's opinion of sentence and quote: no proof, and said to be none


@dataclass(frozen=True, slots=True)
class AnswerResult:
    question: str
    searched_for: str
    answer: str
    refused: bool
    degraded: tuple[str, ...]
    model: str
    citations: tuple[Citation, ...]
    sentences: tuple[Sentence, ...]
    usage: dict[str, int]
    took_ms: dict[str, Any]  # None for what did not happen
    hits: tuple[Hit, ...]  # the passages given to the model, in order; also what a refusal points at
    standalone: str = ""  # the question as it was understood in its conversation
    searched: tuple[tuple[str, int], ...] = ()  # libraries and their snapshots
    invented: int = 0  # citations of passages that do not exist, or do not say so: dropped
    stopped: bool = False  # by its reader, before the model had finished
    weighed: dict[str, Any] = field(default_factory=dict)  # the evidence's strength, and a reader's opinions

    def as_json(self) -> dict[str, Any]:
        keys = ("question", "standalone", "searched_for", "answer", "refused", "stopped", "degraded", "model")
        return {
            **{key: getattr(self, key) for key in keys},
            "citations": [citation.as_json() for citation in self.citations],
            "sentences": [asdict(sentence) for sentence in self.sentences],
            "usage": self.usage,
            "took_ms": self.took_ms,
            "searched": [{"slug": slug, "snapshot": number} for slug, number in self.searched],
            "invented_citations": self.invented,
            "hits": [hit.as_json() for hit in self.hits],
        }


def broke_off(found: SearchResult | AnswerResult) -> bool:
    """Whether nothing was found because the database was away, or took too long: it says nothing of the documents."""
    return not found.hits and not {"database", "timeout"}.isdisjoint(found.degraded)
