"""A snapshot's rows as the lines of an archive, in its order, a few files at a time."""

from collections import Counter
from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import repeat
from typing import Any

import numpy as np
from django.db import connection
from django.db.models import Count, QuerySet
from numpy.typing import NDArray

from ingestion.documents import line_starts
from knowledge.models import (
    Chunk,
    FileVersion,
    Reference,
    Section,
    SectionSummary,
    Snapshot,
    SnapshotFile,
    Symbol,
)
from knowledge.parts import KEPT, mean, unpacked

from . import layout
from .layout import (
    CHUNKS,
    CODE_VECTORS,
    NODES,
    PART_COUNTS,
    PART_VECTORS,
    REFERENCES,
    SUMMARIES,
    SUMMARY_VECTORS,
    SYMBOLS,
    TREE,
    VECTORS,
    expect,
    line_of,
)

FILES_AT_ONCE, CHARACTERS_AT_ONCE = 200, 4_000_000  # in memory

VECTORS_OF = """
    SELECT content_hash, vector_send(vector) FROM knowledge_embedding WHERE space_id = %s AND content_hash = ANY(%s)
"""
PARTS_OF = """
    SELECT content_hash, parts FROM knowledge_embedding
    WHERE space_id = %s AND content_hash = ANY(%s) AND parts IS NOT NULL
"""
PART_BYTES_OF = """
    SELECT content_hash, octet_length(parts) FROM knowledge_embedding
    WHERE space_id = %s AND content_hash = ANY(%s) AND parts IS NOT NULL
"""
WHOLE = np.empty((0, 0), np.float32)

Told = Callable[[str, int], None]  # a member's name, and how many files of it are written
Group = list[SnapshotFile]


def quiet(member: str, files: int) -> None:
    pass


class Exported:
    """A snapshot's rows in the order of an archive, a few files at a time."""

    def __init__(self, snapshot: Snapshot, told: Told) -> None:
        self.snapshot, self.told = snapshot, told

    def files(self) -> Iterator[SnapshotFile]:
        rows = self.snapshot.files.select_related("document_file", "file_version").defer("file_version__text")
        yield from rows.order_by("document_file__path").iterator(chunk_size=500)

    def groups(self, member: str) -> Iterator[Group]:
        """By number and size: a text is bounded by what a parser may write down."""
        group: Group = []
        done = size = 0
        for file in self.files():
            if group and (len(group) == FILES_AT_ONCE or size + file.file_version.size > CHARACTERS_AT_ONCE):
                done += len(group)
                yield group
                self.told(member, done)
                group, size = [], 0
            group.append(file)
            size += file.file_version.size
        if group:
            yield group

    @property
    def members(self) -> dict[str, Callable[[], Iterator[bytes]]]:
        return {
            TREE: self.tree,
            NODES: self.nodes,
            CHUNKS: self.chunks,
            SUMMARIES: self.summaries,
            SYMBOLS: self.symbols,
            REFERENCES: self.references,
            VECTORS: self.vectors,
            SUMMARY_VECTORS: self.summary_vectors,
            CODE_VECTORS: self.code_vectors,
            PART_COUNTS: self.part_counts,
            PART_VECTORS: self.part_vectors,
        }

    def tree(self) -> Iterator[bytes]:
        yield layout.TREE_OPENS + b"\n"
        before = b""
        for group in self.groups(TREE):
            counts = {name: counted(rows, group) for name, rows in self.parts.items()}
            sections = dict(by_version(Section.objects.all(), group))
            for file in group:
                version = file.file_version
                record = {name: getattr(version, name) for name in layout.VERSION_FIELDS}
                record |= {name: count[version.pk] for name, count in counts.items()}
                outline = [{name: getattr(one, name) for name in layout.OUTLINE} for one in sections[version.pk]]
                if before:
                    yield before + b",\n"
                before = line_of(record | {"path": file.document_file.path, "sections": outline})
        yield (before and before + b"\n") + layout.TREE_CLOSES + b"\n"

    @cached_property
    def parts(self) -> dict[str, QuerySet[Any]]:
        """What a file version doesn't count itself."""
        return {
            "summary_count": SectionSummary.objects.filter(pk__in=self.summaries_held().values("pk")),
            "symbol_count": Symbol.objects.all(),
            "reference_count": Reference.objects.all(),
        }

    def nodes(self) -> Iterator[bytes]:
        for group in self.groups(NODES):
            texts = dict(FileVersion.objects.filter(pk__in=versions(group)).values_list("pk", "text"))
            for version, sections in by_version(Section.objects.all(), group):
                text = texts.pop(version)
                starts = [*line_starts(text), len(text)]
                for section in sections:
                    record = {name: getattr(section, name) for name in layout.NODE_FIELDS if name != "text"}
                    own = text[starts[section.line_start - 1] : starts[section.line_end]]
                    yield line_of(record | {"text": own}) + b"\n"

    def chunks(self) -> Iterator[bytes]:
        for group in self.groups(CHUNKS):
            for _, chunks in by_version(Chunk.objects.select_related("section"), group):
                for chunk in chunks:
                    record = {name: getattr(chunk, name) for name in layout.CHUNK_FIELDS}
                    own = {"section": chunk.section.ordinal, "content_hash": bytes(chunk.content_hash).hex()}
                    yield line_of(record | own) + b"\n"

    def summaries(self) -> Iterator[bytes]:
        for group in self.groups(SUMMARIES):
            for summary in self.summaries_of(group):
                record = {"section": summary.section.ordinal, "method": summary.method, "text": summary.text}
                yield line_of(record) + b"\n"

    def symbols(self) -> Iterator[bytes]:
        yield from self.lines(SYMBOLS, Symbol.objects.all(), layout.SYMBOL_FIELDS)

    def references(self) -> Iterator[bytes]:
        yield from self.lines(REFERENCES, Reference.objects.all(), layout.REFERENCE_FIELDS)

    def lines(self, member: str, rows: QuerySet[Any], fields: dict[str, Any]) -> Iterator[bytes]:
        for group in self.groups(member):
            for _, found in by_version(rows, group):
                for row in found:
                    yield line_of({name: getattr(row, name) for name in fields}) + b"\n"

    def vectors(self) -> Iterator[bytes]:
        """Of a chunk in parts it is their mean, as it is searched."""
        in_parts = self.snapshot.profile.in_parts
        for group in self.groups(VECTORS):
            found = hashes(Chunk.objects.all(), group)
            parts = self.parts_of(found) if in_parts else repeat(WHOLE)
            for vector, own in zip(self.stored(self.snapshot.space_id, found), parts, strict=False):
                yield mean(own).astype("<f4").tobytes() if len(own) else vector

    def part_counts(self) -> Iterator[bytes]:
        row = np.dtype(KEPT).itemsize * self.snapshot.space.dimension
        for group in self.groups(PART_COUNTS):
            wanted = hashes(Chunk.objects.all(), group)
            for size in self.kept(PART_BYTES_OF, self.snapshot.space_id, wanted, "parts"):
                yield (size // row).to_bytes(4, "little")

    def part_vectors(self) -> Iterator[bytes]:
        for group in self.groups(PART_VECTORS):
            for own in self.parts_of(hashes(Chunk.objects.all(), group)):
                yield own.astype("<f4").tobytes()

    def parts_of(self, wanted: list[bytes]) -> Iterator[NDArray[np.floating]]:
        """(parts, dimension); none for what is one part."""
        for parts in self.kept(PARTS_OF, self.snapshot.space_id, wanted, "parts"):
            yield unpacked(bytes(parts), self.snapshot.space.dimension)

    def summary_vectors(self) -> Iterator[bytes]:
        for group in self.groups(SUMMARY_VECTORS):
            found = [bytes(summary.content_hash) for summary in self.summaries_of(group)]
            yield from self.stored(self.snapshot.space_id, found)

    def code_vectors(self) -> Iterator[bytes]:
        for group in self.groups(CODE_VECTORS):
            yield from self.stored(self.snapshot.code_space_id, hashes(Chunk.objects.filter(kind="code"), group))

    def summaries_held(self) -> QuerySet[SectionSummary]:
        return SectionSummary.objects.of_snapshot(self.snapshot)

    def summaries_of(self, group: Group) -> Iterator[SectionSummary]:
        held = self.summaries_held().filter(section__file_version__in=versions(group)).select_related("section")
        places = {version: place for place, version in enumerate(versions(group))}
        yield from sorted(held, key=lambda one: (places[one.section.file_version_id], one.section.ordinal))

    def stored(self, space: int | None, wanted: list[bytes]) -> Iterator[bytes]:
        """float32, little-endian. pgvector sends two short integers first, and is big-endian."""
        for sent in self.kept(VECTORS_OF, space, wanted, "vector"):
            yield np.frombuffer(bytes(sent)[4:], KEPT).astype("<f4").tobytes()

    def kept(self, query: str, space: int | None, wanted: list[bytes], what: str) -> Iterator[Any]:
        """What a query for (content hash, value) knows of each of these texts, in order. Raises ArchiveError."""
        with connection.cursor() as cursor:
            cursor.execute(query, [space, wanted])
            found = {bytes(text): value for text, value in cursor}
        for text in wanted:
            expect(text in found, f"the text {text.hex()} has no {what}: run verify, and rebuild the library")
            yield found[text]


def versions(group: Group) -> list[int]:
    return [file.file_version_id for file in group]


def by_version(rows: Any, group: Group) -> Iterator[tuple[int, list[Any]]]:
    """The rows of each file version, in order of place; of one group's at a time."""
    found: dict[int, list[Any]] = {version: [] for version in versions(group)}
    for row in rows.filter(file_version__in=list(found)).order_by("file_version", "ordinal"):
        found[row.file_version_id].append(row)
    yield from found.items()


def hashes(chunks: QuerySet[Chunk], group: Group) -> list[bytes]:
    rows = chunks.only("file_version_id", "ordinal", "content_hash")
    return [bytes(chunk.content_hash) for _, found in by_version(rows, group) for chunk in found]


def counted(rows: QuerySet[Any], group: Group) -> Counter[int]:
    """How many there are of each file version."""
    of = "section__file_version" if rows.model is SectionSummary else "file_version"
    found = rows.filter(**{f"{of}__in": versions(group)}).order_by().values(of).annotate(n=Count("pk"))
    return Counter({row[of]: row["n"] for row in found})
