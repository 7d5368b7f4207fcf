"""Whom the reader is asked for, and what becomes of an answer when it is away."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from knowledge.endpoints import EndpointError, status
from retrieval.answering.reader_scores import READ_TOKENS, READER, can_read, reader_scores

TEXTS = ["The kiln is fired on the first Friday of the month.", "It stands in the shed behind the mill."]


class Counting:
    """Gives lengths for logits, and places what is longer first, as the probe's answer is."""

    def __init__(self) -> None:
        self.asked = 0
        self.question = ""
        self.away = False

    def probe(self) -> None:
        if self.away:
            raise EndpointError("reader", "is away")

    def rerank(self, question: str, texts: Sequence[str], most: int | None = None) -> list[float]:
        assert most == READ_TOKENS  # longer pairs it takes for answers
        self.asked += 1
        self.question = question
        if self.away:
            raise EndpointError("reader", "is away")
        return [float(len(text)) for text in texts]


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch) -> Counting:
    one = Counting()
    monkeypatch.setattr(status, "rerank_endpoint", lambda role: one)
    return one


def test_a_logit_for_each_text(reader: Counting) -> None:
    assert reader_scores("When is the kiln fired?", TEXTS) == [float(len(text)) for text in TEXTS]
    assert reader_scores("When is the kiln fired?", []) == []


@pytest.mark.parametrize(
    ("question", "read"),
    [
        ("what changed in version 1.5.0", "what changed in version 1.5.0?"),
        ("It shows E21. What is wrong", "It shows E21. What is wrong?"),
        ("and what does it cost (kiln)", "and what does it cost? (kiln)"),
        ("When is the kiln fired?", "When is the kiln fired?"),
        ("And for members? (kiln)", "And for members? (kiln)"),
        ("Where is the kiln.", "Where is the kiln."),
        ("kiln temperature", "kiln temperature"),
        ("Tell me when it is fired", "Tell me when it is fired"),
    ],
)
def test_a_question_is_read_with_the_mark_that_was_left_out(reader: Counting, question: str, read: str) -> None:
    reader_scores(question, TEXTS)
    assert reader.question == read


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        ("Wann wird der Ofen gebrannt?", ["Der Ofen wird am ersten Freitag des Monats gebrannt."]),
        (
            "When is the kiln fired?",
            ["Der Ofen wird am ersten Freitag des Monats gebrannt, und er steht im Hof."],
        ),
        ("窯はいつ焚かれますか", TEXTS),
        ("Kiedy jest wypalany piec?", TEXTS),
        ("When is the kiln fired?", ["Piec jest wypalany w pierwszy piątek miesiąca."]),
    ],
)
def test_it_reads_english_alone(reader: Counting, question: str, texts: list[str]) -> None:
    assert reader_scores(question, texts) == []


def test_answers_do_without_one_that_is_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(status, "rerank_endpoint", lambda role: None)
    assert reader_scores("When is the kiln fired?", TEXTS) == []
    assert not can_read("When is the kiln fired?")


def test_it_can_read_what_is_english_while_it_is_there(reader: Counting) -> None:
    assert can_read("When is the kiln fired?") and not can_read("Wann wird der Ofen gebrannt?")
    READER.forget()
    reader.away = True
    assert not can_read("When is the kiln fired?")


@pytest.mark.parametrize(
    "question",
    [
        "Kto prowadzi rejestr pożyczek?",
        "가마는 언제 굽습니까?",
        "Πότε ανάβει ο φούρνος;",
        "Kdo vede rejstřík půjček?",
        "भट्ठी कब जलाई जाती है?",
        "Vem för registret över lån?",
        "Хто веде реєстр позик?",
    ],
)
def test_languages_that_it_has_not_learnt_are_told_in_short_questions(reader: Counting, question: str) -> None:
    assert not can_read(question)


def test_short_english_is_read_with_names_and_words_that_others_have_too(reader: Counting) -> None:
    asked = ["kiln temperature", "café opening hours", "plugging in my e-scooter", "CO alarm", "Who is Łukasz Żak?"]
    asked += ["Am I allowed to plug my own band's gig?", "What if I mess up my exam on the mixer, do I get another go?"]
    assert [question for question in asked if not can_read(question)] == []


def test_every_question_that_is_measured_is_read(reader: Counting) -> None:
    files = Path("benchmarks/asked").glob("*/questions.jsonl")
    rows = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    asked = [row["question"] for row in rows if row["gold"] != [{"file": "eintritt.md"}]]  # those are in German
    assert asked and [question for question in asked if not can_read(question)] == []


def test_one_that_is_away_is_left_alone_for_a_while(reader: Counting, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr(status.time, "monotonic", lambda: now)
    assert len(reader_scores("When is the kiln fired?", TEXTS)) == 2
    reader.away = True
    assert reader_scores("When is the kiln fired?", TEXTS) == [] == reader_scores("Where is the kiln?", TEXTS)
    assert reader.asked == 2
    reader.away = False
    now += status.AWAY_SECONDS + 1
    assert len(reader_scores("When is the kiln fired?", TEXTS)) == 2
