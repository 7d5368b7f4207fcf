# /// script
# dependencies = ["txtai==9.14.0", "numpy"]
# ///
"""txtai, `hybrid=True`: its BM25 and Faiss as it configures itself (above 5,000 rows IVF, 6 cells probed), scores
weighted half and half. One branch alone is asked through the index's `scoring` and `ann`."""

import numpy as np
from txtai import Embeddings
from worker import Corpus, Search, serve


def build(corpus: Corpus) -> dict[str, Search]:
    known = dict(zip(corpus.texts, corpus.vectors, strict=True)) | dict(
        zip(corpus.queries, corpus.query_vectors, strict=True)
    )

    def transform(texts):
        return np.array([known[text] for text in texts], np.float32)

    index = Embeddings(method="external", transform=transform, hybrid=True)
    index.index((position, text, None) for position, text in enumerate(corpus.texts))
    index.ann.save(str(corpus.folder / "ann"))
    index.scoring.save(str(corpus.folder / "scoring"))

    def lexical(query, vector, most):
        return [position for position, score in index.scoring.search(query, most) if score > 0]

    def by_vector(query, vector, most):
        return [position for position, score in index.ann.search(vector[None, :], most)[0] if position >= 0]

    def hybrid(query, vector, most):
        return [position for position, score in index.search(query, most)]

    return {"lexical": lexical, "vector": by_vector, "hybrid": hybrid}


serve(build)
