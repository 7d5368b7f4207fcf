"""Reading an archive that nobody vouches for: nothing leaves here that was not checked. Pure: no database, no model.

An archive may be damaged, or made to do harm: names are compared with those there must be, sizes are limited before
and while anything is unpacked, every line is read in one canonical form, every hash is computed again, and what a
record says of its neighbours (lines, places, texts, counts) is checked against them.
"""

import hashlib
import math
import re
import unicodedata
import zipfile
import zlib
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from ingestion.chunking import embedding_text
from ingestion.documents import ChunkDraft, SectionDraft, line_starts
from knowledge.canonical import canonical_hash
from knowledge.digest import digest

from . import layout
from .layout import CHUNKS, MANIFEST, NODES, ORIGINALS, TREE, VECTORS, ArchiveError, expect

HEX = re.compile(r"[0-9a-f]{64}")
SLUG = re.compile(r"[-a-zA-Z0-9_]+")
PROFILE_KINDS = {
    "parsers": int,
    "chunker": int,
    "budget": int,
    "limit": int,
    "overlap": int,
    "tokenizer": str,
    "language": str,
    "analysis": int,
    "scoring": int,
    "embedding": dict,
}
EMBEDDING_KINDS = {"model": str, "dimension": int, "query_prefix": str, "document_prefix": str}
BROKEN = (
    zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, KeyError, IndexError,
    OverflowError, OSError,
)  # fmt: skip
DEFLATED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


@dataclass(frozen=True, slots=True)
class ArchivedFile:
    """One file as the archive has it, checked. `vectors` has shape (chunks, dimension), unit length, float32."""

    record: dict[str, Any]
    text: str = field(repr=False)
    sections: tuple[SectionDraft, ...] = field(repr=False)
    chunks: tuple[ChunkDraft, ...] = field(repr=False)
    content_hashes: tuple[bytes, ...] = field(repr=False)
    vectors: NDArray[np.float32] | None = field(repr=False)


@contextmanager
def open_archive(path: Path, largest: int = layout.LARGEST) -> Iterator["Archive"]:
    """Sealed, and with the members that an archive must have. Raises ArchiveError, also while it is read."""
    try:
        with path.open("rb") as file:
            check_seal(file)
            with zipfile.ZipFile(file) as opened:
                yield Archive(opened, largest)
    except ArchiveError:
        raise
    except FileNotFoundError as error:
        raise ArchiveError(f"there is no file {path}") from error
    except BROKEN as error:
        raise ArchiveError(f"the archive is damaged ({type(error).__name__}: {error})") from error


def check_seal(file: IO[bytes]) -> None:
    size = file.seek(0, 2)
    expect(size > layout.SEAL_BYTES, "this is no archive of a snapshot: it is too short")
    file.seek(size - layout.SEAL_BYTES)
    seal = file.read()
    expect(seal.startswith(layout.SEAL), "this is no archive of a snapshot, or it was cut or changed: it has no seal")
    expect(seal == layout.SEAL + sealed(file, size - 64), "the archive was changed or damaged: its seal is broken")
    file.seek(0)


def sealed(file: IO[bytes], size: int) -> bytes:
    """SHA-256, in hexadecimal, of the first `size` bytes."""
    file.seek(0)
    found = hashlib.sha256()
    while size and (block := file.read(min(size, layout.MEGABYTE))):
        found.update(block)
        size -= len(block)
    return found.hexdigest().encode()


class Member:
    """One member, read from its beginning to its end; `finish` compares what was read with what the manifest says."""

    def __init__(self, opened: zipfile.ZipFile, name: str, promised: dict[str, Any]) -> None:
        self.name, self.promised = name, promised
        self.file, self.hash, self.bytes, self.number = opened.open(name), hashlib.sha256(), 0, 0

    def line(self) -> bytes:
        """The next line without its end; b"" after the last."""
        self.number += 1
        raw = self.file.readline(layout.LONGEST_LINE + 1)
        self._took(raw)
        expect(len(raw) <= layout.LONGEST_LINE, f"{self.name}: line {self.number} is too long")
        expect(not raw or raw.endswith(b"\n"), f"{self.name}: its last line is not complete")
        return raw[:-1]

    def read(self, size: int) -> bytes:
        raw = self.file.read(size)
        self._took(raw)
        expect(len(raw) == size, f"{self.name}: it is too short")
        return raw

    def _took(self, raw: bytes) -> None:
        self.hash.update(raw)
        self.bytes += len(raw)

    def finish(self) -> None:
        expect(self.file.read(1) == b"", f"{self.name}: there is more in it than the manifest says")
        seen = {"sha256": self.hash.hexdigest(), "bytes": self.bytes}
        expect(seen == self.promised, f"{self.name}: it does not hash to what the manifest says")
        self.file.close()


class Archive:
    """`files()` and `original()` may be called again; each time everything is checked anew."""

    def __init__(self, opened: zipfile.ZipFile, largest: int) -> None:
        self._opened = opened
        entries = opened.infolist()
        check_entries(entries, opened.start_dir, largest)
        self.names = [entry.filename for entry in entries]
        self.manifest = read_manifest(opened)
        self.members: dict[str, dict[str, Any]] = self.manifest["members"]
        tables = [TREE, NODES, CHUNKS, *([VECTORS] if VECTORS in self.members else [])]
        expect(list(self.members) == sorted(tables), "the manifest names other members than an archive has")
        originals = [name for name in self.names if name.startswith(ORIGINALS)]
        expect(self.names == [*tables, *originals, MANIFEST], "its members are not those that the manifest names")
        expect(originals == sorted(set(originals)), "its originals are not in order")
        expect(len(originals) == self.manifest["counts"]["originals"], "originals are missing, or there are too many")

    @property
    def profile(self) -> dict[str, Any]:
        settings: dict[str, Any] = self.manifest["profile"]["settings"]
        return settings

    @property
    def has_vectors(self) -> bool:
        return VECTORS in self.members

    @cached_property
    def has_originals(self) -> bool:
        return bool(self.manifest["counts"]["originals"])

    def check(self) -> None:
        """Read everything once."""
        for file in self.files():
            if self.has_originals:
                self.original(file.record["sha256"], file.record["size"])

    def original(self, sha256: str, size: int) -> bytes:
        try:
            entry = self._opened.getinfo(f"{ORIGINALS}{sha256}")
        except KeyError as error:
            raise ArchiveError(f"the original {sha256} is missing") from error
        expect(
            entry.file_size == size <= layout.LARGEST_ORIGINAL, f"the original {sha256} has another size than its file"
        )
        content = self._opened.read(entry)
        expect(hashlib.sha256(content).hexdigest() == sha256, f"the original {sha256} does not hash to its name")
        return content

    def files(self) -> Iterator[ArchivedFile]:
        """Every file with all that is in it, in order of path; after the last, the whole is checked."""
        members = {name: Member(self._opened, name, promised) for name, promised in self.members.items()}
        tree, nodes, chunks, vectors = (members.get(name) for name in (TREE, NODES, CHUNKS, VECTORS))
        assert tree and nodes and chunks  # noqa: S101 - checked when it was opened
        dimension, counts = self.manifest["space"]["dimension"], dict.fromkeys(layout.COUNTS_FIELDS, 0)
        contents, seen, before = [], set(), ""
        for record in tree_lines(tree):
            path = record["path"]
            expect(path > before, f"{TREE}: “{path}” is not in order, or stands there twice")
            before = path
            check_file(record)
            counts["files"] += 1
            counts["sections"] += record["section_count"]
            counts["chunks"] += record["chunk_count"]
            expect(counts["files"] <= layout.MOST_FILES, f"{TREE}: more than {layout.MOST_FILES:,} files")
            sections, text = read_sections(nodes, record)
            drafts, hashes = read_chunks(chunks, record, sections, text)
            expect(digest(sections, drafts) == record["digest"], f"{path}: sections and chunks are not its digest's")
            contents.append({key: record[key] for key in ("path", "sha256", "media_type", "digest")})
            seen.add(record["sha256"])
            yield ArchivedFile(record, text, sections, drafts, hashes, read_vectors(vectors, dimension, len(drafts)))
        for member in members.values():
            member.finish()
        counts["originals"] = len(seen) if self.has_originals else 0
        expect(counts == self.manifest["counts"], "it holds more or less than the manifest says")
        manifest = {"format": 1, "profile": self.manifest["profile"]["hash"], "files": contents}
        expect(canonical_hash(manifest) == self.manifest["manifest_hash"], "the manifest hash is not that of its files")


def check_entries(entries: list[zipfile.ZipInfo], end: int, largest: int) -> None:
    """Before anything is unpacked: plain members, one behind the other, not too large."""
    expect(len(entries) <= layout.MOST_FILES + 10, "the archive has too many members")
    expect(len({entry.filename for entry in entries}) == len(entries), "a member stands there twice")
    expect(entries and entries[0].header_offset == 0, "something stands before its members")
    total, free = 0, 0
    for entry in entries:
        expect(entry.compress_type in DEFLATED and not entry.flag_bits & 1, f"{entry.filename}: packed in another way")
        expect(entry.header_offset >= free, "its members overlap")
        free = entry.header_offset + entry.compress_size
        total += entry.file_size
    expect(free <= end, "its members overlap")
    expect(total <= largest, f"unpacked it has {total:,} bytes; at most {largest:,} are taken")


def read_manifest(opened: zipfile.ZipFile) -> dict[str, Any]:
    try:
        entry = opened.getinfo(MANIFEST)
    except KeyError as error:
        raise ArchiveError(f"this is no archive of a snapshot: it has no {MANIFEST}") from error
    expect(entry.file_size <= layout.LONGEST_MANIFEST, f"{MANIFEST} is too large")
    line = opened.read(entry)
    manifest = layout.record_of(line.removesuffix(b"\n"), layout.MANIFEST_FIELDS, MANIFEST)
    expect(
        manifest["format"] == layout.FORMAT,
        f"the archive is of format {manifest['format']}; this version reads {layout.FORMAT}",
    )
    for name, fields in (
        ("library", layout.LIBRARY_FIELDS),
        ("snapshot", layout.SNAPSHOT_FIELDS),
        ("profile", layout.PROFILE_FIELDS),
        ("space", layout.SPACE_FIELDS),
        ("counts", layout.COUNTS_FIELDS),
    ):
        layout.shaped(manifest[name], fields, f"{MANIFEST}: {name}")
    for rejected in manifest["rejected"]:
        layout.shaped(rejected, layout.REJECTED_FIELDS, f"{MANIFEST}: rejected")
    for name, promised in manifest["members"].items():
        layout.shaped(promised, layout.MEMBER_FIELDS, f"{MANIFEST}: {name}")
    expect(SLUG.fullmatch(manifest["library"]["slug"]), f"{MANIFEST}: the library's slug is none")
    check_profile(manifest["profile"], manifest["space"])
    return manifest


def check_profile(profile: dict[str, Any], space: dict[str, Any]) -> None:
    settings = profile["settings"]
    expect(canonical_hash(settings) == profile["hash"], "the profile does not hash to what the manifest says")
    fits = all(type(settings.get(name)) is kind for name, kind in PROFILE_KINDS.items())
    expect(fits, "the profile lacks a setting, or one is of another kind")
    layout.shaped(settings["embedding"], EMBEDDING_KINDS, "the profile's embedding")
    named = {name: space[name] for name in EMBEDDING_KINDS}
    expect(settings["embedding"] == named, "the embedding space is not the profile's")
    canaries, dimension = space["canaries"], space["dimension"]
    expect(1 <= dimension <= 16_000, "the embedding space has no sensible dimension")
    rows = all(type(row) is list and len(row) == dimension for row in canaries)
    expect(canaries and rows, "the canaries are not of the space's dimension")
    numbers = (number for row in canaries for number in row)
    expect(all(type(number) in (int, float) and math.isfinite(number) for number in numbers), "a canary is no number")


def tree_lines(tree: Member) -> Iterator[dict[str, Any]]:
    expect(tree.line() == layout.TREE_OPENS, f"{TREE}: it does not begin as it must")
    more = True
    while (line := tree.line()) != layout.TREE_CLOSES:
        expect(more and line, f"{TREE}: it does not end as it must")
        more = line.endswith(b",")
        yield layout.record_of(line.removesuffix(b","), layout.FILE_FIELDS, f"{TREE} line {tree.number}")
    expect(not more or tree.number == 2, f"{TREE}: it does not end as it must")


def check_file(record: dict[str, Any]) -> None:
    path = record["path"]
    parts = path.split("/")
    strange = {unicodedata.category(character) for character in path} & {"Cc", "Cs", "Zl", "Zp"}
    expect(path and not strange and not {"", ".", ".."} & set(parts), f"{TREE}: “{path[:100]!a}” is no path")
    expect(HEX.fullmatch(record["sha256"]), f"{path}: its SHA-256 is none")
    expect(record["section_count"] and record["line_count"], f"{path}: it has no section")


def read_sections(nodes: Member, record: dict[str, Any]) -> tuple[tuple[SectionDraft, ...], str]:
    """They partition the file's lines, and their texts make up its text."""
    path, sections, texts, last = record["path"], [], [], 0
    for ordinal in range(record["section_count"]):
        row = layout.record_of(nodes.line(), layout.NODE_FIELDS, f"{NODES} line {nodes.number}")
        parent = row["parent"]
        expect(row["ordinal"] == ordinal, f"{path}: its sections are not in order")
        expect(parent is None or parent < ordinal, f"{path}: section {ordinal} has no such parent")
        expect(row["line_start"] == last + 1 <= row["line_end"], f"{path}: section {ordinal} leaves out lines")
        expect(row["level"] < 2**15, f"{path}: section {ordinal} has no sensible level")
        last = row["line_end"]
        texts.append(row.pop("text"))
        lists = {name: tuple(row[name]) for name in ("breadcrumb", "aliases")}
        sections.append(SectionDraft(**(row | lists), blocks=()))
    expect(last == record["line_count"], f"{path}: its sections have {last} lines of {record['line_count']}")
    expect(len({section.anchor for section in sections}) == len(sections), f"{path}: two sections have one anchor")
    text = "".join(texts)
    starts = [*line_starts(text), len(text)]
    expect(len(starts) - 1 == last, f"{path}: its text has other lines than its sections")
    place = 0
    for section, part in zip(sections, texts, strict=True):
        expect(place == starts[section.line_start - 1], f"{path}: section {section.ordinal} has another's text")
        place += len(part)
    return tuple(sections), text


def read_chunks(
    chunks: Member, record: dict[str, Any], sections: tuple[SectionDraft, ...], text: str
) -> tuple[tuple[ChunkDraft, ...], tuple[bytes, ...]]:
    path, starts = record["path"], line_starts(text)
    drafts, hashes = [], []
    for ordinal in range(record["chunk_count"]):
        row = layout.record_of(chunks.line(), layout.CHUNK_FIELDS, f"{CHUNKS} line {chunks.number}")
        name = f"{path}: chunk {ordinal}"
        expect(row["ordinal"] == ordinal, f"{path}: its chunks are not in order")
        expect(row["section"] < len(sections), f"{name} is of no section")
        section, start, end = sections[row["section"]], row["char_start"], row["char_end"]
        expect(row["text"].strip() and text[start:end] == row["text"], f"{name} is not what its file says there")
        lines = bisect_right(starts, start), bisect_right(starts, start) + row["text"].count("\n")
        expect((row["line_start"], row["line_end"]) == lines, f"{name} has other lines than its place")
        inside = section.line_start <= row["line_start"] and row["line_end"] <= section.line_end
        expect(inside, f"{name} is not inside its section")
        embedded = embedding_text(section.breadcrumb, row["text"], row["context"])
        content_hash = hashlib.sha256(embedded.encode()).digest()
        expect(content_hash.hex() == row.pop("content_hash"), f"{name} does not hash to what it says")
        drafts.append(ChunkDraft(**row))
        hashes.append(content_hash)
    return tuple(drafts), tuple(hashes)


def read_vectors(vectors: Member | None, dimension: int, count: int) -> NDArray[np.float32] | None:
    if vectors is None:
        return None
    rows = np.frombuffer(vectors.read(count * dimension * 4), "<f4").reshape(count, dimension).astype(np.float32)
    with np.errstate(invalid="ignore"):  # what is no number is no length either, and is refused below
        lengths = np.linalg.norm(rows.astype(np.float64), axis=1)
    expect(((lengths > 0.99) & (lengths < 1.01)).all(), f"{VECTORS}: a vector is not finite, or not of unit length")
    return rows
