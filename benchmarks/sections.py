"""Sections beside the lines they were made of, as Markdown, to look at: docs/parsing-examples.md was made so.

python benchmarks/sections.py DIR PATH#ANCHOR …
"""

import argparse
import re
from pathlib import Path

import _setup  # noqa: F401

from ingestion.chunking import chunk
from ingestion.documents import BlockKind
from ingestion.sandbox import parse
from ingestion.sections import build_sections

TEXT = ("text/x-rst", "text/markdown", "text/plain")


def count_tokens(texts: list[str]) -> list[int]:
    return [len(re.findall(r"\w{1,5}|[^\w\s]", text)) for text in texts]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path)
    parser.add_argument("place", nargs="+")
    chosen = parser.parse_args()
    for number, place in enumerate(chosen.place, start=1):
        path, _, anchor = place.partition("#")
        document = parse((chosen.directory / path).read_bytes(), path)
        sections = build_sections(document)
        section = next(each for each in sections if anchor in (each.anchor, *each.aliases))
        lines = document.text.split("\n")[section.line_start - 1 : section.line_end]
        what = "Source" if document.media_type in TEXT else "As it was written down"
        page = f", page {section.page}" if section.page else ""
        print(f"## {number}. {path}, lines {section.line_start}–{section.line_end}{page}\n\n{what}:\n\n````text")
        print("\n".join(lines).strip("\n") + "\n````\n")
        print(f"{' › '.join(section.breadcrumb)} · level {section.level} · `#{section.anchor}`", end="")
        print(f", also {', '.join(f'`#{name}`' for name in section.aliases)}\n" if section.aliases else "\n")
        print("| block | lines | |\n| --- | --- | --- |")
        for block in section.blocks:
            said = block.title if block.kind is BlockKind.HEADING else block.language or block.header
            print(f"| {block.kind} | {block.line_start}–{block.line_end} | {said.replace('|', '/')} |")
        chunks = [each for each in chunk(document, sections, count_tokens) if each.section == section.ordinal]
        print(
            "\nChunks: " + ", ".join(f"lines {each.line_start}–{each.line_end} ({each.kind})" for each in chunks) + "\n"
        )


if __name__ == "__main__":
    main()
