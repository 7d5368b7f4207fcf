# /// script
# dependencies = ["lancedb==0.40.0", "pyarrow", "numpy"]
# ///
"""LanceDB: its full-text index with stemming and stop words, its RRF. Above 100,000 rows, where its manual begins to
advise one, IVF_PQ over cosine with default parameters; below, vectors are all compared."""

import lancedb
import pyarrow as pa
from lancedb.index import FTS, IvfPq
from lancedb.rerankers import RRFReranker
from worker import CANDIDATES, Corpus, Search, serve

ROWS_WORTH_AN_INDEX = 100_000


def build(corpus: Corpus) -> dict[str, Search]:
    rows = pa.table(
        {
            "position": pa.array(range(len(corpus.texts))),
            "text": corpus.texts,
            "vector": pa.FixedSizeListArray.from_arrays(pa.array(corpus.vectors.ravel()), corpus.vectors.shape[1]),
        }
    )
    table = lancedb.connect(corpus.folder).create_table("chunks", rows)
    stems = corpus.language != "simple"
    language = corpus.language.capitalize() if stems else "English"
    table.create_index("text", config=FTS(language=language, stem=stems, remove_stop_words=stems))
    if len(corpus.texts) > ROWS_WORTH_AN_INDEX:
        table.create_index("vector", config=IvfPq(distance_type="cosine"))
    reranker = RRFReranker()

    def positions(found, most):
        return found.select(["position"]).limit(most).to_arrow()["position"].to_pylist()

    def lexical(query, vector, most):
        return positions(table.search(query, query_type="fts"), most)

    def by_vector(query, vector, most):
        return positions(table.search(vector).distance_type("cosine"), most)

    def hybrid(query, vector, most):
        found = table.search(query_type="hybrid").vector(vector).text(query).distance_type("cosine")
        return positions(found.rerank(reranker), max(most, CANDIDATES))

    return {"lexical": lexical, "vector": by_vector, "hybrid": hybrid}


serve(build)
