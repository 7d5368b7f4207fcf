"""Load a library of N synthetic chunks and measure what searching it costs.

    python benchmarks/load.py 200000 QUESTIONS.jsonl [--from LIBRARY …] [--clients 1 4 16] [--keep]

The chunks are made of the real ones of this database (synthetic.py), so index something real first. QUESTIONS has a
`question` or `text` in each line; their vectors are known before anything is timed, and no result is remembered.
Prints Markdown: sizes, building, latency by stage, recall of the vector branch, and searches per second over HTTP.
"""

import argparse
import json
import sys
import threading
import time
from collections.abc import Sequence
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from _setup import set_up_django
from serving import serving

STAGES = ("lexical", "vector", "fuse", "load", "total")
SECONDS = 10  # for which each number of clients searches
WORKERS = 2  # of the web server, as in the Dockerfile
ADDED = 200  # chunks of the incremental step

SIZES = """
    SELECT sum(octet_length(version.text)) AS text,
           (SELECT sum(octet_length(ordinals) + octet_length(body_counts) + octet_length(head_counts)
                       + octet_length(lexeme))
            FROM knowledge_posting posting JOIN knowledge_lexicalsegment segment ON segment.id = posting.segment_id
            WHERE segment.library_id = %(library)s) AS postings
    FROM knowledge_fileversion version JOIN knowledge_documentfile file ON file.id = version.document_file_id
    WHERE file.library_id = %(library)s
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("chunks", type=int)
    parser.add_argument("questions", type=Path)
    parser.add_argument("--from", nargs="*", default=[], dest="sources", metavar="LIBRARY")
    parser.add_argument("--clients", nargs="*", type=int, default=[1, 4, 16])
    parser.add_argument("--limit", type=int, default=300, help="questions")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--keep", action="store_true", help="leave the library in the database, or use the one left")
    chosen = parser.parse_args()

    set_up_django()
    from knowledge.models import Library

    slug = f"load-{chosen.chunks}"
    rows = [json.loads(line) for line in chosen.questions.read_text().splitlines() if line.strip()]
    questions = [row.get("question") or row["text"] for row in rows][: chosen.limit]
    if not (chosen.keep and Library.objects.filter(slug=slug, active_snapshot__isnull=False).exists()):
        build(slug, chosen.chunks, chosen.sources)
    sizes(slug)
    latencies(slug, questions, chosen.rounds)
    recalls(slug)
    for clients in chosen.clients:
        throughput(slug, questions, clients)
    if not chosen.keep:
        from synthetic import remove_library

        remove_library(slug)


def build(slug: str, size: int, sources: Sequence[str]) -> None:
    from synthetic import extend_library, make_library, read_material, remove_library

    from ingestion.lexical import index_lexemes
    from ingestion.merging import merge_segments
    from ingestion.progress import Progress
    from knowledge.governance.activation import activate
    from knowledge.models import Job

    remove_library(slug)
    material = read_material(sources)
    print(f"## {size:,} chunks, made of {len(material.sentences):,} real ones\n")
    snapshot = timed(f"{size:,} rows and vectors", lambda: make_library(slug, size, material), size)
    library, progress = snapshot.library, Progress(Job(library=snapshot.library), beats=False)
    timed("postings", lambda: index_lexemes(snapshot, progress), size)
    timed("merging segments", lambda: merge_segments(library, material.profile.lexical_hash))
    timed("sealing", snapshot.seal)
    activate(library, snapshot)
    timed("first search", lambda: search(slug, "how is the cache configured"))
    grown = extend_library(snapshot, ADDED, material)
    timed(f"postings of {ADDED} chunks more", lambda: index_lexemes(grown, progress))
    timed("merging segments", lambda: merge_segments(library, material.profile.lexical_hash))
    timed("sealing", grown.seal)
    activate(library, grown)
    timed("first search after that", lambda: search(slug, "how is the cache configured"))


def timed(what: str, run: Any, size: int = 0) -> Any:
    started = time.perf_counter()
    result = run()
    seconds = time.perf_counter() - started
    print(f"- {what}: {seconds:.2f} s" + (f", {size / seconds:,.0f} chunks/s" if size else ""), flush=True)
    return result


def search(slug: str, query: str, mode: str = "hybrid") -> Any:
    from retrieval.results import SearchOptions
    from retrieval.search import search as searching

    return searching(None, query, SearchOptions(libraries=(slug,), mode=mode, remembered=False))


def sizes(slug: str) -> None:
    from django.db import connection

    from knowledge.models import Library
    from retrieval.matrices import matrix_of
    from retrieval.view import one_read

    with connection.cursor() as cursor:
        cursor.execute(SIZES, {"library": Library.objects.get(slug=slug).pk})
        text, postings = cursor.fetchone()
    with one_read(None, [slug]) as view:
        matrix = matrix_of(view.snapshots[0]).bytes
    print(f"- text {text / 1e6:,.0f} MB, postings {postings / 1e6:,.0f} MB, matrix {matrix / 1e6:,.0f} MB\n")


def latencies(slug: str, questions: Sequence[str], rounds: int) -> None:
    from retrieval.evaluation.metrics import percentile

    print("| p50 / p95 ms | " + " | ".join((*STAGES, "beyond the embedding")) + " |")
    print("|---" * (len(STAGES) + 2) + "|")
    for question in questions:
        search(slug, question)
    for _ in range(rounds):
        for mode in ("lexical", "hybrid"):
            took = [search(slug, question, mode).took_ms for question in questions]
            columns = [[times[stage] or 0.0 for times in took] for stage in STAGES]
            columns.append([(times["total"] or 0.0) - (times["embed"] or 0.0) for times in took])
            cells = (f"{percentile(column, 0.5):.1f} / {percentile(column, 0.95):.1f}" for column in columns)
            print(f"| {mode} | " + " | ".join(cells) + " |", flush=True)
    print()


def recalls(slug: str) -> None:
    from knowledge.models import Library
    from retrieval.evaluation.recall import measure_recall

    for row in measure_recall(Library.objects.get(slug=slug)):
        asked = f"{row.queries} {row.get_asked_display().lower()}, {row.share:.0%} of the chunks"
        print(f"- recall@10 of {asked}: {row.recall:.3f}, lowest {row.lowest:.1f}, too few rows {row.too_few}")
    print()


def throughput(slug: str, questions: Sequence[str], clients: int) -> None:
    addresses = [f"/api/v1/search?{urlencode({'q': question, 'library': slug})}" for question in questions]
    with serving({"SEARCH_RESULTS_MB": "0"}, workers=WORKERS, threads=16) as base:
        port = int(base.rpartition(":")[2])
        for _ in range(2 * WORKERS):  # every worker has every question's vector, with a probability near 1
            run_clients(port, addresses, 4, len(addresses))
        done, seconds = run_clients(port, addresses, clients, None)
    print(f"- {clients} clients over HTTP: {done / seconds:.1f} searches/s", flush=True)


def run_clients(port: int, addresses: Sequence[str], clients: int, most: int | None) -> tuple[int, float]:
    """Requests answered, and in how many seconds. Raises RuntimeError for any answer but 200."""
    taken = iter(range(most if most is not None else sys.maxsize))
    lock, counts, failures = threading.Lock(), [0] * clients, list[str]()
    started = time.perf_counter()

    def work(number: int) -> None:
        connection = HTTPConnection("127.0.0.1", port, timeout=60)
        while most is not None or time.perf_counter() - started < SECONDS:
            with lock:
                turn = next(taken, None)
            if turn is None or failures:
                return
            connection.request("GET", addresses[turn % len(addresses)])
            response = connection.getresponse()
            body = response.read()
            if response.status != 200:
                failures.append(f"{response.status} {body[:200]!r}")
            counts[number] += 1

    threads = [threading.Thread(target=work, args=(number,)) for number in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise RuntimeError(failures[0])
    return sum(counts), time.perf_counter() - started


if __name__ == "__main__":
    main()
