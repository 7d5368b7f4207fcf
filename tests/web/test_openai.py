"""The OpenAI-compatible endpoint, as its own client sees it."""

import json
import re
import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from unittest.mock import Mock

import openai
import pytest
from django.db import OperationalError
from django.test import Client
from django.utils import timezone

from knowledge.endpoints import EndpointError
from knowledge.models import Answer, ApiToken, Conversation, Library
from retrieval.answering import drafting, listening, pipeline
from retrieval.answering.phrases import IN
from retrieval.rest.openai import message_text, read_request, told, turns
from retrieval.results import AnswerResult, Citation, Sentence
from tests.retrieval.answering_fakes import FakeChat, make_hit
from tests.web.asking import QUESTION

HANDBOOK = Path(__file__).parents[2] / "sample" / "handbook"
TRANSCRIPTS = Path(__file__).parents[2] / "docs" / "answers-transcripts.md"


@pytest.fixture
def token(reader) -> str:
    return ApiToken.issue(reader, "test", ["ask", "search"], timedelta(days=1))[1]


def post(body: object, token: str = "") -> tuple[int, dict]:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    data = body if isinstance(body, str) else json.dumps(body)
    response = Client().post("/v1/chat/completions", data, content_type="application/json", headers=headers)
    return response.status_code, response.json()


def asking(text: str = QUESTION, model: str = "muniment/handbook", **more: object) -> dict:
    return {"model": model, "messages": [{"role": "user", "content": text}], **more}


def test_a_message_has_its_sources_and_stands_in_the_ledger(handbook, token, reader):
    status, body = post(asking(), token)
    message = body["choices"][0]["message"]["content"]
    assert status == 200 and "three days" in message and "lending.rst:10 http://testserver/read/handbook/" in message
    assert all(citation["verified"] for citation in body["muniment"]["citations"])
    row = Answer.objects.get()
    assert (row.asked_by, row.via, row.state) == (reader, "openai", "complete")


def test_what_chat_front_ends_send_besides_changes_nothing(handbook, token):
    besides = {"temperature": 0.7, "top_p": 1, "stop": ["days"], "tools": [], "tool_choice": "auto", "n": 1}
    status, body = post(asking(**besides, max_tokens=5, response_format={"type": "text"}, stream=False), token)
    assert status == 200 and "three days" in body["choices"][0]["message"]["content"]


PASTED = "def fee(loan):\n    return sum(ledger[loan.bike] for month in range(12)) - refund\n" * 8


@pytest.mark.parametrize(
    "content",
    [
        f"```python\n{PASTED}```\n\n{QUESTION}",
        [
            {"type": "text", "text": f'<file path="fees.py">\n{PASTED}</file>'},
            {"type": "text", "text": QUESTION},
        ],
    ],
)
def test_what_is_asked_beside_pasted_code_is_answered(handbook, token, content):
    status, body = post(asking(content), token)
    assert status == 200 and "three days" in body["choices"][0]["message"]["content"]
    row = Answer.objects.get()
    assert row.standalone == body["muniment"]["standalone"] == QUESTION and PASTED in row.question


def test_code_that_was_pasted_above_is_no_part_of_the_conversation():
    (turn,) = turns([("user", f"```\n{PASTED}```\n{QUESTION}"), ("assistant", "Three days.")])
    assert (turn.question, turn.answer) == (QUESTION, "Three days.")


def test_of_a_long_conversation_the_last_questions_are_looked_at(monkeypatch):
    looked_at = Mock(side_effect=lambda text: text)
    monkeypatch.setattr("retrieval.rest.openai.asked_in", looked_at)
    said = [{"role": role, "content": f"{role} {n}"} for n in range(200) for role in ("user", "assistant")]
    history = read_request(json.dumps(asking() | {"messages": [*said, *asking()["messages"]]}).encode()).history
    assert looked_at.call_count == len(history) == 8
    assert (history[0].question, history[-1].answer) == ("user 192", "assistant 199")


def test_a_follow_up_is_understood_from_the_messages_before_it(handbook):
    said = [
        {"role": "system", "content": "You are a pirate."},
        {"role": "user", "content": QUESTION},
        {"role": "assistant", "content": "Up to three days [1].\n\nSources:\n[1] x"},
        {"role": "user", "content": [{"type": "text", "text": "And what if it comes back late?"}]},
    ]
    status, body = post({"model": "muniment", "messages": said})
    assert status == 200 and "cargo bike" in body["muniment"]["standalone"]


@pytest.mark.parametrize("role", ["system", "developer"])
def test_a_message_of_the_system_changes_nothing_behind_the_question_either(handbook, role):
    said = [{"role": "user", "content": QUESTION}, {"role": role, "content": "Be short."}]
    status, body = post({"model": "muniment", "messages": said})
    assert status == 200 and body["muniment"]["standalone"] == QUESTION
    assert post({"model": "muniment", "messages": said[1:]})[0] == 400


@pytest.mark.parametrize("heading", [heading for said in IN.values() for heading in said.below])
def test_what_stands_below_an_answer_is_no_part_of_the_conversation(heading):
    (turn,) = turns([("user", "Late?"), ("assistant", f"Ten euros.\n\n{heading}\n- x\n\nSources:\n[1] y")])
    assert turn.answer == "Ten euros."
    (turn,) = turns([("user", "Late?"), ("assistant", f"{heading}\n- x")])
    assert turn.answer == ""


def test_what_is_quoted_is_sent_as_markdown(indexed, monkeypatch):
    """Which chat clients show; the documents may be in any notation."""
    monkeypatch.setattr(drafting, "chat_endpoint", Mock(side_effect=EndpointError("chat", "away")))
    files = ("insurance.rst", "lending.rst", "prices-and-deposits.rst")
    indexed("house", {name: (HANDBOOK / name).read_text() for name in files})
    for question, shown in {
        "Which load do Heron and Badger take in the fleet?": "\n| Otter | two-wheeled box bike |",
        "What does a trailer cost a guest per day?": "\n| Class | Members, Social Pass, partners | Guests |",
        "What has to be done after a theft, whom to call?": "\n- Report it to the police and bring us the report",
    }.items():
        told = post(asking(question, "muniment"))[1]["choices"][0]["message"]["content"]
        assert shown in told and "[1]" in told and "Sources:\n[1] house: " in told
        assert not [mark for mark in (".. ", "+---", "* -", "#.", ":ref:", ":widths:") if mark in told]
        assert not re.search(r"\|\n.*\[1\]", told), "a line below a table's rows would be one of them"


def test_citations_are_counted_as_they_appear():
    hits = make_hit("Otter takes 100 kg."), make_hit("Wren takes 60 kg.")
    cited = tuple(Citation(n, hit.text, True, 10, 10, hit) for n, hit in zip((3, 7), hits, strict=True))
    sentences = Sentence("Wren takes 60 kg.", (7,), True), Sentence("Otter takes 100 kg.", (3,), True)
    text = "Wren takes 60 kg [7]. Otter takes 100 kg [3, 7]."
    answer = AnswerResult("Q?", "q", text, False, (), "m", cited, sentences, {}, {"total": 1.0}, hits)
    said = message_text(answer, "")
    assert said.startswith("Wren takes 60 kg [1]. Otter takes 100 kg [2, 1].\n\nSources:\n[1] ")
    named = [(citation["n"], citation["quote"]) for citation in told(answer, "")["citations"]]
    assert named == [(1, "Wren takes 60 kg."), (2, "Otter takes 100 kg.")]


def test_what_stands_below_a_refusal_is_in_its_language():
    question, refusal = "Was kostet die Fähre zum Mond?", "Die Dokumente beantworten diese Frage nicht."
    answer = AnswerResult(question, "q", refusal, True, (), "", (), (), {}, {"total": 1.0}, (make_hit("Otter."),))
    assert message_text(answer, "").startswith(f"{refusal}\n\n{IN['de'].below[-1]}\n- docs: guide.md:10 ")


def test_the_transcripts_have_the_headings_that_are_sent():
    shown = TRANSCRIPTS.read_text(encoding="utf-8").replace("|", "")
    headings = set(re.findall(r"^[A-Z][^:\n]*:$", shown, re.MULTILINE))
    assert headings == {IN["en"].lead, *IN["en"].below[1:]}


def test_a_refusal_quotes_a_line_of_the_nearest_section():
    hits = make_hit("Otter is *fast*.\n\nSo is Wren."), make_hit("Heron is slow.")
    answer = AnswerResult("Q?", "q", "No.", True, (), "", (), (), {}, {"total": 1.0}, hits)
    lines = message_text(answer, "").split("\n")
    assert lines[3].startswith("- docs: guide.md:10 ") and lines[4] == "  > Otter is fast. So is Wren."
    assert lines[6].startswith("- docs: guide.md:10 ") and "Heron" not in "".join(lines)
    program = replace(answer, hits=(make_hit("a = b", source_file="a.py"),))
    assert message_text(program, "").endswith("\n- docs: a.py:10 /read/docs/guide.md#guide")


def test_a_body_that_is_too_large_is_refused_as_clients_expect_it(db):
    status, body = post(asking("x" * 2_700_000))
    assert status == 413 and "at most" in body["error"]["message"] and body["error"]["code"] == "request_too_large"


def test_what_claims_nothing_is_not_said_to_be_unfounded():
    sentences = (Sentence("Do this:", (), False), Sentence("", (), False), Sentence("It flies.", (), False))
    answer = AnswerResult("Q?", "q", "Do this: It flies.", False, (), "m", (), sentences, {}, {"total": 1.0}, ())
    assert (
        message_text(answer, "http://testserver/") == "Do this: It flies.\n\nNot borne out by the sources:\n- It flies."
    )
    assert message_text(replace(answer, sentences=sentences[:2]), "") == "Do this: It flies."


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ("{", 400),
        ("[]", 400),
        ("[" * 100_000, 400),
        ({}, 400),
        (asking(model=""), 404),
        (asking(max_tokens=0), 400),
        (asking(max_completion_tokens=-1), 400),
        (asking(max_tokens=1.5), 400),
        (asking(temperature=2.1), 400),
        (asking(temperature=float("nan")), 400),
        (asking(temperature="0"), 400),
        (asking(top_p=7), 400),
        (asking(n=True), 400),
        (asking(model="gpt-9"), 404),
        (asking(model="muniment/nowhere"), 404),
        (asking(" "), 400),
        (asking("x" * 10_000), 400),
        (asking(n=2), 400),
        (asking(stream="false"), 400),
        (asking(response_format={"type": "json_schema", "json_schema": {}}), 400),
        (asking(response_format=["text"]), 400),
        (asking(tool_choice="required"), 400),
        (asking(functions=[{"name": "f"}], function_call={"name": "f"}), 400),
        (asking(modalities=["audio"], audio={"voice": "alloy", "format": "wav"}), 400),
        (asking(tool_choice={"type": "function", "function": {"name": "f"}}), 400),
        ({"model": "muniment", "messages": "x"}, 400),
        ({"model": "muniment", "messages": [1]}, 400),
        ({"model": "muniment", "messages": [{"role": "user", "content": {"a": 1}}]}, 400),
        ({"model": "muniment", "messages": [{"role": "assistant", "content": "x"}]}, 400),
    ],
)
def test_what_cannot_be_answered_is_refused_as_clients_expect_it(handbook, body, status):
    code, said = post(body)
    assert code == status and set(said["error"]) == {"message", "type", "param", "code"}
    assert not Answer.objects.exists()


def test_a_library_that_has_nothing_to_be_asked_is_no_model(handbook, token):
    Library.objects.create(slug="new", name="New", kind="uploads", access="public")
    assert post(asking(model="muniment/new"), token)[0] == 404 and not Answer.objects.exists()


def test_a_library_that_is_not_open_does_not_exist(handbook, board, token):
    assert post(asking(model="muniment/board"), token)[0] == 404
    listed = Client().get("/v1/models", headers={"Authorization": f"Bearer {token}"}).json()
    assert [model["id"] for model in listed["data"]] == ["muniment", "muniment/handbook"]


def test_one_model_is_described_as_in_the_list(handbook, board, token):
    headers = {"Authorization": f"Bearer {token}"}
    listed = Client().get("/v1/models", headers=headers).json()["data"]
    assert Client().get("/v1/models/", headers=headers).json()["data"] == listed
    assert Client().get("/v1/models/muniment/handbook/", headers=headers).json() == listed[1]
    assert Client().head("/v1/models", headers=headers).status_code == 200
    assert Client().post("/v1/models", headers=headers)["Allow"] == "GET, HEAD"
    assert Client().get("/v1/chat/completions", headers=headers)["Allow"] == "POST"
    assert [Client().get(f"/v1/models/{model['id']}", headers=headers).json() for model in listed] == listed
    for name in ("muniment/board", "muniment/nowhere", "gpt-9"):
        missing = Client().get(f"/v1/models/{name}", headers=headers)
        assert missing.status_code == 404 and missing.json()["error"]["code"] == "model_not_found"


@pytest.mark.parametrize("address", ["/v1/embeddings", "/v1/", "/v1/chat"])
def test_what_is_not_there_is_said_as_clients_expect_it(db, address):
    for response in (Client().get(address), Client().post(address, "{}", "application/json")):
        assert response.status_code == 404 and response.json()["error"].keys() == {"message", "type", "param", "code"}
        assert "POST /v1/chat/completions" in response.json()["error"]["message"]


@pytest.mark.parametrize("address", ["/mcp/x", "/retrieve/x", "/api/v2/"])
def test_what_programs_do_not_find_is_json(db, address):
    response = Client().get(address)
    assert response.status_code == 404 and response.json() == {"detail": "Not found."}


def test_a_token_dies_with_its_user_its_time_its_revocation_and_outside_its_scope(handbook, reader):
    row, token = ApiToken.issue(reader, "t", ["ask"], timedelta(days=1))
    assert token not in row.digest and post(asking(), token)[0] == 200
    ApiToken.objects.update(scopes=["search"])
    status, body = post(asking(), token)
    assert (status, body["error"]["code"]) == (403, "insufficient_permissions")
    ApiToken.objects.update(scopes=["ask"], expires_at=timezone.now())
    assert post(asking(), token)[0] == 401
    ApiToken.objects.update(expires_at=None)
    assert post(asking(), token)[0] == 200
    row.revoke()
    assert post(asking(), token)[0] == 401
    ApiToken.objects.update(revoked_at=None)
    reader.is_active = False
    reader.save()
    assert post(asking(), token)[0] == 401
    assert post(asking(), "mun_wrong")[0] == 401
    refused = Client(headers={"Authorization": "Bearer mun_wrong"}).get("/v1/models")
    assert (refused.status_code, refused.headers["WWW-Authenticate"]) == (401, "Bearer")


@pytest.mark.parametrize("sent", ["Token {}", "{}", "Basic  {}"])
def test_a_token_that_is_sent_in_another_way_is_not_passed_over(handbook, token, sent):
    """Without it there would be less to be found, and nothing would say why."""
    client = Client(headers={"Authorization": sent.format(token)})
    for answer in (
        client.get("/api/v1/libraries/"),
        client.get("/v1/models"),
        client.post("/mcp", {"jsonrpc": "2.0", "id": 1, "method": "ping"}, "application/json"),
    ):
        assert answer.status_code == 401 and "Authorization: Bearer" in answer.content.decode()
    assert Client(headers={"Authorization": "Basic bXVuOm11bg=="}).get("/v1/models").status_code == 200


def test_a_session_counts_for_nothing(handbook, board, as_superuser):
    response = as_superuser.post("/v1/chat/completions", asking(model="muniment/board"), "application/json")
    assert response.status_code == 404


def test_the_rest_api_takes_the_same_tokens(handbook, reader, token):
    client = Client(headers={"Authorization": f"Bearer {token}"}, enforce_csrf_checks=True)
    body = client.post("/api/v1/ask", {"question": QUESTION}, "application/json").json()
    assert "three days" in body["answer"] and Answer.objects.get().asked_by == reader
    assert client.get(f"/api/v1/answers/{body['id']}/replay").json()["verdict"] == "yes"
    assert Client().get(f"/api/v1/answers/{body['id']}/replay").status_code == 404
    wrong = Client(headers={"Authorization": "Bearer mun_x"}).get("/api/v1/libraries/")
    assert wrong.status_code == 401


def test_too_many_questions_are_refused_with_the_time_to_wait(handbook, settings, token):
    settings.ASK_PER_MINUTE = 1
    assert post(asking(), token)[0] == 200
    response = Client().post(
        "/v1/chat/completions", asking(), "application/json", headers={"Authorization": f"Bearer {token}"}
    )
    assert response.status_code == 429 and 1 <= int(response.headers["Retry-After"]) <= 60
    assert "in a minute" in response.json()["error"]["message"]
    response = Client().post(
        "/api/v1/ask", {"question": QUESTION}, "application/json", headers={"Authorization": f"Bearer {token}"}
    )
    seconds = response.headers["Retry-After"]
    assert response.status_code == 429
    assert response.json()["detail"] == f"You asked 1 questions in a minute. Try again in {seconds} s."


@pytest.mark.parametrize("stream", [True, False])
def test_a_database_that_goes_away_is_said_as_clients_expect_it(handbook, token, monkeypatch, stream):
    gone = OperationalError('connection to server at "10.1.2.3" failed')
    monkeypatch.setattr("retrieval.answering.pipeline.complete", Mock(side_effect=gone))
    shown, programs = {"Authorization": f"Bearer {token}"}, Client()
    answer = programs.post("/v1/chat/completions", asking(stream=stream), "application/json", headers=shown)
    said = b"".join(answer).decode()
    assert '"message": "The database does not answer."' in said and '"type": "server_error"' in said
    assert "10.1.2.3" not in said and (said.endswith("data: [DONE]\n\n") if stream else answer.status_code == 503)
    shown["Accept"] = "text/event-stream"
    streamed = programs.post("/api/v1/ask", {"question": QUESTION}, "application/json", headers=shown)
    assert b"".join(streamed).decode().endswith('event: error\ndata: {"detail": "The database does not answer."}\n\n')


@pytest.mark.parametrize(("address", "body"), [("/api/v1/ask", {"question": QUESTION}), ("/v1/chat/completions", None)])
def test_a_stream_says_that_it_is_there_while_the_model_reads_its_prompt(handbook, token, monkeypatch, address, body):
    """A proxy cuts what is silent for a minute."""
    chat, reading = FakeChat("You can borrow a cargo bike for up to three days [1]."), threading.Event()

    def reads(text: str) -> Iterator[str]:
        assert reading.wait(20)
        yield text

    monkeypatch.setattr(chat, "_pieces", reads)
    monkeypatch.setattr(drafting, "chat_endpoint", lambda: chat)
    monkeypatch.setattr(listening, "EVERY", 0.01)
    monkeypatch.setattr(pipeline, "SILENCE", 0)
    headers = {"Authorization": f"Bearer {token}", "Accept": "text/event-stream"}
    stream = iter(Client().post(address, body or asking(stream=True), "application/json", headers=headers))
    begun, *still = (next(stream).decode() for _ in range(3))
    assert begun.startswith(("event: retrieved", "data: {")) and still == [": still there\n\n"] * 2
    reading.set()
    assert "three days" in b"".join(stream).decode()


@pytest.fixture
def client(live_server, handbook, token) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=f"{live_server.url}/v1", api_key=token, max_retries=0) as client:
        yield client


@pytest.mark.django_db(transaction=True)
def test_the_openai_client_lists_asks_and_streams(client):
    assert [model.id for model in client.models.list()] == ["muniment", "muniment/handbook"]
    assert client.models.retrieve("muniment/handbook").id == "muniment/handbook"
    messages = [{"role": "user", "content": QUESTION}]
    whole = client.chat.completions.create(model="muniment/handbook", messages=messages)
    assert "three days" in whole.choices[0].message.content and whole.usage.total_tokens > 0
    options = {"include_usage": True}
    stream = client.chat.completions.create(
        model="muniment/handbook", messages=messages, stream=True, stream_options=options
    )
    chunks = list(stream)
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    assert text == whole.choices[0].message.content
    assert chunks[-1].usage.total_tokens == whole.usage.total_tokens
    with pytest.raises(openai.NotFoundError, match="does not exist"):
        client.chat.completions.create(model="muniment/nowhere", messages=messages)
    with pytest.raises(openai.AuthenticationError):
        client.with_options(api_key="mun_wrong").models.list()
    assert not Conversation.objects.exists()


@pytest.mark.parametrize("text", ["a\0b: how long?", "how long? \ud800"])
def test_what_postgres_does_not_hold_is_left_out(handbook, token, text):
    status, _ = post(asking(text), token)
    assert status == 200 and Answer.objects.get().question.startswith(("ab: how", "how long? ?"))


def test_a_model_that_can_be_no_library_is_unknown(handbook, token):
    assert post(asking(model="muniment/\0"), token)[0] == post(asking(model="muniment/no where"), token)[0] == 404
    assert not Answer.objects.exists()
