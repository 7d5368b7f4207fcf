"""From a query to hits: both branches in one read, fused, loaded."""

from collections.abc import Hashable
from dataclasses import dataclass, field, replace

import psycopg
from django.conf import settings
from django.db import OperationalError
from psycopg.errors import QueryCanceled

from knowledge.endpoints import CODE, EndpointError, has_code_model
from knowledge.endpoints.status import Proven
from knowledge.metrics import searched
from knowledge.models.library import Reader

from . import explain, facets, lexical, rerank, why_not
from .candidates import BRANCHES, RankedCandidates
from .code import chunks as code
from .compounds import with_joined
from .explanation_values import WhyNot
from .filtering import files, masks
from .filtering.fields import matching
from .filtering.libraries import named_libraries, narrowed
from .filtering.names import taken_for_words
from .filtering.options import with_options
from .loading import load
from .naming import files_first
from .query import Query, parse, respelled
from .query_vector import QueryVector, query_vector
from .ranking import RankingInput, SearchTrace, listed, rank
from .result_cache import CachedResult, key_of, may_be_kept, results
from .results import Hit, SearchedLibrary, SearchOptions, SearchResult, understood
from .retrieval_settings import ResolvedOptions, resolved_options
from .slips import is_another_form, is_slip
from .spelling import correctable, corrections
from .view import Key, View, one_read, release_connection
from .why_not import Lost

Vectors = tuple[QueryVector | None, QueryVector | None]  # of a query, as text and as code

STAGES = ("total", "embed", "filter", "spelling", "lexical", "vector", "fuse", "rerank", "load")
MODES = ("hybrid", *BRANCHES, "tree", "code")
FUSED = ("hybrid", "tree", "code")
LONGEST_SAID = 80  # characters of a query that a note repeats
LONGEST_WORD = 2046  # bytes: Postgres passes over a longer one
BY_MEANING_ONLY = (
    "No passage was found by these words. These are the nearest in meaning, and may have nothing to do with them."
)


def search(user: Reader, query: str, options: SearchOptions = SearchOptions()) -> SearchResult:  # noqa: B008 - frozen
    """The best chunks that `user` may see. Raises UnknownLibrary, or ValueError for a mode; else it degrades.

    Without AI_OFFLINE_FALLBACK a model that is away is no degradation but an EndpointError.
    """
    if options.mode not in MODES:
        raise ValueError(f"mode is one of {', '.join(MODES)}, not “{options.mode}”")
    trace, asked = SearchTrace(), parse(query).within(options.files)
    missing = tuple[WhyNot, ...]()
    with trace.timed("total"):
        wanted = options.rerank if asked.text else False
        request = SearchRequest(user, asked, options, Reranking(wanted, *rerank.chosen(wanted)), trace)
        attempted = in_time(request)
        if spelt := attempted.read.respelt:  # not in that read: no transaction waits for a model
            attempted = in_time(request, spelt)
        read, known = attempted.read, attempted.known
        hits, counted = (read.hits, read.counted) if known is None else (known.hits, known.facets)
        is_unsaid = read.is_unsaid if known is None else known.is_unsaid
        if known is None:
            if attempted.reranker and hits:
                release_connection()
                with trace.timed("rerank"):
                    hits = rerank.reranked(attempted.reranker, read.text, hits, trace.degraded)
            missing = tuple(why_not.concluded(one, hits, attempted.chosen, attempted.wide.top_k) for one in read.lost)
            hits = hits[: attempted.chosen.top_k]
            if may_be_kept(options) and not (trace.degraded or read.notes or read.meant or spelt):
                results.put(attempted.key, CachedResult(hits, counted, is_unsaid))
    searched(options.mode, trace.took_ms["total"] / 1000, dict.fromkeys(trace.degraded))
    return SearchResult(
        query=asked.written,
        libraries=tuple(trace.libraries),
        mode=options.mode,
        degraded=tuple(dict.fromkeys(trace.degraded)),
        took_ms={stage: trace.took_ms.get(stage) for stage in STAGES},
        hits=hits,
        why_not=missing,
        facets=counted,
        remembered=known is not None,
        understood=understood(read.asked or asked, options.phrases),
        notes=tuple(dict.fromkeys((*taken_for_words(asked), *read.notes, *([BY_MEANING_ONLY] if is_unsaid else ())))),
        did_you_mean=read.meant_instead(asked),
        corrected=read.corrected,
    )


@dataclass(frozen=True, slots=True)
class Respelt:
    """A query's text with other words for those that nothing holds, and the snapshots of which that was found."""

    text: str
    meant: dict[str, str]
    snapshots: tuple[Key, ...]


@dataclass(frozen=True, slots=True)
class ReadResult:
    """What one read of the database found."""

    hits: tuple[Hit, ...] = ()
    lost: tuple[Lost, ...] = ()
    text: str = ""  # what was looked for, corrections included
    asked: Query | None = None  # the query, in which options of commands are words
    notes: tuple[str, ...] = ()
    meant: dict[str, str] = field(default_factory=dict)  # words that nothing holds, and what may be meant
    corrected: dict[str, str] = field(default_factory=dict)  # those of them that were searched for instead
    counted: facets.Facets = ()
    listing: Query | None = None  # the query for what stands in a file, where its name was asked for
    is_unsaid: bool = False  # whether words were looked for, and no passage holds one of them
    respelt: Respelt | None = None  # nothing was ranked yet: first this is to be embedded

    @property
    def offered(self) -> dict[str, str]:
        return {word: other for word, other in self.meant.items() if not is_another_form(word, other)}

    def meant_instead(self, asked: Query) -> str | None:
        """The query that may be meant instead of the one that was asked."""
        if self.listing:
            return self.listing.written
        return asked.respelt(self.offered) if self.offered else None


@dataclass(frozen=True, slots=True)
class Reranking:
    """Whether a reranker is asked for, which there is, and what keeps it away: see `rerank.chosen`."""

    asked: bool | None
    reranker: Proven | None
    away: EndpointError | None


@dataclass(frozen=True, slots=True)
class Attempt:
    """What one read found, or (`known`) a search before it, and how it looked."""

    read: ReadResult
    chosen: ResolvedOptions
    wide: ResolvedOptions  # the same, with as many hits as a reranker puts in order
    reranker: Proven | None = None
    key: Hashable = None  # by which the result may be kept
    known: CachedResult | None = None


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """Who asks for what, and what is told of the way."""

    user: Reader
    asked: Query
    options: SearchOptions
    reranking: Reranking
    trace: SearchTrace


def in_time(request: SearchRequest, respelt: Respelt | None = None) -> Attempt:
    """Where the words take too long, what is near in meaning is better than nothing. Raises UnknownLibrary."""
    options, trace = request.options, request.trace
    vectors = vectors_of(respelt.text if respelt else request.asked.text, options, trace)
    for without_words in (False, *([True] if options.mode in FUSED and vectors[0] else [])):
        try:
            return attempt(request, vectors, respelt, without_words)
        except (OperationalError, psycopg.OperationalError) as error:
            is_late = isinstance(error, QueryCanceled) or isinstance(error.__cause__, QueryCanceled)
            trace.degraded.append("timeout" if is_late else "database")
            if not is_late:
                break
    return Attempt(ReadResult(), resolved_options(options, ()), resolved_options(options, ()))


def attempt(request: SearchRequest, vectors: Vectors, respelt: Respelt | None, without_words: bool) -> Attempt:
    """One read of the database, from the libraries to the hits.

    Raises UnknownLibrary; OperationalError where the database is away, or a statement takes too long.
    """
    asked, options, trace, reranking = request.asked, request.options, request.trace, request.reranking
    said = named_libraries(request.user, asked)
    named = options.libraries or said
    with one_read(request.user, named, options.snapshot) as readable:
        view, notes = narrowed(readable, asked, named, said)
        trace.libraries[:] = (SearchedLibrary(one.slug, one.number) for one in view.snapshots)
        view, near = code.in_its_space(view, *vectors)
        chosen = resolved_options(options, [searched.retrieval_settings for searched in view.snapshots])
        reranker = None if chosen.rerank is False else reranking.reranker
        if chosen.rerank is not False and rerank.missed(reranking.asked, reranker, reranking.away):
            trace.degraded.append("rerank")
        wide = replace(chosen, top_k=max(chosen.top_k, rerank.SHORTLIST)) if reranker else chosen
        key = key_of(view, asked.written, chosen, near, reranker)
        known = results.get(key) if may_be_kept(options) and not notes else None
        read = ReadResult()
        if known is None:
            read = retrieve(request, view, near, replace(wide, without_words=without_words), respelt)
    return Attempt(replace(read, notes=(*notes, *read.notes)), chosen, wide, reranker, key, known)


def retrieve(
    request: SearchRequest, view: View, embedded: QueryVector | None, options: ResolvedOptions, respelt: Respelt | None
) -> ReadResult:
    """What needs the read. Or how the query is to be embedded first, where a word of it was corrected."""
    trace, notes = request.trace, list[str]()
    asked = with_options(view, request.asked, notes)
    request = replace(request, asked=asked)
    allowed = code.only(view) if options.mode == "code" else None
    snapshots = tuple(searched.key for searched in view.snapshots)
    meant = respelt.meant if respelt and respelt.snapshots == snapshots else {}
    if asked.operators:
        with trace.timed("filter"):
            allowed = masks.allowed(view, asked, notes, options.phrases, allowed)
    words, is_wordless = None, False
    if not (meant or options.by_meaning_alone) and asked.text:
        with trace.timed("lexical"):
            words = lexical.look_up(view, asked.text)
        is_wordless = bool(view.snapshots) and not any(words.asked)
        if words.known < 1 or asked.phrases:
            with trace.timed("spelling"):
                meant = corrections(view, asked, words.joined, allowed, trace.degraded, options.patience)
    unquoted = correctable(asked, options.phrases)
    corrected = {word: meant[word] for word in unquoted if word in meant and is_slip(word, meant[word])}
    text = respelled(asked.text, corrected)
    if corrected and embedded and not respelt:
        return ReadResult(respelt=Respelt(text, meant, snapshots))
    inputs = RankingInput(view, text, embedded, options, allowed, None if corrected else words)
    ranked, listing = rank_or_list(inputs, request), files.listing(view, asked, notes)
    if not listing:
        notes += files.unnamed(view, asked)
    elif options.mode != "tree":
        own = matching(view, "file", listing.values("file"))
        ranked = files_first(view, ranked, own if allowed is None else own & allowed, options.top_k)
    if is_wordless and not asked.phrases:
        notes.append(wordless(asked.text, "vector" in ranked.rankings))
    read = passages(request, inputs, ranked)
    is_unsaid = bool(read.hits) and not (is_wordless or listing) and ranked.rankings.get("lexical") == []
    return replace(
        read,
        asked=asked,
        notes=tuple(notes),
        meant=meant,
        corrected=corrected,
        listing=listing,
        is_unsaid=is_unsaid,
    )


def rank_or_list(inputs: RankingInput, request: SearchRequest) -> RankedCandidates:
    """The best passages, or without words those that filters leave."""
    if request.asked.text:
        return replace(rank(inputs, request.trace), allowed=inputs.allowed)
    return listed(inputs.view, request.asked, inputs.allowed, inputs.options)


def passages(request: SearchRequest, inputs: RankingInput, ranked: RankedCandidates) -> ReadResult:
    """The fused hits, explained if asked for, and what is known of a file that was missed."""
    view, text, embedded, options = inputs.view, inputs.text, inputs.embedded, inputs.options
    with request.trace.timed("load"):
        hits = load(view, with_joined(text), ranked)
    if options.explain:
        reasons = explain.explanations(view, text, embedded, options, ranked)
        hits = tuple(replace(hit, explain=reason) for hit, reason in zip(hits, reasons, strict=True))
    lost = why_not.trace(request.user, view, options, embedded, ranked) if options.why_not else ()
    return ReadResult(hits, lost, text, counted=facets.facets_of(view, ranked, request.asked) if options.facets else ())


def wordless(text: str, by_meaning: bool) -> str:
    """What is to be said of a text without a lexeme, which was looked for by its meaning or not at all."""
    is_long = any(len(word.encode()) > LONGEST_WORD for word in text.split())
    common = "nothing but what is too long to be a word" if is_long else "only words that every text has"
    holds = common if any(map(str.isalnum, text)) else "no word"
    text = text if len(text) <= LONGEST_SAID else f"{text[:LONGEST_SAID]}…"
    return f"“{text}” holds {holds}, so {'only its meaning' if by_meaning else 'nothing'} was looked for."


def vectors_of(text: str, options: SearchOptions, trace: SearchTrace) -> Vectors:
    """As text, and in code search as code; none where nothing goes by meaning."""
    if options.mode == "lexical" or not text:
        return None, None
    with trace.timed("embed"):
        as_code = options.mode == "code" and has_code_model()
        return embed(text, trace), embed(text, trace, CODE) if as_code else None


def embed(query: str, trace: SearchTrace, role: str = "embedding") -> QueryVector | None:
    try:
        return query_vector(query, role)
    except EndpointError:
        if not settings.AI_OFFLINE_FALLBACK:
            raise
        trace.degraded.append("embedding")
        return None
