"""Writing a snapshot as an archive: row by row, always the same bytes for the same snapshot."""

import hashlib
import os
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np
from django.db import connection, transaction

from ingestion.documents import line_starts
from knowledge import originals
from knowledge.models import Chunk, FileVersion, Section, Snapshot, SnapshotFile

from . import layout
from .checking import sealed
from .layout import CHUNKS, MANIFEST, NODES, ORIGINALS, TREE, VECTORS, ArchiveError, expect, line_of

FILES_AT_ONCE, CHARACTERS_AT_ONCE = 200, 4_000_000  # in memory

VECTORS_OF = """
    SELECT chunk.id, vector_send(vector.vector)
    FROM knowledge_chunk chunk
    JOIN knowledge_embedding vector ON vector.space_id = %s AND vector.content_hash = chunk.content_hash
    WHERE chunk.file_version_id = ANY(%s)
"""

Told = Callable[[str, int], None]  # a member's name, and how many files of it are written
Group = list[SnapshotFile]


def quiet(member: str, files: int) -> None:
    pass


def export_snapshot(
    snapshot: Snapshot, output: Path, vectors: bool = False, with_originals: bool = False, told: Told = quiet
) -> dict[str, Any]:
    """Write the archive and return its manifest. Raises ArchiveError; then there is no file, or the one that was."""
    expect(snapshot.state == Snapshot.State.READY, f"{snapshot} is {snapshot.state}; only a ready one can be exported")
    expect(not snapshot.erased, f"files of {snapshot} were erased: it can no longer be exported whole; build a new one")
    expect(not output.is_dir(), f"{output} is a directory")
    try:
        descriptor, temporary = tempfile.mkstemp(dir=output.parent, prefix=f".{output.name}-")
    except OSError as error:
        raise ArchiveError(f"{output} cannot be written: {error.strerror}") from error
    try:
        with os.fdopen(descriptor, "w+b") as file:
            with one_state():
                manifest = write(file, Exported(snapshot, told), vectors, with_originals)
            seal(file)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).chmod(0o600)  # it holds what the library's readers alone may see
        Path(temporary).rename(output)
    except OSError as error:
        Path(temporary).unlink(missing_ok=True)
        raise ArchiveError(f"{output} cannot be written: {error.strerror or error}") from error
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    return manifest


@contextmanager
def one_state() -> Iterator[None]:
    """All reads see what was there at the first, so that nothing is collected meanwhile."""
    if connection.in_atomic_block:
        yield
        return
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        yield


def seal(file: IO[bytes]) -> None:
    size = file.seek(0, 2) - 64
    found = sealed(file, size)
    file.seek(size)
    file.write(found)


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

    def tree(self) -> Iterator[bytes]:
        yield layout.TREE_OPENS + b"\n"
        before = b""
        for file in self.files():
            version, path = file.file_version, file.document_file.path
            record = {name: getattr(version, name) for name in layout.FILE_FIELDS if name != "path"} | {"path": path}
            if before:
                yield before + b",\n"
            before = line_of(record)
        yield (before and before + b"\n") + layout.TREE_CLOSES + b"\n"

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

    def vectors(self) -> Iterator[bytes]:
        for group in self.groups(VECTORS):
            stored = self.stored_vectors(group)
            for _, chunks in by_version(Chunk.objects.only("pk", "file_version_id", "ordinal"), group):
                for chunk in chunks:
                    expect(chunk.pk in stored, f"chunk {chunk.pk} has no vector: run verify, and rebuild the library")
                    yield stored[chunk.pk]

    def stored_vectors(self, group: Group) -> dict[int, bytes]:
        """float32, little-endian, by chunk. pgvector sends two short integers first, and is big-endian."""
        with connection.cursor() as cursor:
            cursor.execute(VECTORS_OF, [self.snapshot.space_id, versions(group)])
            return {pk: np.frombuffer(bytes(sent)[4:], ">f4").astype("<f4").tobytes() for pk, sent in cursor}


def versions(group: Group) -> list[int]:
    return [file.file_version_id for file in group]


def by_version(rows: Any, group: Group) -> Iterator[tuple[int, list[Any]]]:
    """The rows of each file version, in order of place; of one group's at a time."""
    found: dict[int, list[Any]] = {version: [] for version in versions(group)}
    for row in rows.filter(file_version__in=list(found)).order_by("file_version", "ordinal"):
        found[row.file_version_id].append(row)
    yield from found.items()


def write(file: IO[bytes], exported: Exported, vectors: bool, with_originals: bool) -> dict[str, Any]:
    snapshot = exported.snapshot
    tables: dict[str, Callable[[], Iterator[bytes]]] = {
        TREE: exported.tree,
        NODES: exported.nodes,
        CHUNKS: exported.chunks,
        **({VECTORS: exported.vectors} if vectors else {}),
    }
    with zipfile.ZipFile(file, "w") as archive:
        members = {name: write_member(archive, name, pieces()) for name, pieces in tables.items()}
        kept = write_originals(archive, exported) if with_originals else 0
        manifest = manifest_of(snapshot, kept, {name: members[name] for name in sorted(members)})
        write_member(archive, MANIFEST, iter([line_of(manifest) + b"\n"]))
        archive.comment = layout.SEAL + b"0" * 64
    return manifest


def write_member(archive: zipfile.ZipFile, name: str, pieces: Iterator[bytes]) -> dict[str, Any]:
    info = zipfile.ZipInfo(name, layout.DATE)
    info.compress_type = zipfile.ZIP_STORED if name == VECTORS else zipfile.ZIP_DEFLATED
    info.external_attr = 0o600 << 16
    found, size = hashlib.sha256(), 0
    with archive.open(info, "w", force_zip64=True) as member:
        for piece in pieces:
            found.update(piece)
            size += member.write(piece)
    return {"sha256": found.hexdigest(), "bytes": size}


def write_originals(archive: zipfile.ZipFile, exported: Exported) -> int:
    """One for each content, in order of its hash."""
    hashes = exported.snapshot.files.order_by("file_version__sha256").values_list("file_version__sha256", flat=True)
    written = 0
    for sha256 in hashes.distinct().iterator(chunk_size=2000):
        expect(originals.intact(sha256), f"the original {sha256} is missing or damaged: run verify --deep")
        write_member(archive, f"{ORIGINALS}{sha256}", iter([originals.read(sha256)]))
        written += 1
        exported.told(ORIGINALS, written)
    return written


def manifest_of(snapshot: Snapshot, kept: int, members: dict[str, Any]) -> dict[str, Any]:
    space, held = snapshot.space, {"file_version__memberships__snapshot": snapshot}
    return {
        "format": layout.FORMAT,
        "library": {"slug": snapshot.library.slug, "name": snapshot.library.name},
        "snapshot": {"number": snapshot.number, "revision": snapshot.revision},
        "profile": {"hash": snapshot.profile.hash, "settings": snapshot.profile.settings},
        "space": {name: getattr(space, name) for name in layout.SPACE_FIELDS},
        "counts": {
            "files": snapshot.files.count(),
            "sections": Section.objects.filter(**held).count(),
            "chunks": snapshot.chunk_count,
            "originals": kept,
        },
        "rejected": [{name: file[name] for name in layout.REJECTED_FIELDS} for file in snapshot.rejected],
        "members": members,
        "manifest_hash": snapshot.manifest_hash,
    }
