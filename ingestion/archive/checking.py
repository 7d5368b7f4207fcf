"""Reading an archive that nobody vouches for: nothing leaves here that was not checked. Pure: no database, no model.

An archive may be damaged, or made to do harm: names are compared with those there must be, sizes are limited before
and while anything is unpacked, every line is read in one canonical form, every hash is computed again, and what a
record says of its neighbours (lines, places, texts, counts) is checked against them.
"""

import hashlib
import math
import re
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import IO, Any

from ingestion.paths import MAX_FILES
from ingestion.zips import DAMAGED
from knowledge.canonical import canonical_hash
from knowledge.digest import digest

from . import contents, layout
from .contents import ArchivedFile
from .layout import (
    CHUNKS,
    CODE_VECTORS,
    MANIFEST,
    NODES,
    ORIGINALS,
    PART_COUNTS,
    PART_VECTORS,
    REFERENCES,
    SUMMARIES,
    SUMMARY_VECTORS,
    SYMBOLS,
    TABLES,
    TREE,
    VECTORS,
    ArchiveError,
    expect,
)

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
CODE_KINDS = {"model": str, "dimension": int}
READABLE = " and ".join(map(str, layout.READABLE))
BROKEN = (*DAMAGED, IndexError, OverflowError)
DEFLATED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


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
    except IsADirectoryError as error:
        raise ArchiveError(f"{path} is a directory, not an archive") from error
    except PermissionError as error:
        raise ArchiveError(f"{path} cannot be read: {error.strerror}") from error
    except BROKEN as error:
        raise ArchiveError(f"the archive is damaged ({error})") from error


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
        tables = [*TABLES, *(self.vector_members() if VECTORS in self.members else ())]
        expect(list(self.members) == sorted(tables), "the manifest names other members than an archive has")
        originals = [name for name in self.names if name.startswith(ORIGINALS)]
        expect(self.names == [*tables, *originals, MANIFEST], "its members are not those that the manifest names")
        expect(originals == sorted(set(originals)), "its originals are not in order")
        expect(len(originals) == self.manifest["counts"]["originals"], "originals are missing, or there are too many")

    @property
    def profile(self) -> dict[str, Any]:
        settings: dict[str, Any] = self.manifest["profile"]["settings"]
        return settings

    def vector_members(self) -> list[str]:
        return layout.vector_members(self.manifest["code_space"] is not None, "parts" in self.profile)

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
        counts = dict.fromkeys(layout.COUNTS_FIELDS, 0)
        named, seen, before = [], set(), ""
        for record in tree_lines(members[TREE]):
            path = record["path"]
            expect(path > before, f"{TREE}: “{path}” is not in order, or stands there twice")
            before = path
            contents.check_file(record)
            counts["files"] += 1
            for name, counted in layout.COUNTED.items():
                counts[name] += record[counted]
            expect(counts["files"] <= MAX_FILES, f"{TREE}: more than {MAX_FILES:,} files")
            file = self.file(members, record)
            expect(
                digest(file.sections, file.chunks) == record["digest"],
                f"{path}: sections and chunks are not its digest's",
            )
            named.append({key: record[key] for key in ("path", "sha256", "media_type", "digest")})
            seen.add(record["sha256"])
            yield file
        for member in members.values():
            member.finish()
        counts["originals"] = len(seen) if self.has_originals else 0
        expect(counts == self.manifest["counts"], "it holds more or less than the manifest says")
        manifest = {"format": 1, "profile": self.manifest["profile"]["hash"], "files": named}
        expect(canonical_hash(manifest) == self.manifest["manifest_hash"], "the manifest hash is not that of its files")

    def file(self, members: dict[str, Member], record: dict[str, Any]) -> ArchivedFile:
        """The next one of all members."""
        sections, text = contents.read_sections(members[NODES], record)
        chunks, hashes = contents.read_chunks(members[CHUNKS], record, sections, text)
        summaries = contents.read_summaries(members[SUMMARIES], record, self.profile.get("summaries", ""))
        space, code_space = self.manifest["space"], self.manifest["code_space"] or {"dimension": 0}
        of_code = sum(chunk.kind == "code" for chunk in chunks)
        vectors = contents.read_vectors(members.get(VECTORS), space["dimension"], len(chunks))
        return ArchivedFile(
            record=record,
            text=text,
            sections=sections,
            chunks=chunks,
            content_hashes=hashes,
            summaries=summaries,
            symbols=contents.read_symbols(members[SYMBOLS], record),
            references=contents.read_references(members[REFERENCES], record),
            vectors=vectors,
            summary_vectors=contents.read_vectors(members.get(SUMMARY_VECTORS), space["dimension"], len(summaries)),
            code_vectors=contents.read_vectors(members.get(CODE_VECTORS), code_space["dimension"], of_code),
            parts=contents.read_parts(members.get(PART_COUNTS), members.get(PART_VECTORS), vectors, chunks),
        )


def check_entries(entries: list[zipfile.ZipInfo], end: int, largest: int) -> None:
    """Before anything is unpacked: plain members, one behind the other, not too large."""
    expect(len(entries) <= MAX_FILES + 10, "the archive has too many members")
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
        manifest["format"] in layout.READABLE,
        f"the archive is of format {manifest['format']}; this version reads {READABLE}: "
        "export it again with the same version",
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
    check_code_space(manifest["profile"]["settings"], manifest["code_space"])
    return manifest


def check_profile(profile: dict[str, Any], space: dict[str, Any]) -> None:
    settings = profile["settings"]
    expect(canonical_hash(settings) == profile["hash"], "the profile does not hash to what the manifest says")
    fits = all(type(settings.get(name)) is kind for name, kind in PROFILE_KINDS.items())
    expect(fits, "the profile lacks a setting, or one is of another kind")
    layout.shaped(settings["embedding"], EMBEDDING_KINDS, "the profile's embedding")
    named = {name: space[name] for name in EMBEDDING_KINDS}
    expect(settings["embedding"] == named, "the embedding space is not the profile's")
    expect(type(settings.get("parts", 1)) is int, "the profile's way of embedding in parts is none")
    expect(type(settings.get("summaries", "")) is str, "the profile's way of summarising is none")
    check_space(space)


def check_code_space(settings: dict[str, Any], space: dict[str, Any] | None) -> None:
    if space is None:
        return
    layout.shaped(space, layout.SPACE_FIELDS, f"{MANIFEST}: code_space")
    named = {name: space[name] for name in CODE_KINDS}
    expect(settings.get("code_embedding") == named, "the embedding space of code is not the profile's")
    check_space(space)


def check_space(space: dict[str, Any]) -> None:
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
