"""Whom the reader is asked for, and what becomes of an answer when it is away."""

from collections.abc import Sequence
from typing import Any

import pytest

from knowledge.endpoints import EndpointError
from retrieval.answering import opinions as module

TEXTS = ["The kiln is fired on the first Friday of the month.", "It stands in the shed behind the mill."]


class Counting:
    def rerank(self, question: str, texts: Sequence[str]) -> list[float]:
        return [float(len(text)) for text in texts]


def away(role: str) -> Any:
    raise EndpointError(role, "is away")


def test_a_logit_for_each_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "rerank_endpoint", lambda role: Counting())
    assert module.opinions("When is the kiln fired?", TEXTS) == [float(len(text)) for text in TEXTS]
    assert module.opinions("When is the kiln fired?", []) == []


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        ("Wann wird der Ofen gebrannt?", ["Der Ofen wird am ersten Freitag des Monats gebrannt."]),
        (
            "When is the kiln fired?",
            ["Der Ofen wird am ersten Freitag des Monats gebrannt, und er steht im Hof."],
        ),
        ("窯はいつ焚かれますか", TEXTS),
    ],
)
def test_it_reads_english_alone(monkeypatch: pytest.MonkeyPatch, question: str, texts: list[str]) -> None:
    monkeypatch.setattr(module, "rerank_endpoint", lambda role: Counting())
    assert module.opinions(question, texts) == []


def test_answers_do_without_one_that_is_off_or_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "rerank_endpoint", lambda role: None)
    assert module.opinions("When is the kiln fired?", TEXTS) == []
    monkeypatch.setattr(module, "rerank_endpoint", away)
    assert module.opinions("When is the kiln fired?", TEXTS) == []
