"""What reading documents costs, and what of them is not understood: rejected files, warnings, seconds of one core.

    python benchmarks/parsing.py DIR [--suffix .rst]

Every file of DIR in this process: parsed, then cut into sections and chunks, as a build does inside of the sandbox.
Prints one row; the first warnings and the rejected files follow it.
"""

import argparse
import time
from pathlib import Path

import _setup  # noqa: F401
from sections import count_tokens

from ingestion.chunking import chunk
from ingestion.documents import ParseError
from ingestion.parsers import parse, suffix
from ingestion.sections import build_sections

SHOWN = 20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--suffix", default="")
    chosen = parser.parse_args()
    paths = [path for path in sorted(chosen.directory.rglob(f"*{chosen.suffix}")) if path.is_file()]
    files = [(path.read_bytes(), str(path.relative_to(chosen.directory))) for path in paths if suffix(path.name)]
    for data, path in files[:1]:
        parse(data, path)  # imports
    documents, rejected, started = [], [], time.process_time()
    for data, path in files:
        try:
            documents.append((path, parse(data, path)))
        except ParseError as error:
            rejected.append(f"{path}: {error}")
    parsed, chunks = time.process_time(), 0
    for _, document in documents:
        chunks += len(chunk(document, build_sections(document), count_tokens))
    cut = time.process_time()
    blocks = sum(len(document.blocks) for _, document in documents)
    pages = sum(max((block.page or 0 for block in document.blocks), default=0) for _, document in documents)
    warnings = [f"{path}: {warning}" for path, document in documents for warning in document.warnings]
    print("| files | pages | blocks | chunks | rejected | warnings | parsing s | sections and chunks s |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    print(f"| {len(files):,} | {pages:,} | {blocks:,} | {chunks:,} | {len(rejected)} | {len(warnings)}", end="")
    print(f" | {parsed - started:.2f} | {cut - parsed:.2f} |")
    print("\n".join([*rejected[:SHOWN], *warnings[:SHOWN]]))


if __name__ == "__main__":
    main()
