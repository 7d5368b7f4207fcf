"""AI_OFFLINE_FALLBACK: with it a model that is away makes results poorer and says so; without it, a clear refusal."""

import json
from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from mcp.server.mcpserver.exceptions import ToolError

from knowledge.endpoints import EndpointError, connection
from knowledge.models import Answer, ApiToken, GateRun, GoldenQuestion, Library
from retrieval import mcp, query_vector
from retrieval.answering import drafting, pipeline
from retrieval.rerank import RERANKER
from retrieval.results import SearchOptions
from retrieval.search import search
from tests.stub_server import Stub

FILES = {"tides.md": "# Tides\n\nThe tide rises twice a day because of the moon.\n"}
QUESTION = "How often does the tide rise?"
DEAD = "http://127.0.0.1:9/v1"


@pytest.fixture
def library(indexed) -> Library:
    return indexed("sea", FILES)


@pytest.fixture
def dead(library, settings, monkeypatch) -> None:
    """Built with deterministic vectors; now every endpoint is a port where nobody listens."""
    settings.AI_TEST_MODE = False
    settings.ENDPOINTS = {role: {"url": DEAD, "model": "m"} for role in ("embedding", "chat")}
    monkeypatch.setattr(connection, "PAUSES", ())
    query_vector.forget()
    RERANKER.forget()


@pytest.fixture
def refusing(settings) -> None:
    settings.AI_OFFLINE_FALLBACK = False


def test_with_the_fallback_search_is_lexical_and_says_so(dead):
    result = search(None, "tide")
    assert [hit.source_file for hit in result.hits] == ["tides.md"] and result.degraded == ("embedding",)


def test_with_the_fallback_answers_are_extracts_and_say_so(dead):
    answer = pipeline.answer(None, QUESTION)
    assert (
        "twice a day" in answer.answer and set(answer.degraded) == {"embedding", "chat"} and answer.model == "extract"
    )


def test_without_it_search_and_ask_raise_what_is_wrong(dead, refusing):
    with pytest.raises(EndpointError, match="cannot be reached"):
        search(None, "tide")
    with pytest.raises(EndpointError, match="cannot be reached"):
        pipeline.answer(None, QUESTION)


def test_words_alone_need_no_model(dead, refusing):
    assert search(None, "tide", SearchOptions(mode="lexical")).hits


def test_without_it_a_chat_model_that_is_away_is_an_error_too(dead, refusing):
    with pytest.raises(EndpointError, match="chat"):
        pipeline.answer(None, QUESTION, SearchOptions(mode="lexical"))


@pytest.fixture
def ranker(library, settings) -> Iterator[Stub]:
    stub = Stub()
    settings.AI_TEST_MODE = True
    settings.ENDPOINTS = {"rerank": {"url": stub.url, "model": "r"}}
    yield stub
    stub.close()


def test_without_it_a_reranker_that_is_away_is_an_error_too(ranker, refusing, settings, monkeypatch):
    settings.AI_TEST_MODE = False
    settings.ENDPOINTS = {"rerank": {"url": DEAD, "model": "r"}}
    RERANKER.forget()
    with pytest.raises(EndpointError, match="rerank"):
        search(None, "tide", SearchOptions(mode="lexical", rerank=True))


def test_pages_and_rest_answer_503_in_words_and_without_the_address(dead, refusing, client):
    streamed = {"Accept": "text/event-stream"}
    question = {"question": QUESTION}
    answers = {
        "page": client.get("/search", {"q": "tide"}),
        "rest": client.get("/api/v1/search", {"q": "tide"}),
        "ask": client.post("/api/v1/ask", question, content_type="application/json"),
        "events": client.post("/api/v1/ask", question, content_type="application/json", headers=streamed),
        "chat": client.post("/chat", {"q": QUESTION}),
        "streamed": client.post("/chat", {"q": QUESTION}, headers=streamed),
    }

    for name, answer in answers.items():
        said = answer.content.decode()
        assert answer.status_code == 503 and answer.headers["Retry-After"], name
        assert "embedding model does not answer" in said and "127.0.0.1:9" not in said, name
    assert answers["rest"].json().keys() == {"detail"}


def test_an_answer_that_broke_off_for_want_of_a_model_says_so_on_its_page(dead, refusing, client):
    client.force_login(User.objects.create_user("reader"))
    client.post("/chat", {"q": QUESTION, "mode": "lexical"})
    row = Answer.objects.get()
    assert (row.state, row.degraded) == ("incomplete", ["chat"])
    said = client.get(f"/chat/{row.pk}").content.decode()
    assert "broke off" in said and "The chat model does not answer, and this site is set not to" in said


@pytest.mark.parametrize("arguments", [["search", "tide"], ["tree", "tide"], ["ask", QUESTION]])
def test_commands_fail_with_the_reason(dead, refusing, arguments):
    with pytest.raises(CommandError, match=r"127\.0\.0\.1:9/v1 cannot be reached"):
        call_command(*arguments)


def test_an_answer_cannot_be_replayed_without_it(library, settings, request):
    pipeline.answer(None, QUESTION)
    request.getfixturevalue("dead")
    settings.AI_OFFLINE_FALLBACK = False
    with pytest.raises(CommandError, match="cannot be reached"):
        call_command("replay", str(Answer.objects.get().pk))


@pytest.mark.parametrize("arguments", [["activate", "sea", "1"], ["unindex", "tides", "--yes"]])
def test_a_gate_whose_model_is_away_refuses_and_says_so(dead, refusing, arguments):
    Library.objects.update(gate_minimum=0.1)
    GoldenQuestion.objects.create(library=Library.objects.get(), text="tide", gold=[{"file": "tides.md"}])
    with pytest.raises(CommandError, match="cannot evaluate: embedding did not answer"):
        call_command(*arguments)
    assert GateRun.objects.get().passed is False


def test_commands_with_the_fallback_say_what_is_degraded(dead, capsys):
    call_command("search", "tide", "--json")
    assert json.loads(capsys.readouterr().out)["degraded"] == ["embedding"]
    call_command("ask", QUESTION, "--json")
    assert set(json.loads(capsys.readouterr().out)["degraded"]) == {"embedding", "chat"}


@pytest.mark.django_db(transaction=True)
def test_a_tool_says_which_model_is_away_and_not_where(dead, refusing):
    token = mcp.caller.set(mcp.Caller())
    try:
        for asked in (lambda: mcp.search("tide"), lambda: mcp.ask(QUESTION)):
            with pytest.raises(ToolError, match="embedding model does not answer") as refused:
                asked()
            assert "127.0.0.1:9" not in str(refused.value)
    finally:
        mcp.caller.reset(token)


def test_a_stream_that_loses_its_model_ends_with_an_error_in_words(dead, refusing, client):
    """The chat model is asked after the first event was sent."""
    question = {"question": QUESTION, "mode": "lexical"}
    streamed = {"Accept": "text/event-stream"}
    answer = client.post("/api/v1/ask", question, content_type="application/json", headers=streamed)
    said = b"".join(answer.streaming_content).decode()
    assert answer.status_code == 200 and said.startswith("event: retrieved")
    assert "event: error" in said and "chat model does not answer" in said and "127.0.0.1:9" not in said


def completion(client, **more):
    token = ApiToken.issue(User.objects.create_user("u"), "x", ["ask"], None)[1]
    body = {"model": "muniment", "messages": [{"role": "user", "content": QUESTION}], **more}
    headers = {"Authorization": f"Bearer {token}"}
    return client.post("/v1/chat/completions", body, content_type="application/json", headers=headers)


def test_a_completion_without_its_model_is_an_error_as_openais_clients_know_it(dead, refusing, client):
    answer = completion(client)
    assert answer.status_code == 503 and answer.headers["Retry-After"]
    assert answer.json()["error"]["code"] == "model_unavailable"


def test_a_streamed_completion_that_loses_its_model_says_so(library, refusing, monkeypatch, client):
    monkeypatch.setattr(drafting, "chat_endpoint", away)
    said = b"".join(completion(client, stream=True).streaming_content).decode()
    assert '"code": "model_unavailable"' in said and said.endswith("data: [DONE]\n\n")


def away() -> None:
    raise EndpointError("chat", "http://127.0.0.1:9/v1 cannot be reached")
