"""Each file in golden/*/in parses, sections and chunks to what golden/*/out says. UPDATE_GOLDEN=1 rewrites them."""

import json
import os
import re
from pathlib import Path

import pytest

from ingestion.chunking import chunk
from ingestion.documents import Block
from ingestion.parsers import parse
from ingestion.sections import build_sections

GOLDEN = Path(__file__).parent / "golden"
INPUTS = sorted(GOLDEN.glob("*/in/*"))


def count_words(texts: list[str]) -> list[int]:
    return [len(re.findall(r"\w+|[^\w\s]", text)) for text in texts]


def lines(start: int, end: int) -> str:
    return f"{start}-{end}"


def describe_block(block: Block) -> str:
    page, header = f"page {block.page}" if block.page else "", f"under {block.header}" if block.header else ""
    parts = [block.kind, lines(block.line_start, block.line_end), block.language, page, header]
    return " ".join(filter(None, parts))


def describe(data: bytes, path: str) -> dict[str, object]:
    document = parse(data, path)
    sections = build_sections(document)
    chunks = chunk(document, sections, count_words, budget=40)
    return {
        "title": document.title,
        "media_type": document.media_type,
        "warnings": list(document.warnings),
        "natural_language": document.natural_language,
        "sections": [
            {
                "lines": lines(section.line_start, section.line_end),
                "level": section.level,
                "breadcrumb": " > ".join(section.breadcrumb),
                "anchors": [section.anchor, *section.aliases],
                "blocks": [describe_block(block) for block in section.blocks],
                "chunks": [
                    f"{lines(draft.line_start, draft.line_end)} {draft.kind} {draft.text.split(chr(10))[0]}"
                    for draft in chunks
                    if draft.section == section.ordinal
                ],
            }
            for section in sections
        ],
    }


@pytest.mark.parametrize("path", INPUTS, ids=lambda path: f"{path.parts[-3]}/{path.name}")
def test_a_file_becomes_these_sections_and_chunks(path: Path):
    found = describe(path.read_bytes(), f"docs/{path.name}")
    expected = path.parents[1] / "out" / f"{path.name}.json"
    if os.environ.get("UPDATE_GOLDEN"):
        expected.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    assert found == json.loads(expected.read_text(encoding="utf-8"))
