import json
import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import Mock
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from config.local import models, weights
from config.local.models import Endpoint
from retrieval.answering.evidence import READ_ENOUGH

from .race import race, wait_until_gone


def ensure(role: str) -> Endpoint:
    endpoint = models.ensure(role)
    assert endpoint
    return endpoint


def post(endpoint: Endpoint, path: str, body: dict[str, Any], key: str | None = None) -> Any:
    headers = {"Authorization": f"Bearer {endpoint.api_key if key is None else key}"}
    with urlopen(Request(endpoint.url + path, json.dumps(body).encode(), headers), timeout=30) as response:
        return json.load(response)


def test_a_role_without_an_embedded_model_is_off() -> None:
    assert [models.ensure(role) for role in ("chat", "summary", "rerank", "code_embedding")] == [None] * 4


def test_a_record_that_a_power_cut_left_empty_is_none(empty_home: Path) -> None:
    (models.directory("reader") / "server.json").touch()
    assert models.recorded("reader") is None


def test_servers_of_other_versions_are_known_and_stopped_too(empty_home: Path) -> None:
    assert models.recorded_roles() == []
    (models.directory("chat") / "server.json").touch()  # this version has no such server
    assert models.recorded_roles() == ["chat"] and not models.stop("chat")


def test_a_converted_model_is_on_the_disk_before_it_has_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MUNIMENT_HOME", str(tmp_path))
    (tmp_path / "models").mkdir()
    monkeypatch.setattr("config.local.gguf_bert.convert", lambda *given: given[2].write_text("weights"))
    target, synced = tmp_path / "models/bert-q8_0.gguf", Mock(side_effect=lambda _: not target.exists())
    monkeypatch.setattr("os.fsync", synced)
    assert weights.converted("bert", lambda: ({}, [])) == target and target.exists() and synced.called


def test_another_model_file_is_refused(tmp_path: Path) -> None:
    for name in weights.MINILM:
        (tmp_path / name).write_text("something else")
    with pytest.raises(models.ModelServerError, match="not the file"):
        weights.checked(tmp_path, weights.MINILM)


def test_a_missing_package_says_how_to_get_it() -> None:
    with pytest.raises(models.ModelServerError, match=r"no-such-package is not installed: run bin/demo"):
        weights.package("no_such_package")


@pytest.mark.models
def test_six_processes_racing_on_an_empty_home_get_one_embedding_server(empty_home: Path) -> None:
    code = "from config.local import models\nprint(models.ensure('embedding'), models.running('embedding'))"
    assert len(set(race(empty_home, code))) == 1
    ours = [path.name for path in (empty_home / "models").iterdir()]
    assert sorted(ours) == ["all-MiniLM-L6-v2-q8_0.gguf", "embedding"]


@pytest.mark.models
def test_the_embedding_server_from_first_start_to_restart(empty_home: Path) -> None:
    endpoint = ensure("embedding")

    for wrong in ("", "guess"):  # a key is required
        with pytest.raises(HTTPError) as refused:
            post(endpoint, "/embeddings", {"input": "a"}, key=wrong)
        assert refused.value.code == 401

    filled = {"input": ["word " * 510] * 2}  # 512 tokens each, with [CLS] and [SEP]
    with ThreadPoolExecutor(2) as pool:  # two at a time
        answers = list(pool.map(lambda body: post(endpoint, "/embeddings", body), [filled, filled]))
    assert [len(item["embedding"]) for answer in answers for item in answer["data"]] == [384] * 4

    with pytest.raises(HTTPError) as too_long:  # never cut short in silence
        post(endpoint, "/embeddings", {"input": "word " * 511})
    assert too_long.value.code == 400

    server = models.running("embedding")
    assert server
    os.kill(server.pid, signal.SIGKILL)
    wait_until_gone(server.pid)
    again = ensure("embedding")
    assert post(again, "/embeddings", {"input": "a"})["data"]

    record = models.directory("embedding") / "server.json"  # a stale record that names someone else
    assert models.stop("embedding")
    record.write_text(json.dumps({"pid": os.getpid(), "port": 1, "ready": True}))
    assert models.running("embedding") is None
    assert post(ensure("embedding"), "/embeddings", {"input": "a"})["data"]

    began = time.perf_counter()
    for _ in range(20):
        models.ensure("embedding")
    assert (time.perf_counter() - began) / 20 < 0.02


def opinions(question: str, passages: list[str]) -> dict[int, float]:
    """The reader's, by the place of the passage."""
    body = {"query": question, "documents": passages}
    return {item["index"]: item["relevance_score"] for item in post(ensure("reader"), "/rerank", body)["results"]}


@pytest.mark.models
def test_the_reader_tells_what_answers_from_what_is_near(empty_home: Path) -> None:
    text = "The kiln is fired on the first Friday of the month. A firing costs four pounds. Glazes are in the shed."
    passages = ["Members meet in the yard each spring.", "The kiln stands in the shed.", text]
    scores = opinions("On which day is the kiln fired?", passages)
    assert min(scores[2] - 3, 0) > max(scores[0], scores[1])
    assert opinions("How hot does the kiln become?", [text])[0] < scores[2] - 1


@pytest.mark.models
@pytest.mark.parametrize(
    ("question", "answer", "beside"),
    [
        (
            "Is the deposit refunded?",
            "The deposit is refunded within 14 days after the keys are returned.",
            "The deposit amounts to two months' rent and is due before the keys are handed over.",
        ),
        (
            "Who approves travel expenses?",
            "Travel expenses are approved by the head of department.",
            "Travel expenses are paid out with the next salary after the form has been received.",
        ),
        (
            "Can members bring guests?",
            "Members may bring up to two guests on weekdays.",
            "Guests pay 8 crowns for a day ticket, which the desk sells until 17:00.",
        ),
        (
            "What port does the server listen on?",
            "The server listens on port 8080 unless PORT is set.",
            "The server is started by the supervisor and writes its log to /var/log/server.",
        ),
        (
            "Can a loan be extended?",
            "A loan can be extended once, by one lending day, if nobody else has booked the bike.",
            "A loan starts when the bike is handed over. The desk notes its number and your card.",
        ),
    ],
)
def test_the_reader_takes_no_plain_question_for_a_near_miss(
    used_home: Path, question: str, answer: str, beside: str
) -> None:
    """In the text's own words: a reader that learnt near misses in such words alone refuses them all."""
    scores = opinions(question, [answer, beside])
    assert scores[0] > READ_ENOUGH > READ_ENOUGH - 2 > scores[1]


def test_the_reader_is_off_where_the_embedded_models_are_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "READER_PACKAGES", ("no_such_package",))
    assert models.ensure("reader") is None


@pytest.mark.models
def test_the_key_stays_off_the_servers_command_line(used_home: Path) -> None:
    endpoint, server = ensure("reader"), models.running("reader")
    assert server
    assert endpoint.api_key.encode() not in Path(f"/proc/{server.pid}/cmdline").read_bytes()
    assert os.getpriority(os.PRIO_PROCESS, server.pid) > os.getpriority(os.PRIO_PROCESS, os.getpid())


def test_no_draft_of_a_model_stays(empty_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = empty_home / "models/convert-other-model-x1"  # another role's, which may be at work
    other.mkdir(parents=True)
    for name in ("convert-some-model-x1", "convert-x_1y2z3a"):  # the latter as earlier versions called them
        killed = empty_home / "models" / name
        killed.mkdir()
        (killed / "half.gguf").touch()
    monkeypatch.setattr("config.local.gguf_bert.convert", Mock(side_effect=OSError("no space left on device")))
    with pytest.raises(OSError, match="no space"):
        weights.converted("some-model", lambda: ({}, []))
    assert list(other.parent.iterdir()) == [other]


@pytest.mark.models
def test_a_server_of_another_version_is_replaced(empty_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ours = models.RECIPES["embedding"]
    with monkeypatch.context() as before:
        before.setitem(models.RECIPES, "embedding", replace(ours, alias="the-model-before"))
        assert ensure("embedding").model == "the-model-before"
        old = models.running("embedding")
    assert old and models.running("embedding") is None

    endpoint = ensure("embedding")
    request = Request(endpoint.url + "/models", headers={"Authorization": f"Bearer {endpoint.api_key}"})
    with urlopen(request, timeout=30) as response:
        assert json.load(response)["data"][0]["id"] == ours.alias
    new = models.running("embedding")
    assert new and new.pid != old.pid
    wait_until_gone(old.pid)

    monkeypatch.setitem(models.RECIPES, "embedding", replace(ours, slots=3))
    assert models.running("embedding") is None and models.stop("embedding")
    wait_until_gone(new.pid)
