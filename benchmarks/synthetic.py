"""A library of any number of chunks, made from the real ones of this database: what `load.py` measures.

Each chunk takes the sentences of a real one, half of them exchanged for a second one's; it has as many parts as the
first, the vector of each the weighted mean of one of the first, one of the second and some noise. So words, their
frequencies and the vectors' neighbourhoods stay lifelike, while no two chunks are equal. The same seed makes the same
library.
"""

import hashlib
import re
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db import connection
from django.db.models import Model
from django.utils import timezone
from numpy.typing import NDArray

from ingestion import collecting, removing
from knowledge.models import (
    Chunk,
    DocumentFile,
    EmbeddingSpace,
    FileVersion,
    IndexProfile,
    Library,
    Section,
    Snapshot,
    SnapshotFile,
)
from knowledge.parts import KEPT, means, packed, unpacked
from retrieval.matrices import Parts, begins_of

SENTENCE_END = re.compile(r"(?<=[.!?:;])\s+|\n+")
CHUNKS_OF_SECTION, CHUNKS_OF_FILE = 4, 20
BATCH = 20_000
MOST_CHUNKS = 60_000  # real ones that are read
SHARES = 0.75, 0.45, 0.48  # of the first vector, the second and the noise, before the sum is made a unit vector


ADOPT = """
    INSERT INTO knowledge_snapshotfile (snapshot_id, document_file_id, file_version_id, identity)
    SELECT %(new)s, document_file_id, file_version_id, identity FROM knowledge_snapshotfile WHERE snapshot_id = %(old)s
"""


@dataclass(frozen=True, slots=True)
class Material:
    """Real chunks: their sentences, breadcrumbs, and the unit vectors of their parts, which all have at least one."""

    sentences: list[list[str]]
    breadcrumbs: list[list[str]]
    parts: Parts
    profile: IndexProfile
    space: EmbeddingSpace


def read_material(slugs: Sequence[str]) -> Material:
    """From the active snapshots of these libraries, or of all that are no synthetic ones. Raises LookupError."""
    libraries = Library.objects.filter(active_snapshot__isnull=False).exclude(slug__startswith="load-")
    libraries = libraries.filter(slug__in=slugs) if slugs else libraries
    snapshots = [library.active_snapshot for library in libraries.select_related("active_snapshot__space")]
    if not snapshots:
        raise LookupError("there is no library to take sentences from: add one, or run quality.py first")
    space = snapshots[0].space
    chunks = Chunk.objects.in_snapshots([found.pk for found in snapshots if found.space_id == space.pk]).order_by("pk")
    rows = list(chunks.values_list("text", "section__breadcrumb", "content_hash")[:MOST_CHUNKS])
    profile = IndexProfile.objects.get(pk=snapshots[0].profile_id)
    vectors = dict(read_vectors(space, [bytes(row[2]) for row in rows], profile.in_parts))
    kept = [row for row in rows if bytes(row[2]) in vectors]
    found = [vectors[bytes(content_hash)] for _, _, content_hash in kept]
    return Material(
        [[part for part in SENTENCE_END.split(text) if part.strip()] or [text] for text, _, _ in kept],
        [breadcrumb for _, breadcrumb, _ in kept],
        Parts(np.concatenate(found).astype(np.float32), begins_of(np.array([len(each) for each in found]))),
        profile,
        space,
    )


def read_vectors(
    space: EmbeddingSpace, hashes: list[bytes], in_parts: bool
) -> Iterator[tuple[bytes, NDArray[np.floating]]]:
    """Of each text those of its parts, or its own alone: (parts, dimension)."""
    sql = """
        SELECT content_hash, substring(vector_send(vector) FROM 5), CASE WHEN %s THEN parts END
        FROM knowledge_embedding WHERE space_id = %s AND content_hash = ANY(%s)
    """
    with connection.cursor() as cursor:
        cursor.execute(sql, [in_parts, space.pk, hashes])
        for content_hash, whole, parts in cursor:
            yield bytes(content_hash), unpacked(bytes(parts or b"") or bytes(whole), space.dimension)


def make_library(slug: str, size: int, material: Material, seed: int = 1) -> Snapshot:
    """A library whose building snapshot holds `size` chunks with their vectors; postings are not built yet."""
    library = Library.objects.create(
        slug=slug, name=slug, kind=Library.Kind.CORPUS, location="synthetic", access=Library.Access.PUBLIC
    )
    snapshot = library.snapshots.create(number=1, revision="synthetic", profile=material.profile, space=material.space)
    generator = np.random.default_rng(seed)
    for start in range(0, size, BATCH):
        add_chunks(snapshot, material, start, min(BATCH, size - start), generator)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    return snapshot


def extend_library(snapshot: Snapshot, size: int, material: Material) -> Snapshot:
    """The next snapshot of a synthetic library: what this one holds and `size` chunks more, without their postings."""
    library = snapshot.library
    grown = library.snapshots.create(
        number=snapshot.number + 1, revision="synthetic", profile=material.profile, space=material.space
    )
    with connection.cursor() as cursor:
        cursor.execute(ADOPT, {"new": grown.pk, "old": snapshot.pk})
    add_chunks(grown, material, snapshot.chunk_count, size, np.random.default_rng(snapshot.number + 1))
    return grown


def remove_library(slug: str) -> None:
    """With everything that was made for it, if it is there. Raises LibraryBusy."""
    for library in Library.objects.filter(slug=slug):
        removing.remove_library(library)
    done = collecting.Collected(dry_run=False)
    collecting.collect_vectors(done, [])
    collecting.collect_folders(done)


def add_chunks(snapshot: Snapshot, material: Material, start: int, count: int, generator: np.random.Generator) -> None:
    total = len(material.sentences)
    first = np.arange(start, start + count) % total
    second = generator.integers(0, total, count)
    parts = mixed_parts(material.parts, first, second, generator)
    texts = [
        " ".join(exchanged(material.sentences[one], material.sentences[other], generator))
        for one, other in zip(first, second, strict=True)
    ]
    hashes = [
        hashlib.sha256(f"{snapshot.library.slug} {start + place}\n{text}".encode()).digest()
        for place, text in enumerate(texts)
    ]
    copy_vectors(material.space.pk, hashes, parts, material.profile.in_parts)
    copy_rows(snapshot, start, texts, [material.breadcrumbs[one] for one in first], hashes)


def exchanged(sentences: Sequence[str], others: Sequence[str], generator: np.random.Generator) -> list[str]:
    chosen = generator.random(len(sentences)) < 0.5
    places = generator.integers(0, len(others), len(sentences))
    return [
        others[place] if other else own for own, other, place in zip(sentences, chosen, places.tolist(), strict=True)
    ]


def copy_vectors(space: int, hashes: Sequence[bytes], parts: Parts, in_parts: bool) -> None:
    """By binary COPY, whose integers are all big-endian."""
    wholes = means(parts.vectors, parts.begins[:-1]).astype(KEPT)
    head = struct.pack(">hh", wholes.shape[1], 0)
    rows = []
    for place, (content_hash, whole) in enumerate(zip(hashes, wholes, strict=True)):
        own = parts.vectors[parts.begins[place] : parts.begins[place + 1]]
        fields = (struct.pack(">q", space), content_hash, head + whole.tobytes(), packed(own) if in_parts else None)
        rows.append(struct.pack(">h", len(fields)) + b"".join(map(binary_field, fields)))
    statement = "COPY knowledge_embedding (space_id, content_hash, vector, parts) FROM STDIN (FORMAT binary)"
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        copy.write(b"PGCOPY\n\xff\r\n\0" + bytes(8) + b"".join(rows) + b"\xff\xff")


def binary_field(value: bytes | None) -> bytes:
    return struct.pack(">i", -1) if value is None else struct.pack(">i", len(value)) + value


def mixed_parts(
    parts: Parts, first: NDArray[np.integer], second: NDArray[np.integer], generator: np.random.Generator
) -> Parts:
    """As many of each pair as the first has, in unit length."""
    own = parts.of(first)
    partners = np.repeat(second, own.counts)
    others = parts.begins[partners] + generator.integers(0, parts.counts[partners])
    noise = generator.standard_normal(own.vectors.shape, np.float32)
    noise /= np.linalg.norm(noise, axis=1, keepdims=True)
    mixed = SHARES[0] * own.vectors + SHARES[1] * parts.vectors[others] + SHARES[2] * noise
    return Parts(mixed / np.linalg.norm(mixed, axis=1, keepdims=True), own.begins)


def copy_rows(
    snapshot: Snapshot, start: int, texts: Sequence[str], breadcrumbs: Sequence[list[str]], hashes: Sequence[bytes]
) -> None:
    now, library = timezone.now(), snapshot.library_id
    files = range(0, len(texts), CHUNKS_OF_FILE)
    sections = range(0, len(texts), CHUNKS_OF_SECTION)
    file_ids, version_ids = ids("documentfile", len(files)), ids("fileversion", len(files))
    section_ids, chunk_ids = ids("section", len(sections)), ids("chunk", len(texts))
    paths = [f"{(start + place) // 2000:04}/{start + place:07}.txt" for place in files]
    copy_table(
        DocumentFile,
        "id, library_id, path, withdrawn_because, created_at",
        ((pk, library, path, "", now) for pk, path in zip(file_ids, paths, strict=True)),
    )
    versions = []
    for number, place in enumerate(files):
        text = "\n".join(texts[place : place + CHUNKS_OF_FILE])
        digest, size = hashlib.sha256(text.encode()).hexdigest(), min(CHUNKS_OF_FILE, len(texts) - place)
        parts = -(-size // CHUNKS_OF_SECTION)
        identity = (version_ids[number], file_ids[number], digest, snapshot.profile.structure_hash, "text/plain")
        versions.append((*identity, paths[number], len(text), text, size, parts, size, digest, "[]", now))
    copy_table(
        FileVersion,
        "id, document_file_id, sha256, structure, media_type, title, size, text, line_count,"
        " section_count, chunk_count, digest, warnings, created_at",
        versions,
    )
    copy_table(
        Section,
        "id, file_version_id, ordinal, level, title, breadcrumb, anchor, aliases, line_start, line_end",
        (
            (
                *(pk, version_ids[place // CHUNKS_OF_FILE], within, 1, (breadcrumbs[place] or [""])[-1]),
                *(breadcrumbs[place], f"section-{within}", []),
                *(place % CHUNKS_OF_FILE + 1, place % CHUNKS_OF_FILE + CHUNKS_OF_SECTION),
            )
            for pk, place in zip(section_ids, sections, strict=True)
            for within in [place % CHUNKS_OF_FILE // CHUNKS_OF_SECTION]
        ),
    )
    chunks, begins = [], 0
    for place, (pk, text) in enumerate(zip(chunk_ids, texts, strict=True)):
        within = place % CHUNKS_OF_FILE
        begins = 0 if within == 0 else begins
        owner = version_ids[place // CHUNKS_OF_FILE], section_ids[place // CHUNKS_OF_SECTION]
        span = begins, begins + len(text), within + 1, within + 1
        chunks.append((pk, *owner, within, "prose", "", text, "", *span, len(text) // 4, hashes[place]))
        begins += len(text) + 1
    copy_table(
        Chunk,
        "id, file_version_id, section_id, ordinal, kind, language, text, context, char_start, char_end,"
        " line_start, line_end, tokens, content_hash",
        chunks,
    )
    members = zip(file_ids, version_ids, strict=True)
    copy_table(
        SnapshotFile,
        "snapshot_id, document_file_id, file_version_id, identity",
        ((snapshot.pk, file, version, "synthetic") for file, version in members),
    )


def ids(table: str, count: int) -> list[int]:
    sequence = "SELECT nextval(pg_get_serial_sequence(%s, 'id')) FROM generate_series(1, %s)"
    with connection.cursor() as cursor:
        cursor.execute(sequence, [f"knowledge_{table}", count])
        return [row[0] for row in cursor.fetchall()]


def copy_table(model: type[Model], columns: str, rows: Any) -> None:
    """The columns that are not named get the model's defaults."""
    named = columns.split(", ")
    others = [field for field in model._meta.concrete_fields if field.column not in named and not field.null]
    defaults = [field.get_db_prep_save(field.get_default(), connection) for field in others]
    listed = ", ".join([*named, *(field.column for field in others)])
    with connection.cursor() as cursor, cursor.copy(f"COPY {model._meta.db_table} ({listed}) FROM STDIN") as copy:
        for row in rows:
            copy.write_row((*row, *defaults))
