"""What every peer's program is made of: it reads the export, builds, and then answers orders, a line of JSON each.

`peers.py` starts `bm25s_numpy.py` and its neighbours, each in its own environment, and asks them in turn. Needs nothing
but numpy.
"""

import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

CANDIDATES = 40  # that each branch gives to a hybrid search: what pgvector's default hnsw.ef_search can find
RRF_K = 60

Search = Callable[[str, NDArray[np.float32], int], Sequence[int]]  # query, its vector, how many → positions, best first


@dataclass(frozen=True, slots=True)
class Corpus:
    """Unit vectors and texts by position. What is built goes into `folder`, or into the empty `database` (a URL)."""

    language: str  # a text-search configuration of Postgres
    texts: list[str]
    vectors: NDArray[np.float32]
    queries: list[str]
    query_vectors: NDArray[np.float32]
    folder: Path
    database: str
    library: str

    @classmethod
    def read(cls, export: Path, folder: Path, database: str) -> "Corpus":
        described = json.loads((export / "texts.json").read_text())
        arrays = np.load(export / "vectors.npz")
        return cls(**described, **arrays, folder=folder, database=database)


def reciprocal_rank_fusion(rankings: Sequence[Sequence[int]], most: int) -> list[int]:
    scores: dict[int, float] = {}
    for ranking in rankings:
        for rank, position in enumerate(ranking, start=1):
            scores[position] = scores.get(position, 0.0) + 1 / (RRF_K + rank)
    return sorted(scores, key=lambda position: -scores[position])[:most]


def serve(build: Callable[[Corpus], dict[str, Search]]) -> None:
    """`build` returns a search by mode: lexical, vector, hybrid."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print does not stand between the answers
    order = json.loads(sys.stdin.readline())
    corpus = Corpus.read(Path(order["export"]), Path(order["folder"]), order["database"])
    started = time.perf_counter()
    searches = build(corpus)
    print(json.dumps({"modes": list(searches), "seconds": time.perf_counter() - started}), file=answers, flush=True)
    for line in sys.stdin:
        order = json.loads(line)
        found = [timed(searches[order["mode"]], corpus, query, order["most"]) for query in order["queries"]]
        print(json.dumps(found), file=answers, flush=True)


def timed(search: Search, corpus: Corpus, query: int, most: int) -> dict[str, object]:
    text, vector = corpus.queries[query], corpus.query_vectors[query]
    started = time.perf_counter()
    try:
        positions = search(text, vector, most)
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}
    took = time.perf_counter() - started
    return {"ms": took * 1000, "found": [int(position) for position in positions][:most]}
