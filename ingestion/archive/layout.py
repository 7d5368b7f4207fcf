"""The names and fields of an archive, and how its lines are written and read back. Pure."""

import json
from typing import Any

from ingestion.documents import LONGEST_PATH, LONGEST_TITLE
from knowledge import numbers
from knowledge.canonical import canonical_json

FORMAT = 3
READABLE = (FORMAT,)  # what is older was analysed by another version, which is refused, too
MANIFEST, TREE, NODES, CHUNKS = "manifest.json", "tree.json", "nodes.jsonl", "chunks.ndjson"
SUMMARIES, SYMBOLS, REFERENCES = "summaries.jsonl", "symbols.jsonl", "references.jsonl"
VECTORS, SUMMARY_VECTORS, CODE_VECTORS = "vectors.f32", "summary_vectors.f32", "code_vectors.f32"
PART_COUNTS, PART_VECTORS = "part_counts.u32", "part_vectors.f32"
ORIGINALS = "originals/"
TABLES = (TREE, NODES, CHUNKS, SUMMARIES, SYMBOLS, REFERENCES)  # every archive has them, in this order
TREE_OPENS, TREE_CLOSES = b'{"files":[', b"]}"
SEAL = b"sha256:"
SEAL_BYTES = len(SEAL) + 64
DATE = (1980, 1, 1, 0, 0, 0)

MEGABYTE = 2**20
LONGEST_LINE = 128 * MEGABYTE  # a parser writes down 96 MiB at most
LONGEST_MANIFEST = 64 * MEGABYTE
LARGEST_ORIGINAL = 256 * MEGABYTE
LARGEST = 32 * 1024 * MEGABYTE  # unpacked, all members together

MOST = {"bytes": LARGEST}  # else what a Postgres integer holds
Text, Number, Optional, Texts = str, int, (int, type(None)), list
OptionalList, OptionalRecord = (list, type(None)), (dict, type(None))

MANIFEST_FIELDS = {
    "format": Number,
    "library": dict,
    "snapshot": dict,
    "profile": dict,
    "space": dict,
    "code_space": OptionalRecord,
    "counts": dict,
    "rejected": list,
    "members": dict,
    "manifest_hash": Text,
}
MEMBER_FIELDS = {"sha256": Text, "bytes": Number}
LIBRARY_FIELDS = {"slug": Text, "name": Text}
SNAPSHOT_FIELDS = {"number": Number, "revision": Text}
PROFILE_FIELDS = {"hash": Text, "settings": dict}
SPACE_FIELDS = {
    "model": Text,
    "dimension": Number,
    "max_tokens": Number,
    "query_prefix": Text,
    "document_prefix": Text,
    "canaries": list,
}
COUNTS_FIELDS = {
    "files": Number,
    "sections": Number,
    "chunks": Number,
    "summaries": Number,
    "symbols": Number,
    "references": Number,
    "originals": Number,
}
REJECTED_FIELDS = {"path": Text, "reason": Text}
FILE_FIELDS = {
    "path": Text,
    "sha256": Text,
    "media_type": Text,
    "digest": Text,
    "title": Text,
    "size": Number,
    "line_count": Number,
    "section_count": Number,
    "chunk_count": Number,
    "natural_language": Text,
    "warnings": Texts,
    "links": list,
    "sections": list,
    "summary_count": Number,
    "symbol_count": Number,
    "reference_count": Number,
}
COUNTED = {  # what the manifest counts, and where a file says how many it has
    "sections": "section_count",
    "chunks": "chunk_count",
    "summaries": "summary_count",
    "symbols": "symbol_count",
    "references": "reference_count",
}
VERSION_FIELDS = FILE_FIELDS.keys() - {"path", "sections", "summary_count", "symbol_count", "reference_count"}
OUTLINE = ("parent", "title", "anchor", "line_start", "line_end")  # what tree.json says of a section
NODE_FIELDS = {
    "ordinal": Number,
    "parent": Optional,
    "level": Number,
    "title": Text,
    "breadcrumb": Texts,
    "anchor": Text,
    "aliases": Texts,
    "line_start": Number,
    "line_end": Number,
    "page": Optional,
    "text": Text,
}
CHUNK_FIELDS = {
    "ordinal": Number,
    "section": Number,
    "kind": Text,
    "language": Text,
    "text": Text,
    "context": Text,
    "char_start": Number,
    "char_end": Number,
    "line_start": Number,
    "line_end": Number,
    "page": Optional,
    "box": OptionalList,
    "tokens": Number,
    "content_hash": Text,
}
SUMMARY_FIELDS = {"section": Number, "method": Text, "text": Text}
SYMBOL_FIELDS = {
    "ordinal": Number,
    "kind": Text,
    "name": Text,
    "qualified_name": Text,
    "language": Text,
    "line_start": Number,
    "line_end": Number,
    "signature": Text,
    "docstring": Text,
}
REFERENCE_FIELDS = {
    "kind": Text,
    "name": Text,
    "written": Text,
    "target": Text,
    "symbol": Optional,
    "line": Number,
}
LONGEST = {
    "path": LONGEST_PATH,
    "media_type": 100,
    "title": LONGEST_TITLE,
    "natural_language": 16,
    "kind": 20,
    "language": 40,
    "anchor": 600,
    "method": 250,
    "model": 200,
    "query_prefix": 200,
    "document_prefix": 200,
    "revision": 200,
    "name": 200,
    "slug": 50,
    "sha256": 64,
    "digest": 64,
    "hash": 64,
    "manifest_hash": 64,
    "content_hash": 64,
}  # characters, as the rows have them


class ArchiveError(Exception):
    """The archive is not what it says, or not for this installation; the message says why."""


def vector_members(has_code: bool, in_parts: bool) -> list[str]:
    """Where vectors are exported, in order."""
    of_code, of_parts = [CODE_VECTORS] if has_code else [], [PART_COUNTS, PART_VECTORS] if in_parts else []
    return [VECTORS, SUMMARY_VECTORS, *of_code, *of_parts]


def expect(holds: object, reason: str) -> None:
    if not holds:
        raise ArchiveError(reason)


def line_of(record: dict[str, Any]) -> bytes:
    return canonical_json(record)


def record_of(line: bytes, fields: dict[str, Any], what: str) -> dict[str, Any]:
    """The record of one line: exactly these fields, of these kinds, written as `line_of` writes it."""
    try:
        record = json.loads(line, parse_constant=refuse_constant)
        same = canonical_json(record) == line
    except (ValueError, RecursionError) as error:
        raise ArchiveError(f"{what}: not JSON") from error
    expect(same, f"{what}: not written as archives are")
    return shaped(record, fields, what)


def refuse_constant(name: str) -> float:
    raise ValueError(name)


def shaped(record: Any, fields: dict[str, Any], what: str) -> dict[str, Any]:
    expect(type(record) is dict and record.keys() == fields.keys(), f"{what}: other fields than {', '.join(fields)}")
    for name, kind in fields.items():
        check_value(record[name], kind, LONGEST.get(name), f"{what}: {name}")
    return record


def check_value(value: Any, kind: Any, longest: int | None, what: str) -> None:
    kinds = kind if isinstance(kind, tuple) else (kind,)
    expect(type(value) in kinds, f"{what} is of another kind")
    if type(value) is int:
        expect(0 <= value <= MOST.get(what.rpartition(" ")[2], numbers.LARGEST), f"{what} is out of range")
    elif type(value) is str:
        expect("\0" not in value, f"{what} has a zero byte")
        expect(longest is None or len(value) <= longest, f"{what} is longer than {longest} characters")
    elif kind is Texts and what.endswith(("breadcrumb", "aliases", "warnings")):
        for item in value:
            check_value(item, Text, None, what)
