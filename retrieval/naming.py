"""A query that is one name: what is called so comes first, and what spells it so before what only shares its stem.

`Engine` is looked for where it is defined, and not in the ten short methods that say it as often; the stem of
PYTEST_ADDOPTS is that of pytest_addoption, too. A file that is called so is there where it begins. Scores stay as they
are; only the order changes.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import IntEnum

import numpy as np

from .candidates import RankedCandidates
from .filtering.columns import Mask
from .fusion import Fused, diversify
from .notations import is_document
from .query import is_identifier
from .view import View, rows

TITLED = """
    SELECT section.id, section.title, file.path
    FROM knowledge_section section
    JOIN knowledge_fileversion version ON version.id = section.file_version_id
    JOIN knowledge_documentfile file ON file.id = version.document_file_id
    WHERE section.id = ANY(%(sections)s::bigint[]) AND (section.title ILIKE %(name)s OR section.id = %(first)s)
"""
SPELT = """
    SELECT chunk.id, concat_ws(' ', section.title, chunk.context, chunk.text) LIKE %(name)s
    FROM knowledge_chunk chunk JOIN knowledge_section section ON section.id = chunk.section_id
    WHERE chunk.id = ANY(%(chunks)s::bigint[])
      AND concat_ws(' ', section.title, chunk.context, chunk.text) ILIKE %(name)s
"""
NAME = re.compile(r"[`'“”‘’]*(?P<name>[\w$@.:>#-]*[^\W\d_][\w$@.:>#-]*?)(?:\(\))?[`'“”‘’,;:?!]*")
PARTS = re.compile(r"\.|::|->|#")
AROUND = re.compile(
    r"(?:[^\W\d]+ )?\d+(?:\.\d+)*[.):]*\s+|\([^()]*\)$"
)  # “1.2 Lending”, “Chapter 1: Lending”, `lend(self)`
LEAST_CAPITALS = 4  # letters
MOST_FILES = 3  # of one name: every folder may have a README.md
AS_WRITTEN, IN_OTHER_CAPITALS, NOT_AT_ALL, OVERLOAD = range(4)  # how a passage spells the name: the first come first


class Called(IntEnum):
    """How far a section's title is the name, the closest first."""

    SO = 0
    WITHIN_SOMETHING = 1  # Context.JSON, of JSON
    IN_OTHER_CAPITALS = 2
    WITHIN_SOMETHING_IN_OTHER_CAPITALS = 3
    OTHERWISE = 4


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
    last = PARTS.split(whole)[-1]  # of one name: `Context.JSON`, not “See example.com”
    for said, exactly, folded in (
        (whole or title, Called.SO, Called.IN_OTHER_CAPITALS),
        (last, Called.WITHIN_SOMETHING, Called.WITHIN_SOMETHING_IN_OTHER_CAPITALS),
    ):
        if said.casefold() == name.casefold():
            return exactly if said == name or is_typed_small(name) else folded
    return Called.OTHERWISE


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


def titled(view: View, name: str, candidates: Fused) -> dict[int, str]:
    """The titles that hold the name, by section. Of a word in small letters those of programs only if the best passage
    stands in one: who looks for the deposit looks for no function."""
    sections = view.chunk_columns.sections[[position for position, _ in candidates]].tolist()
    found = rows(TITLED, {"name": holding(name), "sections": [*{*sections}], "first": sections[0]})
    best = next(path for section, _, path in found if section == sections[0])
    wants_programs = not is_typed_small(name) or not is_document(best)
    return {section: title for section, title, path in found if wants_programs or is_document(path)}


def called_so(view: View, name: str, candidates: Fused, titles: Mapping[int, str]) -> dict[tuple[int, str], Named]:
    """By file and title what is called so, the closest first: each where it first stands, for a long section's passages
    and overloads bear one title."""
    columns, first = view.chunk_columns, dict[tuple[int, str], Named]()
    for position in sorted(position for position, _ in candidates):
        section = int(columns.sections[position])
        how = called(titles[section], name) if section in titles else Called.OTHERWISE
        if how < Called.OTHERWISE:
            first.setdefault((int(columns.files[position]), titles[section]), Named(position, section, how))
    order = {position: place for place, (position, _) in enumerate(candidates)}
    return dict(sorted(first.items(), key=lambda named: (named[1].called, order[named[1].position])))


def overloads(
    view: View, candidates: Fused, titles: Mapping[int, str], first: Mapping[tuple[int, str], Named]
) -> dict[int, int]:
    """The group of each other section of a title that was chosen in its file, by position."""
    columns, found = view.chunk_columns, dict[int, int]()
    for position, _ in candidates:
        section = int(columns.sections[position])
        chosen = first.get((int(columns.files[position]), titles.get(section, "")))
        if chosen is not None and chosen.section != section:
            found[position] = OVERLOAD
    return found


def spellings(view: View, name: str, candidates: Fused) -> dict[int, int]:
    """How each candidate spells the name, by position; nothing where all do alike. Of a word in capitals, which may be
    those of the keyboard, other ones are like other forms.
    """
    otherwise = IN_OTHER_CAPITALS if is_identifier(name) else NOT_AT_ALL
    positions = {int(view.chunk_columns.chunks[position]): position for position, _ in candidates}
    spelt = dict.fromkeys(positions.values(), NOT_AT_ALL)
    for pk, exactly in rows(SPELT, {"name": holding(name), "chunks": [*positions]}):
        spelt[positions[pk]] = AS_WRITTEN if exactly else otherwise
    return spelt if len({*spelt.values()}) > 1 else {}


def holding(name: str) -> str:
    """The pattern of LIKE for what holds it."""
    return "%" + re.sub(r"([\\%_])", r"\\\1", name) + "%"


def regrouped(view: View, ranked: RankedCandidates, group_of: Mapping[int, int], most: int, diversity: float) -> Fused:
    """The candidates group by group, each in its own order."""
    groups = [
        [hit for hit in ranked.candidates if group_of.get(hit[0], AS_WRITTEN) == one]
        for one in (AS_WRITTEN, IN_OTHER_CAPITALS, NOT_AT_ALL, OVERLOAD)
    ]
    if ranked.diverse:
        groups = [diversify(group, view.chunk_columns, most, diversity) for group in groups]
    return [hit for group in groups for hit in group]
