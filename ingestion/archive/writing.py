"""Writing a snapshot as an archive: row by row, always the same bytes for the same snapshot."""

import hashlib
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from knowledge.models import EmbeddingSpace, Reference, Section, Snapshot, Symbol
from knowledge.storage import originals
from knowledge.storage.one_state import one_state
from knowledge.storage.whole_files import discard_drafts, whole

from . import layout
from .checking import sealed
from .layout import MANIFEST, ORIGINALS, ArchiveError, expect, line_of
from .rows import Exported, Told, quiet


def export_snapshot(
    snapshot: Snapshot,
    output: Path,
    vectors: bool = False,
    with_originals: bool = False,
    with_withdrawn: bool = False,
    told: Told = quiet,
) -> dict[str, Any]:
    """Write the archive and return its manifest. Raises ArchiveError; then there is no file, or the one that was.

    A snapshot is exported whole or not at all: one that holds withdrawn files only `with_withdrawn`.
    """
    check_whole(snapshot, with_withdrawn)
    expect(not output.is_dir(), f"{output} is a directory")
    discard_drafts(output)
    try:
        with whole(output) as file:
            with one_state():
                manifest = write(file, Exported(snapshot, told), vectors, with_originals)
            seal(file)
    except OSError as error:
        raise ArchiveError(f"{output} cannot be written: {error.strerror or error}") from error
    return manifest


def check_whole(snapshot: Snapshot, with_withdrawn: bool) -> None:
    """Raises ArchiveError where it cannot be exported whole, or holds what nobody is to see."""
    expect(snapshot.state == Snapshot.State.READY, f"{snapshot} is {snapshot.state}; only a ready one can be exported")
    expect(not snapshot.erased, f"files of {snapshot} were erased: it can no longer be exported whole; build a new one")
    withdrawn = snapshot.files.filter(document_file__withdrawn_at__isnull=False)
    hidden = list(withdrawn.order_by("document_file__path").values_list("document_file__path", flat=True)[:3])
    expect(
        with_withdrawn or not hidden,
        f"{snapshot} holds withdrawn files ({', '.join(hidden)}), which whoever imports it would see; "
        "say --withdrawn to export them all the same",
    )


def seal(file: IO[bytes]) -> None:
    size = file.seek(0, 2) - 64
    found = sealed(file, size)
    file.seek(size)
    file.write(found)


def write(file: IO[bytes], exported: Exported, vectors: bool, with_originals: bool) -> dict[str, Any]:
    snapshot = exported.snapshot
    made = layout.vector_members(snapshot.code_space_id is not None, snapshot.profile.in_parts) if vectors else []
    with zipfile.ZipFile(file, "w") as archive:
        members = {name: write_member(archive, name, exported.members[name]()) for name in (*layout.TABLES, *made)}
        kept = write_originals(archive, exported) if with_originals else 0
        manifest = manifest_of(exported, kept, {name: members[name] for name in sorted(members)})
        write_member(archive, MANIFEST, iter([line_of(manifest) + b"\n"]))
        archive.comment = layout.SEAL + b"0" * 64
    return manifest


def write_member(archive: zipfile.ZipFile, name: str, pieces: Iterator[bytes]) -> dict[str, Any]:
    info = zipfile.ZipInfo(name, layout.DATE)
    info.compress_type = zipfile.ZIP_STORED if name.endswith(".f32") else zipfile.ZIP_DEFLATED
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


def manifest_of(exported: Exported, kept: int, members: dict[str, Any]) -> dict[str, Any]:
    snapshot = exported.snapshot
    held = {"file_version__memberships__snapshot": snapshot}
    return {
        "format": layout.FORMAT,
        "library": {"slug": snapshot.library.slug, "name": snapshot.library.name},
        "snapshot": {"number": snapshot.number, "revision": snapshot.revision},
        "profile": {"hash": snapshot.profile.hash, "settings": snapshot.profile.settings},
        "space": described(snapshot.space),
        "code_space": described(snapshot.code_space) if snapshot.code_space else None,
        "counts": {
            "files": snapshot.files.count(),
            "sections": Section.objects.filter(**held).count(),
            "chunks": snapshot.chunk_count,
            "summaries": exported.summaries_held().count(),
            "symbols": Symbol.objects.filter(**held).count(),
            "references": Reference.objects.filter(**held).count(),
            "originals": kept,
        },
        "rejected": [{name: file[name] for name in layout.REJECTED_FIELDS} for file in snapshot.rejected],
        "members": members,
        "manifest_hash": snapshot.manifest_hash,
    }


def described(space: EmbeddingSpace) -> dict[str, Any]:
    return {name: getattr(space, name) for name in layout.SPACE_FIELDS}
