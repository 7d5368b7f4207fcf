"""Incremental indexing against clean builds, over real commit pairs.

    AI_TEST_MODE=1 GIT_ALLOWED_SCHEMES=file python benchmarks/incremental.py REPOSITORY STEPS.json

STEPS lists commit pairs (`name`, `from`, `to`, `delta`). For each, one library is built at `from` and brought to `to`,
another is built at `to` from nothing. The manifest hashes must be equal, only the changed files' chunks new, and the
first hundred hits of the same searches, with their scores, the same.
Libraries are removed again. AI_TEST_MODE spares the embedding model: what is compared does not depend on it.
"""

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

from _setup import set_up_django

QUERIES = 50


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repository", type=Path)
    parser.add_argument("steps", type=Path)
    chosen = parser.parse_args()

    set_up_django()
    wrong = 0
    print("| step | changed files | chunks new / reused | incremental s | clean s | again s | manifest | searches |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | --- | --- |")
    for step in json.loads(chosen.steps.read_text()):
        if len(step.get("from", "")) == 40:
            wrong += not compare(step, chosen.repository.resolve())
    return 1 if wrong else 0


def compare(step: dict[str, Any], repository: Path) -> bool:
    from knowledge.models import Library

    Library.objects.filter(slug__startswith="incremental-").delete()
    grown, clean = (
        Library.objects.create(slug=f"incremental-{name}", name=name, kind="git", location=f"file://{repository}")
        for name in ("grown", "clean")
    )
    try:
        build(grown, step["from"])
        seconds, report = build(grown, step["to"])
        again, unchanged = build(grown, step["to"])
        clean_seconds, expected = build(clean, step["to"])
        expected_files = sum(len(paths) for kind, paths in step["delta"].items() if kind != "D")
        parsed = report.files["added"] + report.files["changed"]
        same = report.manifest_hash == expected.manifest_hash and unchanged.snapshot == report.snapshot
        print(
            f"| {step['name']} | {parsed} of {expected_files} | {report.chunks['new']} / {report.chunks['reused']} "
            f"| {seconds:.1f} | {clean_seconds:.1f} | {again:.2f} | {'equal' if same else 'DIFFERENT'} ",
            end="",
            flush=True,
        )
        differing = [asked for asked in searches(clean) if found(grown, *asked) != found(clean, *asked)]
        print(f"| {f'DIFFERENT: {differing[:2]}' if differing else 'equal'} |", flush=True)
    finally:
        for library in (grown, clean):
            Library.objects.filter(pk=library.pk).update(active_snapshot=None)
            library.delete()
    return same and not differing


def searches(library: Any) -> list[tuple[str, str]]:
    """Headings of the library as queries, evenly spread, in both modes that score words."""
    from knowledge.models import Section

    sections = Section.objects.filter(file_version__memberships__snapshot=library.active_snapshot)
    titles = sorted(set(sections.values_list("title", flat=True)))
    chosen = titles[:: max(1, len(titles) // QUERIES)]
    return [(title, mode) for title in chosen for mode in ("lexical", "hybrid")]


def found(library: Any, query: str, mode: str) -> list[Any]:
    from retrieval.results import SearchOptions
    from retrieval.search import search

    hits = search(None, query, SearchOptions(libraries=(library.slug,), mode=mode, top_k=100, remembered=False)).hits
    return [(hit.source_file, hit.line_start, hit.line_end, hit.scores) for hit in hits]


def build(library: Any, revision: str) -> tuple[float, Any]:
    from ingestion.jobs import run_build
    from knowledge.models import Job

    library.refresh_from_db()
    library.ref = revision
    library.save(update_fields=["ref"])
    started = time.monotonic()
    report = run_build(Job.objects.create(library=library))
    library.refresh_from_db()
    return time.monotonic() - started, report


if __name__ == "__main__":
    sys.exit(main())
