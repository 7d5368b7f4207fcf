"""Builds against an embedding endpoint that misbehaves: nothing wrong is stored, and the job says what happened."""

import json
import math
import threading
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from datetime import timedelta
from typing import Any

import numpy as np
import pytest
from django.utils import timezone

from ingestion import embedding
from ingestion.drift import ProfileChanged
from ingestion.embedding import embedding_texts
from ingestion.jobs import run
from knowledge.endpoints import EndpointError, connection, tokens
from knowledge.endpoints.deterministic import BagOfWordsEmbedding
from knowledge.endpoints.embedding import CANARIES
from knowledge.models import Chunk, Embedding, EmbeddingSpace, Job, JobEvent, Library
from knowledge.verification import vectors as verified
from knowledge.waiting import reasons
from retrieval.search import search
from tests.conftest import reindex, write
from tests.stub_server import Reply, Stub, endless, silent, truncated

FILES = {f"{n:03}.md": f"# Part {n}\n\nWhat part {n} says of subject {n * 7}.\n" for n in range(12)}
TRUTH = BagOfWordsEmbedding()
Answer = Callable[[Any], Reply]


def right(body: Any) -> tuple[int, Any]:
    rows = TRUTH.embed_documents(body["input"]).tolist()
    return 200, {"object": "list", "model": "m", "data": [{"index": i, "embedding": row} for i, row in enumerate(rows)]}


def damaged(change: Callable[[list[dict[str, Any]]], Any]) -> Answer:
    def reply(body: Any) -> Reply:
        status, answer = right(body)
        changed = change(answer["data"])
        answer["data"] = answer["data"] if changed is None else changed
        return status, answer

    return reply


class Endpoint:
    """Answers as it should, but for the document requests that `when` names: these get `fault`."""

    def __init__(self, stub: Stub) -> None:
        self.stub, self.documents = stub, 0
        self.fault: Answer = right
        self.when: Callable[[int], bool] = lambda number: False
        stub.answer["/v1/embeddings"] = self.reply

    def reply(self, body: Any) -> Reply:
        if body["input"] == list(CANARIES) or max(map(len, body["input"])) > 500:  # or a probe for the longest input
            return right(body)
        self.documents += 1
        return self.fault(body) if self.when(self.documents) else right(body)

    def fails(self, fault: Answer, when: Callable[[int], bool]) -> None:
        self.documents, self.fault, self.when = 0, fault, when

    def recovers(self) -> None:
        self.documents, self.when = 0, lambda number: False


@pytest.fixture
def endpoint(settings, monkeypatch) -> Iterator[Endpoint]:
    stub = Stub()
    settings.ENDPOINTS = settings.ENDPOINTS | {"embedding": {"url": stub.url, "model": "m"}}
    settings.AI_TEST_MODE = False
    monkeypatch.setattr(connection, "PAUSES", (0.0, 0.0))
    monkeypatch.setattr(embedding, "BATCH", 4)
    monkeypatch.setattr(embedding, "PROVED", 8)
    monkeypatch.setattr(tokens, "_without_tokenizer", set())
    yield Endpoint(stub)
    stub.close()


@pytest.fixture
def release() -> Iterator[threading.Event]:
    event = threading.Event()
    yield event
    event.set()


@pytest.fixture
def library(make_library) -> Library:
    return make_library("parts", FILES)


def wrong_rows() -> list[str]:
    """Stored vectors that are not the truth about a text that was to be embedded."""
    texts = {}
    keys = list(Chunk.objects.values_list("pk", "content_hash"))
    for (_, content_hash), text in zip(keys, embedding_texts([pk for pk, _ in keys]), strict=True):
        texts[bytes(content_hash)] = text
    wrong = []
    for row in Embedding.objects.all():
        text = texts.get(bytes(row.content_hash))
        vector = np.array(row.vector, np.float32)
        if text is None or vector.shape != (384,) or not np.allclose(vector, TRUTH.embed_query(text), atol=1e-6):
            wrong.append(f"{bytes(row.content_hash).hex()[:8]} {text}")
    return wrong


FAULTS: dict[str, tuple[Answer, str]] = {
    "500": (lambda _: (500, {"error": {"message": "slot unavailable"}}), "answered 500: slot unavailable"),
    "502": (lambda _: (502, b"<html>Bad Gateway</html>"), "answered 502"),
    "503": (lambda _: (503, {"error": {"message": "Loading model"}}), "answered 503: Loading model"),
    "429": (lambda _: (429, {"error": {"message": "Too many requests"}}), "answered 429: Too many requests"),
    "404": (lambda _: (404, {"error": {"message": "File Not Found"}}), "answered 404: File Not Found"),
    "401": (lambda _: (401, {"error": {"message": "Invalid API Key"}}), "refused the API key"),
    "malformed JSON": (lambda _: (200, b'{"data": [{"index": 0, "embed'), "gave no valid reply: it is no JSON"),
    "HTML": (lambda _: (200, b"<html>please log in</html>"), "gave no valid reply: it is no JSON"),
    "an empty body": (lambda _: (200, b""), "gave no"),
    "JSON null": (lambda _: (200, b"null"), "gave no"),
    "data null": (lambda _: (200, {"data": None}), "gave no"),
    "no data": (lambda _: (200, {"vectors": []}), "gave no"),
    "data text": (lambda _: (200, {"data": "nonsense"}), "gave no"),
    "no vectors": (damaged(list.clear), "gave no|where .* were asked for"),
    "fewer vectors than texts": (damaged(lambda data: data[:-1]), "where .* asked for|No embedding data"),
    "more vectors than texts": (damaged(lambda data: [*data, {**data[0], "index": len(data)}]), "where .* asked for"),
    "an index that was not asked for": (damaged(lambda data: data[-1].update(index=7)), "where .* asked for"),
    "no index": (damaged(lambda data: [{"embedding": row["embedding"]} for row in data]), "where .* asked for"),
    "another dimension": (
        damaged(lambda data: [row.update(embedding=[1.0] * 5) for row in data] and data),
        "5 dimensions after 384",
    ),
    "one of another dimension": (
        damaged(lambda data: data[0]["embedding"].append(1.0)),
        "unequal|no proper vectors|385 dimensions",
    ),
    "NaN": (damaged(lambda data: data[-1]["embedding"].__setitem__(3, math.nan)), "not finite"),
    "Infinity": (damaged(lambda data: data[-1]["embedding"].__setitem__(3, math.inf)), "not finite"),
    "too large a number": (
        damaged(lambda data: data[-1]["embedding"].__setitem__(3, 1e300)),
        "too long to be measured",
    ),
    "null in a vector": (
        damaged(lambda data: data[-1]["embedding"].__setitem__(3, None)),
        "no proper vectors|not finite",
    ),
    "null for a vector": (
        damaged(lambda data: data[-1].update(embedding=None)),
        "gave no proper vectors|without numbers",
    ),
    "text in a vector": (damaged(lambda data: data[-1]["embedding"].__setitem__(3, "x")), "gave no proper vectors"),
    "base64 that is none": (damaged(lambda data: data[-1].update(embedding="?!")), "gave no|without numbers"),
    "a zero vector": (damaged(lambda data: data[-1].update(embedding=[0.0] * 384)), "length zero"),
    "an empty vector": (damaged(lambda data: data[-1].update(embedding=[])), "without numbers|no proper|unequal"),
    "vectors per token": (
        damaged(lambda data: [row.update(embedding=[row["embedding"]]) for row in data] and data),
        "without numbers",
    ),
    "a truncated body": (lambda body: truncated(json.dumps(right(body)[1]).encode(), 2000), "broke off in the middle"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_nothing_wrong_is_stored_the_job_says_what_happened_and_the_next_build_goes_on(library, endpoint, name):
    fault, message = FAULTS[name]
    endpoint.fails(fault, when=lambda number: number > 2)
    with pytest.raises(EndpointError, match=message):
        reindex(library)

    job = Job.objects.get()
    assert job.state == Job.State.FAILED and "The embedding endpoint" in job.message
    assert "8 of 12 passages were embedded and are kept" in job.message
    assert Embedding.objects.count() == 8 and wrong_rows() == []
    assert library.active_snapshot is None
    assert endpoint.documents <= 2 + 5, "retries are bounded"

    endpoint.recovers()
    report = reindex(library)
    assert report.active and report.embeddings == {"computed": 4, "reused": 8}
    assert wrong_rows() == [] and verified.complete(True).failed == 0


def test_a_build_that_failed_and_went_on_is_the_same_as_one_that_did_not(make_library, endpoint):
    faulty, clean = make_library("parts", FILES), make_library("clean", FILES)
    endpoint.fails(FAULTS["500"][0], when=lambda number: number > 2)
    with pytest.raises(EndpointError):
        reindex(faulty)
    endpoint.recovers()

    assert reindex(faulty).manifest_hash == reindex(clean).manifest_hash


@pytest.mark.parametrize("name", ["503", "429"])
def test_a_server_that_is_loading_or_busy_is_waited_for(library, endpoint, name):
    endpoint.fails(FAULTS[name][0], when=lambda number: number in (2, 3))

    assert reindex(library).active and wrong_rows() == []


def test_vectors_in_another_order_are_put_right_by_their_index(library, endpoint):
    endpoint.fails(damaged(lambda data: data[::-1]), when=lambda number: True)

    assert reindex(library).active and wrong_rows() == []
    assert search(None, "subject 77").hits[0].source_file == "011.md"


def test_a_slow_endpoint_is_waited_for(library, endpoint, release):
    def slow(body: Any) -> Reply:
        release.wait(0.05)
        return right(body)

    endpoint.fails(slow, when=lambda number: True)
    assert reindex(library).active and wrong_rows() == []


def test_an_endpoint_that_hangs_is_given_up(library, endpoint, release, monkeypatch):
    monkeypatch.setattr(connection, "READ_SECONDS", 0.5)
    endpoint.fails(lambda _: silent(release), when=lambda number: number > 2)
    with pytest.raises(EndpointError, match="did not answer in time"):
        reindex(library)

    assert endpoint.documents == 3 and Embedding.objects.count() == 8 and wrong_rows() == []


def test_a_reply_without_end_is_cut_off_by_size(library, endpoint, release, monkeypatch):
    monkeypatch.setattr(connection, "LARGEST_REPLY", 1_000_000)
    endpoint.fails(lambda _: endless(b" " * 100_000, 1000, release), when=lambda number: number > 2)
    with pytest.raises(EndpointError, match="sends more than"):
        reindex(library)

    assert endpoint.documents == 3 and wrong_rows() == []


def test_a_reply_that_drips_is_cut_off_by_time(library, endpoint, release, monkeypatch):
    monkeypatch.setattr(connection, "LONGEST_REPLY", 0.3)
    endpoint.fails(lambda _: endless(b" ", 1000, release, 0.05), when=lambda number: number > 2)
    with pytest.raises(EndpointError, match="still sending"):
        reindex(library)

    assert wrong_rows() == []


def test_one_text_that_the_endpoint_cannot_take_is_named(library, endpoint):
    def refuses(body: Any) -> Reply:
        if any("part 11 " in text for text in body["input"]):
            return 500, {"error": {"message": "input is too large to process"}}
        return right(body)

    endpoint.fails(refuses, when=lambda number: True)
    with pytest.raises(EndpointError, match=r"failed on a text of \d+ characters: .*too large to process"):
        reindex(library)
    assert wrong_rows() == []


@pytest.mark.parametrize("name", ["500", "malformed JSON", "NaN", "a zero vector", "fewer vectors than texts"])
def test_an_endpoint_that_fails_its_canaries_starts_no_build(library, endpoint, name):
    endpoint.stub.answer["/v1/embeddings"] = FAULTS[name][0]
    with pytest.raises(EndpointError):
        reindex(library)

    assert not library.snapshots.exists() and not Embedding.objects.exists() and Job.objects.get().message


def test_a_server_of_another_kind_is_told_from_an_embedding_model(library, endpoint):
    def garbage(body: Any) -> Reply:
        return 200, {"data": [{"index": i, "embedding": [i % 2, 1 - i % 2]} for i in range(len(body["input"]))]}

    endpoint.stub.answer["/v1/embeddings"] = garbage
    with pytest.raises(EndpointError, match="is it an embedding model"):
        reindex(library)


def test_a_model_swapped_between_builds_or_within_one_stores_nothing(library, endpoint, documents):
    reindex(library)
    kept = Embedding.objects.count()

    def turned(body: Any) -> Reply:
        rows = (-TRUTH.embed_documents(body["input"])).tolist()
        return 200, {"data": [{"index": i, "embedding": row} for i, row in enumerate(rows)]}

    endpoint.stub.answer["/v1/embeddings"] = turned
    write(documents / "parts", {"new.md": "# New\n\nSomething new.\n"})
    with pytest.raises(ProfileChanged, match="behind the same name"):
        reindex(library)
    served = iter([right, right])  # the canaries of the beginning, and one batch; then the other model
    endpoint.stub.answer["/v1/embeddings"] = lambda body: next(served, turned)(body)
    with pytest.raises(EndpointError, match="another model now"):
        reindex(library)

    assert Embedding.objects.count() == kept and wrong_rows() == []


def test_an_endpoint_that_is_gone_leaves_the_active_snapshot_and_comes_back(library, endpoint, settings, documents):
    reindex(library)
    write(documents / "parts", {"new.md": "# New\n\nSomething new.\n"})
    alive = settings.ENDPOINTS
    settings.ENDPOINTS = settings.ENDPOINTS | {"embedding": {"url": "http://127.0.0.1:9/v1", "model": "m"}}
    with pytest.raises(EndpointError, match="cannot be reached"):
        reindex(library)
    library.refresh_from_db()
    assert library.active_snapshot.number == 1
    settings.ENDPOINTS = alive

    assert reindex(library).embeddings["computed"] == 1


def by_chance(seed: int) -> Answer:
    """Other vectors for every text, which have nothing to do with what it says."""
    chance = np.random.default_rng(seed)
    return lambda body: (200, {"data": rows_of(chance.normal(size=(len(body["input"]), 64)))})


def rows_of(vectors: np.ndarray) -> list[dict[str, Any]]:
    return [{"index": i, "embedding": row} for i, row in enumerate(vectors.tolist())]


def test_vectors_by_chance_are_refused_whichever_come_out_nearest(library, endpoint):
    for seed in range(12):
        endpoint.stub.answer["/v1/embeddings"] = by_chance(seed)
        with pytest.raises(EndpointError, match="is it an embedding model"):
            reindex(library)
    assert not EmbeddingSpace.objects.exists()


def test_vectors_that_are_longer_than_a_page_of_postgres_are_kept_and_found(library, endpoint):
    def long(body: Any) -> Reply:
        return 200, {"data": rows_of(np.tile(TRUTH.embed_documents(body["input"]), 11))}

    endpoint.stub.answer["/v1/embeddings"] = long
    assert reindex(library).embeddings["computed"] == 12
    assert EmbeddingSpace.objects.get().dimension == 4224 and verified.complete(True).failed == 0
    assert search(None, "subject 77").hits[0].source_file == "011.md"


def test_a_build_says_by_which_model_its_first_vectors_are_and_what_that_does_to_other_libraries(
    library, endpoint, make_library, settings
):
    report = reindex(library)
    longest = EmbeddingSpace.objects.get().max_tokens
    told = f"the first vectors by m: 384 numbers, of {longest:,} tokens at most"
    assert JobEvent.objects.filter(message=told).count() == 1 and report.warnings == []

    settings.ENDPOINTS = settings.ENDPOINTS | {"embedding": {"url": endpoint.stub.url, "model": "other"}}
    other = make_library("other", {"a.md": "# A\n\nAnother library.\n"})
    (warning,) = reindex(other).warnings
    assert warning.startswith("no build used other (384) before") and warning.endswith("by words only (parts)")
    assert reindex(make_library("third", {"b.md": "# B\n\nA third.\n"})).warnings == []


# --- a build of the queue waits for a server that is away -------------------------------------------


def attempt(job: Job, away: bool = True) -> Job:
    """One, when its time has come."""
    Job.objects.filter(pk=job.pk).update(not_before=None)
    with pytest.raises(EndpointError) if away else nullcontext():
        run(job.pk)
    job.refresh_from_db()
    return job


def waited(job: Job, **time: int) -> None:
    Job.objects.filter(pk=job.pk).update(away_since=timezone.now() - timedelta(**time))


def seconds_left(job: Job) -> float:
    assert job.not_before
    return (job.not_before - timezone.now()).total_seconds()


@pytest.mark.parametrize("when", [0, 2])
@pytest.mark.parametrize("name", ["503", "429", "502", "a truncated body"])
def test_a_build_waits_for_a_server_that_is_away_and_goes_on_by_itself(library, endpoint, name, when):
    job = Job.objects.create(library=library)
    endpoint.fails(FAULTS[name][0], when=lambda number: number > when)
    for _ in range(5):
        attempt(job)
        assert job.state == Job.State.QUEUED and job.attempts == 0 and "The embedding endpoint" in job.message
        assert "a model's server is away since" in reasons([job])[job.pk] and 10 < seconds_left(job) < 20

    endpoint.recovers()
    attempt(job, away=False)
    assert job.state == Job.State.SUCCEEDED and job.message == "" and wrong_rows() == []
    assert Embedding.objects.count() == 12


def test_a_server_that_is_not_reached_or_does_not_answer_in_time_is_waited_for(
    library, endpoint, settings, release, monkeypatch
):
    job, alive = Job.objects.create(library=library), settings.ENDPOINTS
    settings.ENDPOINTS = alive | {"embedding": {"url": "http://127.0.0.1:9/v1", "model": "m"}}
    assert attempt(job).state == Job.State.QUEUED and "cannot be reached" in job.message
    settings.ENDPOINTS = alive
    monkeypatch.setattr(connection, "READ_SECONDS", 0.3)
    endpoint.fails(lambda _: silent(release), when=lambda number: True)
    assert attempt(job).state == Job.State.QUEUED and "did not answer in time" in job.message

    job.cancel("not any more")
    run(job.pk)
    assert Job.objects.get().state == Job.State.CANCELLED


def test_the_longer_a_server_is_away_the_later_it_is_asked_again_and_after_a_day_the_build_fails(library, endpoint):
    job = Job.objects.create(library=library)
    endpoint.fails(FAULTS["503"][0], when=lambda number: True)
    attempt(job)
    for minutes, seconds in ((4, 60), (600, 300)):
        waited(job, minutes=minutes)
        attempt(job)
        assert job.state == Job.State.QUEUED and abs(seconds_left(job) - seconds) < 5
    waited(job, hours=25)
    attempt(job)
    assert job.state == Job.State.FAILED and "It was waited for since" in job.message

    endpoint.recovers()
    job.retry()
    assert attempt(job, away=False).state == Job.State.SUCCEEDED


def test_a_server_that_comes_and_goes_is_waited_for_as_long_as_it_does_some_of_the_work(library, endpoint):
    job = Job.objects.create(library=library)
    endpoint.fails(FAULTS["503"][0], when=lambda number: True)
    attempt(job)
    waited(job, hours=25)
    endpoint.fails(FAULTS["503"][0], when=lambda number: number > 2)
    attempt(job)
    assert job.state == Job.State.QUEUED and job.away_since > timezone.now() - timedelta(minutes=1)
    waited(job, hours=25)
    endpoint.fails(FAULTS["503"][0], when=lambda number: True)
    assert attempt(job).state == Job.State.FAILED


@pytest.mark.parametrize("name", ["500", "404", "401", "NaN", "malformed JSON"])
def test_a_server_that_does_not_do_its_work_is_asked_three_times_and_no_more(library, endpoint, name):
    job = Job.objects.create(library=library)
    endpoint.fails(FAULTS[name][0], when=lambda number: True)
    for count in (1, 2, 3):
        assert attempt(job).attempts == count and job.away_since is None
    assert job.state == Job.State.FAILED
