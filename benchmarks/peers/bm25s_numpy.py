# /// script
# dependencies = ["bm25s==0.3.16", "PyStemmer", "numba", "numpy"]
# ///
"""bm25s (Lucene's BM25, k1 1.5, b .75, numba, its stop words, Snowball stemmer); vectors all compared by numpy; RRF."""

import bm25s
import numpy as np
import Stemmer
from worker import CANDIDATES, Corpus, Search, reciprocal_rank_fusion, serve

WITH_STOP_WORDS = {
    *("danish", "dutch", "english", "french", "german", "italian"),
    *("norwegian", "portuguese", "russian", "spanish", "swedish", "turkish"),
}


def build(corpus: Corpus) -> dict[str, Search]:
    stemmer = None if corpus.language == "simple" else Stemmer.Stemmer(corpus.language)
    stop_words = corpus.language if corpus.language in WITH_STOP_WORDS else None

    def tokens(texts: list[str]):
        return bm25s.tokenize(texts, stopwords=stop_words, stemmer=stemmer, show_progress=False)

    index = bm25s.BM25(backend="numba")
    index.index(tokens(corpus.texts), show_progress=False)
    index.save(corpus.folder / "bm25s")
    np.save(corpus.folder / "vectors.npy", corpus.vectors)

    def lexical(query, vector, most):
        found, scores = index.retrieve(tokens([query]), k=min(most, len(corpus.texts)), show_progress=False)
        return found[0][scores[0] > 0]

    def by_vector(query, vector, most):
        scores = corpus.vectors @ vector
        best = np.argpartition(-scores, most)[:most]
        return best[np.argsort(-scores[best])]

    def hybrid(query, vector, most):
        return reciprocal_rank_fusion([search(query, vector, CANDIDATES) for search in (lexical, by_vector)], most)

    return {"lexical": lexical, "vector": by_vector, "hybrid": hybrid}


serve(build)
