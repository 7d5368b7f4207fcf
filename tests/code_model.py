"""An embedding model for code, where tests want one."""

import numpy as np

from knowledge.endpoints.deterministic import BagOfWordsEmbedding


class CodeModel(BagOfWordsEmbedding):
    """Other vectors than the model for text has: it knows that to lend is to borrow."""

    model = "code-model"
    dimension = 32
    limit = 510

    @property
    def max_tokens(self) -> int:
        return self.limit

    def embed_query(self, text: str) -> np.ndarray:
        vector = np.full(self.dimension, 0.1)
        vector[3 if "lend" in text or "borrow" in text else 7] = 1.0
        return (vector / np.linalg.norm(vector)).astype(np.float32)
