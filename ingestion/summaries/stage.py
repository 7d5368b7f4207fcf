"""The stage of a build: a summary for every section of the snapshot that is long enough to need one, and its vector.

A text is summarised once by a method, ever: another version of the file, or a section like it elsewhere, takes it over.
Every summary is committed as soon as it is written, so a killed build goes on where it stopped.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from django.conf import settings
from django.db import connection
from django.db.models import Max

from ingestion.chunking import embedding_text
from ingestion.chunking.embedding import LONGEST_SUMMARY, shorten
from ingestion.embedding import compute
from ingestion.progress import Progress
from knowledge.endpoints import ChatEndpoint, Embedder, EndpointError, chat_endpoint
from knowledge.models import Chunk, FileVersion, Library, SectionSummary, Snapshot
from knowledge.texts.comments import without_comments

from . import extract
from .writing import PROMPT, Writer

LEAST_TOKENS = 80  # of a section's prose: a shorter one is its own summary
AT_ONCE = 200  # sections read at a time

LACKING = """
    SELECT section.id, section.breadcrumb
    FROM knowledge_snapshotfile member
    JOIN knowledge_section section ON section.file_version_id = member.file_version_id
    WHERE member.snapshot_id = %(snapshot)s
      AND NOT EXISTS (
          SELECT FROM knowledge_sectionsummary summary
          WHERE summary.section_id = section.id AND summary.method = %(method)s)
      AND %(least)s <= (
          SELECT sum(chunk.tokens) FROM knowledge_chunk chunk
          WHERE chunk.section_id = section.id AND chunk.kind = 'prose')
    ORDER BY section.id
"""
WITHOUT_VECTOR = """
    SELECT DISTINCT ON (summary.content_hash) summary.content_hash, summary.text, section.breadcrumb
    FROM knowledge_snapshotfile member
    JOIN knowledge_section section ON section.file_version_id = member.file_version_id
    JOIN knowledge_sectionsummary summary ON summary.section_id = section.id AND summary.method = ANY(%(methods)s)
    WHERE member.snapshot_id = %(snapshot)s
      AND NOT EXISTS (
          SELECT FROM knowledge_embedding vector
          WHERE vector.space_id = %(space)s AND vector.content_hash = summary.content_hash)
    ORDER BY summary.content_hash
"""


@dataclass(frozen=True, slots=True)
class SummarySource:
    """What of a section is summarised."""

    section: int
    titles: list[str]
    text: str  # its prose

    @property
    def hash(self) -> bytes:
        return hashlib.sha256("\n".join([*self.titles, "", self.text]).encode()).digest()


def method_of(library: Library, test_mode: bool) -> str:
    """How the library's sections are summarised: by the prompt and its model, by extracts, or "" for not at all.

    It is part of the index profile. The model is known by its configured name: no server is asked.
    """
    if not library.summaries:
        return ""
    configured = settings.ENDPOINTS["summary"]
    if test_mode or settings.AI_TEST_MODE or not configured["url"]:
        return extract.VERSION
    return f"{PROMPT}/{configured['model'] or 'unnamed'}"[:250]


def summarise_missing(snapshot: Snapshot, embedder: Embedder, progress: Progress) -> None:
    """Nothing where the library's summaries are off. Raises EndpointError for the embedding endpoint only."""
    method = snapshot.profile.settings.get("summaries")
    if not method:
        return
    methods = list(dict.fromkeys([method, extract.VERSION]))
    writer = None if method == extract.VERSION else open_writer()
    waiting = lacking(snapshot, method)
    progress.total = len(waiting)
    for start in range(0, len(waiting), AT_ONCE):
        summarise(list(sources(waiting[start : start + AT_ONCE])), method, writer, progress)
    if failed := progress.counters["summaries_failed"]:
        reason = writer.reason if writer else "the summary endpoint could not be opened"
        message = f"{failed:,} sections have extracts for summaries: {reason}"
        progress.job.log(message, level="warning", sections=failed)
    embed(snapshot, methods, embedder, progress)
    close(snapshot)


def close(snapshot: Snapshot) -> None:
    """It has no summaries that are written later."""
    snapshot.summaries_through = SectionSummary.objects.aggregate(last=Max("pk"))["last"] or 0
    snapshot.save(update_fields=["summaries_through"])


def take_over(version: FileVersion, told: Iterable[tuple[int, str, str]]) -> None:
    """Summaries that were written elsewhere: a section's ordinal, the method, the text. Those that are there stay."""
    sections = {ordinal: section for section, ordinal in version.sections.values_list("pk", "ordinal")}
    titles = dict(version.sections.values_list("pk", "breadcrumb"))
    wanted = {(sections[ordinal], method): text for ordinal, method, text in told}
    known = SectionSummary.objects.filter(section__in=sections.values()).values_list("section", "method")
    new = sorted(wanted.keys() - set(known))
    found = {source.section: source for source in sources([(section, titles[section]) for section, _ in new])}
    SectionSummary.objects.bulk_create(row(found[section], method, wanted[section, method]) for section, method in new)


def open_writer() -> Writer | None:
    try:
        endpoint = chat_endpoint("summary")
    except EndpointError:
        return None
    return Writer(endpoint) if isinstance(endpoint, ChatEndpoint) else None


def lacking(snapshot: Snapshot, method: str) -> list[tuple[int, list[str]]]:
    """Section and titles, for those that this method has not summarised."""
    with connection.cursor() as cursor:
        cursor.execute(LACKING, {"snapshot": snapshot.pk, "method": method, "least": LEAST_TOKENS})
        return cursor.fetchall()


def sources(sections: Sequence[tuple[int, list[str]]]) -> Iterator[SummarySource]:
    texts: dict[int, list[str]] = {section: [] for section, _ in sections}
    chunks = Chunk.objects.filter(section__in=texts, kind="prose").order_by("section", "ordinal")
    for section, text, path in chunks.values_list("section", "text", "file_version__document_file__path"):
        texts[section].append(without_comments(text, path))
    for section, titles in sections:
        yield SummarySource(section, titles, "\n\n".join(texts[section]))


def summarise(batch: list[SummarySource], method: str, writer: Writer | None, progress: Progress) -> None:
    """Rows for these sections: taken over where the text is known, else written, else extracted."""
    known = known_summaries([source.hash for source in batch], method)
    extracts = known_summaries([source.hash for source in batch], extract.VERSION)
    has_extract = set(
        SectionSummary.objects.filter(
            section__in=[source.section for source in batch], method=extract.VERSION
        ).values_list("section", flat=True)
    )
    rows: list[SectionSummary] = []
    for source in batch:
        text = known.get(source.hash)
        if text is not None:
            progress.counters["summaries_reused"] += 1
        elif writer and (text := writer.write(source.titles, source.text)):
            row(source, method, text).save(force_insert=True)
            known[source.hash] = text
            progress.counters["summaries_written"] += 1
            progress.advance()
            continue
        elif method != extract.VERSION:
            progress.counters["summaries_failed"] += 1
        if text is not None:
            rows.append(row(source, method, text))
        elif source.section not in has_extract:
            text = extracts.get(source.hash) or extract.extract(source.titles, source.text)
            rows += [row(source, extract.VERSION, text)] if text else []
            progress.counters["summaries_extracted"] += 1
        progress.advance()
    SectionSummary.objects.bulk_create(rows)


def known_summaries(hashes: Sequence[bytes], method: str) -> dict[bytes, str]:
    rows = SectionSummary.objects.filter(source_hash__in=hashes, method=method).order_by("-pk")
    return {bytes(source): text for source, text in rows.values_list("source_hash", "text")}


def row(source: SummarySource, method: str, text: str) -> SectionSummary:
    text = shorten(text, LONGEST_SUMMARY)
    content_hash = hashlib.sha256(embedding_text(source.titles, text).encode()).digest()
    return SectionSummary(
        section_id=source.section, method=method, source_hash=source.hash, text=text, content_hash=content_hash
    )


def embed(snapshot: Snapshot, methods: list[str], embedder: Embedder, progress: Progress) -> None:
    with connection.cursor() as cursor:
        cursor.execute(WITHOUT_VECTOR, {"snapshot": snapshot.pk, "space": snapshot.space_id, "methods": methods})
        missing = [(embedding_text(titles, text), bytes(known)) for known, text, titles in cursor.fetchall()]
    compute(snapshot.space, missing, list, embedder, progress, "summaries_embedded")
