import json
from datetime import timedelta
from functools import partial
from unittest.mock import Mock

import pytest
from django.db import OperationalError
from django.test import Client
from django.utils import timezone

from knowledge.models import Answer, AnswerCitation, ApiToken, Library, LoggedQuery, QueryCount
from tests.conftest import reindex, write
from tests.web.asking import QUESTION


def test_libraries_are_those_that_may_be_read(client, signed_in, as_superuser, handbook, board):
    def slugs(someone):
        return [row["slug"] for row in someone.get("/api/v1/libraries/").json()["results"]]

    assert slugs(client) == slugs(signed_in) == ["handbook"]
    assert slugs(as_superuser) == ["board", "handbook"]


def test_a_library_has_its_counts(client, handbook):
    row = client.get("/api/v1/libraries/handbook/").json()
    assert (row["active_snapshot"], row["file_count"], row["access"]) == (1, 3, "public")
    assert row["chunk_count"] == handbook.active_snapshot.chunk_count


def test_snapshots_and_documents_of_a_library(client, handbook):
    (snapshot,) = client.get("/api/v1/libraries/handbook/snapshots/").json()["results"]
    assert snapshot["manifest_hash"] == handbook.active_snapshot.manifest_hash and snapshot["active"] is True
    rows = client.get("/api/v1/libraries/handbook/documents/?snapshot=1&path=lend").json()["results"]
    assert [row["path"] for row in rows] == ["lending.rst"] and len(rows[0]["sha256"]) == 64


def test_a_candidate_is_listed_for_who_may_inspect_it(client, as_superuser, handbook, documents):
    write(documents / "handbook", {"draft.md": "# Draft\n"})
    reindex(handbook, activate=False)

    def numbers(someone):
        rows = someone.get("/api/v1/libraries/handbook/snapshots/").json()["results"]
        return [(row["number"], row["file_count"]) for row in rows]

    assert numbers(client) == [(1, 3)] and numbers(as_superuser) == [(2, 4), (1, 3)]


@pytest.mark.parametrize("tail", ["", "snapshots/", "documents/"])
def test_a_foreign_library_is_like_a_missing_one(client, signed_in, board, tail):
    for someone in (client, signed_in):
        foreign, missing = (someone.get(f"/api/v1/libraries/{slug}/{tail}") for slug in ("board", "missing"))
        assert foreign.status_code == missing.status_code == 404
        assert foreign.json() == missing.json() and "detail" in foreign.json()


def test_search_has_the_shape_of_the_contract(client, handbook):
    result = client.get("/api/v1/search", {"q": "borrow", "top_k": 2, "library": "handbook", "snapshot": 1}).json()
    assert result["libraries"] == [{"slug": "handbook", "snapshot": 1}] and result["mode"] == "hybrid"
    assert len(result["hits"]) == 2
    hit = result["hits"][0]
    assert hit["source_file"] == "lending.rst" and hit["url"].startswith("/read/handbook/lending.rst?snapshot=1")
    assert set(hit["ranks"]) == {"lexical", "vector", "rerank"}


def test_a_search_may_be_posted(client, handbook, board):
    fields = {"q": "borrow", "top_k": 2, "library": ["handbook"], "mode": "lexical"}
    shown = client.get("/api/v1/search", fields).json()["hits"]
    for body in (client.post("/api/v1/search", fields, "application/json"), client.post("/api/v1/search", fields)):
        assert body.json()["hits"] == shown != []
    long = client.post("/api/v1/search", {"q": "вода " * 1_500}, "application/json")
    assert long.status_code == 200 and len(long.json()["query"]) > 7_000
    unset = client.post("/api/v1/search", {**fields, "top_k": None}, "application/json")
    assert unset.status_code == 200 and unset.json()["hits"][:2] == shown
    assert client.post("/api/v1/search", {"q": "x" * 8_001}, "application/json").status_code == 400
    assert client.post("/api/v1/search", {"q": "a", "library": ["board"]}, "application/json").status_code == 404
    assert client.post("/api/v1/search", [], "application/json").status_code == 400


def test_search_says_what_it_understood(client, handbook):
    query = 'borow "cargo bike" -secret -file:*.py library:nowhere library:handbook'
    result = client.get("/api/v1/search", {"q": query}).json()
    assert result["understood"] == {
        "text": "borow cargo bike",
        "phrases": ["cargo bike"],
        "exclusions": ["secret"],
        "filters": [
            {"field": "file", "value": "*.py", "excluded": True},
            {"field": "library", "value": "nowhere", "excluded": False},
            {"field": "library", "value": "handbook", "excluded": False},
        ],
    }
    assert result["corrected"] == {"borow": "borrow"} and result["did_you_mean"] == query.replace("borow", "borrow")
    assert result["notes"] == ["There is no library “nowhere” to search."] and result["hits"]


@pytest.mark.parametrize("slug", ["board", "missing"])
def test_searching_a_library_that_is_not_theirs_is_not_found(client, handbook, board, slug):
    named = client.get("/api/v1/search", {"q": "late", "library": "NoSuch"}).content.decode()
    assert "There is no library “NoSuch”." in named
    response = client.get("/api/v1/search", {"q": "purple", "library": slug})
    assert response.status_code == 404 and "detail" in response.json() and "ballot" not in response.content.decode()


@pytest.mark.parametrize(
    "query",
    [
        {},
        {"q": ""},
        {"q": "x", "mode": "psychic"},
        {"q": "x", "top_k": 0},
        {"q": "x", "top_k": 201},
        {"q": "x", "snapshot": 1},
        {"q": "x" * 8001},
    ],
)
def test_wrong_use_is_explained(client, handbook, query):
    response = client.get("/api/v1/search", query)
    assert response.status_code == 400
    assert isinstance(response.json()["detail"], str) and response.json()["errors"]


@pytest.mark.parametrize("address", ["/api/v1/ask", "/retrieve"])
@pytest.mark.parametrize("kind", [{"content_type": "application/json"}, {}])
def test_a_body_that_is_too_large_is_not_read(client, signed_in, address, kind):
    for someone in (client, signed_in):
        response = someone.post(address, {"question": "x" * 2_700_000}, **kind)
        assert response.status_code == 413 and "at most 2,560 KB" in response.json()["detail"]


def test_a_question_is_answered_and_written_down(client, handbook):
    response = client.post("/api/v1/ask", {"question": QUESTION}, content_type="application/json")
    answer = response.json()
    assert (
        "three days" in answer["answer"] and answer["refused"] is False and answer["citations"][0]["verified"] is True
    )
    assert answer["sentences"][0]["supported"] is True and answer["url"] is None, "nobody could open it again"


def test_an_asker_finds_the_answer_again(signed_in, as_superuser, handbook):
    body = {"question": QUESTION}
    answer = signed_in.post("/api/v1/ask", body, content_type="application/json").json()
    assert signed_in.get(answer["url"]).status_code == 200


def test_an_answer_can_be_streamed(client, handbook):
    response = client.post(
        "/api/v1/ask", {"question": QUESTION}, content_type="application/json", headers={"Accept": "text/event-stream"}
    )
    blocks = b"".join(response.streaming_content).decode().strip().split("\n\n")
    assert blocks[0].startswith("event: retrieved") and blocks[-1].startswith("event: finished")
    assert response["X-Accel-Buffering"] == "no"  # else nginx keeps it back
    assert "three days" in json.loads(blocks[-1].split("data: ", 1)[1])["answer"]


def test_how_libraries_are_named_is_said_to_who_names_them_otherwise(client, db):
    several = client.get("/api/v1/search", {"q": "late", "library": "sample,dir"})
    assert "library=one&library=two" in several.json()["detail"]
    one = client.post("/api/v1/search", {"q": "late", "library": "sample"}, "application/json")
    assert one.json()["errors"]["library"] == ["Give a list, also of one library."]


@pytest.mark.parametrize("name", ["library", "libraries"])
def test_asking_a_library_that_is_not_theirs_is_not_found(client, handbook, board, name):
    body = {"question": QUESTION, name: ["board"]}
    response = client.post("/api/v1/ask", body, content_type="application/json")
    assert response.status_code == 404 and "detail" in response.json()


@pytest.mark.parametrize("question", ["hi", "Thank you!", QUESTION])
@pytest.mark.parametrize("named", [{"library": ["nope"]}, {"library": ["handbook"], "snapshot": 9}])
def test_where_nothing_can_be_asked_no_greeting_is_answered(client, handbook, question, named):
    response = client.post("/api/v1/ask", {"question": question, **named}, "application/json")
    assert response.status_code == 404 and not Answer.objects.exists()
    assert client.post("/api/v1/ask", {"question": "hi"}, "application/json").json()["refused"]


def test_what_calls_its_library_libraries_is_kept_to_it(client, handbook, indexed):
    indexed("shop", {"pricing.py": "def late_charge():\n    pass\n", "bike.md": "# Bike\n\nA cargo bike.\n"})
    wanted = {"query": "cargo bike", "libraries": ["shop"]}
    kept = [
        client.get("/api/v1/search?q=bike&libraries=shop").json()["hits"],
        client.get("/api/v1/symbols?name=late_charge&libraries=shop").json()["symbols"],
    ]
    assert [{hit["library"] for hit in hits} for hits in kept] == [{"shop"}, {"shop"}]
    hits = client.post("/retrieve", wanted, "application/json").json()["hits"]
    assert {hit["id"].partition("/")[0] for hit in hits} == {"shop"}
    both = client.get("/api/v1/search?q=bike&libraries=shop&libraries=handbook").json()["libraries"]
    assert [library["slug"] for library in both] == ["handbook", "shop"]


def test_what_calls_its_query_so_is_searched_for(client, handbook, board):
    """As `/retrieve` and MCP do."""
    sent = {"query": "cargo bike", "libraries": ["handbook"]}
    expected = client.get("/api/v1/search?q=cargo+bike&library=handbook").json()["hits"]
    assert expected == client.post("/api/v1/search", sent, "application/json").json()["hits"]
    assert expected == client.get("/api/v1/search", sent).json()["hits"]
    missing = client.get("/api/v1/search", {"mode": "code"})
    assert missing.status_code == 400 and list(missing.json()["errors"]) == ["q"]


@pytest.mark.parametrize(
    ("address", "sent", "name", "said"),
    [
        ("/api/v1/search", {"q": "bike", "librarie": "handbook"}, "librarie", "Did you mean “libraries”?"),
        ("/api/v1/search", {"q": "bike", "topk": "1"}, "topk", "Did you mean “top_k”?"),
        ("/api/v1/symbols", {"name": "x", "where": "y"}, "where", "There are: library, name, direction, depth."),
        ("/api/v1/ask", {"question": QUESTION, "libraris": ["handbook"]}, "libraris", "Did you mean “libraries”?"),
        ("/api/v1/ask", {"question": QUESTION, "\ud800": 1}, "?", "There is no such field."),
        ("/retrieve", {"query": "bike", "libraris": ["handbook"]}, "libraris", "Did you mean “libraries”?"),
    ],
)
def test_a_misspelt_field_is_refused(client, handbook, address, sent, name, said):
    """Passed over, it would be its default: all libraries."""
    posts = address in ("/api/v1/ask", "/retrieve")
    response = client.post(address, sent, "application/json") if posts else client.get(address, sent)
    assert response.status_code == 400 and said in response.json()["detail"]
    assert list(response.json()["errors"]) == [name] and not Answer.objects.exists()


def test_a_misspelt_field_does_not_decide_of_more_files_than_were_named(as_superuser, handbook):
    body = {"snapshot": 1, "verdict": "approved", "path": ["lending.rst"]}
    response = as_superuser.post("/api/v1/libraries/handbook/review/", body, "application/json")
    assert response.status_code == 400 and "Did you mean “paths”?" in response.json()["detail"]


def test_what_goes_with_any_request_is_no_field(client, handbook):
    assert client.get("/api/v1/search", {"q": "bike", "format": "json", "version": "1"}).status_code == 200
    assert client.post("/api/v1/ask", {"question": QUESTION, "csrfmiddlewaretoken": "x"}).status_code == 200
    assert client.post("/retrieve", {"query": "bike", "query_id": 7}, "application/json").status_code == 200


@pytest.mark.parametrize(
    ("wrong", "detail"),
    [
        ({"history": [{"answer": "x"}]}, "history: 0: question: This field is required."),
        ({"history": "x"}, "history: Give a list."),
        ({"files": {"a": 1}}, "files: Give a list."),
        ({"history": ["x"]}, "history: 0: Give an object, with names and values."),
        ({"pinned": ["a"]}, "pinned: 0: A valid integer is required."),
        ({"history": [{"question": "x", "anwser": "z"}]}, "history: 0: anwser: There is no such field."),
        ({"history": [{"qestion": "y"}]}, "qestion: There is no such field. Did you mean “question”? history: 0"),
        ({"mode": "\ud800"}, "mode: There is no such choice. There are: hybrid, lexical, vector, tree, code."),
        ({"mode": ["x"]}, "mode: There is no such choice. There are: hybrid, lexical, vector, tree, code."),
    ],
)
def test_what_is_wrong_inside_of_a_field_is_said(client, handbook, wrong, detail):
    response = client.post("/api/v1/ask", {"question": QUESTION} | wrong, content_type="application/json")
    assert response.status_code == 400 and detail in response.json()["detail"]


@pytest.mark.parametrize("address", ["/api/v1/ask", "/api/v1/search", "/retrieve"])
@pytest.mark.parametrize(
    ("body", "detail"),
    [
        (b"[]", "body: Give an object, with names and values."),
        (b"1", "body: Give an object, with names and values."),
        (b"\xff", "JSON parse error - it is not in UTF-8"),
    ],
)
def test_a_body_that_is_no_object_is_told_so_and_nothing_of_pythons_types(client, handbook, address, body, detail):
    response = client.post(address, body, content_type="application/json")
    assert response.status_code == 400 and response.json()["detail"] == detail


@pytest.mark.parametrize("name", ["history", "history[0]question"])
def test_a_form_that_would_say_what_was_asked_before_is_told_to_be_json(client, handbook, name):
    response = client.post("/api/v1/ask", {"question": QUESTION, name: "When do I prune apple trees?"})
    assert response.status_code == 400
    assert response.json()["errors"] == {"history": ["Send the body as JSON: a form cannot say it."]}


def test_of_a_long_history_the_last_turns_count(client, handbook):
    """As everywhere. A body may hold tens of thousands of them, which kept a thread busy for ten seconds."""
    before = [{"question": "How long may I keep the velvet accordion?"}, *[{"question": "And?"}] * 4]
    body = {"question": "What does it cost?", "history": before}
    answer = client.post("/api/v1/ask", body, content_type="application/json").json()
    assert answer["standalone"] == "What does it cost?"
    body["history"] = before[:4]
    answer = client.post("/api/v1/ask", body, content_type="application/json").json()
    assert "velvet accordion" in answer["standalone"]


def test_symbols_with_their_callers(client, indexed):
    indexed("shop", {"a.py": "def price():\n    return 1\n\n\ndef total():\n    return price()\n"})
    told = client.get(
        "/api/v1/symbols", {"name": "price", "direction": "callers", "depth": 2, "library": "shop"}
    ).json()
    (call,) = told["callers"]
    assert (call["caller"], call["line"], call["resolution"], call["guess"]) == ("total", 6, "exact", False)
    assert told["callees"] is None and told["symbols"][0]["signature"] == "def price()" and told["cut"] is False
    assert (
        client.get("/api/v1/symbols", {"name": "total", "direction": "callees"}).json()["callees"][0]["callee"]
        == "price"
    )


def test_symbols_of_a_foreign_library_are_like_missing_ones(client, signed_in, as_superuser, indexed):
    indexed("closed", {"a.py": "def secret_price():\n    pass\n"}, access="groups")
    for someone in (client, signed_in):
        assert someone.get("/api/v1/symbols", {"name": "secret_price"}).status_code == 404
        named = someone.get("/api/v1/symbols", {"name": "secret_price", "library": "closed"})
        missing = someone.get("/api/v1/symbols", {"name": "secret_price", "library": "missing"})
        assert named.status_code == missing.status_code == 404
        assert named.json()["detail"].replace("closed", "missing") == missing.json()["detail"]
    assert as_superuser.get("/api/v1/symbols", {"name": "secret_price"}).json()["symbols"]


@pytest.mark.parametrize(
    "wrong",
    ["", "?name=", "?name=x&direction=up", "?name=x&depth=9", "?name=x&depth=no", "?name=%00", "?name=x&library=a%20b"],
)
def test_what_is_no_question_for_symbols_is_refused(client, db, wrong):
    response = client.get(f"/api/v1/symbols{wrong}")
    assert response.status_code == 400 and response.json()["detail"]


@pytest.mark.parametrize(
    ("method", "address", "said"),
    [
        ("get", "/api/v1/libraries/nowhere/", "There is no such library."),
        ("get", "/api/v1/libraries/handbook/documents/?snapshot=99", "There is no such snapshot."),
        ("get", "/api/v1/answers/99/replay", "There is no such answer."),
        ("get", "/api/v1/jobs/99/", "There is no such job."),
        ("get", "/api/v1/libraries/?format=api", "There is no such format here: leave “format” out."),
        ("get", "/api/schema/?format=yaml", "There is no such format here: leave “format” out."),
        ("post", "/api/v1/libraries/handbook/withdraw/", "There is no such file."),
    ],
)
def test_what_is_missing_is_named_in_words(as_superuser, handbook, method, address, said):
    body = {} if method == "get" else {"data": {"path": "none.md"}, "content_type": "application/json"}
    response = getattr(as_superuser, method)(address, **body)
    assert response.status_code == 404 and response.json() == {"detail": said}


def test_what_is_not_there_is_json(client, db):
    response = client.get("/api/v1/nothing/")
    assert response.status_code == 404 and response.json() == {"detail": "Not found."}


def test_what_is_read_has_a_head(client, handbook):
    for address, more in (("/api/v1/search?q=bike", {"POST"}), ("/api/v1/symbols?name=late_charge", set())):
        head = client.head(address)
        assert (head.status_code, head.content) == (200, b""), address
        assert set(client.put(address)["Allow"].split(", ")) == {"GET", "HEAD", "OPTIONS"} | more
    assert client.head("/api/v1/answers/1/replay").status_code == 404


def test_the_schema_describes_it_without_warnings(client, db, capsys):
    schema = client.get("/api/schema/", headers={"Accept": "application/json"}).json()
    assert {"/api/v1/search/", "/api/v1/ask/", "/api/v1/symbols/", "/api/v1/libraries/{slug}/documents/"} <= set(
        schema["paths"]
    )
    assert "Warning" not in capsys.readouterr().err


def test_a_number_in_an_address_is_refused_only_outside_of_what_the_schema_says(admin_client, handbook):
    schema = admin_client.get("/api/schema/", headers={"Accept": "application/json"}).json()
    asked = [
        (path.replace("{slug}", "handbook"), each["name"], each["schema"])
        for path, operations in schema["paths"].items()
        for each in operations.get("get", {}).get("parameters", ())
        if each["in"] == "query" and each["schema"]["type"] == "integer" and "{id}" not in path
    ]
    assert {name for _, name, _ in asked} == {"limit", "offset", "snapshot", "top_k", "depth"}
    for path, name, said in asked:
        more = (
            {"q": "bike", "library": "handbook"} if "search" in path else {"name": "bike"} if "symbols" in path else {}
        )
        for number, is_refused in ((said["minimum"], False), (said["minimum"] - 1, True)):
            answer = admin_client.get(path, {**more, name: number})
            assert (answer.status_code == 400) == is_refused, (path, name, number)


def undescribed(told, shape, schemas):
    """The keys of a response that its schema does not name, as dotted paths."""
    shape = schemas[shape["$ref"].rpartition("/")[2]] if "$ref" in shape else shape
    if "allOf" in shape:
        return undescribed(told, shape["allOf"][0], schemas)
    if isinstance(told, list):
        return {name for one in told for name in undescribed(one, shape["items"], schemas)}
    if not isinstance(told, dict) or "properties" not in shape:
        return set()
    known = shape["properties"]
    inner = {f"{key}.{name}" for key in told.keys() & known for name in undescribed(told[key], known[key], schemas)}
    return {*(told.keys() - known), *inner}


def test_the_schema_names_every_key(client, handbook):
    schema = client.get("/api/schema/", headers={"Accept": "application/json"}).json()
    schemas, paths = schema["components"]["schemas"], schema["paths"]
    asked = {"q": QUESTION, "explain": "true", "why_not": "lending.rst"}
    told = {
        ("get", "/api/v1/search/"): client.get("/api/v1/search", asked).json(),
        ("post", "/api/v1/ask/"): client.post("/api/v1/ask", {"question": QUESTION}, "application/json").json(),
        ("post", "/retrieve/"): client.post("/retrieve", {"query": QUESTION}, "application/json").json(),
        ("get", "/api/v1/symbols/"): client.get("/api/v1/symbols?name=late_charge&direction=callers").json(),
    }
    for (method, path), answer in told.items():
        shape = paths[path][method]["responses"]["200"]["content"]["application/json"]["schema"]
        assert not undescribed(answer, shape, schemas), path
    assert told["post", "/api/v1/ask/"]["citations"] and "429" in paths["/api/v1/ask/"]["post"]["responses"]


def schema_of(client):
    return client.get("/api/schema/").json()["paths"]


def asked_of(path):
    return path.replace("{id}", "999").replace("{slug}", "handbook").replace("{verb}", "cancel")


def test_the_schema_names_how_every_address_refuses(client, handbook, as_superuser, monkeypatch):
    """A bad token, what is no such page or no such body, a form of another site, and a database that is away."""
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = as_superuser.cookies
    away = OperationalError("gone")
    paths = schema_of(client)
    assert "/api/schema/" not in paths  # drf-spectacular's own words offer YAML
    for path, verbs in paths.items():
        for verb, operation in verbs.items():
            call, described = partial(strict.generic, verb.upper(), asked_of(path)), operation["responses"].keys()
            found = {call(headers={"Authorization": "Bearer none"}).status_code}
            found.add(call(QUERY_STRING="limit=x").status_code)
            found.add(call(b"{", "text/plain").status_code)
            found.add(strict.generic(verb.upper(), path.replace("{slug}", "missing")).status_code)
            if "requestBody" in operation:
                unread = partial(as_superuser.generic, verb.upper(), asked_of(path))
                found |= {unread(b"{", kind).status_code for kind in ("text/plain", "application/json")}
            with monkeypatch.context() as patched:
                patched.setattr(ApiToken.objects, "bearer", Mock(side_effect=away))
                found.add(call(headers={"Authorization": "Bearer none"}).status_code)
            assert {401, 503} <= found and {str(status) for status in found} <= described, (verb, path, found)
            assert all(response["description"] for response in operation["responses"].values())


def test_no_address_leads_elsewhere_without_its_slash(client, as_superuser, handbook):
    """A client that follows turns what it posts into a question for what there is."""
    for path, verbs in schema_of(client).items():
        for verb in verbs:
            response = as_superuser.generic(verb.upper(), asked_of(path).rstrip("/"))
            assert not 300 <= response.status_code < 400, (verb, path)


def test_the_schema_offers_nothing_managed_to_who_is_nobody(client, handbook):
    paths = schema_of(client)
    for path, verb, opened in (("audit", "get", False), ("rollback", "post", False), ("snapshots", "get", True)):
        operation = paths[f"/api/v1/libraries/{{slug}}/{path}/"][verb]
        assert ({} in operation["security"]) is opened
    assert client.generic("POST", "/api/v1/libraries/handbook/rollback/").status_code == 401


@pytest.mark.parametrize("version", ["9", "%0d%0aX-Odd:1", "%00"])
def test_the_schema_repeats_no_version_that_there_is_not(client, version):
    response = client.get(f"/api/schema/?version={version}")
    assert response.status_code == 200 and response["Content-Disposition"] == 'inline; filename="Muniment.json"'
    assert response.json()["info"]["version"] == "1"


def test_the_documentation_runs_from_this_host(client, db):
    page = client.get("/api/docs/").content.decode()
    assert "swagger-ui-bundle.js" in page and "<style" not in page and "<script>" not in page


def test_retrieve_gives_sections_as_harnesses_ask_for_them(client, handbook):
    hits = client.post("/retrieve", {"query": QUESTION, "top_k": 3}, "application/json").json()["hits"]
    assert hits[0].keys() == {"id", "source", "line_start", "line_end", "distance"} and len(hits) == 3
    assert hits[0]["source"] == "lending.rst" and hits[0]["id"].startswith("handbook/lending.rst#")
    assert 1 <= hits[0]["line_start"] <= hits[0]["line_end"]
    assert [hit["distance"] for hit in hits] == sorted(hit["distance"] for hit in hits)
    unset, ten = (client.post("/retrieve", {"query": "a", "top_k": k}, "application/json").json() for k in (None, 10))
    assert unset == ten and client.get("/api/v1/search", {"q": "a", "top_k": 200}).status_code == 200


@pytest.mark.parametrize(
    "body",
    [{}, {"query": ""}, {"query": "a", "top_k": 0}, {"query": "a", "top_k": "x"}, {"query": ["a"]}, [], "a", None],
    ids=str,
)
def test_retrieve_refuses_what_is_no_question(client, handbook, body):
    response = client.post("/retrieve", json.dumps(body), "application/json")
    assert response.status_code == 400 and "detail" in response.json()


def test_what_is_retrieved_is_noted_as_a_search(signed_in, reader, handbook):
    Library.objects.update(query_log=Library.QueryLog.FULL)
    signed_in.post("/retrieve", {"query": "bike"}, "application/json")
    noted = LoggedQuery.objects.get()
    assert (noted.library, noted.asked_by, noted.kind, noted.text) == (handbook, reader, "search", "bike")
    assert QueryCount.objects.get().searches == 1


@pytest.mark.parametrize("address", ["/retrieve", "/api/v1/ask", "/api/v1/libraries/handbook/withdraw/"])
def test_json_that_is_nested_too_deeply_is_refused(as_superuser, handbook, address):
    response = as_superuser.post(address, '{"query": ' + "[" * 100_000, "application/json")
    assert response.status_code == 400 and "nested" in response.json()["detail"]


def test_rest_takes_forms_too(client, handbook):
    multipart = client.post("/retrieve", {"query": "bike"})
    form = client.post("/retrieve", "query=bike", "application/x-www-form-urlencoded")
    assert multipart.json()["hits"] == form.json()["hits"] != []


def test_retrieve_sees_what_the_asker_may_see(client, signed_in, handbook, board):
    hits = client.post("/retrieve", {"query": "budget minutes board"}, "application/json").json()["hits"]
    assert all(hit["id"].startswith("handbook/") for hit in hits)
    named = client.post("/retrieve", {"query": "a", "library": ["board"]}, "application/json")
    assert named.status_code == 404


@pytest.mark.parametrize("query", ["limit=-1", "limit=0", "limit=x", "offset=-1", "offset=99999999999999999999"])
def test_a_page_that_is_none_is_refused(client, handbook, query):
    response = client.get(f"/api/v1/libraries/?{query}")
    assert response.status_code == 400 and query.split("=")[0] in response.json()["errors"]


def test_a_page_may_be_larger_than_the_list_and_its_number_left_empty(client, handbook):
    assert client.get("/api/v1/libraries/?limit=&offset=5").json()["results"] == []
    assert len(client.get("/api/v1/libraries/?limit=100000").json()["results"]) == 1


@pytest.mark.parametrize(
    ("address", "name", "said"),
    [
        ("libraries/handbook/documents/?snaphot=1", "snaphot", "Did you mean “snapshot”?"),
        ("libraries/handbook/snapshots/?state=ready", "state", "There are: limit, offset."),
        ("libraries/handbook/review/?snaphot=1", "snaphot", "Did you mean “snapshot”?"),
        ("libraries/?lmit=1", "lmit", "Did you mean “limit”?"),
        ("jobs/?stat=running", "stat", "Did you mean “state”?"),
    ],
)
def test_what_a_list_does_not_know_does_not_make_it_longer(as_superuser, handbook, address, name, said):
    response = as_superuser.get(f"/api/v1/{address}")
    assert response.status_code == 400 and said in response.json()["errors"][name][0]


def test_what_goes_with_any_request_narrows_no_list(client, handbook):
    answer = client.get("/api/v1/libraries/handbook/documents/?snapshot=1&path=lend&limit=1&offset=0&format=json")
    assert answer.status_code == 200 and answer.json()["count"] == 1


def test_each_visitor_behind_a_proxy_has_limits_of_their_own(handbook, settings):
    settings.ASK_PER_MINUTE = 1

    def ask(visitor: str, peer: str = "127.0.0.1") -> int:
        sent = {"REMOTE_ADDR": peer, "headers": {"X-Forwarded-For": visitor}}
        return Client().post("/api/v1/ask", {"question": "How long?"}, "application/json", **sent).status_code

    assert [ask("203.0.113.7"), ask("203.0.113.7"), ask("203.0.113.8")] == [200, 429, 200]
    assert [ask("203.0.113.9", "198.51.100.1"), ask("203.0.113.10", "198.51.100.1")] == [200, 429]
    assert [ask("2001:db8::1"), ask("2001:db8::2"), ask("2001:db8:0:1::1")] == [200, 429, 200]


def test_what_was_asked_while_the_clock_was_ahead_counts_against_nobody(handbook, settings):
    settings.ASK_PER_MINUTE = settings.ASK_AT_ONCE = 1
    ask = partial(Client().post, "/api/v1/ask", {"question": "How long?"}, "application/json")
    assert [ask().status_code, ask().status_code] == [200, 429]

    ahead = timezone.now() + timedelta(days=365)
    Answer.objects.update(asked_at=ahead)
    assert ask().status_code == 200
    AnswerCitation.objects.all().delete()
    Answer.objects.update(asked_at=ahead, beat_at=ahead, state="incomplete", text="")  # it broke off there
    assert ask().status_code == 200 and not any(row.is_being_written for row in Answer.objects.all())
