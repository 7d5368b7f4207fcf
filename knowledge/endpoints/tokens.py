"""Counting tokens with llama.cpp's own `/tokenize`, and how many a server takes (`/props`).

Other servers have neither; counts are then estimated on the safe side.
"""

import logging
import math
from collections.abc import Iterator, Sequence

from knowledge.endpoints.connection import SHORT, Connection, EndpointError

logger = logging.getLogger(__name__)

TEXTS_PER_CALL = 200
BYTES_PER_CALL = 200_000
SEPARATOR = -1  # /tokenize tokenises each string of a list and passes integers through: one call counts many texts

_without_tokenizer: set[str] = set()


def count_tokens(connection: Connection, texts: Sequence[str]) -> list[int]:
    """Tokens of each text, without the special ones that the server adds around it."""
    return [count for pack in _packs(texts) for count in _count_pack(connection, pack)]


def context_tokens(connection: Connection) -> int | None:
    """Tokens that one slot of the server holds; None where the server does not say."""
    try:
        properties = connection.get(f"{connection.root}/props")
        return int(properties["default_generation_settings"]["n_ctx"]) or None
    except (EndpointError, LookupError, TypeError, ValueError):
        return None


def special_tokens(connection: Connection) -> int:
    """Tokens that the server adds around a text: [CLS] and [SEP], or none."""
    try:
        body = {"content": "", "add_special": True}
        return len(connection.post(f"{connection.root}/tokenize", body, SHORT)["tokens"])
    except (EndpointError, LookupError, TypeError):
        return 4


def estimate(text: str) -> int:
    """More tokens than a usual tokenizer makes: a third of the bytes, and no fewer than 1.3 a word."""
    return max(math.ceil(len(text.encode(errors="replace")) / 3), math.ceil(len(text.split()) * 1.3))


def _packs(texts: Sequence[str]) -> Iterator[list[str]]:
    pack: list[str] = []
    size = 0
    for text in texts:
        length = len(text.encode(errors="replace"))
        if pack and (len(pack) == TEXTS_PER_CALL or size + length > BYTES_PER_CALL):
            yield pack
            pack, size = [], 0
        pack.append(text)
        size += length
    if pack:
        yield pack


def _count_pack(connection: Connection, pack: list[str]) -> list[int]:
    counts = None if connection.root in _without_tokenizer else _ask(connection, pack)
    return counts if counts is not None else [estimate(text) for text in pack]


def _ask(connection: Connection, pack: list[str]) -> list[int] | None:
    content = [part for text in pack for part in (text, SEPARATOR)]
    try:
        body = {"content": content, "add_special": False}
        counts = _between_separators(connection.post(f"{connection.root}/tokenize", body, SHORT)["tokens"])
    except EndpointError as error:
        if error.passes or error.status == 500:
            raise
        counts = []
    except (LookupError, TypeError):
        counts = []
    if len(counts) == len(pack):
        return counts
    logger.warning("%s has no /tokenize like llama.cpp's: token counts are estimates", connection.address.shown)
    _without_tokenizer.add(connection.root)
    return None


def _between_separators(tokens: list[int]) -> list[int]:
    ends = [position for position, token in enumerate(tokens) if token == SEPARATOR]
    return [end - start - 1 for start, end in zip([-1, *ends], ends, strict=False)]
