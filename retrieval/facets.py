"""How the best of what was found is spread: by library, format, folder, section, language, kind and month.

Counted over the candidates of both branches before they are cut to a page, so a count is of the best few hundred
passages and not of everything that holds a word. A value is a filter as it would be written in the query.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from glob import escape
from pathlib import PurePosixPath

from .candidates import RankedCandidates
from .filtering.columns import files_of, passages_of
from .filtering.fields import language_of
from .query import FIELDS, LIKE_NO_FILTER, Query
from .results import Facet, FacetValue
from .view import SearchedSnapshot, View, rows

SHOWN = 8  # values of a facet
COUNTED = 5_000  # passages: filters without words leave any number
SECTIONS = "SELECT id, coalesce(breadcrumb[1], '') FROM knowledge_section WHERE id = ANY(%s::bigint[])"


Facets = tuple[Facet, ...]


def facets_of(view: View, ranked: RankedCandidates, asked: Query) -> Facets:
    """Facets that tell passages apart; one whose filter the query has already, or with a single value, is left out."""
    counts: dict[str, Counter[tuple[str, str]]] = {}
    positions = sorted(position for position, _ in (ranked.candidates or ranked.fused)[:COUNTED])
    sections = dict(rows(SECTIONS, ([int(key) for key in set(view.chunk_columns.sections[positions].tolist())],)))
    for searched, start, own in by_snapshot(view, positions):
        describe = describer(searched)
        for position in own:
            section = sections.get(int(view.chunk_columns.sections[position]), "")
            for name, label, written in (
                *describe(position - start),
                ("Section", section, f"section:{quoted(section)}"),
            ):
                if label and '"' not in label:
                    counts.setdefault(name, Counter())[label, written] += 1
    used = {field for field in FIELDS if asked.values(field)}
    return tuple(
        Facet(name, tuple(FacetValue(label, count, written) for (label, written), count in ordered(counter)))
        for name, counter in sorted(counts.items(), key=lambda one: ORDER.index(one[0]))
        if len(counter) > 1 and not {written.partition(":")[0] for _, written in counter} & used
    )


ORDER = ("Library", "Format", "Folder", "Section", "Language", "Kind", "Updated")


def ordered(counter: Counter[tuple[str, str]]) -> list[tuple[tuple[str, str], int]]:
    return sorted(counter.items(), key=lambda one: (-one[1], one[0]))[:SHOWN]


def by_snapshot(view: View, positions: Iterable[int]) -> Iterator[tuple[SearchedSnapshot, int, list[int]]]:
    for searched, start, stop in zip(view.snapshots, view.offsets, view.offsets[1:], strict=False):
        yield searched, start, [position for position in positions if start <= position < stop]


def describer(searched: SearchedSnapshot) -> Callable[[int], list[tuple[str, str, str]]]:
    """For a position in the snapshot: each facet's name, the chunk's value, and the filter for it."""
    files, passages = files_of(searched), passages_of(searched)

    def describe(position: int) -> list[tuple[str, str, str]]:
        file = files.of_chunk[position]
        path, folder, month = files.paths[file].strip("/"), files.folders[file], files.read_in[file][:7]
        kind, language = passages.kinds[passages.of_chunk[position]]
        suffix = PurePosixPath(path).suffix
        spoken = language_of(searched, kind, language)
        return [
            ("Library", searched.slug, f"library:{searched.slug}"),
            ("Format", suffix, f"file:{quoted(f'*{escape(suffix)}')}"),
            ("Folder", folder, f"file:{quoted(below(folder))}"),
            ("Language", spoken, f"lang:{quoted(spoken)}"),
            ("Kind", kind, f"kind:{kind}"),
            ("Updated", month, f"updated:{month}"),
        ]

    return describe


def below(folder: str) -> str:
    """What filters by this folder at the top; where its name looks like a pattern, as one."""
    pattern = escape(folder)
    return f"/{folder}" if pattern == folder else f"/{pattern}/"


def quoted(value: str) -> str:
    is_bare = value[-1:].isalnum() and not value.startswith(LIKE_NO_FILTER) and not any(map(str.isspace, value))
    return value if is_bare else f'"{value}"'
