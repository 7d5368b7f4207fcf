# /// script
# dependencies = ["haystack-ai==3.4.0", "pgvector-haystack==8.1.2", "numpy"]
# ///
"""Haystack's PgvectorDocumentStore with HNSW (defaults); its keyword retriever, which wants every word; DocumentJoiner
with reciprocal_rank_fusion."""

from haystack import Document
from haystack.components.joiners import DocumentJoiner
from haystack.utils import Secret
from haystack_integrations.components.retrievers.pgvector import PgvectorEmbeddingRetriever, PgvectorKeywordRetriever
from haystack_integrations.document_stores.pgvector import PgvectorDocumentStore
from worker import CANDIDATES, Corpus, Search, serve

BATCH = 10_000


def build(corpus: Corpus) -> dict[str, Search]:
    store = PgvectorDocumentStore(
        connection_string=Secret.from_token(corpus.database),
        language=corpus.language,
        embedding_dimension=corpus.vectors.shape[1],
        search_strategy="hnsw",
    )
    for start in range(0, len(corpus.texts), BATCH):
        store.write_documents(
            [
                Document(id=str(position), content=corpus.texts[position], embedding=corpus.vectors[position].tolist())
                for position in range(start, min(start + BATCH, len(corpus.texts)))
            ]
        )
    keywords, vectors = PgvectorKeywordRetriever(document_store=store), PgvectorEmbeddingRetriever(document_store=store)
    joiner = DocumentJoiner(join_mode="reciprocal_rank_fusion")

    def positions(found):
        return [int(document.id) for document in found["documents"]]

    def lexical(query, vector, most):
        return positions(keywords.run(query=query, top_k=most))

    def by_vector(query, vector, most):
        return positions(vectors.run(query_embedding=vector.tolist(), top_k=most))

    def hybrid(query, vector, most):
        by_word = keywords.run(query=query, top_k=CANDIDATES)["documents"]
        by_meaning = vectors.run(query_embedding=vector.tolist(), top_k=CANDIDATES)["documents"]
        return positions(joiner.run(documents=[by_word, by_meaning], top_k=most))

    return {"lexical": lexical, "vector": by_vector, "hybrid": hybrid}


serve(build)
