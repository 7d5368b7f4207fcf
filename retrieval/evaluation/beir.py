"""A BEIR set: a hit counts for its document, and a document's best chunk decides its place.

Format: Thakur et al., "BEIR: A Heterogenous Benchmark for Zero-shot Evaluation of Information Retrieval Models" (2021).
"""

import csv
import filecmp
import json
import os
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from django.utils.text import slugify

from knowledge import json_lines
from knowledge.golden import said
from knowledge.models import Library
from retrieval.evaluation import metrics
from retrieval.results import Hit, SearchOptions

from .branches import averaged, latencies, run_branch
from .outcomes import BranchMeasurement, Outcome, kept

DEPTH = 400  # chunks looked at for the best hundred documents
JUDGED_DEPTH = 100
SUFFIX = ".beir"
HEAD = {"query-id", "corpus-id", "score"}  # of a file of judgements

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class BeirSet:
    name: str
    corpus: Path
    documents: frozenset[str]  # the ids of the corpus
    queries: dict[str, str]  # only the judged ones
    judged: dict[str, dict[str, int]]  # query id → document id → grade

    def missing(self) -> dict[str, list[str]]:
        """What is judged and is not there: no search finds the documents, and the queries are not asked."""
        documents = {document for query in self.queries for document in self.judged[query]}
        return {
            "documents_missing": sorted(documents - self.documents),
            "queries_missing": sorted(self.judged.keys() - self.queries.keys()),
        }


def read_beir(folder: Path, split: str) -> BeirSet:
    """A set as it is unpacked, or with its JSON lines gzipped.

    Raises FileNotFoundError when a part is missing, ValueError that names a damaged line, or the folder when none of
    its queries is judged.
    """
    judged = read_judgements(folder / "qrels" / f"{split}.tsv")
    queries = read_queries(json_lines.one_of(folder, "queries"), judged)
    if not queries:
        raise ValueError(f"{folder} has nothing to ask: qrels/{split}.tsv judges none of its queries")
    corpus = json_lines.one_of(folder, "corpus")
    return BeirSet(folder.resolve().name, corpus.resolve(), read_corpus(corpus), queries, judged)


def read_judgements(path: Path) -> dict[str, dict[str, int]]:
    """Query id → document id → grade, of what is relevant. Raises ValueError that names the line."""
    judged: dict[str, dict[str, int]] = {}
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t")
        try:
            if HEAD - set(rows.fieldnames or HEAD):
                raise LookupError(rows.fieldnames)
            for row in rows:
                if int(row["score"]) > 0:
                    judged.setdefault(row["query-id"], {})[row["corpus-id"]] = int(row["score"])
        except (ValueError, LookupError, TypeError, csv.Error) as error:
            reason = "query-id, corpus-id and a whole number as score are needed, with tabs, below a line that says so"
            raise ValueError(f"{path}:{rows.line_num}: {reason}") from error
    return judged


def read_queries(path: Path, judged: Container[str]) -> dict[str, str]:
    """Id → text, of the judged ones. Raises ValueError that names the line."""
    texts = by_id(path, lambda query, row: said(row, "text") if query in judged else "")
    return {query: text for query, text in texts.items() if text}


def read_corpus(path: Path) -> frozenset[str]:
    """The ids of its documents. Raises ValueError that names the line."""
    return frozenset(by_id(path, lambda _, row: bool(row["text"])))


def by_id(path: Path, read: Callable[[str, Any], Value]) -> dict[str, Value]:
    """What `read` makes of each row, by the row's id. Raises ValueError that names the line."""
    found: dict[str, Value] = {}
    for number, line in enumerate(json_lines.content(path).splitlines(), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            name = name_of(row["_id"])
            value = read(name, row)
        except (ValueError, LookupError, TypeError, RecursionError) as error:
            raise ValueError(f"{path}:{number}: a JSON object with _id and text is needed") from error
        if name in found:
            raise ValueError(f"{path}:{number}: the id {name} was there before")
        found[name] = value
    return found


def name_of(identifier: Any) -> str:
    """Judgements are text, and name a number as it is written. Raises TypeError for what is neither."""
    if isinstance(identifier, bool) or not isinstance(identifier, str | int):
        raise TypeError(identifier)
    return str(identifier)


def library_of(judged: BeirSet, language: str) -> Library:
    """The library that the set is read into, a new one or that of before, also where the set was moved meanwhile.

    Raises ValueError where its name is taken: by a library of documents, or by a set that is still where it was.
    """
    slug = slug_of(judged.name)
    if taken := Library.objects.filter(slug=slug).first():
        before = Path(taken.location)
        if taken.kind != Library.Kind.CORPUS:
            raise ValueError(f"the library {slug} is no evaluation corpus: give the folder {judged.name} another name")
        if before != judged.corpus and before.is_file() and not filecmp.cmp(before, judged.corpus, shallow=False):
            raise ValueError(f"the library {slug} is of {before}: give the folder {judged.name} another name")
    library, _ = Library.objects.update_or_create(
        slug=slug,
        defaults={
            "name": f"BEIR {judged.name}",
            "kind": Library.Kind.CORPUS,
            "location": str(judged.corpus),
            "language": language,
            "access": Library.Access.GROUPS,
        },
    )
    return library


def slug_of(name: str) -> str:
    """Of a name without Latin letters and digits nothing is left: its hash stands for it."""
    return f"beir-{slugify(name) or sha256(os.fsencode(name)).hexdigest()[:8]}"[:50]


def evaluate_beir(
    judgements: BeirSet, branches: Sequence[str], options: SearchOptions, limit: int | None, advance: Callable[[], None]
) -> dict[str, BranchMeasurement]:
    """Branch → measures over the judged queries, in the one library that `options` names."""
    chosen = sorted(judgements.queries)[:limit]
    measured = {}
    for branch in branches:
        ranked = run_branch(branch, [judgements.queries[query] for query in chosen], options, DEPTH, advance)
        outcomes = [outcome(judgements, query, one.hits) for query, one in zip(chosen, ranked, strict=True)]
        rows = [dict(one.measures) for one in outcomes]
        measured[branch] = BranchMeasurement(averaged(rows) | latencies(ranked), tuple(outcomes))
    return measured


def outcome(judgements: BeirSet, query: str, hits: Sequence[Hit]) -> Outcome:
    judged = judgements.judged[query]
    best = documents(hits, "" if query in judged else query)  # numbered alike, and no copy of the query
    ranks = {document: rank for rank, document in enumerate(best, start=1) if rank <= JUDGED_DEPTH}
    return Outcome(
        question_id=query,
        text=judgements.queries[query],
        gold=tuple({"file": f"{document}{SUFFIX}", "grade": judged[document]} for document in sorted(judged)),
        ranks=tuple(ranks.get(document) for document in sorted(judged)),
        measures=measures(list(best), judged),
        hits=kept(best.values()),
    )


def documents(hits: Sequence[Hit], query: str) -> dict[str, Hit]:
    """Document → its best hit, best first; a document that is the query itself is left out, as in BEIR."""
    best: dict[str, Hit] = {}
    for hit in hits:
        best.setdefault(hit.source_file.removesuffix(SUFFIX), hit)
    best.pop(query, None)
    return best


def measures(run: list[str], judged: dict[str, int]) -> dict[str, float]:
    return {
        "ndcg@10": metrics.ndcg(run, judged, 10),
        "recall@10": metrics.recall(run, judged, 10),
        "recall@100": metrics.recall(run, judged, 100),
        "mrr@10": metrics.reciprocal_rank(run, judged, 10),
        "hit@1": metrics.hit(run, judged, 1),
        "hit@5": metrics.hit(run, judged, 5),
        "hit@10": metrics.hit(run, judged, 10),
    }
