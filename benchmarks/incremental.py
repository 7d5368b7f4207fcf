"""Incremental indexing against clean builds, over real commit pairs.

    AI_TEST_MODE=1 GIT_ALLOWED_SCHEMES=file python benchmarks/incremental.py REPOSITORY STEPS.json

STEPS lists commit pairs (`name`, `from`, `to`, `delta`). For each, one library is built at `from` and brought to `to`,
another is built at `to` from nothing. The manifest hashes must be equal, and only the changed files' chunks new.
Libraries are removed again. AI_TEST_MODE spares the embedding model: what is compared does not depend on it.
"""

import argparse
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repository", type=Path)
    parser.add_argument("steps", type=Path)
    chosen = parser.parse_args()
    sys.path.insert(0, str(ROOT))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django

    django.setup()
    wrong = 0
    print("| step | changed files | chunks new / reused | incremental s | clean s | again s | manifest |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | --- |")
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
            f"| {seconds:.1f} | {clean_seconds:.1f} | {again:.2f} | {'equal' if same else 'DIFFERENT'} |",
            flush=True,
        )
    finally:
        for library in (grown, clean):
            Library.objects.filter(pk=library.pk).update(active_snapshot=None)
            library.delete()
    return same


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
