"""What a model endpoint can do, found out by real calls; and whether it is there at all, by a cheap one."""

import base64
import hashlib
import time
import urllib.error
import urllib.request
from http.client import HTTPException
from typing import Any
from urllib.parse import unquote, urlsplit

import numpy as np
from django.conf import settings
from django.utils.module_loading import import_string

from . import chat_endpoint, embedding_endpoint, rerank_endpoint
from .chat import ChatEndpoint, Hold
from .connection import EndpointError

GLANCE_SECONDS = 2.0
ASKED = [{"role": "user", "content": "Reply with the single word: ready"}]


def probe_embedding(role: str = "embedding") -> dict[str, Any]:
    """Raises EndpointError unless vectors come, and follow meaning."""
    endpoint = embedding_endpoint(role)
    endpoint.canaries()  # the first call may have to load the model
    started = time.perf_counter()
    canaries = endpoint.canaries()
    took = time.perf_counter() - started
    rounded = np.round(canaries, 2).astype("<f4") + np.float32(0)
    return {
        "model": endpoint.model,
        "dimension": endpoint.dimension,
        "max_tokens": endpoint.max_tokens,
        "ms": round(took * 1000, 1),
        "fingerprint": hashlib.sha256(rounded.tobytes()).hexdigest()[:12],
    }


def probe_chat(role: str = "chat") -> dict[str, Any]:
    """Raises EndpointError unless an answer comes, piece by piece."""
    endpoint = chat_endpoint(role)
    if not isinstance(endpoint, ChatEndpoint):
        return {"model": endpoint.model, "context_tokens": endpoint.context_tokens, "streams": True}
    started = time.perf_counter()
    pieces, first = 0, 0.0
    for _ in endpoint.stream(ASKED, max_tokens=8):
        first = first or time.perf_counter() - started
        pieces += 1
    if not pieces:
        raise EndpointError(role, "answered without a word")
    return {
        "model": endpoint.model,
        "context_tokens": endpoint.context_tokens,
        "streams": pieces > 1,
        "first_token_ms": round(first * 1000, 1),
        "ms": round((time.perf_counter() - started) * 1000, 1),
        "grammar": endpoint.keeps(Hold.GRAMMAR),
        "json_schema": endpoint.keeps(Hold.SCHEMA),
    }


def probe_rerank(role: str = "rerank") -> dict[str, Any] | None:
    """None where the role is off. Raises EndpointError unless an answer is placed before what is none."""
    endpoint = rerank_endpoint(role)
    if endpoint is None:
        return None
    started = time.perf_counter()
    endpoint.probe()
    took = round((time.perf_counter() - started) * 1000, 1)
    return {"model": endpoint.model, "pair_tokens": endpoint.pair_tokens, "ms": took}


def is_there(role: str) -> bool | None:
    """Whether the role's server answers at all, within two seconds; None where the role is off. Nothing is started."""
    if settings.AI_TEST_MODE:
        return True
    url = settings.ENDPOINTS.get(role, {}).get("url", "").rstrip("/")
    if not url:
        return True if import_string(settings.EMBEDDED_OFFERS)(role) else None  # it starts when it is needed
    try:
        parts = urlsplit(url)
        told, _, host = parts.netloc.rpartition("@")
        models = parts._replace(netloc=host, path=f"{parts.path or '/v1'}/models").geturl()
        request = urllib.request.Request(models, headers={"Authorization": proof(told)})  # noqa: S310 - the operator's own
        with urllib.request.urlopen(request, timeout=GLANCE_SECONDS):  # noqa: S310
            return True
    except urllib.error.HTTPError as error:
        return error.code in (404, 405)  # a server without a list of models
    except (OSError, ValueError, HTTPException):
        return False


def proof(told: str) -> str:
    """The header that shows who asks: `told` is user and password of the address, where it has them."""
    if not told:
        return f"Bearer {settings.OPENAI_API_KEY or 'none'}"
    return f"Basic {base64.b64encode(unquote(told).encode()).decode()}"
