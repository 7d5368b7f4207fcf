"""What a query's filters, phrases and exclusions leave of a view: a mask over its positions, for both branches.

A phrase is looked for in Postgres, in the chunks whose postings hold all of its lexemes. Where these are many, those
that BM25 puts first for the phrase are read, until ENOUGH hold it or CHECKED were read, and a note says so.
"""

import hashlib
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from fnmatch import translate
from functools import partial

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from knowledge.models import Chunk, Library, SnapshotFile
from knowledge.models.library import Reader
from knowledge.texts.analysis import analysed, composed

from .bm25 import top
from .filter_names import KINDS
from .lexical import holding_all, languages, look_up, query_lexemes, scores
from .query import Query, Role, Term
from .view import Cache, SearchedSnapshot, View, rows, unhurried

Mask = NDArray[np.bool_]

CHECKED = 2_000  # chunks read for one phrase
READ_AT_ONCE = 250
ENOUGH = 500  # chunks that hold it: more than any branch ranks
PHRASES_MAY_TAKE = 2.0  # seconds, all those of a query together
ENTRY = 1_000  # bytes that a remembered mask costs beside its array: what was typed is its key
MOST_NAMED = 12  # languages, where one is asked for that there is not
SPELLINGS = (  # of one language of code: files give it a name, and documents call it as they like
    "bash sh shell zsh",
    "cpp c++ cc cxx hpp",
    "csharp c# cs",
    "dockerfile docker",
    "fsharp f# fs",
    "go golang",
    "haskell hs",
    "hcl terraform tf",
    "javascript js jsx mjs cjs",
    "kotlin kt",
    "makefile make",
    "markdown md",
    "objective-c objc objectivec",
    "perl pl",
    "powershell ps1 pwsh",
    "python py python3 py3",
    "rst rest restructuredtext",
    "ruby rb",
    "rust rs",
    "typescript ts tsx",
    "yaml yml",
)
SPELT = {name: frozenset(names.split()) for names in SPELLINGS for name in names.split()}
DAY = re.compile(r"\d{4}(?:-\d{2}(?:-\d{2})?)?")
GLOB = re.compile(r"[*?\[]")

HOLDS_PHRASE = """
    SELECT ordinal - 1 FROM unnest(%(texts)s::text[]) WITH ORDINALITY AS piece (text, ordinal)
    WHERE to_tsvector(%(language)s::regconfig, text) @@ phraseto_tsquery(%(language)s::regconfig, %(phrase)s)
"""

TITLED = """
    WITH wanted AS (SELECT lower(asked) AS title FROM unnest(%s::text[]) AS asked)
    SELECT section.id FROM knowledge_section section
    JOIN knowledge_snapshotfile member ON member.file_version_id = section.file_version_id
    WHERE EXISTS (SELECT FROM unnest(section.breadcrumb) AS title
                  WHERE lower(normalize(translate(title, U&'\\00AD\\FEFF', ''))) IN (SELECT title FROM wanted)
                     OR (lower(substring(title FROM '[^.]+$')) IN (SELECT title FROM wanted)
                         AND EXISTS (SELECT FROM knowledge_symbol symbol
                                     WHERE symbol.file_version_id = section.file_version_id
                                       AND symbol.name = substring(title FROM '[^.]+$'))))
      AND member.snapshot_id = %s
"""


@dataclass(frozen=True, slots=True)
class Files:
    """The files of a snapshot, and by position which of them a chunk is of."""

    paths: tuple[str, ...]  # folded, between slashes
    folders: tuple[str, ...]  # the first of each path, as it is written
    media_types: tuple[str, ...]
    read_in: tuple[str, ...]  # days, as 2026-11-22
    of_chunk: NDArray[np.intp]

    @property
    def bytes(self) -> int:
        texts = (*self.paths, *set(self.folders), *self.media_types, *self.read_in)
        return self.of_chunk.nbytes + sum(map(sys.getsizeof, texts))


@dataclass(frozen=True, slots=True)
class Passages:
    """The kinds of chunk in a snapshot, and by position which of them a chunk is."""

    kinds: tuple[tuple[str, str], ...]  # kind, language
    of_chunk: NDArray[np.intp]


_files: Cache[Files] = Cache(128 * 2**20, weigh=lambda files: files.bytes)
_passages: Cache[Passages] = Cache(64 * 2**20, weigh=lambda passages: passages.of_chunk.nbytes)
_masks: Cache[Mask] = Cache(32 * 2**20, weigh=lambda mask: mask.nbytes + ENTRY)
_phrases: Cache[tuple[NDArray[np.intp], NDArray[np.intp]]] = Cache(256)


def named_libraries(user: Reader, query: Query) -> tuple[str, ...]:
    """The slugs that `library:` names, as far as `user` may read them."""
    names = {name.casefold() for name in query.values("library")}
    if not names:
        return ()
    slugs = Library.objects.readable_by(user).order_by("slug").values_list("slug", flat=True)
    return tuple(slug for slug in slugs if slug.casefold() in names)


def narrowed(
    view: View, query: Query, named: Sequence[str] = (), said: Sequence[str] = ()
) -> tuple[View, tuple[str, ...]]:
    """The view's snapshots of the libraries that are asked for, and what there is to say about others.

    The view is of the libraries `named`, all of which may be read, and so may those that the query has `said`
    (`named_libraries`); of all, where there is none.
    """
    wanted, unwanted = query.values("library"), query.values("library", excluded=True)
    slugs = {searched.slug.casefold() for searched in view.snapshots}
    unbuilt = [slug for slug in named if slug.casefold() not in slugs]
    known = slugs | {slug.casefold() for slug in unbuilt}
    unchosen = {slug.casefold() for slug in said} - known
    missing = [name for name in wanted if name.casefold() not in known]
    notes = (
        *(f"Nothing of “{slug}” can be searched yet: it has no active snapshot." for slug in unbuilt),
        *(
            f"“{name}” is not among the libraries chosen."
            if name.casefold() in unchosen
            else f"There is no library “{name}” to search."
            for name in missing
        ),
    )
    chosen = {name.casefold() for name in wanted} or slugs
    chosen -= {name.casefold() for name in unwanted}
    return View(tuple(searched for searched in view.snapshots if searched.slug.casefold() in chosen)), notes


def allowed(
    view: View, query: Query, notes: list[str], phrases: bool = True, within: Mask | None = None
) -> Mask | None:
    """By position, whether a chunk may be found: one of those `within`, or of all. `within` itself when nothing is
    asked but words. `notes` says what was not done.

    Without `phrases` a quote's words are words. Fields come first: of a quote not everything may be read.
    """
    asked = [term for term in query.operators if term.field != "library" and (phrases or term.role is not Role.PHRASE)]
    if not asked:
        return within
    mask = np.ones(view.offsets[-1], np.bool_) if within is None else within.copy()
    for field in ("file", "lang", "kind", "section", "updated"):
        if values := query.values(field):
            mask &= matching(view, field, values)
        if values := query.values(field, excluded=True):
            mask &= ~matching(view, field, values)
    fields, until = mask.copy(), time.monotonic() + PHRASES_MAY_TAKE
    for term in asked:
        if not term.field and (holders := saying(view, term, fields, notes, until)) is not None:
            mask &= ~holders if term.excluded else holders
    for value in query.values("kind"):
        if "/" not in value and value.casefold() not in KINDS:
            notes.append(f"There is no kind “{value}”: a passage is {', '.join(KINDS[:-1])} or {KINDS[-1]}.")
    if values := query.values("lang"):
        notes += unspoken(view, values)
    for value in query.values("updated"):
        if not is_day(value):
            notes.append(f"“{value}” is no year, month or day: updated: takes 2026, 2026-11 or 2026-11-22.")
    return mask


def unspoken(view: View, values: Sequence[str]) -> Iterator[str]:
    """A sentence for each of these that is the language of nothing searched, with those that are there."""
    spoken = Counter[str]()
    for searched in view.snapshots:
        passages = passages_of(searched)
        counts = np.bincount(passages.of_chunk, minlength=len(passages.kinds)).tolist()
        for (kind, language), count in zip(passages.kinds, counts, strict=True):
            spoken[language if kind == "code" else searched.language] += count
    there = [language for language, count in spoken.most_common() if language and count]
    known = spellings(there)
    more = f", and {len(there) - MOST_NAMED} more" if len(there) > MOST_NAMED else ""
    for value in values:
        if there and value.casefold() not in known:
            yield f"Nothing here is in the language “{value}”. There are: {', '.join(there[:MOST_NAMED])}{more}."


def saying(view: View, term: Term, within: Mask, notes: list[str], until: float) -> Mask | None:
    """By position, whether a chunk of those `within` holds the term's lexemes, and for a quote in its order; None when
    it has none. In a language in which it has none it asks for nothing, and excludes nothing.
    """
    mask, any_lexeme = np.zeros(view.offsets[-1], np.bool_), False
    for language in sorted(languages(view)):
        lexemes = query_lexemes(language, term.value)
        any_lexeme |= bool(lexemes)
        if not lexemes:
            mask |= in_language(view, language) & (not term.excluded)
            continue
        held = holding_all(view, language, lexemes) & within
        if term.quoted and sum(lexemes.values()) > 1:
            mask[in_order(view, language, term, held, notes, until)] = True
        else:
            mask |= held
    if any_lexeme:
        return mask
    if view.snapshots:
        notes.append(f"“{term.value}” holds only words that every text has, so it was left out.")
    return None


def in_language(view: View, language: str) -> Mask:
    """By position, whether a chunk is of a snapshot in this language."""
    spoken = [searched.language == language for searched in view.snapshots]
    return np.repeat(np.array(spoken, np.bool_), np.diff(view.offsets))


def in_order(view: View, language: str, term: Term, held: Mask, notes: list[str], until: float) -> NDArray[np.intp]:
    """Positions of those of the chunks `held` that hold the phrase; remembered, unless time was up. What was not read
    is not shown.
    """
    holders, digest = np.flatnonzero(held), hashlib.sha256(np.packbits(held).tobytes()).digest()
    key = (tuple(searched.key for searched in view.snapshots), language, term.value, term.excluded, digest)
    enough = len(holders) if term.excluded else ENOUGH
    if (known := _phrases.get(key)) is None:
        known = read_for(view, language, term.value, holders, enough, until)
        if time.monotonic() < until:
            _phrases.put(key, known)
    found, read = known
    if len(read) == len(holders):
        return found
    notes.append(f"{len(holders):,} passages hold the words of “{term.value}”; the {len(read):,} likeliest were read.")
    return np.setdiff1d(holders, np.setdiff1d(read, found)) if term.excluded else found


def read_for(
    view: View, language: str, phrase: str, holders: NDArray[np.intp], enough: int, until: float
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Positions of the chunks that hold the phrase, and of those that were read: at most CHECKED, until `enough` do, or
    time is up.
    """
    if len(holders) > READ_AT_ONCE:
        holders = holders[top(scores(look_up(view, phrase))[holders], CHECKED)]
    found: list[int] = []
    read = 0
    while read < len(holders) and len(found) < enough and time.monotonic() < until:
        batch = holders[read : read + READ_AT_ONCE]
        found += those_that_say(view, language, phrase, batch)
        read += len(batch)
    return np.array(sorted(found), np.intp), holders[:read]


def those_that_say(view: View, language: str, phrase: str, positions: NDArray[np.intp]) -> set[int]:
    place = dict(zip(view.places.chunks[positions].tolist(), positions.tolist(), strict=True))
    pieces: list[str] = []
    owners: list[int] = []
    chunks = Chunk.objects.filter(pk__in=list(place)).order_by()
    for pk, breadcrumb, *texts in chunks.values_list("pk", "section__breadcrumb", "context", "text"):
        words = [analysed(piece) for piece in (*breadcrumb, *texts) if piece]
        pieces += words
        owners += [place[pk]] * len(words)
    with connection.cursor() as cursor:
        cursor.execute(HOLDS_PHRASE, {"texts": pieces, "language": language, "phrase": analysed(phrase)})
        return {owners[ordinal] for (ordinal,) in cursor.fetchall()}


def matching(view: View, field: str, values: Sequence[str]) -> Mask:
    """By position, whether a chunk's file, language or kind is one of these; remembered, for people go on filtering."""
    make = MASKS[field]
    parts = [
        _masks.get_or_make((searched.key, field, tuple(values)), partial(make, searched, values))
        for searched in view.snapshots
    ]
    return np.concatenate(parts) if parts else np.empty(0, np.bool_)


def by_file(searched: SearchedSnapshot, values: Sequence[str]) -> Mask:
    files = files_of(searched)
    is_named = either(values)
    named = np.fromiter(map(is_named, files.paths), np.bool_, len(files.paths))
    return named[files.of_chunk]


def by_language(searched: SearchedSnapshot, values: Sequence[str]) -> Mask:
    """A chunk of code is in its own language, any other in its library's (a text-search configuration)."""
    own = searched.language
    wanted = spellings(values)
    return by_passage(searched, lambda kind, language: (language if kind == "code" else own).casefold() in wanted)


def spellings(languages: Iterable[str]) -> set[str]:
    """These, and what else they are called: python for py, small."""
    named = {language.casefold() for language in languages}
    return named.union(*(SPELT.get(name, ()) for name in named))


def by_kind(searched: SearchedSnapshot, values: Sequence[str]) -> Mask:
    """What most of a chunk is; or, where the value has a slash, its file's media type."""
    wanted = {value.casefold() for value in values}
    files = files_of(searched)
    media = np.array([media_type.casefold() in wanted for media_type in files.media_types], np.bool_)
    return media[files.of_chunk] | by_passage(searched, lambda kind, language: kind in wanted)


def by_section(searched: SearchedSnapshot, values: Sequence[str]) -> Mask:
    """In a section of this title, or below one; a symbol of code by its own name, too: that of `View.dispatch`."""
    with unhurried():
        within = [pk for (pk,) in rows(TITLED, (list(values), searched.pk))]
    return np.isin(searched.places.sections, within)


def by_month(searched: SearchedSnapshot, values: Sequence[str]) -> Mask:
    """The file's version was read in then: `2026`, `2026-11` or `2026-11-22`. In what is none of these, none was."""
    files, asked = files_of(searched), tuple(filter(is_day, values))
    named = np.array([day.startswith(asked) for day in files.read_in], np.bool_)
    return named[files.of_chunk]


def is_day(value: str) -> bool:
    """Or a month, or a year, that there is: not 2026-13."""
    try:
        return bool(DAY.fullmatch(value) and date.fromisoformat(value + "2000-01-01"[len(value) :]))
    except ValueError:
        return False


MASKS = {"file": by_file, "lang": by_language, "kind": by_kind, "section": by_section, "updated": by_month}


def by_passage(searched: SearchedSnapshot, is_wanted: Callable[[str, str], bool]) -> Mask:
    passages = passages_of(searched)
    return np.array([is_wanted(*kind) for kind in passages.kinds], np.bool_)[passages.of_chunk]


def either(values: Iterable[str]) -> Callable[[str], bool]:
    """Whether a path, folded and between slashes, is one that these values name.

    Without `*`, `?` and `[…]`: consecutive parts of it, so a file's name, a folder or both; from the top with a slash
    at the beginning. With them: the same, as names may hold them; or a pattern for all of it, or for what follows one
    of its slashes; `*` takes slashes in.
    """
    parts, beginnings, patterns = [], [], []
    for value in {folded(value).replace("\\", "/") for value in values}:
        if GLOB.search(value):
            anchored = value if value.startswith(("/", "*")) else f"*/{value}"
            patterns.append(re.compile(translate(f"{anchored}*" if value.endswith("/") else f"{anchored}/")))
        if value.startswith("/"):
            beginnings.append(f"/{value.strip('/')}/".replace("//", "/"))
        else:
            parts.append(f"/{value.strip('/')}/")

    def is_named(path: str) -> bool:
        return (
            any(part in path for part in parts)
            or path.startswith(tuple(beginnings))
            or any(pattern.match(path) for pattern in patterns)
        )

    return is_named


def folded(text: str) -> str:
    return composed(text).casefold()


def passages_of(searched: SearchedSnapshot) -> Passages:
    return _passages.get_or_make(searched.key, partial(read_passages, searched))


def files_of(searched: SearchedSnapshot) -> Files:
    return _files.get_or_make(searched.key, partial(read_files, searched))


def read_files(searched: SearchedSnapshot) -> Files:
    held = SnapshotFile.objects.filter(snapshot=searched.pk)
    members = held.values_list(
        "document_file", "document_file__path", "file_version__media_type", "file_version__created_at"
    )
    with unhurried():
        known = {
            pk: (f"/{folded(path)}/", first_folder(path), media, f"{at:%Y-%m-%d}") for pk, path, media, at in members
        }
    keys, of_chunk = np.unique(searched.places.files, return_inverse=True)
    found = [known[key] for key in keys.tolist()]
    paths, folders, media_types, days = zip(*found, strict=True) if found else ((), (), (), ())
    return Files(paths, folders, media_types, days, of_chunk)


def first_folder(path: str) -> str:
    folder, slash, _ = path.partition("/")
    return sys.intern(folder) if slash else ""


def read_passages(searched: SearchedSnapshot) -> Passages:
    """Prose is what is left when the rest is read."""
    named = Chunk.objects.in_snapshots([searched.pk]).exclude(kind="prose", language="")
    of_chunk = np.zeros(len(searched.chunk_ids), np.intp)
    kinds: dict[tuple[str, str], int] = {("prose", ""): 0}
    with unhurried():
        others = list(named.order_by().values_list("pk", "kind", "language"))
    positions = searched.locator()(np.array([pk for pk, _, _ in others], np.int64))
    of_chunk[positions] = [kinds.setdefault((kind, language), len(kinds)) for _, kind, language in others]
    return Passages(tuple(kinds), of_chunk)
