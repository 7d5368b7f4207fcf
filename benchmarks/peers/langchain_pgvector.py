# /// script
# dependencies = ["langchain-postgres==0.0.19", "numpy"]
# ///
"""LangChain's PGVectorStore with HNSW (defaults) and a GIN index; HybridSearchConfig with reciprocal_rank_fusion, its
word branch wanting every word. It has no search by words alone. The configuration is given anew for every query: kept
by the store, it would search for the first query's words for ever."""

from uuid import UUID

from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_postgres import PGEngine, PGVectorStore
from langchain_postgres.v2.hybrid_search_config import HybridSearchConfig, reciprocal_rank_fusion
from langchain_postgres.v2.indexes import HNSWIndex
from worker import CANDIDATES, Corpus, Search, serve

BATCH = 10_000
TABLE = "chunks"


def build(corpus: Corpus) -> dict[str, Search]:
    def both(query=""):
        return HybridSearchConfig(
            tsv_column="content_tsv",
            tsv_lang=f"pg_catalog.{corpus.language}",
            fts_query=query,
            fusion_function=reciprocal_rank_fusion,
            primary_top_k=CANDIDATES,
            secondary_top_k=CANDIDATES,
        )

    dimension = corpus.vectors.shape[1]
    engine = PGEngine.from_connection_string(corpus.database.replace("postgresql:", "postgresql+psycopg:", 1))
    engine.init_vectorstore_table(TABLE, dimension, hybrid_search_config=both())
    never_asked = DeterministicFakeEmbedding(size=dimension)
    store = PGVectorStore.create_sync(engine, never_asked, TABLE, hybrid_search_config=both())
    for start in range(0, len(corpus.texts), BATCH):
        rows = range(start, min(start + BATCH, len(corpus.texts)))
        store.add_embeddings(
            [corpus.texts[row] for row in rows],
            [corpus.vectors[row].tolist() for row in rows],
            ids=[str(UUID(int=row)) for row in rows],
        )
    store.apply_vector_index(HNSWIndex())
    store.apply_hybrid_search_index()

    def positions(vector, most, configuration):
        found = store.similarity_search_with_score_by_vector(
            vector.tolist(), k=most, hybrid_search_config=configuration
        )
        return [UUID(document.id).int for document, _ in found]

    def by_vector(query, vector, most):
        return positions(vector, most, None)

    def hybrid(query, vector, most):
        return positions(vector, most, both(query))

    return {"vector": by_vector, "hybrid": hybrid}


serve(build)
