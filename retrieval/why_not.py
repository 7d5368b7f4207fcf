"""Where a file, or a section of it, was lost on its way to the reader.

A file that the reader may not see is like one that is not there. Ranks are exact, from the scores of everything.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import takewhile

import numpy as np
from django.utils.text import capfirst

from knowledge.access import snapshots_for
from knowledge.models import DocumentFile, Library, Section, Snapshot, SnapshotFile
from knowledge.models.library import Reader
from knowledge.spellings import spellings

from .candidates import RankedCandidates
from .code import chunks as code
from .explain import LEAST, Scores, exact_scores
from .explanation_values import WhyNot, rank_of
from .fusion import Fused, diversify
from .query_vector import QueryVector
from .results import Hit
from .retrieval_settings import ResolvedOptions
from .view import SearchedSnapshot, View

LONGEST = 2_000
MOST_READINGS = 5
NO_SUCH_FILE = "There is no such file in the libraries you may read."
LEFT_OUT = "What the query says beside words leaves it out."
NO_CODE = "It has no passage of code, and only code was searched."
NAMES = {"lexical": "by words", "vector": "by meaning"}


@dataclass(frozen=True, slots=True)
class Lost:
    """What the read knows; where the hits themselves decide, `chunks` are those that were looked for among them.

    `ranking` is what the branches' ranks were made into, `behind` what diversity took from the best passage for.
    """

    why: WhyNot
    chunks: frozenset[int] = field(default_factory=frozenset)
    ranking: str = "of both together"
    behind: str = "better hits of its file"


@dataclass(frozen=True, slots=True)
class Trail:
    """The search in which it may have been lost."""

    user: Reader
    view: View
    options: ResolvedOptions
    ranked: RankedCandidates
    scores: Scores


def trace(
    user: Reader, view: View, options: ResolvedOptions, embedded: QueryVector | None, ranked: RankedCandidates
) -> tuple[Lost, ...]:
    """One for each library that has such a file and that `user` may read; else one that says there is none."""
    asked = options.why_not.replace("\0", "").encode(errors="replace").decode()[:LONGEST]
    wanted = {spelt: anchor for path, anchor in readings(asked) for spelt in spellings(path)}
    documents = DocumentFile.objects.filter(library__in=Library.objects.readable_by(user), path__in=wanted)
    longest = {document.library_id: document for document in sorted(documents, key=lambda one: len(one.path))}
    searched = {one.library_id: one for one in view.snapshots}
    trail = Trail(user, view, options, ranked, exact_scores(view, embedded, ranked))
    lost: list[Lost] = []
    for library, document in sorted(longest.items(), key=lambda entry: entry[1].library_id):
        anchor = wanted[document.path]
        if library in searched:
            why = WhyNot(asked, "", "", searched[library].slug, searched[library].number)
            lost += in_searched(trail, searched[library], document, anchor, why)
        elif active_in(document):
            slug = document.library.slug
            reason = f"The library “{slug}” was not searched."
            lost.append(Lost(WhyNot(asked, "filtered", reason, slug)))
    hidden = {document.library.slug for document in longest.values() if document.withdrawn_at}
    told = {one.why.library for one in lost if one.why.status != "not_in_snapshot"} | hidden
    unread = {why.library: Lost(why) for why in unreadable(asked, view, wanted) if why.library not in told}
    lost = [one for one in lost if one.why.library not in unread] + list(unread.values())
    return tuple(lost) or (Lost(WhyNot(asked, "unknown", f"{NO_SUCH_FILE}{alike(view, wanted)}")),)


def unreadable(asked: str, view: View, wanted: Collection[str]) -> Iterator[WhyNot]:
    """For each searched snapshot whose build could not read such a file; an older one may hold it all the same."""
    searched = Snapshot.objects.filter(pk__in=[one.pk for one in view.snapshots]).select_related("library")
    for snapshot in searched.order_by("library__slug"):
        if not {row["path"] for row in snapshot.rejected}.isdisjoint(wanted):
            reason = f"The file could not be read when snapshot {snapshot.number} was built."
            yield WhyNot(asked, "rejected", reason, snapshot.library.slug, snapshot.number)


def readings(asked: str) -> Iterator[tuple[str, str]]:
    """Path and anchor: a path may hold “#” itself. Of very many, the last are tried."""
    yield asked, ""
    places = [place for place, character in enumerate(asked) if character == "#"]
    for place in places[-MOST_READINGS:]:
        yield asked[:place], asked[place + 1 :]


def alike(view: View, wanted: Iterable[str]) -> str:
    """People remember a file's name, seldom its directory. Only what is searched is looked at."""
    members = SnapshotFile.objects.filter(
        snapshot__in=[searched.pk for searched in view.snapshots], document_file__withdrawn_at__isnull=True
    )
    for path in wanted:
        fitting = members.filter(document_file__path__endswith=f"/{path.lstrip('/')}").order_by("document_file__path")
        if path.strip("/") and (member := fitting.select_related("document_file").first()):
            return f" Did you mean “{member.document_file.path}”?"
    return ""


def active_in(document: DocumentFile) -> bool:
    snapshot = document.library.active_snapshot_id
    return (
        document.withdrawn_at is None
        and SnapshotFile.objects.filter(snapshot=snapshot, document_file=document.pk).exists()
    )


def in_searched(
    trail: Trail, searched: SearchedSnapshot, document: DocumentFile, anchor: str, why: WhyNot
) -> list[Lost]:
    """Of a file that its library once held; none when no snapshot that the user may search does."""
    view, allowed = trail.view, trail.ranked.allowed
    members = SnapshotFile.objects.filter(document_file=document.pk, snapshot__in=snapshots_for(trail.user))
    if not members.exists():
        return []
    if document.withdrawn_at is not None:
        return [Lost(replace(why, status="withdrawn", reason="The file was withdrawn."))]
    member = members.filter(snapshot=searched.pk).first()
    if member is None:
        reason = f"Snapshot {searched.number} does not hold the file; another one does."
        return [Lost(replace(why, status="not_in_snapshot", reason=reason))]
    ours = view.chunk_columns.files == document.pk
    if anchor:
        section = Section.objects.filter(file_version=member.file_version_id).named(anchor).first()
        if section is None:
            return [Lost(replace(why, status="no_such_section", reason=f"The file has no section “#{anchor}”."))]
        ours &= view.chunk_columns.sections == section.pk
    positions = np.flatnonzero(ours).tolist()
    if not positions:
        return [Lost(replace(why, status="no_text", reason="It has no text of its own, so no passage."))]
    if allowed is not None and not allowed[positions].any():
        no_code = trail.options.mode == "code" and not code.only(view)[positions].any()
        return [Lost(replace(why, status="filtered", reason=NO_CODE if no_code else LEFT_OUT))]
    return [judged(trail, positions, why)]


def judged(trail: Trail, positions: list[int], why: WhyNot) -> Lost:
    """With the ranks of the best of the positions."""
    view, ranked, scores = trail.view, trail.ranked, trail.scores
    by_score = places(ranked.candidates)
    diverse = ranked.candidates
    if ranked.diverse:
        diverse = diversify(ranked.candidates, view.chunk_columns, len(ranked.candidates), trail.options.diversity)
    chosen = places(diverse)

    def ranks_of(position: int) -> dict[str, int | None]:
        branches = {
            branch: rank_of(scores[branch], position, LEAST[branch]) if branch in scores else None for branch in LEAST
        }
        return branches | {"fused": by_score.get(position), "diversity": chosen.get(position), "rerank": None}

    all_ranks = {position: ranks_of(position) for position in foremost(positions, chosen, scores)}
    last = len(view.chunk_columns.chunks) + 1

    def depth(position: int) -> tuple[int, int, int]:
        ranks = all_ranks[position]
        return ranks["diversity"] or last, min(ranks[branch] or last for branch in LEAST), position

    best = min(all_ranks, key=depth)
    anchor = Section.objects.values_list("anchor", flat=True).get(pk=int(view.chunk_columns.sections[best]))
    chunks = frozenset(int(view.chunk_columns.chunks[position]) for position in positions)
    told = replace(why, section_anchor=anchor, ranks=all_ranks[best])
    of_one = ranked.fusion == "none"
    return Lost(told, chunks, "in all" if of_one else "of both together", behind(view, best, diverse))


def foremost(positions: list[int], chosen: dict[int, int], scores: Scores) -> set[int]:
    """Those of the positions (ascending) that may have the best ranks. To find one rank all scores are compared, and a
    file may have thousands of passages.
    """
    if ranked := [position for position in positions if position in chosen]:
        return {min(ranked, key=chosen.__getitem__)}
    highest = {positions[int(np.argmax(scores[branch][positions]))] for branch in LEAST if branch in scores}
    return highest | {positions[0]}


def behind(view: View, position: int, diverse: Fused) -> str:
    """Why diversity took from a passage's score: what it stands behind, in the ranking or in its section."""
    before = [place for place, _ in takewhile(lambda entry: entry[0] != position, diverse)]
    columns = view.chunk_columns
    reasons = ["better hits of its file"] if (columns.files[before] == columns.files[position]).any() else []
    reasons += ["its place later in its section"] if columns.later[position] else []
    return " and ".join(reasons) or "diversity"


def places(fused: Fused) -> dict[int, int]:
    return {position: rank for rank, (position, _) in enumerate(fused, start=1)}


def concluded(lost: Lost, hits: tuple[Hit, ...], options: ResolvedOptions, considered: int) -> WhyNot:
    """With the status. `hits` is everything loaded, in the final order; `considered` is how many fusion handed on to
    the reranker, which may have failed."""
    why = lost.why
    if why.status:
        return why
    if not any(hit.ranks["rerank"] for hit in hits):
        considered = options.top_k
    mine = next((hit for hit in hits if hit.chunk_id in lost.chunks), None)
    if mine and mine.rank <= options.top_k:
        seen = replace(why, section_anchor=mine.section_anchor, ranks=why.ranks | {"rerank": mine.ranks["rerank"]})
        return replace(seen, status="shown", rank=mine.rank, reason=f"It is shown, at rank {mine.rank}.")
    branches = [f"rank {why.ranks[name]} {said}" for name, said in NAMES.items() if why.ranks[name]]
    fused, diverse = why.ranks["fused"], why.ranks["diversity"]
    if not branches and fused is None:
        return replace(why, status="no_match", reason="No word of the query stands in it.")
    where = ", ".join(branches) or "by its place, for nothing but filters was asked"
    if fused is None or diverse is None:
        reason = f"{where}: only the first {options.depth} of each ranking are considered."
        return replace(why, status="too_deep", reason=capfirst(reason))
    if mine and diverse <= considered and options.top_k < considered:
        reason = f"{where}, rank {diverse} {lost.ranking}; the reranker moved it to rank {mine.rank}."
        ranks = why.ranks | {"rerank": mine.ranks["rerank"]}
        return replace(why, status="reranked", ranks=ranks, reason=capfirst(reason))
    if diverse <= considered:
        reason = f"{where}, rank {diverse} {lost.ranking}; what is called so, or spells it so, comes before it."
        return replace(why, status="demoted", reason=capfirst(reason))
    if fused <= considered:
        reason = (
            f"{where}, rank {fused} {lost.ranking}; {lost.behind} put it at {diverse}, "
            f"and the first {considered} are taken."
        )
        return replace(why, status="demoted", reason=capfirst(reason))
    reason = f"{where}: rank {diverse} {lost.ranking}, and the first {considered} are taken."
    return replace(why, status="below", reason=capfirst(reason))
