"""Which chunks a field names: `file:`, `lang:`, `kind:`, `section:` and `updated:`."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date
from fnmatch import translate
from functools import partial

import numpy as np

from retrieval.query import Query
from retrieval.view import Cache, SearchedSnapshot, View, rows, unhurried

from .columns import Mask, files_of, folded, passages_of
from .names import KINDS

ENTRY = 1_000  # bytes that a remembered mask costs beside its array: what was typed is its key
MOST_NAMED = 12  # languages, where one is asked for that there is not
SPELLINGS = (  # of one language of code, its name first: documents call it as they like
    "bash sh shell zsh",
    "batch bat cmd",
    "clojure clj cljs cljc",
    "cpp c++ cc cxx hh hpp hxx ino",
    "csharp c# cs",
    "cython pyx pxd",
    "dockerfile docker",
    "elixir ex exs",
    "erlang erl hrl",
    "fsharp f# fs fsx fsi",
    "go golang",
    "graphql gql",
    "groovy gradle",
    "haskell hs",
    "hcl terraform tf",
    "javascript js jsx mjs cjs",
    "julia jl",
    "kotlin kt kts",
    "makefile make mk",
    "markdown md",
    "objective-c objc objectivec",
    "ocaml ml mli",
    "perl pl pm",
    "powershell ps1 psm1 psd1 pwsh",
    "protobuf proto",
    "python py python3 py3 bzl pyw",
    "rst rest restructuredtext",
    "ruby rb rake gemspec ru",
    "rust rs",
    "scala sbt",
    "typescript ts tsx mts cts",
    "yaml yml",
)
NAMES = {spelling: names.split()[0] for names in SPELLINGS for spelling in names.split()}
DAY = re.compile(r"\d{4}(?:-\d{2}(?:-\d{2})?)?")
GLOB = re.compile(r"[*?\[]")

TITLED = """
    WITH wanted AS (SELECT lower(asked) AS title FROM unnest(%(asked)s::text[]) AS asked)
    SELECT section.id FROM knowledge_section section
    JOIN knowledge_snapshotfile member ON member.file_version_id = section.file_version_id
    WHERE EXISTS (SELECT FROM unnest(section.breadcrumb) AS title
                  WHERE lower(normalize(translate(title, U&'\\00AD\\FEFF', ''))) IN (SELECT title FROM wanted)
                     OR lower(regexp_replace(normalize(title, NFKD), U&'[\\00AD\\FEFF\\0300-\\036F]', '', 'g'))
                        IN (SELECT title FROM wanted)
                     OR (lower(substring(title FROM '[^.]+$')) IN (SELECT title FROM wanted)
                         AND EXISTS (SELECT FROM knowledge_symbol symbol
                                     WHERE symbol.file_version_id = section.file_version_id
                                       AND symbol.name = substring(title FROM '[^.]+$'))))
      AND member.snapshot_id = %(snapshot)s
    UNION
    SELECT (SELECT section.id FROM knowledge_section section
            WHERE section.file_version_id = symbol.file_version_id
              AND symbol.line_start BETWEEN section.line_start AND section.line_end
            ORDER BY section.ordinal DESC LIMIT 1)
    FROM knowledge_symbol symbol
    JOIN knowledge_snapshotfile member ON member.file_version_id = symbol.file_version_id
    WHERE (lower(symbol.name) IN (SELECT title FROM wanted)
           OR lower(symbol.qualified_name) IN (SELECT title FROM wanted))
      AND member.snapshot_id = %(snapshot)s
"""

_masks: Cache[Mask] = Cache(32 * 2**20, weigh=lambda mask: mask.nbytes + ENTRY)


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
    wanted = set(map(language_name, values))
    return by_passage(searched, lambda kind, language: language_of(searched, kind, language) in wanted)


def language_of(searched: SearchedSnapshot, kind: str, language: str) -> str:
    """What a passage is in, by its name."""
    return language_name(language if kind == "code" else searched.language)


def language_name(language: str) -> str:
    """One for all that it is called: python for Py."""
    return NAMES.get(language.casefold(), language.casefold())


def by_kind(searched: SearchedSnapshot, values: Sequence[str]) -> Mask:
    """What most of a chunk is; or, where the value has a slash, its file's media type."""
    wanted = {value.casefold() for value in values}
    files = files_of(searched)
    media = np.array([media_type.casefold() in wanted for media_type in files.media_types], np.bool_)
    return media[files.of_chunk] | by_passage(searched, lambda kind, language: kind in wanted)


def by_section(searched: SearchedSnapshot, values: Sequence[str]) -> Mask:
    """In a section of this title, or below one; a symbol of code by its own name, too: that of `View.dispatch`, and
    where it has no section of its own the one that it stands in.
    """
    with unhurried():
        within = [pk for (pk,) in rows(TITLED, {"asked": list(values), "snapshot": searched.pk}) if pk]
    return np.isin(searched.chunk_columns.sections, within)


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


def unknown(view: View, query: Query) -> Iterator[str]:
    """A sentence for each value that its field does not know."""
    for value in query.values("kind"):
        if "/" not in value and value.casefold() not in KINDS:
            yield f"There is no kind “{value}”: a passage is {', '.join(KINDS[:-1])} or {KINDS[-1]}."
    if values := query.values("lang"):
        yield from unspoken(view, values)
    for value in query.values("updated"):
        if not is_day(value):
            yield f"“{value}” is no year, month or day: updated: takes 2026, 2026-11 or 2026-11-22."


def unspoken(view: View, values: Sequence[str]) -> Iterator[str]:
    """A sentence for each of these that is the language of nothing searched, with those that are there."""
    spoken = Counter[str]()
    for searched in view.snapshots:
        passages = passages_of(searched)
        counts = np.bincount(passages.of_chunk, minlength=len(passages.kinds)).tolist()
        for (kind, language), count in zip(passages.kinds, counts, strict=True):
            spoken[language_of(searched, kind, language)] += count
    there = [language for language, count in spoken.most_common() if language and count]
    more = f", and {len(there) - MOST_NAMED} more" if len(there) > MOST_NAMED else ""
    for value in values:
        if there and language_name(value) not in there:
            yield f"Nothing here is in the language “{value}”. There are: {', '.join(there[:MOST_NAMED])}{more}."
