"""Searches while a library is rebuilt and activated again and again: no answer may mix two snapshots, none may fail.

    AI_TEST_MODE=1 python benchmarks/churn.py [--clients 16] [--activations 50]

Every file of a build carries the build's number as a word, and so must every hit of one result carry the same one. The
library is removed again; its files stand in the home meanwhile. Exits 1 for a mixed answer or an error.
"""

import argparse
import re
import shutil
import sys
import threading
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from _setup import set_up_django

FILES = 20
MARK = re.compile(r"\bbuild(\d+)\b")
MODES = ("hybrid", "lexical", "vector")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clients", type=int, default=16)
    parser.add_argument("--activations", type=int, default=50)
    chosen = parser.parse_args()

    set_up_django()
    from django.conf import settings

    from knowledge.models import Library

    folder = settings.HOME / "churn"
    settings.DIRECTORY_ROOTS = [*settings.DIRECTORY_ROOTS, folder]
    folder.mkdir(exist_ok=True)
    Library.objects.filter(slug="churn").delete()
    library = Library.objects.create(slug="churn", name="churn", kind="directory", location=str(folder))
    try:
        tally = churn(library, folder, chosen.clients, chosen.activations)
    finally:
        Library.objects.filter(pk=library.pk).update(active_snapshot=None)
        library.jobs.all().delete()
        library.snapshots.all().delete()
        Library.objects.filter(pk=library.pk).delete()
        shutil.rmtree(folder)
    print(tally)
    return 1 if tally.mixed or tally.errors else 0


@dataclass
class Tally:
    clients: int
    activations: int = 0
    searches: int = 0
    mixed: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    seen: Counter[int] = field(default_factory=Counter)

    def __str__(self) -> str:
        return (
            f"{self.searches:,} searches by {self.clients} clients during {self.activations} activations saw "
            f"{len(self.seen)} snapshots: {len(self.mixed)} mixed answers, {len(self.errors)} errors"
            + "".join(f"\n  {what}" for what in (self.mixed + self.errors)[:10])
        )


def churn(library: Any, folder: Path, clients: int, activations: int) -> Tally:
    """Build and activate `activations` times while so many threads search."""
    from ingestion.jobs import run_build
    from knowledge.models import Job

    tally, over, lock = Tally(clients), threading.Event(), threading.Lock()
    write(folder, 0)
    run_build(Job.objects.create(library=library))
    threads = [
        threading.Thread(target=client, args=(library.slug, number, tally, over, lock)) for number in range(clients)
    ]
    for thread in threads:
        thread.start()
    try:
        for number in range(1, activations + 1):
            write(folder, number)
            library.refresh_from_db()
            tally.activations += run_build(Job.objects.create(library=library)).active
    finally:
        over.set()
        for thread in threads:
            thread.join()
    return tally


def write(folder: Path, number: int) -> None:
    for name in range(FILES):
        text = f"# Tide table {name}\n\nThe tide of harbour {name} is told by build{number}.\n"
        (folder / f"{name}.md").write_text(text)


def client(slug: str, number: int, tally: Tally, over: threading.Event, lock: threading.Lock) -> None:
    from django.db import connection

    from retrieval.results import SearchOptions
    from retrieval.search import search

    turn = 0
    while not over.is_set():
        turn += 1
        mode, remembered = MODES[(number + turn) % 3], turn % 2 == 0
        try:
            result = search(None, "tide of the harbour", SearchOptions((slug,), mode, remembered=remembered))
        except Exception as error:
            with lock:
                tally.errors.append(f"{mode}: {type(error).__name__}: {error}")
            continue
        told = result.as_json()
        marks = {int(mark) for hit in told["hits"] for mark in MARK.findall(hit["text"])}
        snapshots = {hit["snapshot"] for hit in told["hits"]} | {found["snapshot"] for found in told["libraries"]}
        with lock:
            tally.searches += 1
            tally.seen.update(marks)
            if len(marks) != 1 or len(snapshots) != 1:
                tally.mixed.append(f"{mode}: builds {sorted(marks)}, snapshots {sorted(snapshots)}")
            if told["degraded"]:
                tally.errors.append(f"{mode}: degraded: {told['degraded']}")
    connection.close()


if __name__ == "__main__":
    sys.exit(main())
