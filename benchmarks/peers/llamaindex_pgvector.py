# /// script
# dependencies = ["llama-index-core", "llama-index-vector-stores-postgres==0.9.0", "numpy"]
# ///
"""LlamaIndex's PGVectorStore with HNSW (m 16, ef_construction 64, ef_search 40), its sparse mode (any word, ts_rank);
QueryFusionRetriever with relative_score over both, as its manual shows."""

from llama_index.core import MockEmbedding, QueryBundle, VectorStoreIndex
from llama_index.core.llms import MockLLM
from llama_index.core.retrievers import QueryFusionRetriever
from llama_index.core.schema import TextNode
from llama_index.vector_stores.postgres import PGVectorStore
from worker import CANDIDATES, Corpus, Search, serve

BATCH = 10_000
HNSW = {"hnsw_m": 16, "hnsw_ef_construction": 64, "hnsw_ef_search": 40, "hnsw_dist_method": "vector_cosine_ops"}


def build(corpus: Corpus) -> dict[str, Search]:
    store = PGVectorStore.from_params(
        connection_string=corpus.database.replace("postgresql:", "postgresql+psycopg2:", 1),
        async_connection_string=corpus.database.replace("postgresql:", "postgresql+asyncpg:", 1),
        hybrid_search=True,
        text_search_config=corpus.language,
        embed_dim=corpus.vectors.shape[1],
        hnsw_kwargs=HNSW,
    )
    for start in range(0, len(corpus.texts), BATCH):
        store.add(
            [
                TextNode(id_=str(position), text=corpus.texts[position], embedding=corpus.vectors[position].tolist())
                for position in range(start, min(start + BATCH, len(corpus.texts)))
            ]
        )
    index = VectorStoreIndex.from_vector_store(store, embed_model=MockEmbedding(corpus.vectors.shape[1]))

    def branch(mode, most):
        return index.as_retriever(vector_store_query_mode=mode, similarity_top_k=most, sparse_top_k=most)

    def fusion(most):
        return QueryFusionRetriever(
            [branch("default", CANDIDATES), branch("sparse", CANDIDATES)],
            llm=MockLLM(),  # never asked: one query is not multiplied
            num_queries=1,
            similarity_top_k=most,
            mode="relative_score",
            use_async=False,
        )

    def search_with(made):
        retrievers = {}

        def search(query, vector, most):
            if most not in retrievers:
                retrievers[most] = made(most)
            bundle = QueryBundle(query_str=query, embedding=vector.tolist())
            return [int(found.node.node_id) for found in retrievers[most].retrieve(bundle)]

        return search

    return {
        "lexical": search_with(lambda most: branch("sparse", most)),
        "vector": search_with(lambda most: branch("default", most)),
        "hybrid": search_with(fusion),
    }


serve(build)
