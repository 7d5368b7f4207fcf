"""From a query to hits: both branches in one read, fused, loaded."""

from collections.abc import Hashable
from dataclasses import dataclass, field, replace

import psycopg
from django.conf import settings
from django.db import OperationalError
from psycopg.errors import QueryCanceled

from knowledge.endpoints import CODE, EndpointError, has_code_model
from knowledge.endpoints.standing import Proven
from knowledge.metrics import searched
from knowledge.models.library import Reader

from . import explain, facets, lexical, rerank, why_not
from .code import chunks as code
from .compounds import with_joined
from .explanation import WhyNot
from .filtering import files, masks
from .filtering.libraries import named_libraries, narrowed
from .filtering.names import taken_for_words
from .found import BRANCHES, Found
from .knobs import Settled, settled
from .loading import load
from .query import Query, parse, respelled
from .query_vector import QueryVector, query_vector
from .ranking import Course, Sought, listed, rank
from .result_cache import Kept, key_of, may_be_kept, results
from .results import Hit, SearchedLibrary, SearchOptions, SearchResult, understood
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
    course, asked = Course(), parse(query).within(options.files)
    missing = tuple[WhyNot, ...]()
    with course.timed("total"):
        wanted = options.rerank if asked.text else False
        errand = Errand(user, asked, options, Reranking(wanted, *rerank.chosen(wanted)), course)
        found = in_time(errand)
        if spelt := found.read.respelt:  # not in that read: no transaction waits for a model
            found = in_time(errand, spelt)
        read, known = found.read, found.known
        hits, counted = (read.hits, read.counted) if known is None else (known.hits, known.facets)
        is_unsaid = read.is_unsaid if known is None else known.is_unsaid
        if known is None:
            if found.reranker and hits:
                release_connection()
                with course.timed("rerank"):
                    hits = rerank.reranked(found.reranker, read.text, hits, course.degraded)
            missing = tuple(why_not.concluded(one, hits, found.chosen, found.wide.top_k) for one in read.lost)
            hits = hits[: found.chosen.top_k]
            if may_be_kept(options) and not (course.degraded or read.notes or read.meant or spelt):
                results.put(found.key, Kept(hits, counted, is_unsaid))
    searched(options.mode, course.took_ms["total"] / 1000, dict.fromkeys(course.degraded))
    return SearchResult(
        query=asked.written,
        libraries=tuple(course.libraries),
        mode=options.mode,
        degraded=tuple(dict.fromkeys(course.degraded)),
        took_ms={stage: course.took_ms.get(stage) for stage in STAGES},
        hits=hits,
        why_not=missing,
        facets=counted,
        remembered=known is not None,
        understood=understood(asked, options.phrases),
        notes=tuple(dict.fromkeys((*taken_for_words(asked), *read.notes, *([BY_MEANING_ONLY] if is_unsaid else ())))),
        did_you_mean=read.listing or (asked.respelt(read.offered) if read.offered else None),
        corrected=read.corrected,
    )


@dataclass(frozen=True, slots=True)
class Respelt:
    """A query's text with other words for those that nothing holds, and the snapshots of which that was found."""

    text: str
    meant: dict[str, str]
    snapshots: tuple[Key, ...]


@dataclass(frozen=True, slots=True)
class Read:
    """What one read of the database found."""

    hits: tuple[Hit, ...] = ()
    lost: tuple[Lost, ...] = ()
    text: str = ""  # what was looked for, corrections included
    notes: tuple[str, ...] = ()
    meant: dict[str, str] = field(default_factory=dict)  # words that nothing holds, and what may be meant
    corrected: dict[str, str] = field(default_factory=dict)  # those of them that were searched for instead
    counted: facets.Facets = ()
    listing: str | None = None  # the query for what stands in a file, where its name was asked for
    is_unsaid: bool = False  # whether words were looked for, and no passage holds one of them
    respelt: Respelt | None = None  # nothing was ranked yet: first this is to be embedded

    @property
    def offered(self) -> dict[str, str]:
        return {word: other for word, other in self.meant.items() if not is_another_form(word, other)}


@dataclass(frozen=True, slots=True)
class Reranking:
    """Whether a reranker is asked for, which there is, and what keeps it away: see `rerank.chosen`."""

    asked: bool | None
    reranker: Proven | None
    away: EndpointError | None


@dataclass(frozen=True, slots=True)
class Attempt:
    """What one read found, or (`known`) a search before it, and how it looked."""

    read: Read
    chosen: Settled
    wide: Settled  # the same, with as many hits as a reranker puts in order
    reranker: Proven | None = None
    key: Hashable = None  # by which the result may be kept
    known: Kept | None = None


@dataclass(frozen=True, slots=True)
class Errand:
    """Who asks for what, and what is told of the way."""

    user: Reader
    asked: Query
    options: SearchOptions
    reranking: Reranking
    course: Course


def in_time(errand: Errand, respelt: Respelt | None = None) -> Attempt:
    """Where the words take too long, what is near in meaning is better than nothing. Raises UnknownLibrary."""
    options, course = errand.options, errand.course
    vectors = vectors_of(respelt.text if respelt else errand.asked.text, options, course)
    for without_words in (False, *([True] if options.mode in FUSED and vectors[0] else [])):
        try:
            return attempt(errand, vectors, respelt, without_words)
        except (OperationalError, psycopg.OperationalError) as error:
            is_late = isinstance(error, QueryCanceled) or isinstance(error.__cause__, QueryCanceled)
            course.degraded.append("timeout" if is_late else "database")
            if not is_late:
                break
    return Attempt(Read(), settled(options, ()), settled(options, ()))


def attempt(errand: Errand, vectors: Vectors, respelt: Respelt | None, without_words: bool) -> Attempt:
    """One read of the database, from the libraries to the hits.

    Raises UnknownLibrary; OperationalError where the database is away, or a statement takes too long.
    """
    asked, options, course, reranking = errand.asked, errand.options, errand.course, errand.reranking
    said = named_libraries(errand.user, asked)
    named = options.libraries or said
    with one_read(errand.user, named, options.snapshot) as readable:
        view, notes = narrowed(readable, asked, named, said)
        course.libraries[:] = (SearchedLibrary(found.slug, found.number) for found in view.snapshots)
        view, near = code.in_its_space(view, *vectors)
        chosen = settled(options, [searched.knobs for searched in view.snapshots])
        reranker = None if chosen.rerank is False else reranking.reranker
        if chosen.rerank is not False and rerank.missed(reranking.asked, reranker, reranking.away):
            course.degraded.append("rerank")
        wide = replace(chosen, top_k=max(chosen.top_k, rerank.SHORTLIST)) if reranker else chosen
        key = key_of(view, asked.written, chosen, near, reranker)
        known = results.get(key) if may_be_kept(options) and not notes else None
        read = Read()
        if known is None:
            read = retrieve(errand, view, near, replace(wide, without_words=without_words), respelt)
    return Attempt(replace(read, notes=(*notes, *read.notes)), chosen, wide, reranker, key, known)


def retrieve(
    errand: Errand, view: View, embedded: QueryVector | None, options: Settled, respelt: Respelt | None
) -> Read:
    """What needs the read. Or how the query is to be embedded first, where a word of it was corrected."""
    asked, course, notes = errand.asked, errand.course, list[str]()
    allowed = code.only(view) if options.mode == "code" else None
    snapshots = tuple(searched.key for searched in view.snapshots)
    meant = respelt.meant if respelt and respelt.snapshots == snapshots else {}
    if asked.operators:
        with course.timed("filter"):
            allowed = masks.allowed(view, asked, notes, options.phrases, allowed)
    words, is_wordless = None, False
    if not (meant or options.by_meaning_alone) and asked.text:
        with course.timed("lexical"):
            words = lexical.look_up(view, asked.text)
        is_wordless = bool(view.snapshots) and not any(words.asked)
        if words.known < 1 or asked.phrases:
            with course.timed("spelling"):
                meant = corrections(view, asked, words.joined, allowed, course.degraded, options.patience)
    unquoted = correctable(asked, options.phrases)
    corrected = {word: meant[word] for word in unquoted if word in meant and is_slip(word, meant[word])}
    text = respelled(asked.text, corrected)
    if corrected and embedded and not respelt:
        return Read(respelt=Respelt(text, meant, snapshots))
    sought = Sought(view, text, embedded, options, allowed, None if corrected else words)
    found = ranked(sought, errand)
    if is_wordless and not asked.phrases:
        notes.append(wordless(asked.text, "vector" in found.rankings))
    read = passages(errand, sought, found)
    listing = files.listing(view, asked, notes)
    is_unsaid = bool(read.hits) and not is_wordless and found.rankings.get("lexical") == []
    return replace(read, notes=tuple(notes), meant=meant, corrected=corrected, listing=listing, is_unsaid=is_unsaid)


def ranked(sought: Sought, errand: Errand) -> Found:
    """The best passages, or without words those that filters leave."""
    if errand.asked.text:
        return replace(rank(sought, errand.course), allowed=sought.allowed)
    return listed(sought.view, errand.asked, sought.allowed, sought.options)


def passages(errand: Errand, sought: Sought, found: Found) -> Read:
    """The fused hits, explained if asked for, and what is known of a file that was missed."""
    view, text, embedded, options = sought.view, sought.text, sought.embedded, sought.options
    with errand.course.timed("load"):
        hits = load(view, with_joined(text), found)
    if options.explain:
        reasons = explain.explanations(view, text, embedded, options, found)
        hits = tuple(replace(hit, explain=reason) for hit, reason in zip(hits, reasons, strict=True))
    lost = why_not.trace(errand.user, view, options, embedded, found) if options.why_not else ()
    return Read(hits, lost, text, counted=facets.facets_of(view, found, errand.asked) if options.facets else ())


def wordless(text: str, by_meaning: bool) -> str:
    """What is to be said of a text without a lexeme, which was looked for by its meaning or not at all."""
    is_long = any(len(word.encode()) > LONGEST_WORD for word in text.split())
    common = "nothing but what is too long to be a word" if is_long else "only words that every text has"
    holds = common if any(map(str.isalnum, text)) else "no word"
    text = text if len(text) <= LONGEST_SAID else f"{text[:LONGEST_SAID]}…"
    return f"“{text}” holds {holds}, so {'only its meaning' if by_meaning else 'nothing'} was looked for."


def vectors_of(text: str, options: SearchOptions, course: Course) -> Vectors:
    """As text, and in code search as code; none where nothing goes by meaning."""
    if options.mode == "lexical" or not text:
        return None, None
    with course.timed("embed"):
        as_code = options.mode == "code" and has_code_model()
        return embed(text, course), embed(text, course, CODE) if as_code else None


def embed(query: str, course: Course, role: str = "embedding") -> QueryVector | None:
    try:
        return query_vector(query, role)
    except EndpointError:
        if not settings.AI_OFFLINE_FALLBACK:
            raise
        course.degraded.append("embedding")
        return None
