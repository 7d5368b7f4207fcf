"""How long a search takes, stage by stage, in one process.

    python benchmarks/latency.py LIBRARY QUESTIONS.jsonl [--limit 200] [--mode hybrid]

QUESTIONS has a `question` or `text` in each line. The first ten searches warm up and are not counted; the query's
embedding is counted apart from the rest.
"""

import argparse
import json
from pathlib import Path

from _setup import set_up_django

STAGES = ("embed", "lexical", "vector", "fuse", "rerank", "load", "total")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library")
    parser.add_argument("questions", type=Path)
    parser.add_argument("--limit", type=int, default=200)
    parser.add_argument("--mode", default="hybrid")
    chosen = parser.parse_args()

    set_up_django()
    from retrieval.evaluation.metrics import percentile
    from retrieval.results import SearchOptions
    from retrieval.search import search

    rows = [json.loads(line) for line in chosen.questions.read_text().splitlines() if line.strip()]
    queries = [row.get("question") or row["text"] for row in rows][: chosen.limit + 10]
    options = SearchOptions(libraries=(chosen.library,), mode=chosen.mode, remembered=False)
    took = [search(None, query, options).took_ms for query in queries][10:]
    beyond = [(times["total"] or 0.0) - (times["embed"] or 0.0) for times in took]
    print(f"{len(took)} searches of {chosen.library}, {chosen.mode}: p50 / p95 ms")
    for stage in STAGES:
        times = [entry[stage] or 0.0 for entry in took]
        print(f"  {stage:8} {percentile(times, 0.5):8.2f} {percentile(times, 0.95):8.2f}")
    print(f"  {'beyond the embedding':8} {percentile(beyond, 0.5):.2f} {percentile(beyond, 0.95):.2f}")


if __name__ == "__main__":
    main()
