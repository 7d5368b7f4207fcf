"""The hits of a search: what stands in the rows of the positions that were found."""

from knowledge.texts.comments import without_comments

from .candidates import BRANCHES, RankedCandidates
from .explain import LEAST
from .preview import preview
from .results import Hit, reading_url
from .view import View, rows

HITS = """
    SELECT chunk.id, chunk.ordinal, chunk.text, chunk.line_start, chunk.line_end, chunk.char_start, chunk.char_end,
           chunk.page, chunk.language, chunk.context, section.title, section.breadcrumb, section.anchor,
           version.sha256, version.natural_language, file.path, file.library_id
    FROM knowledge_chunk chunk
    JOIN knowledge_section section ON section.id = chunk.section_id
    JOIN knowledge_fileversion version ON version.id = chunk.file_version_id
    JOIN knowledge_documentfile file ON file.id = version.document_file_id
    WHERE chunk.id = ANY(%s::bigint[])
"""


def load(view: View, query: str, ranked: RankedCandidates) -> tuple[Hit, ...]:
    """The hits for the fused positions, in their order. The branches ranked only what is visible in this same read."""
    snapshots = {searched.library_id: searched for searched in view.snapshots}
    fused = [(int(view.chunk_columns.chunks[position]), position, score) for position, score in ranked.fused]
    chunks = {row[0]: row[1:] for row in rows(HITS, ([pk for pk, _, _ in fused],))}
    ranks = {name: {place: rank for rank, place in enumerate(ranked.rankings.get(name, ()), 1)} for name in BRANCHES}
    hits = []
    for number, (pk, position, fused_score) in enumerate(fused, start=1):
        ordinal, text, line_start, line_end, char_start, char_end, page, language, *rest = chunks[pk]
        context, title, breadcrumb, anchor, version, natural_language, path, library = rest
        snapshot = snapshots[library]
        scores = {name: score_of(ranked, name, position) for name in BRANCHES}
        hits.append(
            Hit(
                rank=number,
                library=snapshot.slug,
                source_file=path,
                version=version,
                section_title=title,
                breadcrumb=tuple(breadcrumb),
                section_anchor=anchor,
                line_start=line_start,
                line_end=line_end,
                page=page,
                language=language,
                preview_text=preview(without_comments(text, path), query),
                chunk_id=pk,
                url=reading_url(snapshot.slug, snapshot.number, path, (line_start, line_end), anchor),
                text=text,
                char_start=char_start,
                char_end=char_end,
                snapshot=snapshot.number,
                ordinal=ordinal,
                natural_language=natural_language,
                context=context,
                ranks={name: ranks[name].get(position) for name in BRANCHES} | {"rerank": None},
                scores=scores | {"fused": fused_score, "rerank": None},
            )
        )
    return tuple(hits)


def score_of(ranked: RankedCandidates, branch: str, position: int) -> float | None:
    """None where a branch did not look, or has nothing to say of the passage."""
    score = float(ranked.scores[branch][position]) if branch in ranked.scores else LEAST[branch]
    return score if score > LEAST[branch] else None
