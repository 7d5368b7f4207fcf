"""The outside that others rely on: every command, the keys of every JSON shape, and that every address answers."""

import gzip
import json
import re
from functools import partial

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from knowledge.models import Library
from tests.conftest import printed, reindex, write

pytestmark = pytest.mark.django_db
SEA = {
    "tides.md": "# Tides\n\nThe tide rises twice a day.\n\n## Moon\n\nThe moon pulls the sea.\n",
    "tide.py": "def height(hour):\n    return hour * 2\n\n\ndef warn(hour):\n    return height(hour) > 9\n",
    "broken.pdf": "no PDF",
}
REINDEX = {
    "library", "snapshot", "state", "revision", "files", "chunks", "embeddings", "seconds", "manifest_hash",
    "rejected", "active",
}  # fmt: skip
SEARCH = {"query", "libraries", "mode", "degraded", "took_ms", "hits"}
SEARCH_TIMES = {"total", "embed", "lexical", "vector", "fuse", "rerank", "load"}
HIT = {
    "rank", "library", "source_file", "version", "section_title", "breadcrumb", "section_anchor", "line_start",
    "line_end", "page", "language", "preview_text", "chunk_id", "url", "ranks", "scores",
}  # fmt: skip
ASK = {
    "question", "searched_for", "answer", "refused", "degraded", "model", "citations", "sentences", "usage", "took_ms",
}  # fmt: skip
MEASURES = {"ndcg@10", "recall@10", "recall@100", "mrr@10", "hit@1", "hit@5", "hit@10", "p50_ms", "p95_ms"}
MODES = ("hybrid", "lexical", "vector", "tree", "code")


@pytest.fixture
def sea(make_library) -> Library:
    library = make_library("sea", SEA)
    reindex(library)
    return library


@pytest.fixture
def run(capsys):
    return partial(printed, capsys)


def test_reindex(make_library, run):
    make_library("sea", SEA)
    (dry,) = run("reindex", "sea", "--dry-run")
    assert dry["added"] and dry.keys() >= REINDEX
    (told,) = run("reindex", "sea", "--no-activate")
    assert told.keys() >= REINDEX and told["active"] is False
    (told,) = run("reindex", "sea", "--force", "--path", "tides.md", "--test-mode")
    assert told["files"].keys() == {"added", "changed", "removed", "unchanged", "rejected"} and told["active"]
    assert told["chunks"].keys() >= {"new", "reused"} and told["embeddings"].keys() >= {"computed", "reused"}
    assert told["seconds"].keys() >= {"total", "parse", "embed", "lexical"}
    (told,) = run("reindex", "sea", "--force")
    assert {file["path"] for file in told["rejected"]} == {"broken.pdf"} and told["rejected"][0]["reason"]
    (dry,) = run("reindex", "sea", "--dry-run")
    assert dry["files"] == {"added": 0, "changed": 0, "removed": 0, "unchanged": 2, "rejected": 1} == told["files"]
    assert dry["rejected"] == told["rejected"] and dry["chunks"].keys() == told["chunks"].keys()
    (told,) = run("reindex", "sea", "--queue")
    assert told["library"] == "sea" and told["files"].keys() == dry["files"].keys()


@pytest.mark.parametrize("mode", MODES)
def test_search(sea, run, mode):
    told = run("search", "height of the tide", "--library", "sea", "--mode", mode, "--top-k", "3", "--no-rerank")
    assert told.keys() >= SEARCH and told["mode"] == mode and told["libraries"] == [{"slug": "sea", "snapshot": 1}]
    assert told["took_ms"].keys() >= SEARCH_TIMES
    for hit in told["hits"]:
        assert hit.keys() >= HIT and hit["ranks"].keys() >= {"lexical", "vector"}
        assert hit["scores"].keys() >= {"lexical", "vector", "fused", "rerank"}
        assert hit["language"] == ("python" if hit["source_file"].endswith(".py") else None)
    assert told["hits"] and run("search", "tide", "--snapshot", "1", "--library", "sea", "--explain")["hits"]
    assert run("tree", "tide")


def test_ask(sea, run):
    told = run("ask", "How often does the tide rise?", "--library", "sea", "--mode", "hybrid")
    assert told.keys() >= ASK and told["took_ms"].keys() >= {"search", "first_token", "total"}
    assert told["citations"] and told["refused"] is False
    for citation in told["citations"]:
        assert citation.keys() >= HIT | {"n", "quote", "verified"}
    for sentence in told["sentences"]:
        assert sentence.keys() >= {"text", "citations", "supported"}


@pytest.mark.parametrize("direction", ["callers", "callees"])
def test_symbols(sea, run, direction):
    told = run("symbols", "height" if direction == "callers" else "warn", f"--{direction}", "--depth", "3")
    assert told["symbols"][0]["source_file"] == "tide.py" and told[direction][0]["resolution"] == "exact"


def test_evaluate(sea, run, tmp_path):
    questions = tmp_path / "questions.jsonl"
    questions.write_text(
        '{"id": 1, "question": "tide", "gold": [{"file": "tides.md", "line_start": 3, "line_end": 3}]}\n'
    )
    told = run(
        "evaluate", "--questions", str(questions), "--library", "sea", "--branches", "lexical,vector,hybrid,tree"
    )
    assert told.keys() >= {"set", "corpus", "profile", "queries", "branches"}
    assert told["corpus"].keys() >= {"documents", "chunks"}
    assert told["branches"].keys() == {"lexical", "vector", "hybrid", "tree"}
    for branch in told["branches"].values():
        assert branch.keys() >= MEASURES | {"hit@5_file"}
    assert told["branches"]["lexical"]["hit@5"] == 1.0


def test_evaluate_a_corpus(db, run, tmp_path):
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels/test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\n")
    with gzip.open(tmp_path / "corpus.jsonl.gz", "wt") as file:
        file.write('{"_id": "d1", "title": "Tides", "text": "The moon."}\n')
    with gzip.open(tmp_path / "queries.jsonl.gz", "wt") as file:
        file.write('{"_id": "q1", "text": "moon"}\n')
    told = run("evaluate", "--beir", str(tmp_path), "--split", "test", "--language", "english", "--limit", "1")
    assert told["queries"] == told["corpus"]["documents"] == 1
    assert all(branch.keys() >= MEASURES for branch in told["branches"].values())


def test_verify(sea, run):
    told = run("verify", "--deep")
    assert told.keys() >= {"ok", "checks"} and told["ok"] is True
    assert [check["id"] for check in told["checks"]] == list(range(1, len(told["checks"]) + 1))
    for check in told["checks"]:
        assert check.keys() == {"id", "name", "ok", "checked", "failed", "examples", "seconds"}


def test_the_other_commands(sea, documents, run, tmp_path):
    write(documents / "sea", {"new.md": "# New\n"})
    reindex(sea)
    assert [row["snapshot"] for row in run("snapshots", "sea")] == [2, 1]
    assert run("diff", "sea", "1", "2") == {"added": ["new.md"], "changed": [], "removed": []}
    assert run("rollback", "sea")["active"] == 1 and run("activate", "sea", "2")["active"] == 2
    listed = run("list_documents", "--library", "sea", "--path", "ti", "--state", "visible", "--limit", "1")
    assert [row["path"] for row in listed] == ["tide.py"]
    (told,) = run("unindex", "new", "--library", "sea", "--dry-run")
    assert told["removed"] == ["new.md"] and told["dry_run"]
    (told,) = run("unindex", "new", "--library", "sea", "--yes")
    assert told["removed"] == ["new.md"] and told["snapshot"] == 3
    archive = str(tmp_path / "sea.zip")
    exported = run("export_snapshot", "sea", "--snapshot", "3", "--vectors", "--output", archive)
    assert run("import_snapshot", archive, "--library", "copy")["manifest_hash"] == exported["manifest_hash"]
    assert run("rebuild", "sea")["library"] == "sea" and run("gc")["dry_run"] is False
    assert all(row["state"] == "succeeded" for row in run("jobs"))
    assert run("doctor")["ok"] is True


@pytest.mark.parametrize(
    "arguments",
    [
        ["search", "tide", "--library", "nowhere"],
        ["ask", "tide?", "--library", "nowhere"],
        ["symbols", "nothing_of_this_name"],
        ["reindex", "nowhere"],
        ["snapshots", "nowhere"],
        ["activate", "sea", "99"],
        ["diff", "sea", "1", "99"],
        ["rebuild", "nowhere"],
        ["import_snapshot", "/nowhere.zip"],
        ["list_documents", "--library", "nowhere"],
        ["jobs", "--library", "nowhere"],
        ["schedule", "nowhere"],
        ["api_token", "--revoke", "0"],
    ],
)
def test_what_fails_prints_no_document_and_a_reason(sea, capsys, arguments):
    with pytest.raises(CommandError) as failed:
        call_command(*arguments, "--json")
    assert failed.value.returncode == 1 and str(failed.value)
    said = capsys.readouterr().out
    assert said == "" or json.loads(said) == []


@pytest.mark.parametrize(
    "arguments",
    [
        ["search", "x", "--mode", "guess"],
        ["symbols", "x", "--depth", "9"],
        ["activate"],
        ["jobs", "--limit", "-1"],
        ["list_documents", "--limit", "99999999999999999999"],
        ["api_token", "anna", "--days", "9999999"],
        ["api_token", "anna", "--name", "x" * 101],
    ],
)
def test_wrong_use_is_status_2(arguments):
    from django.core.management import ManagementUtility

    with pytest.raises(SystemExit) as ended:
        ManagementUtility(["manage.py", *arguments]).execute()
    assert ended.value.code == 2


@pytest.mark.parametrize(
    "arguments",
    [
        ["unindex", "(", "--json"],
        ["add_library", "Bad Slug", "--uploads"],
        ["add_library", "x" * 100, "--uploads"],
        ["add_library", "x", "--uploads", "--language", "klingon"],
        ["evaluate", "--beir", "benchmarks", "--language", "klingon"],
        ["add_library", "x", "--directory", ""],
        ["add_library", "x", "--git", ""],
        ["add_library", "x", "--git", "ftp://example.org/x.git"],
        ["import_snapshot", "x.muniment", "--library", "bad slug"],
        ["symbols", ""],
        ["unindex", "", "--yes"],
    ],
)
def test_what_can_never_be_meant_is_wrong_use_and_changes_nothing(db, arguments, capsys):
    with pytest.raises(CommandError) as failed:
        call_command(*arguments)
    assert failed.value.returncode == 2 and capsys.readouterr().out == "" and not Library.objects.exists()


@pytest.mark.parametrize(
    "address",
    [
        "/", "/search?q=tide", "/chat", "/libraries/", "/libraries/sea/", "/read/sea/tides.md?snapshot=1#moon",
        "/api/v1/libraries/", "/api/v1/libraries/sea/", "/api/v1/libraries/sea/snapshots/",
        "/api/v1/libraries/sea/documents/", "/api/v1/search?q=tide", "/api/v1/symbols?name=height&direction=callers",
        "/api/v1/jobs/", "/api/schema/", "/api/docs/", "/jobs/", "/admin/", "/v1/models", "/healthz", "/readyz",
        "/metrics",
    ],
)  # fmt: skip
def test_every_address_answers(sea, client, address):
    client.force_login(User.objects.create_superuser("operator"))
    assert client.get(address).status_code == 200


def test_search_and_ask_over_http_have_the_same_shape(sea, client):
    told = client.get("/api/v1/search", {"q": "tide", "top_k": 2}).json()
    assert told.keys() >= SEARCH and told["hits"][0].keys() >= HIT
    answered = client.post("/api/v1/ask", {"question": "How often does the tide rise?"}, "application/json").json()
    assert answered.keys() >= ASK and answered["citations"][0].keys() >= HIT | {"n", "quote", "verified"}
    streamed = client.post(
        "/api/v1/ask",
        {"question": "How often does the tide rise?"},
        "application/json",
        headers={"Accept": "text/event-stream"},
    )
    assert re.findall(r"^event: (\w+)", b"".join(streamed).decode(), re.MULTILINE)[-1] == "finished"


def test_retrieve_models_completions_and_mcp(sea, client):
    told = client.post("/retrieve", {"query": "tide", "top_k": 2}, "application/json").json()
    assert told["hits"] and told["hits"][0].keys() == {"id", "source", "line_start", "line_end", "distance"}
    assert "muniment/sea" in {model["id"] for model in client.get("/v1/models").json()["data"]}
    asked = {"model": "muniment/sea", "messages": [{"role": "user", "content": "How often does the tide rise?"}]}
    completed = client.post("/v1/chat/completions", asked, "application/json").json()
    assert "twice a day" in completed["choices"][0]["message"]["content"]
