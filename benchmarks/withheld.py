"""Answers and refusals where half of the documents are withheld, and what more caution would do, as Markdown tables.

    python benchmarks/withheld.py DATA/beir/xquad-en [DATA/beir/xquad-de …] [--questions 75] [--folder var/withheld]

Of a judged set in BEIR's format the first, third … document of each title is indexed, as a library of its own (kept, so
that a second run embeds nothing). As many questions are asked whose document is there, as whose document is not while
its neighbours are: the hardest to refuse. All through `manage.py evaluate --answers`, which users have.
"""

import argparse
import gzip
import hashlib
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent

MEASURES = (
    "citation_precision",
    "citations_resolved",
    "supported_sentences",
    "refusal_recall",
    "false_refusals",
    "p50_ms",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", type=Path, nargs="+")
    parser.add_argument("--questions", type=int, default=75, help="that are answered, and as many that are not")
    parser.add_argument("--folder", type=Path, default=ROOT / "var" / "withheld")
    chosen = parser.parse_args()
    folder = chosen.folder.resolve()
    os.environ["DIRECTORY_ROOTS"] = str(folder)
    print("| set | questions | " + " | ".join(MEASURES) + " |\n| --- | ---: |" + " ---: |" * len(MEASURES))
    cautions = []
    for judged in chosen.sets:
        told = evaluate(judged.resolve(), folder / judged.name, chosen.questions)
        measured = told["all"]
        cautions += [(judged.name, row) for row in told["at_caution"]]
        figures = " | ".join(f"{measured[measure]:.4g}" for measure in MEASURES)
        print(f"| {judged.name} | {measured['questions']} | {figures} |", flush=True)
    print("\n| set | caution | false_refusals | refusal_recall |\n| --- | ---: | ---: | ---: |")
    for name, row in cautions:
        print(f"| {name} | {row['caution']:g} | {row['false_refusals']:.3g} | {row['refusal_recall']:.3g} |")


def evaluate(judged: Path, folder: Path, most: int) -> dict[str, Any]:
    slug, documents = f"withheld-{judged.name}", folder / "documents"
    answered, withheld = questions(judged, written(judged, documents))
    if not is_there(slug):  # from an earlier run, which may have been broken off
        manage("add_library", slug, "--directory", str(documents))
    manage("reindex", slug)
    files = lines(folder / "answered.jsonl", answered[:most]), lines(folder / "withheld.jsonl", withheld[:most])
    asking = ("evaluate", "--answers", "--json", "--library", slug)
    told: dict[str, Any] = json.loads(manage(*asking, "--questions", str(files[0]), "--unanswerable", str(files[1])))
    return told


def written(judged: Path, folder: Path) -> set[str]:
    """The ids of the documents that are not withheld, each written into a file."""
    folder.mkdir(parents=True, exist_ok=True)
    seen: Counter[str] = Counter()
    ids = set()
    for document in rows(judged / "corpus.jsonl.gz"):
        if seen[document["title"]] % 2 == 0:
            text = f"# {document['title']}\n\n{document['text']}\n"
            (folder / f"{document['_id']}.md").write_text(text, encoding="utf-8")
            ids.add(document["_id"])
        seen[document["title"]] += 1
    return ids


def questions(judged: Path, ids: set[str]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Those whose document is there, with the file that answers, and those whose document is not; drawn by hash."""
    asked = {row["_id"]: row["text"] for row in rows(judged / "queries.jsonl.gz")}
    pairs = [line.split("\t")[:2] for line in (judged / "qrels" / "test.tsv").read_text("utf-8").splitlines()[1:]]
    drawn = sorted(pairs, key=lambda pair: hashlib.sha256(pair[0].encode()).digest())
    found = [(query, document) for query, document in drawn if query in asked]
    answered = [{"id": q, "question": asked[q], "gold": [{"file": f"{d}.md"}]} for q, d in found if d in ids]
    return answered, [{"id": q, "question": asked[q]} for q, d in found if d not in ids]


def rows(file: Path) -> list[dict[str, Any]]:
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def lines(file: Path, rows: Iterable[dict[str, Any]]) -> Path:
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return file


def is_there(slug: str) -> bool:
    return run("snapshots", slug, check=False, stderr=subprocess.DEVNULL).returncode == 0


def manage(*arguments: str) -> str:
    return run(*arguments, check=True).stdout


def run(*arguments: str, check: bool, stderr: int | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "manage.py", *arguments]
    return subprocess.run(command, cwd=ROOT, check=check, stdout=subprocess.PIPE, stderr=stderr, text=True)


if __name__ == "__main__":
    main()
