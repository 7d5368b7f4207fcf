"""A query that is one name: what is called so comes first, and what spells it so before what only shares its stem.

`Engine` is looked for where it is defined, and not in the ten short methods that say it as often; the stem of
PYTEST_ADDOPTS is that of pytest_addoption, too. A file that is called so is there where it begins. Scores stay as they
are; only the order changes.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import NamedTuple

import numpy as np

from .candidates import RankedCandidates
from .code.spelling import JOINTS
from .filtering.columns import Mask
from .fusion import Fused, diversify
from .notations import is_document
from .query import is_identifier
from .view import View, rows

TITLED = """
    SELECT section.id, section.title, coalesce(section.breadcrumb[cardinality(section.breadcrumb) - 1], ''), file.path
    FROM knowledge_section section
    JOIN knowledge_fileversion version ON version.id = section.file_version_id
    JOIN knowledge_documentfile file ON file.id = version.document_file_id
    WHERE section.id = ANY(%(sections)s::bigint[]) AND (section.title ILIKE %(name)s OR section.id = %(first)s)
"""
DEFINED = """
    SELECT chunk.id, symbol.qualified_name
    FROM knowledge_chunk chunk
    JOIN knowledge_section section ON section.id = chunk.section_id
    JOIN knowledge_symbol symbol ON symbol.file_version_id = section.file_version_id
    WHERE chunk.id = ANY(%(chunks)s::bigint[]) AND symbol.line_start BETWEEN chunk.line_start AND chunk.line_end
      AND lower(symbol.name) = lower(%(name)s) AND symbol.kind <> 'prototype'
"""
SPELT = """
    SELECT chunk.id, concat_ws(' ', section.title, chunk.context, chunk.text) LIKE %(name)s
    FROM knowledge_chunk chunk JOIN knowledge_section section ON section.id = chunk.section_id
    WHERE chunk.id = ANY(%(chunks)s::bigint[])
      AND concat_ws(' ', section.title, chunk.context, chunk.text) ILIKE %(name)s
"""
NAME = re.compile(r"[`'“”‘’]*(?P<name>[\w$@.:>#\\-]*[^\W\d_][\w$@.:>#\\-]*?)(?:\(\))?[`'“”‘’,;:?!]*")
AROUND = re.compile(
    r"(?:[^\W\d]+ )?\d+(?:\.\d+)*[.):]*\s+|\([^()]*\)$"
)  # “1.2 Lending”, “Chapter 1: Lending”, `lend(self)`
LEAST_CAPITALS = 4  # letters
MOST_FILES = 3  # of one name: every folder may have a README.md
OWNED = 2  # parts of a name that tells what it belongs to


class Group(IntEnum):
    """How a passage holds the name, in the order in which they come."""

    AS_WRITTEN = 0
    FOLDED = 1  # in other capitals
    NOT_AT_ALL = 2
    OVERLOAD = 3  # in another section of a title that is there already


class Called(IntEnum):
    """How far a section's title is the name, the closest first."""

    SO = 0
    WITHIN_SOMETHING = 1  # Context.JSON, of JSON; Kernel.handle, of App\Http\Kernel::handle
    IN_OTHER_CAPITALS = 2
    WITHIN_SOMETHING_IN_OTHER_CAPITALS = 3
    OTHERWISE = 4


class Title(NamedTuple):
    """A section's title, and that of the section above it."""

    own: str
    above: str = ""

    def called(self, name: str) -> Called:
        """Of one name below another, too, as those two together are: `dumps(obj)` below `json` is json.dumps."""
        own, above = (name_of(AROUND.sub("", title.strip()).strip()) for title in self)
        return min(called(self.own, name), called(f"{above}.{own}", name) if own and above else Called.OTHERWISE)


@dataclass(frozen=True, slots=True)
class Named:
    """The first passage of a file whose section is called so, and that section."""

    position: int
    section: int
    called: Called


def name_of(text: str) -> str:
    """The one name that a query is, without what is written around it; empty if it is anything else."""
    named = NAME.fullmatch(text.strip())
    return named["name"].strip(".:") if named else ""


def called(title: str, name: str) -> Called:
    """Of a word in small letters, which people type, capitals tell nothing; of an identifier they do."""
    title = AROUND.sub("", title.strip()).strip()
    whole = name_of(title)
    said, asked = parts_of(whole or title), parts_of(name)
    shared = min(len(said), len(asked))
    ends = said[-shared:], asked[-shared:]
    if [part.casefold() for part in ends[0]] != [part.casefold() for part in ends[1]]:
        return Called.OTHERWISE
    is_exact = ends[0] == ends[1] or is_typed_small(name)
    if len(said) == len(asked):
        return Called.SO if is_exact else Called.IN_OTHER_CAPITALS
    if not whole or len(said) < min(len(asked), OWNED):  # “See example.com”; `dumps`, of `json.dumps`
        return Called.OTHERWISE
    return Called.WITHIN_SOMETHING if is_exact else Called.WITHIN_SOMETHING_IN_OTHER_CAPITALS


def parts_of(name: str) -> tuple[str, ...]:
    """What its points join, or what stands for them in the language that it is written in: `App::run`, `Cart#add`."""
    return tuple(JOINTS.sub(".", name).split("."))


def is_typed_small(name: str) -> bool:
    return name.islower() and not is_identifier(name)


def is_in_capitals(name: str) -> bool:
    """Whether it may be meant so, as a keyword is (`RETURNING`): in a shorter word capitals tell less."""
    return name.isalpha() and name.isupper() and len(name) >= LEAST_CAPITALS


def named_first(view: View, text: str, ranked: RankedCandidates, most: int, diversity: float) -> RankedCandidates:
    """Of one name, first the sections that are called so, one of a title in each file; then, of an identifier or
    a word in capitals, the passages that hold it as it is written; and last the other sections of those titles:
    overloads."""
    name = name_of(text)
    if not name or "lexical" not in ranked.rankings or not ranked.candidates:
        return ranked
    titles = titled(view, name, ranked.candidates)
    first = called_so(view, name, ranked.candidates, titles)
    if len(parts_of(name)) >= OWNED:
        first = defined_so(view, name, ranked.candidates, first)
    groups = spellings(view, name, ranked.candidates) if is_identifier(name) or is_in_capitals(name) else {}
    groups |= overloads(view, ranked.candidates, titles, first)
    if not first and not groups:
        return ranked
    scores = dict(ranked.candidates)
    named = [(one.position, scores[one.position]) for one in first.values()]
    positions = frozenset(position for position, _ in named)
    others = regrouped(view, ranked, groups, most, diversity) if groups else ranked.fused
    return replace(ranked, fused=[*named, *(hit for hit in others if hit[0] not in positions)][:most], named=positions)


def files_first(view: View, ranked: RankedCandidates, own: Mask, most: int) -> RankedCandidates:
    """Of the name of a file, or of several, first where they begin: `own` tells, by position, what stands in them."""
    places = np.flatnonzero(own)
    _, first = np.unique(view.chunk_columns.files[places], return_index=True)
    beginnings = sorted(places[first].tolist())[:MOST_FILES]
    scores = dict(ranked.candidates)
    unranked = [(position, 0.0) for position in beginnings if position not in scores]
    scores |= dict(unranked)
    named = [(position, scores[position]) for position in beginnings]
    return replace(
        ranked,
        fused=[*named, *(hit for hit in ranked.fused if hit[0] not in beginnings)][:most],
        candidates=[*ranked.candidates, *unranked],
        named=ranked.named.union(beginnings),
    )


def titled(view: View, name: str, candidates: Fused) -> dict[int, Title]:
    """The titles that hold the name, by section. Of a word in small letters those of programs only if the best passage
    stands in one: who looks for the deposit looks for no function."""
    sections = view.chunk_columns.sections[[position for position, _ in candidates]].tolist()
    found = rows(TITLED, {"name": holding(parts_of(name)[-1]), "sections": [*{*sections}], "first": sections[0]})
    best = next(path for section, *_, path in found if section == sections[0])
    wants_programs = not is_typed_small(name) or not is_document(best)
    return {section: Title(*titles) for section, *titles, path in found if wants_programs or is_document(path)}


def called_so(view: View, name: str, candidates: Fused, titles: Mapping[int, Title]) -> dict[tuple[int, str], Named]:
    """By file and title what is called so, the closest first: each where it first stands, for a long section's passages
    and overloads bear one title."""
    columns, first = view.chunk_columns, dict[tuple[int, str], Named]()
    for position in sorted(position for position, _ in candidates):
        section = int(columns.sections[position])
        if section in titles and (how := titles[section].called(name)) < Called.OTHERWISE:
            first.setdefault((int(columns.files[position]), titles[section].own), Named(position, section, how))
    return closest_first(first, candidates)


def closest_first(named: Mapping[tuple[int, str], Named], candidates: Fused) -> dict[tuple[int, str], Named]:
    """Of those that are as close, in the order of the candidates."""
    order = {position: place for place, (position, _) in enumerate(candidates)}
    return dict(sorted(named.items(), key=lambda each: (each[1].called, order[each[1].position])))


def defined_so(
    view: View, name: str, candidates: Fused, first: Mapping[tuple[int, str], Named]
) -> dict[tuple[int, str], Named]:
    """The same, with the passages in which something of the name is defined that has no section of its own, as methods
    of a short class have none."""
    columns, found = view.chunk_columns, dict(first)
    positions = {int(columns.chunks[position]): position for position, _ in candidates}
    titled_so = {one.section for one in first.values()}
    defined = rows(DEFINED, {"chunks": [*positions], "name": parts_of(name)[-1]})
    for position, qualified in sorted((positions[chunk], qualified) for chunk, qualified in defined):
        file, section = int(columns.files[position]), int(columns.sections[position])
        if section not in titled_so and (how := called(qualified, name)) < Called.OTHERWISE:
            found.setdefault((file, qualified), Named(position, section, how))
    closest = {one.position: key for key, one in sorted(found.items(), key=lambda named: -named[1].called)}
    return closest_first({key: found[key] for key in closest.values()}, candidates)


def overloads(
    view: View, candidates: Fused, titles: Mapping[int, Title], first: Mapping[tuple[int, str], Named]
) -> dict[int, Group]:
    """The group of each other section of a title that was chosen in its file, by position."""
    columns, found = view.chunk_columns, dict[int, Group]()
    for position, _ in candidates:
        section = int(columns.sections[position])
        title = titles.get(section)
        chosen = first.get((int(columns.files[position]), title.own)) if title else None
        if chosen is not None and chosen.section != section:
            found[position] = Group.OVERLOAD
    return found


def spellings(view: View, name: str, candidates: Fused) -> dict[int, Group]:
    """How each candidate spells the name, by position; nothing where all do alike. Of a word in capitals, which may be
    those of the keyboard, other ones are like other forms.
    """
    otherwise = Group.FOLDED if is_identifier(name) else Group.NOT_AT_ALL
    positions = {int(view.chunk_columns.chunks[position]): position for position, _ in candidates}
    spelt = dict.fromkeys(positions.values(), Group.NOT_AT_ALL)
    for pk, exactly in rows(SPELT, {"name": holding(name), "chunks": [*positions]}):
        spelt[positions[pk]] = Group.AS_WRITTEN if exactly else otherwise
    return spelt if len({*spelt.values()}) > 1 else {}


def holding(name: str) -> str:
    """The pattern of LIKE for what holds it."""
    return "%" + re.sub(r"([\\%_])", r"\\\1", name) + "%"


def regrouped(view: View, ranked: RankedCandidates, groups: Mapping[int, Group], most: int, diversity: float) -> Fused:
    """The candidates group by group, each in its own order."""
    parts = [[hit for hit in ranked.candidates if groups.get(hit[0], Group.AS_WRITTEN) is one] for one in Group]
    if ranked.diverse:
        parts = [diversify(part, view.chunk_columns, most, diversity) for part in parts]
    return [hit for part in parts for hit in part]
