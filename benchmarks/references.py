"""What parsers read, against what others wrote down of the same files: words, and headings.

    python benchmarks/references.py DIR

DIR has `manifest.jsonl` with a `groundtruth_file` (Markdown) for some files. Words are compared as bags, in NFKC and
lower case, without the reference's markup and leaders of dots; headings by their words in any order, wherever they
stand. One line a file, and the mean of each format.
"""

import argparse
import json
import re
import unicodedata
from collections import Counter
from pathlib import Path
from statistics import mean

import _setup  # noqa: F401

from ingestion.documents import BlockKind
from ingestion.sandbox import parse

MARKUP = re.compile(r"<!--.*?-->|^\s*```\w*\s*$|^\s*\|?(?:\s*:?-+:?\s*\|)+\s*:?-*:?\s*\|?\s*$", re.M | re.S)
LEADERS = re.compile(r"(?:\.\s*){4,}")
WORD = re.compile(r"\w+")
HEADING = re.compile(r"^#{1,6}\s+(.+)$", re.M)


def words(text: str) -> list[str]:
    return WORD.findall(LEADERS.sub(" ", unicodedata.normalize("NFKC", text)).lower())


def key(title: str) -> str:
    return " ".join(sorted(words(title)))


def overlap(found: Counter[str], wanted: Counter[str]) -> tuple[float, float, float]:
    """Recall, precision, and their harmonic mean."""
    common = (found & wanted).total()
    recall, precision = common / max(wanted.total(), 1), common / max(found.total(), 1)
    return recall, precision, 2 * recall * precision / max(recall + precision, 1e-9)


def reference(text: str) -> tuple[Counter[str], Counter[str]]:
    plain = (
        re.sub(r"\\([_*#|\\`])", r"\1", MARKUP.sub(" ", text))
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&")
    )
    return Counter(words(plain)), Counter(map(key, HEADING.findall(plain)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path)
    folder = parser.parse_args().directory
    rows: dict[str, list[tuple[float, ...]]] = {}
    print("| file | word recall | precision | F1 | heading recall | precision |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for line in (folder / "manifest.jsonl").read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        name = entry["expect"].get("groundtruth_file") or entry.get("groundtruth_file")
        if not name:
            continue
        document = parse((folder / entry["file"]).read_bytes(), entry["file"])
        wanted, titles = reference((folder / name).read_text(encoding="utf-8"))
        headings = [key(block.title) for block in document.blocks if block.kind is BlockKind.HEADING]
        figures = (*overlap(Counter(words(document.text)), wanted), *overlap(Counter(headings), titles)[:2])
        rows.setdefault(entry["format"], []).append(figures)
        print(f"| {entry['file']} | " + " | ".join(f"{figure:.3f}" for figure in figures) + " |")
    for kind, found in rows.items():
        print(
            f"| **{kind}, mean** | " + " | ".join(f"{mean(column):.3f}" for column in zip(*found, strict=True)) + " |"
        )


if __name__ == "__main__":
    main()
