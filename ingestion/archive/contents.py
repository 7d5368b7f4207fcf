"""One file of an archive, read line by line and compared with itself. Pure."""

import math
import re
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ingestion.chunking import embedded_parts, embedding_text, told_by_hash
from ingestion.chunking.embedding import LONGEST_SUMMARY, shorten
from ingestion.documents import ChunkDraft, LinkKind, ReferenceDraft, SectionDraft, SymbolDraft, line_starts
from ingestion.paths import fault_of_name, leads_on
from knowledge.parts import mean

from . import layout
from .layout import CHUNKS, NODES, REFERENCES, SUMMARIES, SYMBOLS, TREE, expect

HEX = re.compile(r"[0-9a-f]{64}")
LINK_KINDS = frozenset(LinkKind)
EXTRACTS = "extract-"  # versions of what stands in for a summary that no model wrote
ROUNDING = 1e-3

Vectors = NDArray[np.float32]


class Lines(Protocol):
    """A member of the archive, read from its beginning to its end."""

    name: str
    number: int  # of the line that was read last

    def line(self) -> bytes: ...

    def read(self, size: int) -> bytes: ...


@dataclass(frozen=True, slots=True)
class ArchivedSummary:
    section: int  # its ordinal
    method: str
    text: str


@dataclass(frozen=True, slots=True)
class ArchivedFile:
    """One file as the archive has it, checked. Vectors are of unit length, float32; one row for each of `chunks`, of
    `summaries`, and of `code`. Of each chunk's `parts` there are some rows, none where it is one part.
    """

    record: dict[str, Any]
    text: str = field(repr=False)
    sections: tuple[SectionDraft, ...] = field(repr=False)
    chunks: tuple[ChunkDraft, ...] = field(repr=False)
    content_hashes: tuple[bytes, ...] = field(repr=False)
    summaries: tuple[ArchivedSummary, ...] = field(repr=False)
    symbols: tuple[SymbolDraft, ...] = field(repr=False)
    references: tuple[ReferenceDraft, ...] = field(repr=False)
    vectors: Vectors | None = field(default=None, repr=False)
    summary_vectors: Vectors | None = field(default=None, repr=False)
    code_vectors: Vectors | None = field(default=None, repr=False)
    parts: tuple[Vectors, ...] | None = field(default=None, repr=False)

    @property
    def code(self) -> list[int]:
        """The places of the chunks that are code."""
        return [place for place, chunk in enumerate(self.chunks) if chunk.kind == "code"]

    def embedded(self, place: int) -> str:
        """The text that is embedded of a chunk."""
        chunk = self.chunks[place]
        return embedding_text(self.sections[chunk.section].breadcrumb, chunk.told, chunk.context)

    def embedded_parts(self, place: int) -> list[str]:
        """The texts that are embedded of a chunk in parts."""
        chunk = self.chunks[place]
        return embedded_parts(self.sections[chunk.section].breadcrumb, chunk.told, chunk.context)

    def embedded_summary(self, summary: ArchivedSummary) -> str:
        return embedding_text(self.sections[summary.section].breadcrumb, summary.text)


def check_file(record: dict[str, Any]) -> None:
    path = record["path"]
    expect(leads_on(path) and not fault_of_name(path), f"{TREE}: “{path[:100]!a}” is no path")
    expect(HEX.fullmatch(record["sha256"]), f"{path}: its SHA-256 is none")
    expect(record["section_count"] and record["line_count"], f"{path}: it has no section")
    for link in record["links"]:
        shape = [type(part) for part in link] if type(link) is list else []
        expect(shape == [str, int, str] and link[1] >= 1, f"{path}: a link is none")
        expect(link[0] in LINK_KINDS and "\0" not in link[2], f"{path}: a link is of no kind that is known")


def read_sections(nodes: Lines, record: dict[str, Any]) -> tuple[tuple[SectionDraft, ...], str]:
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
    outline = [{name: getattr(section, name) for name in layout.OUTLINE} for section in sections]
    expect(outline == record["sections"], f"{path}: {TREE} names other sections than {NODES}")
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
    chunks: Lines, record: dict[str, Any], sections: tuple[SectionDraft, ...], text: str
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
        content_hash = bytes.fromhex(row.pop("content_hash"))
        told = told_by_hash(section.breadcrumb, row["text"], row["context"], content_hash)
        expect(told is not None, f"{name} does not hash to what it says")
        check_box(row["box"], name)
        drafts.append(ChunkDraft(**(row | {"box": row["box"] and tuple(row["box"]), "told": told})))
        hashes.append(content_hash)
    return tuple(drafts), tuple(hashes)


def check_box(box: Any, name: str) -> None:
    numbers = box is None or (len(box) == 4 and all(type(side) is float and math.isfinite(side) for side in box))
    expect(numbers, f"{name} has a box that is none")


def read_summaries(summaries: Lines, record: dict[str, Any], method: str) -> tuple[ArchivedSummary, ...]:
    """In order of section, one for each at most. `method` is the profile's; "": it has none."""
    path, last, found = record["path"], -1, []
    for _ in range(record["summary_count"]):
        row = layout.record_of(summaries.line(), layout.SUMMARY_FIELDS, f"{SUMMARIES} line {summaries.number}")
        expect(
            last < row["section"] < record["section_count"], f"{path}: its summaries are of no section, or not in order"
        )
        fitting = method and (row["method"] == method or row["method"].startswith(EXTRACTS))
        expect(fitting, f"{path}: a summary is of another method than the profile's")
        expect(row["text"].strip(), f"{path}: a summary says nothing")
        expect(shorten(row["text"], LONGEST_SUMMARY) == row["text"], f"{path}: a summary is too long")
        last = row["section"]
        found.append(ArchivedSummary(**row))
    return tuple(found)


def read_symbols(symbols: Lines, record: dict[str, Any]) -> tuple[SymbolDraft, ...]:
    path, found = record["path"], []
    for ordinal in range(record["symbol_count"]):
        row = layout.record_of(symbols.line(), layout.SYMBOL_FIELDS, f"{SYMBOLS} line {symbols.number}")
        expect(row["ordinal"] == ordinal, f"{path}: its symbols are not in order")
        inside = 1 <= row["line_start"] <= row["line_end"] <= record["line_count"]
        expect(inside, f"{path}: symbol {ordinal} is not inside it")
        found.append(SymbolDraft(**row))
    return tuple(found)


def read_references(references: Lines, record: dict[str, Any]) -> tuple[ReferenceDraft, ...]:
    """In their own order."""
    path, found = record["path"], []
    for _ in range(record["reference_count"]):
        row = layout.record_of(references.line(), layout.REFERENCE_FIELDS, f"{REFERENCES} line {references.number}")
        within = row["symbol"] is None or row["symbol"] < record["symbol_count"]
        expect(within and 1 <= row["line"] <= record["line_count"], f"{path}: a reference is not inside it")
        found.append(ReferenceDraft(**row))
    return tuple(found)


def read_vectors(vectors: Lines | None, dimension: int, count: int) -> Vectors | None:
    if vectors is None:
        return None
    rows = np.frombuffer(vectors.read(count * dimension * 4), "<f4").reshape(count, dimension).astype(np.float32)
    with np.errstate(invalid="ignore"):  # what is no number is no length either, and is refused below
        lengths = np.linalg.norm(rows.astype(np.float64), axis=1)
    expect(
        ((lengths > 0.99) & (lengths < 1.01)).all(),
        f"{vectors.name}: a vector is not finite, or not of unit length",
    )
    return rows


def read_parts(
    counts: Lines | None, rows: Lines | None, vectors: Vectors | None, chunks: tuple[ChunkDraft, ...]
) -> tuple[Vectors, ...] | None:
    """`vectors` are the chunks' own: the means of their parts."""
    if counts is None or rows is None or vectors is None:
        return None
    found = []
    for count, chunk, vector in zip(np.frombuffer(counts.read(4 * len(chunks)), "<u4"), chunks, vectors, strict=True):
        sensible = count != 1 and count <= len(chunk.text)
        expect(sensible, f"{counts.name}: a chunk has {count} parts")
        parts = read_vectors(rows, vectors.shape[1], int(count))
        assert parts is not None  # noqa: S101 - there are rows
        if count:
            expect(
                float(mean(parts) @ vector) > 1 - ROUNDING,
                f"{rows.name}: a chunk's vector is not the mean of its parts",
            )
        found.append(parts)
    return tuple(found)
