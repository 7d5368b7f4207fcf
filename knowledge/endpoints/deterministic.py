"""AI_TEST_MODE: the endpoints' interfaces with no model behind them. Same text, same result, on any machine."""

import re
from collections import Counter
from collections.abc import Sequence
from hashlib import blake2b

import numpy as np

from knowledge.endpoints.chat import ChatStream, Completion, Form, Hold, Message
from knowledge.endpoints.embedding import CANARIES, Vectors
from knowledge.texts.analysis import UNSPACED

# A word, or one character of a script that writes without spaces.
WORD = re.compile(rf"[{UNSPACED}]|[^\W_]+", re.UNICODE)
TOKEN = re.compile(r"\w+|[^\w\s]", re.UNICODE)
PASSAGE = re.compile(r"^\[(\d+)\](.*?)(?=^\[\d+\]|\Z)", re.MULTILINE | re.DOTALL)
QUESTION = re.compile(r"^Question:(.*)", re.MULTILINE)
SENTENCE_END = re.compile(r"(?<=[.!?。！？])\s+|\n+")


class BagOfWordsEmbedding:
    """Texts that share words are near: each word hashed to one of 384 places, 1 + ln(count), unit length."""

    model = "test-bag-of-words"
    dimension = 384
    max_tokens = max_query_tokens = 510

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        vectors = [self.embed_query(text) for text in texts]
        return np.vstack(vectors) if vectors else np.zeros((0, self.dimension), np.float32)

    def embed_query(self, text: str) -> Vectors:
        vector = np.zeros(self.dimension)
        for word, count in Counter(WORD.findall(text.casefold()) or [text]).items():
            place = int.from_bytes(blake2b(word.encode(errors="replace"), digest_size=8).digest())
            vector[place % self.dimension] += 1 + np.log(count)
        return (vector / np.linalg.norm(vector)).astype(np.float32)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(TOKEN.findall(text)) for text in texts]

    def canaries(self) -> Vectors:
        return self.embed_documents(CANARIES)


class ExtractiveChat:
    """Repeats the passage's sentence that shares most words with the question, and cites it.

    Reads prompts whose last message holds passages that begin with `[n]` and a line `Question: …`.
    """

    model = "test-extractive"
    judges = False
    context_tokens = 8192
    holds_by = Hold.NONE

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(TOKEN.findall(text)) for text in texts]

    def stream(
        self, messages: Sequence[Message], max_tokens: int, temperature: float = 0.0, form: Form | None = None
    ) -> ChatStream:
        prompt = messages[-1]["content"]
        answer = self._extract(prompt)
        prompt_tokens, completion_tokens = self.count_tokens([prompt, answer])
        usage = {"prompt_tokens": prompt_tokens, "completion_tokens": completion_tokens}
        return ChatStream(iter(re.findall(r"\S+\s*", answer)), usage, "stop")

    def complete(
        self, messages: Sequence[Message], max_tokens: int, temperature: float = 0.0, form: Form | None = None
    ) -> Completion:
        stream = self.stream(messages, max_tokens, temperature)
        return Completion("".join(stream), stream.usage, stream.finish_reason)

    def _extract(self, prompt: str) -> str:
        asked = QUESTION.search(prompt)
        wanted = set(WORD.findall(asked[1].casefold())) if asked else set()
        sentences = [
            (len(wanted & set(WORD.findall(sentence.casefold()))), -int(passage[1]), sentence.strip())
            for passage in PASSAGE.finditer(prompt[: asked.start()] if asked else prompt)
            for sentence in SENTENCE_END.split(passage[2])
        ]
        shared, place, best = max(sentences, default=(0, 0, ""))
        return f"{best} [{-place}]" if shared else "I don't know."
