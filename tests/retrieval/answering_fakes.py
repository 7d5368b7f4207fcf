"""Hits and chat models for the tests of answering."""

from collections.abc import Callable, Sequence
from typing import Any

from knowledge.endpoints import ChatStream, Completion, EndpointError, Form, Hold, Message
from retrieval.results import Hit


def make_hit(text: str, **values: Any) -> Hit:
    defaults: dict[str, Any] = {
        "rank": 1,
        "library": "docs",
        "source_file": "guide.md",
        "version": "0" * 64,
        "section_title": "Guide",
        "breadcrumb": ("Guide",),
        "section_anchor": "guide",
        "line_start": 10,
        "line_end": 10 + text.count("\n"),
        "page": None,
        "language": "english",
        "preview_text": text[:80],
        "chunk_id": 1,
        "url": "/read/docs/guide.md#guide",
        "text": text,
        "char_start": 0,
        "char_end": len(text),
        "snapshot": 1,
        "ordinal": 0,
        "scores": {"vector": 0.6},
    }
    return Hit(**{**defaults, **values})


class FakeChat:
    """Says what it is told to say, in small pieces. `asked` holds the messages of every call."""

    model = "fake"
    context_tokens = 8192
    holds_by = Hold.NONE

    def __init__(
        self,
        says: str | Callable[[Sequence[Message]], str],
        fails_after: int | None = None,
        finish: str = "stop",
        judges: bool = True,
    ) -> None:
        self.says = says
        self.judges = judges
        self.fails_after = fails_after
        self.finish = finish
        self.asked: list[Sequence[Message]] = []
        self.forms: list[Form | None] = []
        self.taken = 0

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) for text in texts]

    def stream(
        self, messages: Sequence[Message], max_tokens: int, temperature: float = 0.0, form: Form | None = None
    ) -> ChatStream:
        self.asked.append(messages)
        self.forms.append(form)
        text = self.says if isinstance(self.says, str) else self.says(messages)
        return ChatStream(self._pieces(text), {"prompt_tokens": 5, "completion_tokens": 7}, self.finish)

    def complete(self, messages: Sequence[Message], max_tokens: int, temperature: float = 0.0) -> Completion:
        stream = self.stream(messages, max_tokens, temperature)
        return Completion("".join(stream), stream.usage, stream.finish_reason)

    def _pieces(self, text: str) -> Any:
        for start in range(0, len(text), 3):
            if self.fails_after is not None and start >= self.fails_after:
                raise EndpointError("chat", "broke off")
            self.taken += 1
            yield text[start : start + 3]
