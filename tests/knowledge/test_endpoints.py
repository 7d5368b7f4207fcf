"""The endpoints against a real HTTP server in this process that misbehaves as servers do."""

import json
import math
import time
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import openai
import pytest

from knowledge.endpoints import (
    EndpointError,
    Hold,
    by_grammar,
    chat,
    chat_endpoint,
    connection,
    embedding,
    embedding_endpoint,
    tokens,
)
from knowledge.endpoints import rerank_endpoint as open_reranker
from tests.stub_server import Reply, Stub, vector, vectors


def damaged(change: Callable[[list[dict[str, Any]]], Any]) -> Callable[[Any], Reply]:
    def reply(body: Any) -> Reply:
        answer = vectors(body["input"])
        change(answer["data"])
        return 200, answer

    return reply


@pytest.fixture
def stub(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stub]:
    stub = Stub()
    endpoint = {"url": stub.url, "model": "m"}
    settings.ENDPOINTS = {"embedding": endpoint, "chat": endpoint, "rerank": endpoint}
    settings.AI_TEST_MODE = False
    settings.OPENAI_API_KEY = "secret"
    monkeypatch.setattr(connection, "PAUSES", (0.0, 0.0))
    monkeypatch.setattr(tokens, "_without_tokenizer", set())
    monkeypatch.setattr(chat, "_holds", {})
    yield stub
    stub.close()


def test_vectors_are_unit_length_and_in_order_however_the_server_orders_them(stub: Stub) -> None:
    stub.answer["/v1/embeddings"] = damaged(list.reverse)
    texts = ["e" * n for n in range(1, 41)]
    found = embedding_endpoint().embed_documents(texts)
    assert found.dtype == np.float32
    assert np.allclose(np.linalg.norm(found, axis=1), 1, atol=1e-6)
    for row, text in zip(found, texts, strict=True):
        assert np.allclose(row, np.array(vector(text)) / np.linalg.norm(vector(text)), atol=1e-6)
    assert stub.sizes() == [16, 16, 8]


def test_prefixes_differ_for_queries_and_documents_and_canaries_have_none(stub: Stub, settings: Any) -> None:
    settings.EMBEDDING_QUERY_PREFIX, settings.EMBEDDING_DOCUMENT_PREFIX = "query: ", "document: "
    endpoint = embedding_endpoint()
    endpoint.embed_query("a")
    endpoint.embed_documents(["b"])
    stub.answer["/v1/embeddings"] = lambda body: (200, {"data": meaningful(len(body["input"]))})
    endpoint.canaries()
    assert [body["input"] for _, body in stub.calls] == [["query: a"], ["document: b"], list(embedding.CANARIES)]


def test_the_longer_prefix_of_a_query_leaves_it_less_room(stub: Stub, settings: Any) -> None:
    settings.EMBEDDING_QUERY_PREFIX, settings.EMBEDDING_DOCUMENT_PREFIX = "find what tells of this: ", "title: "
    endpoint = embedding_endpoint()
    document, query = endpoint.count_tokens([settings.EMBEDDING_DOCUMENT_PREFIX, settings.EMBEDDING_QUERY_PREFIX])
    assert query > document
    assert endpoint.max_query_tokens + query == endpoint.max_tokens + document


def meaningful(count: int) -> list[dict[str, Any]]:
    rows = [[1, 0, 0], [1, 0.1, 0], [0, 1, 0], [0, 0, 1]][:count]
    return [{"index": i, "embedding": row} for i, row in enumerate(rows)]


def test_a_server_whose_vectors_follow_no_meaning_is_refused(stub: Stub) -> None:
    stub.answer["/v1/embeddings"] = damaged(lambda data: data[1].update(embedding=[0.0, 0.0, 1.0]))
    with pytest.raises(EndpointError, match="is it an embedding model"):
        embedding_endpoint().canaries()


@pytest.mark.parametrize("text", ["", " \n"])
def test_an_empty_text_is_refused_before_anything_is_sent(stub: Stub, text: str) -> None:
    with pytest.raises(EndpointError) as caught:
        embedding_endpoint().embed_documents([*["full"] * 20, text])
    assert caught.value.index == 20
    assert stub.calls == []


def test_an_item_that_fails_its_batch_is_found_and_named(stub: Stub) -> None:
    def too_large(body: Any) -> Reply:
        if any("long" in text for text in body["input"]):
            return 500, {"error": {"message": "input (902 tokens) is too large to process"}}
        return 200, vectors(body["input"])

    stub.answer["/v1/embeddings"] = too_large
    with pytest.raises(EndpointError, match="too large to process") as caught:
        embedding_endpoint().embed_documents([*["short"] * 25, "long", *["short"] * 5])
    assert caught.value.index == 25
    assert len(stub.calls) <= 10


def test_a_batch_that_is_too_large_together_succeeds_in_parts(stub: Stub) -> None:
    stub.answer["/v1/embeddings"] = lambda body: (
        (413, {"error": {"message": "batch too large"}}) if len(body["input"]) > 4 else (200, vectors(body["input"]))
    )
    assert embedding_endpoint().embed_documents(["text"] * 16).shape == (16, 3)


@pytest.mark.parametrize(
    "reply",
    [
        damaged(lambda data: data[0].update(embedding=[math.nan, 1.0, 1.0])),
        damaged(lambda data: data[0].update(embedding=[math.inf, 1.0, 1.0])),
        damaged(lambda data: data[0].update(embedding=[0.0, 0.0, 0.0])),
        damaged(lambda data: data[0].update(embedding=[])),
        damaged(lambda data: data[0].update(embedding=None)),
        damaged(lambda data: data[0].update(index=3)),
        damaged(lambda data: data.append(dict(data[0]))),
        damaged(list.clear),
        lambda _: (200, {"data": "nonsense"}),
        lambda _: (200, b'{"data": [{"index": 0, "embed'),
        lambda _: (200, b"<html>proxy error</html>"),
        lambda _: (500, {"error": {"message": "boom"}}),
        lambda _: (501, {"error": {"message": "this server does not embed"}}),
        lambda _: (401, {"error": {"message": "Invalid API Key"}}),
    ],
    ids=[
        "nan",
        "infinite",
        "zero",
        "empty",
        "none",
        "index",
        "twice",
        "missing",
        "shape",
        "cut",
        "html",
        "500",
        "501",
        "401",
    ],
)
def test_a_bad_reply_never_becomes_a_vector(stub: Stub, reply: Callable[[Any], Reply]) -> None:
    stub.answer["/v1/embeddings"] = reply
    with pytest.raises(EndpointError) as caught:
        embedding_endpoint().embed_documents(["one", "two"])
    assert caught.value.role == "embedding"
    assert "secret" not in str(caught.value)


def test_vectors_of_unequal_length_are_refused(stub: Stub) -> None:
    def longer(body: Any) -> Reply:
        reply = vectors(body["input"])
        for text, item in zip(body["input"], reply["data"], strict=True):
            item["embedding"] += [1.0] if text == "four" else []
        return 200, reply

    stub.answer["/v1/embeddings"] = longer
    with pytest.raises(EndpointError) as caught:
        embedding_endpoint().embed_documents(["one", "two", "three", "four"])
    assert caught.value.index == 3


def test_a_model_swapped_for_one_of_another_dimension_is_noticed(stub: Stub) -> None:
    endpoint = embedding_endpoint()
    endpoint.embed_query("before")
    stub.answer["/v1/embeddings"] = damaged(lambda data: data[0].update(embedding=[1.0] * 5))
    with pytest.raises(EndpointError, match="5 dimensions after 3"):
        endpoint.embed_query("after")


def test_a_loading_server_is_waited_for(stub: Stub) -> None:
    replies = [(503, {"error": {"message": "Loading model"}})] * 2
    stub.answer["/v1/embeddings"] = lambda body: replies.pop() if replies else (200, vectors(body["input"]))
    assert embedding_endpoint().embed_query("patience").shape == (3,)


def test_a_server_that_stays_busy_is_given_up(stub: Stub) -> None:
    stub.answer["/v1/embeddings"] = lambda _: (503, {"error": {"message": "Loading model"}})
    with pytest.raises(EndpointError, match="503: Loading model"):
        embedding_endpoint().embed_query("patience")
    assert len(stub.calls) == 3


def test_a_slow_server_is_given_up(stub: Stub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding, "SHORT", openai.Timeout(0.1))
    stub.answer["/v1/embeddings"] = lambda body: time.sleep(0.4) or (200, vectors(body["input"]))
    with pytest.raises(EndpointError, match="did not answer in time"):
        embedding_endpoint().embed_query("slow")
    assert len(stub.calls) == 1


def test_a_server_that_is_slow_with_a_part_is_given_up(stub: Stub) -> None:
    stub.answer["/v1/embeddings"] = lambda body: (
        (413, {"error": {"message": "batch too large"}})
        if len(body["input"]) > 2
        else time.sleep(0.4) or (200, vectors(body["input"]))
    )
    endpoint = embedding_endpoint()
    endpoint.patience = openai.Timeout(0.1)
    with pytest.raises(EndpointError, match="did not answer in time"):
        endpoint.canaries()


def test_a_dead_address_is_an_endpoint_error_that_names_it(settings: Any) -> None:
    settings.ENDPOINTS = {"embedding": {"url": "http://127.0.0.1:9/v1", "model": "m"}}
    settings.AI_TEST_MODE = False
    with pytest.raises(EndpointError, match=r"127\.0\.0\.1:9/v1 cannot be reached"):
        embedding_endpoint().embed_query("anyone?")


def test_a_password_in_an_address_is_not_told(stub: Stub, settings: Any, caplog: pytest.LogCaptureFixture) -> None:
    """A job's message holds what went wrong, and its library's librarians read it."""
    del stub.answer["/tokenize"]
    settings.ENDPOINTS = {"embedding": {"url": stub.url.replace("//", "//anna:hidden@"), "model": "m"}}
    embedding_endpoint().count_tokens(["a b"])
    stub.answer["/v1/embeddings"] = lambda _: (403, {"error": {"message": "not you"}})
    with pytest.raises(EndpointError, match=r"at http://127\.0\.0\.1:\d+/v1 answered 403") as refused:
        embedding_endpoint().embed_query("anyone?")
    assert "hidden" not in f"{refused.value}{caplog.text}" and "127.0.0.1" in caplog.text


def test_one_call_counts_the_tokens_of_many_texts(stub: Stub) -> None:
    texts = ["one two three", "", "four", "five six"] * 50
    assert embedding_endpoint().count_tokens(texts) == [3, 0, 1, 2] * 50
    assert len(stub.calls) == 1


def test_large_texts_are_counted_in_several_calls(stub: Stub) -> None:
    assert embedding_endpoint().count_tokens(["word " * 30_000] * 3) == [30_000] * 3
    assert len(stub.calls) == 3


def test_without_a_tokenizer_counts_are_estimates_on_the_safe_side(
    stub: Stub, caplog: pytest.LogCaptureFixture
) -> None:
    del stub.answer["/tokenize"]
    endpoint = embedding_endpoint()
    assert endpoint.count_tokens(["a b c d e f g h i j", "Überraschung"]) == [13, 5]
    endpoint.count_tokens(["again"])
    assert len(caplog.records) == len(stub.calls) == 1


def test_the_longest_document_leaves_room_for_prefix_and_special_tokens(stub: Stub, settings: Any) -> None:
    settings.EMBEDDING_DOCUMENT_PREFIX = "search document: "
    assert embedding_endpoint().max_tokens == 512 - 2 - 2


def test_a_context_wider_than_the_physical_batch_is_found_out_by_trying(stub: Stub) -> None:
    stub.answer["/props"] = lambda _: (200, {"default_generation_settings": {"n_ctx": 8192}})
    stub.answer["/v1/embeddings"] = lambda body: (
        (500, {"error": {"message": "increase the physical batch size"}})
        if len(body["input"][0].split()) > 1100
        else (200, vectors(body["input"]))
    )
    assert embedding_endpoint().max_tokens == 1024 - 2


def test_a_model_without_a_configured_name_is_called_as_the_server_lists_it(stub: Stub, settings: Any) -> None:
    settings.ENDPOINTS = {"embedding": {"url": stub.url, "model": ""}}
    assert embedding_endpoint().model == "listed"


def test_an_address_without_a_path_means_v1(stub: Stub, settings: Any) -> None:
    settings.ENDPOINTS = {"embedding": {"url": stub.url.removesuffix("/v1") + "/", "model": "m"}}
    assert embedding_endpoint().embed_query("x").shape == (3,)


def test_a_killed_embedded_server_is_started_again_once(stub: Stub, settings: Any) -> None:
    started: list[str] = []

    def ensure(role: str) -> SimpleNamespace:
        started.append(role)
        url = stub.url if len(started) > 1 else "http://127.0.0.1:9/v1"
        return SimpleNamespace(url=url, api_key="new", model="m")

    settings.ENDPOINTS = {}
    settings.EMBEDDED_ENDPOINTS = f"{__name__}.ensure_embedded"
    globals()["ensure_embedded"] = ensure
    assert embedding_endpoint().embed_query("still there?").shape == (3,)
    assert started == ["embedding", "embedding"]
    assert stub.keys == ["Bearer new"]


def test_a_role_without_url_and_without_embedded_server_is_off(settings: Any) -> None:
    settings.ENDPOINTS = {}
    settings.AI_TEST_MODE = False
    settings.EMBEDDED_ENDPOINTS = f"{__name__}.ensure_embedded"
    globals()["ensure_embedded"] = lambda role: None
    assert open_reranker() is None
    with pytest.raises(EndpointError, match="set CHAT_URL"):
        chat_endpoint()


def test_an_embedded_server_that_does_not_start_is_an_endpoint_error(settings: Any) -> None:
    def ensure(role: str) -> None:
        raise ConnectionError("libgomp.so.1 is missing")

    settings.ENDPOINTS = {}
    settings.AI_TEST_MODE = False
    settings.EMBEDDED_ENDPOINTS = f"{__name__}.ensure_embedded"
    globals()["ensure_embedded"] = ensure
    with pytest.raises(EndpointError, match="could not be started: libgomp"):
        embedding_endpoint()


def scores(*values: float) -> Callable[[Any], Reply]:
    results = [{"index": index, "relevance_score": value} for index, value in enumerate(values)]
    return lambda _: (200, {"results": sorted(results, key=lambda item: -item["relevance_score"])})


def test_rerank_scores_come_back_in_the_documents_order(stub: Stub) -> None:
    stub.answer["/v1/rerank"] = scores(-1.5, 8.0, 2.0)
    reranker = open_reranker()
    assert reranker is not None
    assert reranker.rerank("q", ["a", "b", "c"]) == [-1.5, 8.0, 2.0]
    assert reranker.rerank("q", []) == []


@pytest.mark.parametrize("values", [(1.0,), (1.0, math.nan), (1.0, 2.0, 3.0)])
def test_rerank_scores_that_do_not_fit_the_documents_are_refused(stub: Stub, values: tuple[float, ...]) -> None:
    stub.answer["/v1/rerank"] = scores(*values)
    reranker = open_reranker()
    assert reranker is not None
    with pytest.raises(EndpointError):
        reranker.rerank("q", ["a", "b"])


def test_a_reranker_in_the_wrong_order_fails_its_probe(stub: Stub) -> None:
    reranker = open_reranker()
    assert reranker is not None
    stub.answer["/v1/rerank"] = scores(-4.0, 6.0)
    reranker.probe()
    stub.answer["/v1/rerank"] = scores(6.0, -4.0)
    with pytest.raises(EndpointError, match="is it a reranking model"):
        reranker.probe()


def test_a_document_too_long_to_rerank_is_judged_by_its_beginning(stub: Stub) -> None:
    stub.answer["/v1/rerank"] = scores(1.0)
    reranker = open_reranker()
    assert reranker is not None
    reranker.rerank("two words", ["word " * 1000])
    sent = stub.calls[-1][1]["documents"][0]
    assert 400 < len(sent.split()) <= 512 - 16 - 2
    reranker.rerank("two words", ["word " * 1000], 100)
    assert 80 < len(stub.calls[-1][1]["documents"][0].split()) <= 98


def events(*chunks: dict[str, Any], end: bytes = b"data: [DONE]\n\n") -> bytes:
    return b"".join(b"data: " + json.dumps(chunk).encode() + b"\n\n" for chunk in chunks) + end


def delta(content: str | None, finish: str | None = None) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": {"content": content}, "finish_reason": finish}]}


ANSWER = (
    delta(None),
    delta("Grüß "),
    delta("Gott 🌍"),
    delta(None, "stop"),
    {"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 13}},
)
HELLO = [{"role": "user", "content": "Hello"}]


def test_a_stream_gives_its_pieces_and_afterwards_its_usage(stub: Stub) -> None:
    stub.answer["/v1/chat/completions"] = lambda _: (200, events(*ANSWER))
    stream = chat_endpoint().stream(HELLO, 20)
    assert list(stream) == ["Grüß ", "Gott 🌍"]
    assert stream.usage == {"prompt_tokens": 9, "completion_tokens": 4}
    assert stream.finish_reason == "stop"
    assert stub.calls[-1][1]["temperature"] == 0


def test_a_whole_answer_is_its_stream_put_together(stub: Stub) -> None:
    stub.answer["/v1/chat/completions"] = lambda _: (200, events(*ANSWER))
    assert chat_endpoint().complete(HELLO, 20).text == "Grüß Gott 🌍"


@pytest.mark.parametrize(
    ("pieces", "said"),
    [
        (["<think>Hm, [1] says", " three.</think>", "Three days."], "Three days."),
        (["\n<th", "ink>\nHm.\n</thi", "nk>\n", "\nThree", " days."], "Three days."),
        (["<think>", "</think>", "<think>Hm.</think> Three days."], "Three days."),
        (["<think>Hm, and then"], ""),
        (["<think></think>" * 1500, "\nThree days."], "Three days."),
        (["Hm, three.\n", "</think>", "\n\nThree days."], "Three days."),
        (["Hm, three.", "</think>", "\n\nThree days."], "Three days."),
        (["Hm, `three`. </think>Three days."], "Three days."),
        (["Is a ` missing?\n</think>\nThree days."], "Three days."),
        (["`</think>` or ```\nHm.</think>\n```"], "`</think>` or ```\nHm.</think>\n```"),
        (["<", "5 days"], "<5 days"),
        (["<th"], "<th"),
        (["Between <think> and </think>.", " So it says."], "Between <think> and </think>. So it says."),
        (["`</think>` ends it.\n", "So it says."], "`</think>` ends it.\nSo it says."),
    ],
)
def test_what_a_model_thinks_is_not_what_it_says(stub: Stub, pieces: list[str], said: str) -> None:
    stub.answer["/v1/chat/completions"] = lambda _: (200, events(*map(delta, pieces), delta(None, "stop")))
    assert chat_endpoint().complete(HELLO, 20).text == said


def test_what_a_model_may_think_is_beside_what_it_may_say(stub: Stub, settings: Any) -> None:
    stub.answer["/v1/chat/completions"] = lambda _: (200, events(*ANSWER))
    settings.CHAT_THINKING = 100
    chat = chat_endpoint()
    chat.complete(HELLO, 20)
    assert stub.calls[-1][1]["max_tokens"] == 120 and chat.context_tokens == 512 - 100


def test_while_a_model_thinks_empty_pieces_come(stub: Stub) -> None:
    pieces = map(delta, ("<think>", "Hm.", "</think>", "Three", " days."))
    stub.answer["/v1/chat/completions"] = lambda _: (200, events(*pieces, delta(None, "stop")))
    assert [*chat_endpoint().stream(HELLO, 20)] == ["", "", "", "Three", " days."]


def test_of_a_model_that_may_think_nothing_comes_before_its_thoughts_are_closed(stub: Stub, settings: Any) -> None:
    settings.CHAT_THINKING = 100
    pieces = map(delta, ("Hm, ", "three. </thi", "nk>", "\n\nThree", " days."))
    stub.answer["/v1/chat/completions"] = lambda _: (200, events(*pieces, delta(None, "stop")))
    assert [*chat_endpoint().stream(HELLO, 20)] == ["", "", "", "Three", " days."]
    stub.answer["/v1/chat/completions"] = lambda _: (200, events(*ANSWER))
    assert [*chat_endpoint().stream(HELLO, 20)] == ["", "", "Grüß Gott 🌍"]


def test_what_a_model_says_comes_at_once_where_its_thoughts_are_told_apart(stub: Stub, settings: Any) -> None:
    settings.CHAT_THINKING = 100
    thought = {"choices": [{"index": 0, "delta": {"content": None, "reasoning_content": "Hm."}, "finish_reason": None}]}
    stub.answer["/v1/chat/completions"] = lambda _: (200, events(thought, *ANSWER))
    assert [*chat_endpoint().stream(HELLO, 20)] == ["Grüß ", "Gott 🌍"]
    stub.answer["/v1/chat/completions"] = lambda _: (200, events(*ANSWER))
    assert [*chat_endpoint().stream(HELLO, 20, form=by_grammar('root ::= "Grüß Gott"'))] == ["Grüß ", "Gott 🌍"]


def whole(text: str) -> tuple[int, bytes]:
    return 200, events(delta(text), delta(None, "stop"))


QUITE = '{"said": "quite so"}'
HELD: list[tuple[Callable[[dict[str, Any]], tuple[int, Any]], str]] = [
    (lambda body: whole("quite so" if "grammar" in body else "Hello!"), "grammar"),
    (lambda body: whole(QUITE if "response_format" in body else "Hello!"), "schema"),  # ignores what it does not know
    (lambda body: whole(QUITE) if "response_format" in body else (400, {"error": {"message": "grammar?"}}), "schema"),
    (lambda body: (400, {"error": {"message": "unknown field"}}), ""),
    (lambda body: whole("Hello!"), ""),
    (lambda body: whole('{"said": "Hello!"}'), ""),
]


@pytest.mark.parametrize(("answer", "expected"), HELD)
def test_what_holds_a_model_to_a_form_is_found_out_once(stub: Stub, answer: Any, expected: str) -> None:
    stub.answer["/v1/chat/completions"] = answer
    assert chat_endpoint().holds_by == expected
    calls = len(stub.calls)
    assert chat_endpoint().holds_by == expected and len(stub.calls) == calls


def test_a_server_that_is_away_is_asked_again_what_it_holds_by(stub: Stub, settings: Any) -> None:
    here = settings.ENDPOINTS
    settings.ENDPOINTS = here | {"chat": {"url": "http://127.0.0.1:9/v1", "model": "m"}}
    assert chat_endpoint().holds_by == ""
    assert "http://127.0.0.1:9/v1" not in chat._holds


@pytest.mark.parametrize("status", [401, 429, 502])
def test_a_refusal_of_the_moment_decides_nothing_about_a_server(stub: Stub, status: int) -> None:
    stub.answer["/v1/chat/completions"] = lambda _: (status, {"error": {"message": "not now"}})
    assert chat_endpoint().holds_by == ""
    stub.answer["/v1/chat/completions"] = lambda body: whole("quite so" if "grammar" in body else "Hello!")
    assert chat_endpoint().holds_by == "grammar"


def test_a_stream_without_end_is_an_endpoint_error(stub: Stub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "LARGEST_REPLY", 100)
    stub.answer["/v1/chat/completions"] = lambda _: (200, events(*[delta("on and on")] * 50))
    with pytest.raises(EndpointError):
        chat_endpoint().complete(HELLO, 20)


def test_a_prompt_that_is_too_long_is_an_endpoint_error(stub: Stub) -> None:
    error = {"error": {"message": "the request exceeds the available context size", "n_ctx": 512}}
    stub.answer["/v1/chat/completions"] = lambda _: (400, error)
    with pytest.raises(EndpointError, match="exceeds the available context"):
        chat_endpoint().complete(HELLO, 20)


@pytest.mark.parametrize("end", [b'data: {"choices": [{"del', b'data: {"error": {"message": "slot lost"}}\n\n'])
def test_a_stream_that_breaks_off_is_an_endpoint_error(stub: Stub, end: bytes) -> None:
    stub.answer["/v1/chat/completions"] = lambda _: (200, events(*ANSWER[:2], end=end))
    stream = chat_endpoint().stream(HELLO, 20)
    assert next(iter(stream)) == "Grüß "
    with pytest.raises(EndpointError):
        list(stream)


@pytest.mark.parametrize(
    "piece",
    [
        "[1, 2]",
        '"x"',
        '{"choices": {"a": 1}}',
        '{"choices": [{"index": 0, "delta": null}]}',
        '{"choices": [{"index": 0, "delta": {"content": 5}}]}',
        '{"choices": [{"index": 0, "delta": {"content": [{"text": "a"}]}}]}',
    ],
)
def test_a_piece_of_another_shape_is_an_endpoint_error(stub: Stub, piece: str) -> None:
    stub.answer["/v1/chat/completions"] = lambda _: (200, f"data: {piece}\n\n".encode())

    with pytest.raises(EndpointError, match="no known shape"):
        list(chat_endpoint().stream(HELLO, 20))


@pytest.mark.parametrize("usage", ["many", {"prompt_tokens": "many", "completion_tokens": None}])
def test_a_usage_that_is_no_number_costs_no_answer(stub: Stub, usage: Any) -> None:
    stub.answer["/v1/chat/completions"] = lambda _: (200, events(*ANSWER[:-1], {"choices": [], "usage": usage}))
    stream = chat_endpoint().stream(HELLO, 20)

    assert "".join(stream) == "Grüß Gott 🌍"
    assert stream.usage == {}


def test_what_no_database_holds_is_taken_out_of_a_piece(stub: Stub) -> None:
    said = {"choices": [{"index": 0, "delta": {"content": "49\0 euros \ud83d"}, "finish_reason": "stop"}]}
    stub.answer["/v1/chat/completions"] = lambda _: (200, events(said))

    assert "".join(chat_endpoint().stream(HELLO, 20)) == "49 euros ?"


def test_nothing_is_asked_before_the_first_piece_is_wanted(stub: Stub) -> None:
    chat_endpoint().stream(HELLO, 20)
    assert stub.calls == []


def test_the_context_is_what_one_slot_has(stub: Stub) -> None:
    assert chat_endpoint().context_tokens == 512


def test_in_test_mode_no_model_is_called(settings: Any) -> None:
    settings.AI_TEST_MODE = True
    embedder = embedding_endpoint()
    alike, other = embedder.embed_documents(["Reset your password", "Cooking rice"])
    query = embedder.embed_query("password reset")
    assert query @ alike > 0.7 > query @ other
    assert np.array_equal(embedder.canaries(), embedder.canaries())
    assert np.isclose(np.linalg.norm(embedder.embed_query("!?")), 1)
    prompt = "[1] Cats\nCats are red.\n\n[2] Dogs\nDogs are blue. They bark.\n\nQuestion: what colour are dogs?"
    assert chat_endpoint().complete([{"role": "user", "content": prompt}], 9).text == "Dogs are blue. [2]"


@pytest.mark.models
def test_the_real_embedding_server_places_like_sentences_together() -> None:
    endpoint = embedding_endpoint()
    assert endpoint.canaries().shape == (4, endpoint.dimension)
    assert endpoint.max_tokens >= 250
    texts = ["word " * 100, "", "naïve café"]
    assert endpoint.count_tokens(texts)[1] == 0
    with pytest.raises(EndpointError) as caught:
        endpoint.embed_documents(["fits", "word " * 5000, "fits too"])
    assert caught.value.index == 1


@pytest.mark.models
@pytest.mark.usefixtures("small_chat")
def test_the_real_chat_server_streams_and_counts() -> None:
    stream = chat_endpoint().stream(HELLO, 12)
    assert "".join(stream)
    assert 0 < stream.usage["completion_tokens"] <= 12


@pytest.mark.models
@pytest.mark.usefixtures("small_chat")
@pytest.mark.parametrize("hold", [Hold.GRAMMAR, Hold.SCHEMA])
def test_the_real_chat_server_holds_its_model_to_a_form(hold: Hold) -> None:
    endpoint = chat_endpoint()
    assert isinstance(endpoint, chat.ChatEndpoint) and endpoint.keeps(hold)
