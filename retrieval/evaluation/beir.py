"""A BEIR set: a hit counts for its document, and a document's best chunk decides its place.

Format: Thakur et al., "BEIR: A Heterogenous Benchmark for Zero-shot Evaluation of Information Retrieval Models" (2021).
"""

import csv
import gzip
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from retrieval.evaluation import metrics
from retrieval.results import Hit

from .branches import averaged, latencies, run_branch

DEPTH = 400  # chunks looked at for the best hundred documents


@dataclass(frozen=True, slots=True)
class BeirSet:
    name: str
    corpus: Path
    queries: dict[str, str]  # only the judged ones
    judged: dict[str, dict[str, int]]  # query id → document id → grade


def read_beir(folder: Path, split: str) -> BeirSet:
    """Raises FileNotFoundError when a part of the set is missing."""
    judged: dict[str, dict[str, int]] = {}
    with (folder / "qrels" / f"{split}.tsv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            if int(row["score"]) > 0:
                judged.setdefault(row["query-id"], {})[row["corpus-id"]] = int(row["score"])
    with gzip.open(folder / "queries.jsonl.gz", "rt", encoding="utf-8") as file:
        queries = {query["_id"]: query["text"] for query in map(json.loads, file) if query["_id"] in judged}
    corpus = folder / "corpus.jsonl.gz"
    if not corpus.exists():
        raise FileNotFoundError(corpus)
    return BeirSet(folder.resolve().name, corpus, queries, judged)


def evaluate_beir(
    judgements: BeirSet, library: str, branches: list[str], limit: int | None, advance: Callable[[], None]
) -> dict[str, dict[str, float]]:
    """Branch → measures, averaged over the judged queries."""
    chosen = sorted(judgements.queries)[:limit]
    measured = {}
    for branch in branches:
        ranked = run_branch(branch, library, [judgements.queries[query] for query in chosen], DEPTH, advance)
        rows = [
            measures(documents(one.hits, query), judgements.judged[query])
            for one, query in zip(ranked, chosen, strict=True)
        ]
        measured[branch] = averaged(rows) | latencies(ranked)
    return measured


def documents(hits: tuple[Hit, ...], query: str) -> list[str]:
    """The hits' documents in order of their best chunk; a document that is the query itself is left out, as in BEIR."""
    ids = dict.fromkeys(hit.source_file.removesuffix(".beir") for hit in hits)
    ids.pop(query, None)
    return list(ids)


def measures(run: list[str], judged: dict[str, int]) -> dict[str, Any]:
    return {
        "ndcg@10": metrics.ndcg(run, judged, 10),
        "recall@10": metrics.recall(run, judged, 10),
        "recall@100": metrics.recall(run, judged, 100),
        "mrr@10": metrics.reciprocal_rank(run, judged, 10),
        "hit@1": metrics.hit(run, judged, 1),
        "hit@5": metrics.hit(run, judged, 5),
        "hit@10": metrics.hit(run, judged, 10),
    }
