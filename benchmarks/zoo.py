"""Every file of a zoo of awkward files, read in the sandbox, against what its manifest expects.

    python benchmarks/zoo.py DIR [--failures] [--markdown]

DIR has `manifest.jsonl`: a line a file with `file` and `expect` (`outcome`, `must_contain`, `must_not_contain`).
Phrases are compared in NFKC and lower case without white space; in those of HTML files, which were taken from the
source, markup is read as a browser reads it. Exits with 1 when an expectation is not met.
"""

import argparse
import html
import json
import re
import sys
import time
import unicodedata
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import _setup  # noqa: F401

from ingestion.documents import ParsedDocument, ParseError
from ingestion.sandbox.client import LOST, Sandbox
from ingestion.sandbox.wire import Outcome

CRASHED = ("crashed", "killed", "gave up", "longer than", "processor time", "without a result", LOST)
FAULT = {
    "encrypted": r"encrypted",
    "no_text": r"no text",
    "unsupported_format": r"no parser|not |old Office",
    "corrupt": r"damaged|not ",
    "hostile": r".",
}
READ_SINCE = ("epub", "csv")  # formats that the manifest calls unsupported, and that are read


@dataclass(frozen=True, slots=True)
class Row:
    file: str
    outcome: str
    found: str
    problem: str
    seconds: float
    memory: int


def squeeze(text: str) -> str:
    return re.sub(r"\s", "", unicodedata.normalize("NFKC", text).lower())


def visible(phrase: str, source: str) -> str:
    """A phrase of HTML's source without the tags, comments and declarations that it was cut out with."""
    found = re.search(r"\s+".join(map(re.escape, phrase.split())), source)
    if found is None:
        return phrase
    kept = bytearray(b"\1") * len(source)
    for markup in re.finditer(r"<!--.*?-->|<[!/?a-zA-Z][^>]*>", source, re.S):
        kept[markup.start() : markup.end()] = bytes(len(markup[0]))
    return html.unescape("".join(source[at] for at in range(*found.span()) if kept[at]))


def phrases_of(entry: dict[str, Any], data: bytes) -> list[str]:
    expect = entry["expect"]
    phrases: list[str] = expect.get("must_contain", [])
    if entry["format"] != "html":
        return phrases
    encoding = expect.get("encoding", "")
    source = data.decode("latin-1" if "unknown" in encoding else encoding, "replace")
    return [visible(phrase, source) for phrase in phrases]


def problem_of(entry: dict[str, Any], outcome: Outcome, data: bytes) -> str:
    """What is not as expected; "" when all is."""
    expect, kind = entry["expect"], entry["format"]
    wanted = expect["outcome"]
    if isinstance(outcome, ParseError):
        if any(sign in outcome.reason for sign in CRASHED):
            return "broke the sandbox"
        if wanted in ("ok",):
            return "rejected"
        if wanted in ("error_or_empty", "reader_dependent"):
            return ""
        return "" if re.search(FAULT[wanted], outcome.reason) else "another reason"
    if wanted in ("encrypted", "corrupt", "no_text") or (wanted == "unsupported_format" and kind not in READ_SINCE):
        return "was read"
    text = squeeze(outcome.text)
    lost = [phrase for phrase in phrases_of(entry, data) if squeeze(phrase) not in text]
    kept = [phrase for phrase in expect.get("must_not_contain", ()) if squeeze(phrase) in text]
    return "; ".join([f"lacks “{phrase}”" for phrase in lost] + [f"has “{phrase}”" for phrase in kept])


def read(sandbox: Sandbox, folder: Path, entry: dict[str, Any]) -> Row:
    path = folder / entry["file"]
    inputs = [(path.read_bytes(), entry["file"])]
    started = time.monotonic()
    sandbox.submit(inputs)
    [outcome] = sandbox.collect(inputs)
    seconds = time.monotonic() - started
    found = outcome.reason if isinstance(outcome, ParseError) else shown(outcome)
    problem = problem_of(entry, outcome, inputs[0][0])
    return Row(entry["file"], entry["expect"]["outcome"], found, problem, seconds, sandbox.last.memory)


def shown(document: ParsedDocument) -> str:
    pages = max((block.page or 0 for block in document.blocks), default=0)
    language = document.natural_language or "?"
    return f"{len(document.text):,} characters, {len(document.blocks):,} blocks, {language}" + (
        f", {pages} pages" if pages else ""
    )


def table(rows: Iterable[Row], failures: bool) -> None:
    print("| file | expected | met | found | s | MB |\n| --- | --- | --- | --- | ---: | ---: |")
    for row in rows:
        if row.problem or not failures:
            met = f"**no**: {row.problem}" if row.problem else "yes"
            cells = (row.file, row.outcome, met, row.found, f"{row.seconds:.2f}", f"{row.memory / 1e6:.0f}")
            print("| " + " | ".join(cell.replace("|", "/") for cell in cells) + " |")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--failures", action="store_true", help="list only what is not met")
    chosen = parser.parse_args()
    lines = (chosen.directory / "manifest.jsonl").read_text(encoding="utf-8").splitlines()
    sandbox = Sandbox()
    started = time.monotonic()
    rows = [read(sandbox, chosen.directory, json.loads(line)) for line in lines if line.strip()]
    seconds = time.monotonic() - started
    sandbox.close()
    table(rows, chosen.failures)
    met = Counter(row.outcome for row in rows if not row.problem)
    wanted = Counter(row.outcome for row in rows)
    broke = sum(row.problem == "broke the sandbox" for row in rows)
    print(f"\n{sum(met.values())} of {len(rows)} met in {seconds:.0f} s; crashes, hangs and broken limits: {broke}")
    print(", ".join(f"{outcome} {met[outcome]}/{count}" for outcome, count in sorted(wanted.items())))
    slowest, largest = max(rows, key=lambda row: row.seconds), max(rows, key=lambda row: row.memory)
    print(
        f"slowest {slowest.seconds:.1f} s ({slowest.file}); most memory {largest.memory / 1e6:.0f} MB ({largest.file})"
    )
    return 1 if any(row.problem for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
