"""Reranking against a real HTTP server, with an embedding endpoint beside it."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection

from knowledge.endpoints import BagOfWordsEmbedding, rerank_endpoint, tokens
from knowledge.endpoints.rerank import PROBE
from retrieval import rerank
from retrieval.results import SearchOptions
from retrieval.search import STAGES, search
from tests.retrieval.answering_fakes import make_hit
from tests.stub_server import Reply, Stub

FILES = {
    "tides.md": "# Tides\n\nThe tide rises twice a day because of the moon.\n\n## Neap tide\n\nA neap tide is weak.\n",
    "bread.md": "# Bread\n\nLet the bread rise for a day.\n",
    "oven.md": "# Oven\n\nThe oven bakes also when there is no moon.\n",
}
QUERY = "tide day moon"


def words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))


def embeddings(body: dict[str, Any]) -> Reply:
    vectors = BagOfWordsEmbedding().embed_documents(body["input"]).tolist()
    data = [{"index": index, "embedding": vector, "object": "embedding"} for index, vector in enumerate(vectors)]
    return 200, {"object": "list", "data": data, "model": "m"}


def judged(body: dict[str, Any]) -> Reply:
    """Shared words; but this model likes ovens."""
    scores = [len(words(body["query"]) & words(text)) + 100 * ("oven" in text.casefold()) for text in body["documents"]]
    return 200, {"results": [{"index": index, "relevance_score": score} for index, score in enumerate(scores)]}


@pytest.fixture
def server(indexed, settings, monkeypatch) -> Iterator[Stub]:
    """A library, then model servers that are real to the search."""
    indexed("sea", FILES)
    stub = Stub()
    stub.answer |= {"/v1/embeddings": embeddings, "/v1/rerank": judged}
    settings.ENDPOINTS = {
        "embedding": {"url": stub.url, "model": BagOfWordsEmbedding.model},
        "rerank": {"url": stub.url, "model": "judge"},
    }
    settings.AI_TEST_MODE = False
    monkeypatch.setattr(tokens, "_without_tokenizer", set())
    yield stub
    stub.close()


def asked(stub: Stub) -> list[dict[str, Any]]:
    """What the reranker was asked, but for the probe."""
    return [body for path, body in stub.calls if path == "/v1/rerank" and body["query"] != PROBE[0]]


def places(result) -> list[tuple[str, int]]:
    return [(hit.source_file, hit.line_start) for hit in result.hits]


def test_the_reranker_orders_the_shortlist_and_its_scores_are_shown(server):
    fused = search(None, QUERY, SearchOptions(rerank=False))
    result = search(None, QUERY)

    assert result.degraded == () and result.took_ms["rerank"] > 0 and set(result.took_ms) == set(STAGES)
    assert (
        [hit.source_file for hit in result.hits[:2]]
        == ["oven.md", "tides.md"]
        != [hit.source_file for hit in fused.hits[:2]]
    )
    assert [hit.ranks["rerank"] for hit in result.hits] == [hit.rank for hit in result.hits] == [1, 2, 3, 4]
    assert result.hits[0].scores["rerank"] == 101 and fused.hits[0].scores["rerank"] is None
    assert fused.took_ms["rerank"] is None and sorted(places(result)) == sorted(places(fused))


def test_it_reads_where_a_chunk_stands_and_the_chunk(server):
    search(None, QUERY)
    assert "Tides › Neap tide\nA neap tide is weak." in asked(server)[0]["documents"]


def test_what_fusion_put_below_the_page_can_still_come_first(server):
    one = SearchOptions(top_k=1)
    assert places(search(None, QUERY, one)) == [("oven.md", 3)]
    assert places(search(None, QUERY, SearchOptions(top_k=1, rerank=False))) == [("tides.md", 3)]
    assert len(asked(server)[0]["documents"]) == 4


def test_hits_beyond_the_shortlist_stay_where_they_were(server, monkeypatch):
    monkeypatch.setattr(rerank, "SHORTLIST", 2)
    fused, result = search(None, QUERY, SearchOptions(rerank=False)), search(None, QUERY)
    assert places(result)[2:] == places(fused)[2:] and sorted(places(result)[:2]) == sorted(places(fused)[:2])
    assert [hit.ranks["rerank"] for hit in result.hits] == [1, 2, None, None]


def test_it_is_probed_once_and_not_at_every_search(server):
    for query in ("tide", "day", "moon"):
        search(None, query)
    probes = [body for path, body in server.calls if path == "/v1/rerank" and body["query"] == PROBE[0]]
    assert len(probes) == 1 and len(asked(server)) == 3


def test_a_model_that_fails_its_probe_is_done_without_and_left_alone(server):
    server.answer["/v1/rerank"] = lambda body: (
        200,
        {"results": [{"index": index, "relevance_score": -index} for index in range(len(body["documents"]))]},
    )
    results = [search(None, query) for query in (QUERY, "tide", "moon")]
    assert {result.degraded for result in results} == {("rerank",)} and asked(server) == []
    assert len([path for path, _ in server.calls if path == "/v1/rerank"]) == 1
    assert places(results[0]) == places(search(None, QUERY, SearchOptions(rerank=False)))


def test_a_reranker_that_breaks_moved_nothing(server):
    asked_for = SearchOptions(top_k=1, why_not="tides.md#neap-tide")
    (moved,) = search(None, QUERY, asked_for).why_not
    assert moved.status == "reranked"
    server.answer["/v1/rerank"] = lambda _: (500, {"error": {"message": "out of memory"}})
    result = search(None, QUERY, asked_for)
    (below,) = result.why_not
    assert result.degraded == ("rerank",) and (below.status, below.ranks["rerank"]) == ("below", None)
    assert below.reason.endswith("and the first 1 are taken.")


def test_a_reranker_that_breaks_leaves_the_fused_order(server):
    search(None, "tide")
    server.answer["/v1/rerank"] = lambda _: (500, {"error": {"message": "out of memory"}})
    result = search(None, QUERY)
    assert result.degraded == ("rerank",)
    assert places(result) == places(search(None, QUERY, SearchOptions(rerank=False)))
    before = len(asked(server))
    assert search(None, "moon").degraded == ("rerank",) and len(asked(server)) == before


def test_a_server_that_is_away_is_done_without(server):
    server.answer["/v1/rerank"] = judged
    server.close()
    result = search(None, QUERY, SearchOptions(mode="lexical"))
    assert result.degraded == ("rerank",) and places(result)[0] == ("tides.md", 3)


def test_it_is_off_unless_configured_and_missed_only_when_asked_for(server, settings):
    del settings.ENDPOINTS["rerank"]
    assert search(None, QUERY).degraded == ()
    assert search(None, QUERY, SearchOptions(rerank=True)).degraded == ("rerank",)


def test_who_does_not_want_it_does_not_wait_for_it(server):
    search(None, QUERY, SearchOptions(rerank=False))
    assert not [path for path, _ in server.calls if path == "/v1/rerank"]


@pytest.mark.django_db(transaction=True)
def test_no_transaction_waits_for_the_model(server):
    open_transactions = []

    def watching(body: dict[str, Any]) -> Reply:
        with connection.cursor() as cursor:  # this thread's own connection
            cursor.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                " AND pid <> pg_backend_pid() AND state LIKE 'idle in transaction%'"
            )
            open_transactions.append(cursor.fetchone()[0])
        connection.close()
        return judged(body)

    server.answer["/v1/rerank"] = watching
    assert search(None, QUERY).degraded == ()
    assert open_transactions == [0, 0]


def test_a_query_of_any_length_leaves_room_for_the_passage(server):
    endpoint = rerank_endpoint()
    endpoint.rerank("word " * 5000, ["passage " * 5000])
    sent = server.calls[-1][1]
    assert 200 < len(sent["query"].split()) <= 248 and 200 < len(sent["documents"][0].split()) <= 248


def test_typing_does_not_ask_the_reranker_and_enter_does(server, client):
    client.get("/search", {"q": QUERY}, headers={"HX-Request": "true", "HX-Trigger": "Query"})
    assert asked(server) == []
    page = client.get("/search", {"q": QUERY}, headers={"HX-Request": "true"}).content.decode()
    assert len(asked(server)) == 1 and "reranker #1" in page


def test_the_api_and_the_command_choose(server, client, capsys):
    assert client.get("/api/v1/search", {"q": QUERY, "rerank": "false"}).json()["hits"][0]["ranks"]["rerank"] is None
    assert client.get("/api/v1/search", {"q": QUERY}).json()["hits"][0]["ranks"]["rerank"] == 1
    call_command("search", QUERY, "--no-rerank", "--json")
    assert json.loads(capsys.readouterr().out)["hits"][0]["source_file"] == "tides.md"
    call_command("search", QUERY, "--rerank", "--explain")
    assert "reranked from" in capsys.readouterr().out


def test_evaluate_measures_the_reranked_branch(server, capsys, tmp_path):
    questions = tmp_path / "questions.jsonl"
    questions.write_text('{"id": 1, "question": "tide day moon", "gold": [{"file": "oven.md"}]}\n')
    call_command(
        "evaluate", "--questions", str(questions), "--library", "sea", "--branches", "hybrid,reranked", "--json"
    )
    branches = json.loads(capsys.readouterr().out)["branches"]
    assert branches["reranked"]["hit@1"] == 1 > branches["hybrid"]["hit@1"]


def test_a_breadcrumb_is_read_without_what_it_repeats():
    assert make_hit("Text.", breadcrumb=("Guide", "Guide", "Install")).headed("Text.") == "Guide › Install\nText."
    assert make_hit("Text.", breadcrumb=("Log", "7.42", "Added")).headed("Text.") == "Log › 7.42\nAdded\nText."
    assert make_hit("Text.", breadcrumb=("Log", "Plan", "7.42")).headed("Text.") == "Log › Plan › 7.42\nText."
    assert make_hit("Text.", breadcrumb=("Manual 2.1", "Install")).headed("Text.") == "Manual 2.1 › Install\nText."
