"""Every outbound model call leaves through this package, and only through it."""

from django.conf import settings

from knowledge.endpoints.chat import (
    ChatEndpoint,
    ChatStream,
    Completion,
    Form,
    Hold,
    Message,
    by_grammar,
    by_schema,
    storable,
)
from knowledge.endpoints.connection import Connection, EndpointError
from knowledge.endpoints.deterministic import BagOfWordsEmbedding, ExtractiveChat
from knowledge.endpoints.embedding import EmbeddingEndpoint
from knowledge.endpoints.rerank import RerankEndpoint
from knowledge.texts.thoughts import without_thoughts

__all__ = [
    "CODE",
    "Chat",
    "ChatStream",
    "Completion",
    "Embedder",
    "EndpointError",
    "Form",
    "Hold",
    "Message",
    "RerankEndpoint",
    "by_grammar",
    "by_schema",
    "chat_endpoint",
    "embedding_endpoint",
    "has_code_model",
    "has_writer",
    "rerank_endpoint",
    "storable",
    "without_thoughts",
]

CODE = "code_embedding"  # the role of a model for code alone
Embedder = EmbeddingEndpoint | BagOfWordsEmbedding
Chat = ChatEndpoint | ExtractiveChat


def embedding_endpoint(role: str = "embedding") -> Embedder:
    """Keep one for a whole build: it remembers its model's dimension and refuses a change. Raises EndpointError."""
    return BagOfWordsEmbedding() if settings.AI_TEST_MODE else EmbeddingEndpoint(_open(role))


def has_code_model() -> bool:
    """Whether code is embedded, and searched for, by a model of its own."""
    return bool(settings.ENDPOINTS[CODE]["url"]) and not settings.AI_TEST_MODE


def has_writer() -> bool:
    """Whether a chat model writes answers; without one the documents' own words are quoted (docs/decisions/0037)."""
    return settings.AI_TEST_MODE or bool(settings.ENDPOINTS["chat"]["url"])


def chat_endpoint(role: str = "chat") -> Chat:
    """Of the role "chat" or "summary". Raises EndpointError."""
    return ExtractiveChat() if settings.AI_TEST_MODE else ChatEndpoint(_open(role))


def rerank_endpoint(role: str = "rerank") -> RerankEndpoint | None:
    """Of the role "rerank", or "reader", whose scores tell whether a passage answers. None when it is off. Raises
    EndpointError."""
    connection = None if settings.AI_TEST_MODE else Connection.open(role)
    return RerankEndpoint(connection) if connection else None


def _open(role: str) -> Connection:
    if connection := Connection.open(role):
        return connection
    raise EndpointError(role, f"is off: set {role.upper()}_URL")
