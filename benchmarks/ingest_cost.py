"""What a build costs when nothing, a little, or everything changed; and its memory while it reads many files.

    AI_TEST_MODE=1 python benchmarks/ingest_cost.py --files 10000
    python benchmarks/ingest_cost.py --documents DIRECTORY [--limit 100]

The first makes a git repository of small files and builds it: in full, again (unchanged), and after 1 % of the files
changed. The second builds real documents with the real embedding model, and says what is spent beside its calls.
Libraries and files are removed again. Memory is this process's resident set, in MiB.
"""

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from _setup import WORDS, set_up_django


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--documents", type=Path)
    parser.add_argument("--limit", type=int, default=100)
    chosen = parser.parse_args()
    os.environ["GIT_ALLOWED_SCHEMES"] = "https,ssh,file"

    set_up_django()
    with tempfile.TemporaryDirectory() as folder:
        if chosen.documents:
            overhead(copied(chosen.documents, Path(folder), chosen.limit))
        else:
            changes(Path(folder), chosen.files)


def changes(folder: Path, files: int) -> None:
    chance = random.Random(1)  # noqa: S311
    for number in range(files):
        write(folder, number, chance)
    commit(folder)
    library = make_library(folder)
    try:
        header(f"{files:,} files")
        build(library, "full")
        build(library, "unchanged")
        for number in chance.sample(range(files), files // 100):
            write(folder, number, chance)
        commit(folder)
        build(library, "1 % changed")
    finally:
        remove(library)


def overhead(folder: Path) -> None:
    library = make_library(folder)
    try:
        header("documents")
        build(library, "full")
    finally:
        remove(library)


def header(what: str) -> None:
    print(f"| {what} | seconds | beside embedding | embeddings | memory at 10 % of parsing | at its end | after all |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")


def build(library: Any, name: str) -> None:
    from ingestion.jobs import run_build
    from knowledge.models import Job

    library.refresh_from_db()
    sizes: list[tuple[int, int]] = []
    with embedding_calls() as spent:
        began = time.perf_counter()
        report = run_build(
            Job.objects.create(library=library),
            listener=lambda progress: sizes.append((progress.done, resident())) if progress.stage == "parse" else None,
        )
        seconds = time.perf_counter() - began
    early = next((size for done, size in sizes if done >= library_size(report) / 10), resident())
    late = sizes[-1][1] if sizes else resident()
    beside = seconds - spent[0]
    share = f" ({beside / spent[0]:.0%} of it)" if spent[0] > 1 else ""
    embedded = report.embeddings["computed"]
    print(
        f"| {name} | {seconds:.2f} | {beside:.2f}{share} | {embedded:,} | {early} | {late} | {resident()} |", flush=True
    )
    print("  stages: " + ", ".join(f"{stage} {spent:.2f}" for stage, spent in report.seconds.items()), file=sys.stderr)


class embedding_calls:
    """Seconds spent in `embed_documents`, in a list of one."""

    def __enter__(self) -> list[float]:
        from knowledge.endpoints import BagOfWordsEmbedding, EmbeddingEndpoint

        self.spent, self.real = [0.0], {}
        for kind in (BagOfWordsEmbedding, EmbeddingEndpoint):
            self.real[kind] = kind.embed_documents
            kind.embed_documents = self.timed(kind.embed_documents)
        return self.spent

    def timed(self, real: Any) -> Any:
        def call(endpoint: Any, texts: Any) -> Any:
            began = time.perf_counter()
            try:
                return real(endpoint, texts)
            finally:
                self.spent[0] += time.perf_counter() - began

        return call

    def __exit__(self, *_: object) -> None:
        for kind, real in self.real.items():
            kind.embed_documents = real


def library_size(report: Any) -> int:
    return sum(report.files[name] for name in ("added", "changed", "unchanged", "rejected"))


def resident() -> int:
    import psutil

    return int(psutil.Process().memory_info().rss) >> 20


def write(folder: Path, number: int, chance: random.Random) -> None:
    path = folder / f"{number % 100:02}" / f"{number}.md"
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"# File {number}\n\n{' '.join(chance.choices(WORDS.split(), k=80))} {chance.random()}\n")


def commit(folder: Path) -> None:
    if not (folder / ".git").exists():
        git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "-c", "user.name=B", "-c", "user.email=b@example.org", "commit", "-qm", "x")


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", str(folder), *arguments], check=True)


def copied(documents: Path, folder: Path, limit: int) -> Path:
    found = sorted(path for path in documents.rglob("*") if path.suffix in (".md", ".rst", ".txt") and path.is_file())
    for number, path in enumerate(found[:: max(1, len(found) // limit)][:limit]):
        shutil.copy(path, folder / f"{number}{path.suffix}")
    commit(folder)
    return folder


def make_library(folder: Path) -> Any:
    from knowledge.models import Library

    return Library.objects.create(slug="ingest-cost", name="x", kind="git", location=f"file://{folder}")


def remove(library: Any) -> None:
    from synthetic import remove_library

    remove_library(library.slug)


if __name__ == "__main__":
    main()
