"""MCP, as the official SDK's own client sees it: over HTTP and over standard input and output."""

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import anyio
import httpx2
import pytest
from django.contrib.auth.models import User
from django.db import OperationalError
from django.test import Client as Browser
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import BaseModel, ValidationError, model_validator

from knowledge.governance.withdrawal import withdraw
from knowledge.models import Answer, ApiToken, DocumentFile, Library, LoggedQuery, Section
from retrieval import mcp
from retrieval.search import MODES
from tests.conftest import environment
from tests.retrieval.answering_fakes import make_hit
from tests.web.asking import QUESTION

pytestmark = pytest.mark.django_db(transaction=True)
TOOLS = {"ask", "list_libraries", "read_section", "search", "symbols"}


async def explore(transport: Any, library: str) -> dict[str, Any]:
    async with Client(transport) as client:
        tools = await client.list_tools()

        async def call(tool: str, **arguments: Any) -> Any:
            result = await client.call_tool(tool, arguments)
            return result.content[0].text if result.is_error else result.structured_content

        hits = (await call("search", query="borrow cargo bike", libraries=[library]))["hits"]
        return {
            "tools": {tool.name for tool in tools.tools},
            "libraries": await call("list_libraries"),
            "hits": hits,
            "section": await call(
                "read_section",
                library=library,
                source_file=hits[0]["source_file"],
                section_anchor=hits[0]["section_anchor"],
            ),
            "answer": await call("ask", question=QUESTION),
            "wrong": await call("search", query="x", libraries=["nowhere"]),
            "symbols": await call("symbols", name="late_charge", direction="callers"),
            "no_symbol": await call("symbols", name="ballot"),
            "no_direction": await call("symbols", name="late_charge", direction="up"),
            "missing": await call("read_section", library=library, source_file="../secret"),
        }


def over_http(url: str, token: str = "") -> Any:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    client = httpx2.AsyncClient(headers=headers, trust_env=False)
    return streamable_http_client(f"{url}/mcp", http_client=client)


def test_the_sdks_client_over_http(live_server, handbook, board, reader):
    token = ApiToken.issue(reader, "mcp", ["search", "ask"], None)[1]
    seen = anyio.run(explore, over_http(live_server.url, token), "handbook")
    assert seen["tools"] >= TOOLS
    assert [library["slug"] for library in seen["libraries"]["libraries"]] == ["handbook"]
    assert seen["hits"][0]["source_file"] == "lending.rst"
    assert "up to three days" in seen["section"]["text"]
    assert "three days" in seen["answer"]["answer"] and seen["answer"]["citations"][0]["verified"]
    assert "no library" in seen["wrong"] and "no file" in seen["missing"]
    (symbol,) = seen["symbols"]["symbols"]
    assert (symbol["source_file"], symbol["line_start"], seen["symbols"]["callers"]) == ("booking/pricing.py", 6, [])
    assert "Nothing named" in seen["no_symbol"] and "'callers' or 'callees'" in seen["no_direction"]
    row = Answer.objects.get()
    assert (row.asked_by, row.via) == (reader, "mcp")


def test_a_server_on_standard_input_asks_at_every_call_what_its_user_may(handbook, board, superuser):
    def slugs() -> set[str]:
        return {library["slug"] for library in mcp.list_libraries()["libraries"]}

    users, token = User.objects.filter(pk=superuser.pk), mcp.caller.set(mcp.Caller(superuser))
    try:
        assert slugs() == {"handbook", "board"}
        users.update(is_superuser=False)
        assert slugs() == {"handbook"}
        with pytest.raises(ToolError, match="no library"):
            mcp.search("ballot", libraries=["board"])
        users.update(is_active=False)
        with pytest.raises(ToolError, match="This account is off"):
            mcp.search("cargo bike")
        users.delete()
        with pytest.raises(ToolError, match="This account is off"):
            mcp.list_libraries()
    finally:
        mcp.caller.reset(token)


def test_what_is_withdrawn_is_not_counted(handbook, reader):
    token = ApiToken.issue(reader, "search", ["search"], None)[1]

    def passages() -> int:
        (library,) = json.loads(called("list_libraries", token)[1])["libraries"]
        assert library.items() >= {"slug": "handbook", "name": "The handbook", "snapshot": 1}.items()
        return library["passages"]

    assert passages() == handbook.active_snapshot.chunk_count
    document = DocumentFile.objects.get(path="lending.rst")
    withdraw(document, None, "out of date")
    assert passages() == handbook.active_snapshot.chunk_count - document.active_version().chunk_count


def test_what_is_searched_is_noted(handbook, reader):
    Library.objects.update(query_log=Library.QueryLog.FULL)
    assert called("search", ApiToken.issue(reader, "mcp", ["search"], None)[1], query="cargo bike")[0] is False
    noted = LoggedQuery.objects.get()
    assert (noted.library, noted.asked_by, noted.kind, noted.text) == (handbook, reader, "search", "cargo bike")


def test_a_model_is_not_given_what_a_page_does_not_show():
    hit = make_hit("The gate opens at 8.\n\n.. The code was 4711.\n\nIt closes at 9.", source_file="a.rst")
    token = mcp.caller.set(mcp.Caller())
    try:
        assert mcp.passage(hit)["text"] == "The gate opens at 8.\n\nIt closes at 9."
    finally:
        mcp.caller.reset(token)


def test_over_http_addresses_lead_back_from_anywhere(handbook, reader):
    token = ApiToken.issue(reader, "mcp", ["search", "ask"], None)[1]
    found = json.loads(called("symbols", token, name="late_charge", direction="callers")[1])["symbols"]
    found += json.loads(called("search", token, query="cargo bike")[1])["hits"]
    found += json.loads(called("ask", token, question=QUESTION)[1])["citations"]
    assert {one["url"].partition("/read/")[0] for one in found} == {"http://testserver"}


def test_a_search_that_could_not_do_what_was_asked_says_so(handbook, reader):
    token = ApiToken.issue(reader, "search", ["search"], None)[1]
    _, said = called("search", token, query="cargo bike library:nowhere")
    assert json.loads(said)["notes"] == ["There is no library “nowhere” to search."]
    _, said = called("search", token, query="cagro bike")
    told = json.loads(said)
    assert told["corrected"] == {"cagro": "cargo"} and told["did_you_mean"] == "cargo bike" and told["hits"]
    shown = {"query": "cargo library:nowhere"}
    told = Browser().post("/retrieve", shown, "application/json").json()
    assert told["notes"] == ["There is no library “nowhere” to search."] and not told["hits"]


def test_the_sdks_client_over_standard_input_and_output(handbook, settings):
    root, own = Path(__file__).parents[2], environment(settings)
    server = StdioServerParameters(command=sys.executable, args=["manage.py", "mcp"], env=own, cwd=str(root))
    seen = anyio.run(explore, stdio_client(server), "handbook")
    assert seen["hits"][0]["url"].startswith("/read/handbook/")  # it knows of no site
    assert seen["tools"] >= TOOLS and "three days" in seen["answer"]["answer"]


def post(body: object, **headers: str) -> Any:
    accept = {"Accept": "application/json, text/event-stream", **headers}
    return Browser().post("/mcp", json.dumps(body), content_type="application/json", headers=accept)


def test_strangers_are_turned_away(db):
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    assert post(ping, Authorization="Bearer mun_wrong").status_code == 401
    for foreign in ("http://evil.example", "http://[", "null"):
        refused = post(ping, Origin=foreign)
        assert refused.status_code == 403 and "other sites" in refused.json()["error"]["message"]
    assert post(ping, Origin="http://testserver").status_code == 200
    got = Browser().get("/mcp")
    assert (got.status_code, got["Allow"]) == (405, "POST")
    assert 400 <= post("nonsense").status_code < 500
    for kind in ("text/plain", "application/x-www-form-urlencoded", ""):
        refused = Browser().post("/mcp", json.dumps(ping), content_type=kind)
        assert refused.status_code == 415 and "Content-Type" in refused.json()["error"]["message"]
    charset = {"content_type": "application/json; charset=utf-8", "headers": {"Accept": "application/json"}}
    assert Browser().post("/mcp/", json.dumps(ping), **charset).status_code == 200
    large = post({**ping, "params": {"text": "x" * 2_700_000}})
    assert large.status_code == 413 and "at most" in large.json()["error"]["message"]


def called(tool: str, token: str, **arguments: object) -> tuple[bool, str]:
    """Whether it went wrong, and what was said."""
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
    result = post(call, Authorization=f"Bearer {token}").json()["result"]
    return result["isError"], result["content"][0]["text"]


@pytest.mark.parametrize(
    ("tool", "arguments", "reason"),
    [
        ("search", {"query": " "}, "query is empty"),
        ("ask", {"question": ""}, "question is empty"),
        ("search", {"query": "x" * 8_001}, "query has at most 8000 characters"),
        ("ask", {"question": "x" * 8_001}, "question has at most 8000 characters"),
        ("symbols", {"name": " "}, "name is empty"),
        ("symbols", {"name": "x" * 501}, "name has at most 500 characters"),
        ("search", {"query": "bike", "top_k": 201}, "top_k: Input should be less than or equal to 200"),
        ("search", {"query": "bike", "mode": "fast"}, "mode is one of hybrid, lexical, vector, tree, code"),
        ("symbols", {"name": "x", "depth": 4}, "depth: Input should be less than or equal to 3"),
        ("search", {}, "query is missing"),
        ("search", {"query": "bike", "top_k": "many"}, "top_k: "),
        ("search", {"query": "bike", "librarys": ["handbook"]}, "no “librarys”. Did you mean “libraries”?"),
        ("ask", {"question": "How long?", "libraris": ["handbook"]}, "no “libraris”. Did you mean “libraries”?"),
    ],
)
def test_what_cannot_be_asked_is_an_error_that_says_so(handbook, reader, tool, arguments, reason):
    wrong, said = called(tool, ApiToken.issue(reader, "mcp", ["search", "ask"], None)[1], **arguments)
    assert wrong and reason in said and "\n" not in said and not Answer.objects.exists()
    assert "Error executing tool" not in said


def test_the_tools_say_which_values_they_take():
    tools = {tool.name: tool.input_schema["properties"] for tool in anyio.run(mcp.server.list_tools)}
    search, section, symbols = tools["search"], tools["read_section"], tools["symbols"]
    assert search["mode"]["enum"] == list(MODES) and all(f"{mode}: " in search["mode"]["description"] for mode in MODES)
    assert (search["top_k"]["minimum"], search["top_k"]["maximum"], section["offset"]["minimum"]) == (1, 200, 0)
    assert symbols["direction"]["enum"] == ["", "callers", "callees"] and symbols["depth"]["maximum"] == 3


def test_arguments_that_are_wrong_together_are_said_to_be():
    class Pair(BaseModel):
        @model_validator(mode="after")
        def never(self) -> "Pair":
            raise ValueError("not both")

    with pytest.raises(ValidationError) as wrong:
        Pair()
    assert mcp.worded(wrong.value) == "the arguments: Value error, not both"


def test_a_database_that_is_away_is_said_to_be_and_not_where_it_should_be(handbook, reader, monkeypatch):
    gone = OperationalError('connection to server at "10.1.2.3" failed')
    monkeypatch.setattr("retrieval.mcp.find_symbols", Mock(side_effect=gone))
    wrong, said = called("symbols", ApiToken.issue(reader, "mcp", ["search"], None)[1], name="late_charge")
    assert wrong and said.endswith("The database does not answer.") and "10.1.2.3" not in said


def test_an_interrupt_ends_the_server_though_its_input_stays_open(handbook, settings):
    root, own = Path(__file__).parents[2], environment(settings)
    command = [sys.executable, "manage.py", "mcp"]
    with subprocess.Popen(command, cwd=root, env=own, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as serving:
        serving.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode() + b"\n")
        serving.stdin.flush()
        assert serving.stdout.readline()  # it serves
        serving.send_signal(signal.SIGINT)
        assert serving.wait(30) == -signal.SIGINT


def test_a_section_is_found_by_the_anchor_it_had_and_no_zero_byte_breaks_the_search_for_it(handbook, reader):
    token = ApiToken.issue(reader, "search", ["search"], None)[1]
    section = Section.objects.filter(file_version__document_file__path="lending.rst").exclude(aliases=[]).first()
    assert section.aliases[0] != section.anchor
    named = {"library": "handbook", "source_file": "lending.rst", "section_anchor": section.aliases[0]}
    wrong, said = called("read_section", token, **named)
    assert not wrong and json.loads(said)["title"] == section.title
    for name in named:
        wrong, said = called("read_section", token, **{**named, name: "x\0"})
        assert wrong and {"library": "no library", "source_file": "no file"}.get(name, "has no section") in said


def test_a_token_opens_the_tools_that_its_scope_is_for(handbook, reader):
    tools = {
        "search": {"query": "bike"},
        "list_libraries": {},
        "read_section": {"library": "handbook", "source_file": "lending.rst"},
        "symbols": {"name": "late_charge"},
        "ask": {"question": QUESTION},
    }
    for scope, refused in (("search", {"ask"}), ("ask", tools.keys() - {"ask"})):
        token = ApiToken.issue(reader, scope, [scope], None)[1]
        said = {tool: called(tool, token, **arguments) for tool, arguments in tools.items()}
        assert {tool for tool, (wrong, _) in said.items() if wrong} == refused
        assert all("This token may not" in said[tool][1] for tool in refused)
    manages = ApiToken.issue(reader, "manage", ["manage"], None)[1]
    turned = post({"jsonrpc": "2.0", "id": 1, "method": "ping"}, Authorization=f"Bearer {manages}")
    assert turned.status_code == 403 and "make one with --scope search ask" in turned.json()["error"]["message"]


def test_what_is_longer_than_one_answer_is_read_on_from_an_offset(handbook, reader, monkeypatch):
    token = ApiToken.issue(reader, "search", ["search"], None)[1]
    named = {"library": "handbook", "source_file": "lending.rst"}
    whole = json.loads(called("read_section", token, **named)[1])
    assert not whole["truncated"] and whole["next_offset"] is None
    monkeypatch.setattr("retrieval.mcp.LARGEST_SECTION", 100)
    text, offset = "", 0
    while offset is not None:
        part = json.loads(called("read_section", token, **named, offset=offset)[1])
        text, offset = text + part["text"], part["next_offset"]
        assert part["truncated"] == (offset is not None) and len(part["text"]) <= 100
    assert text == whole["text"] and len(text) > 100
    wrong, said = called("read_section", token, **named, offset=-1)
    assert wrong and said == "offset: Input should be greater than or equal to 0"


def test_a_snapshot_that_there_is_not_is_not_the_active_one(handbook, reader):
    token = ApiToken.issue(reader, "search", ["search"], None)[1]
    for number, found in ((1, True), (None, True), (0, False), (2, False), (-1, False)):
        wrong, said = called("read_section", token, library="handbook", source_file="lending.rst", snapshot=number)
        assert wrong is not found and (f"has no ready snapshot {number}" in said) is not found


def test_what_is_missing_is_named_the_library_or_the_file_of_a_snapshot(handbook, board, reader):
    token = ApiToken.issue(reader, "search", ["search"], None)[1]
    for library, snapshot, reason in (
        ("nowhere", None, "there is no library “nowhere”"),
        ("board", None, "there is no library “board”"),
        ("handbook", None, "there is no file “x.md” in “handbook”"),
        ("handbook", 1, "there is no file “x.md” in snapshot 1 of “handbook”"),
    ):
        told = called("read_section", token, library=library, source_file="x.md", snapshot=snapshot)
        assert told == (True, reason)
