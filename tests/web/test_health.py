import socket
import threading
from contextlib import suppress
from unittest.mock import Mock, patch

import psycopg
import pytest
from django.db import OperationalError, connection, transaction
from django.test import Client

from knowledge.endpoints.probes import is_there
from retrieval import search as searching
from tests.stub_server import Stub


def test_it_lives_without_a_database(client, django_assert_num_queries, db):
    with django_assert_num_queries(0):
        response = client.get("/healthz")
    assert (response.status_code, response.content) == (200, b"ok")


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/metrics"])
def test_what_probes_ask_has_no_page(db, path):
    posted = Client(enforce_csrf_checks=True).post(path)
    assert (posted.status_code, posted.content) == (405, b"")
    assert Client().get(f"{path}/")["Content-Type"] == Client().get(path)["Content-Type"]


@pytest.mark.parametrize("path", ["/api", "/v1", "/api/v1", "/v1/none", "/retrieve/none", "/mcp/none"])
def test_what_programs_do_not_find_is_told_in_json(client, db, path):
    answer = client.get(path)
    assert answer.status_code == 404 and ("error" if path.startswith("/v1") else "detail") in answer.json()


def test_it_is_ready_when_the_database_answers(client, db):
    assert client.get("/readyz").json()["checks"]["database"]["ok"] is True


def test_it_is_not_ready_when_the_database_does_not(client, db, monkeypatch):
    """It is asked by a connection of its own, briefly: for one of the pool's a request waits twenty seconds."""
    connect = Mock(side_effect=psycopg.OperationalError("gone, with a password in it"))
    monkeypatch.setattr(psycopg, "connect", connect)
    with patch.dict(connection.settings_dict["OPTIONS"], pool={"timeout": 20}):
        response = client.get("/readyz")
    assert response.status_code == 503 and connect.call_args.kwargs["connect_timeout"] == 2
    assert response.json() == {"ok": False, "checks": {"database": {"ok": False, "detail": "OperationalError"}}}


@pytest.mark.parametrize("path", ["/", "/chat", "/libraries/", "/login", "/admin/login/", "/api/docs/", "/nowhere"])
def test_no_page_has_inline_script_or_style_or_another_host(client, db, path):
    response = client.get(path)
    page = response.content.decode()
    policy = response.headers["Content-Security-Policy"]
    assert "unsafe" not in policy and "default-src 'none'" in policy
    assert "<style" not in page and " style=" not in page and "onclick=" not in page
    assert "<script>" not in page and 'src="http' not in page and 'href="http' not in page


def test_a_broken_page_is_a_page(client, db, monkeypatch):
    client.raise_request_exception = False
    monkeypatch.setattr(searching, "search", None)
    response = client.get("/search?q=x")
    assert response.status_code == 500 and "Something broke" in response.content.decode()


@pytest.mark.django_db(transaction=True)
def test_a_database_that_took_too_long_is_503_in_words(client, monkeypatch):
    def late(*_: object) -> None:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET LOCAL statement_timeout = 1")
            cursor.execute("SELECT pg_sleep(5)")

    monkeypatch.setattr("retrieval.rest.api.find_symbols", late)
    answer = client.get("/api/v1/symbols?name=x")
    assert answer.status_code == 503 and answer.json() == {"detail": "The database took too long."}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    "path", ["/search?q=tide", "/libraries/", "/chat", "/metrics", "/api/v1/libraries/", "/api/v1/symbols?name=x"]
)
def test_a_database_that_went_away_is_503_in_words(client, path, caplog):
    with suppress(OperationalError), connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")
    try:
        answer = client.get(path)
        assert answer.status_code == 503 and answer.headers["Retry-After"]
        assert "The database does not answer" in answer.content.decode()
        assert not any(record.exc_info for record in caplog.records)
    finally:
        connection.close()
    assert client.get(path).status_code == (404 if "symbols" in path else 200)


FILL = """
    CREATE FUNCTION fill() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$;
    CREATE TRIGGER fill BEFORE INSERT ON knowledge_auditevent FOR EACH ROW EXECUTE FUNCTION fill();
"""


def test_a_disk_of_the_database_that_is_full_is_503_in_words(client, superuser, caplog):
    with connection.cursor() as cursor:
        cursor.execute(FILL)
    answer = client.post("/login", {"username": "root", "password": "root"})
    assert answer.status_code == 503 and "disk is full" in answer.content.decode()
    assert not any(record.exc_info for record in caplog.records)


@pytest.mark.parametrize("url", ["http://[x", "http://a b:1", "localhost:8080", "http://127.0.0.1:{port}"])
def test_an_endpoint_that_is_none_is_not_there(settings, url):
    """The last answers, but not as HTTP."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=greet, args=[server], daemon=True).start()
        settings.AI_TEST_MODE = False
        settings.ENDPOINTS = {"embedding": {"url": url.format(port=server.getsockname()[1]), "model": ""}}
        assert is_there("embedding") is False


def test_an_endpoint_whose_address_has_a_password_is_there(settings):
    stub = Stub()
    settings.AI_TEST_MODE = False
    settings.ENDPOINTS = {"embedding": {"url": stub.url.replace("//", "//anna:a%20b@"), "model": ""}}
    assert is_there("embedding") and stub.keys == ["Basic YW5uYTphIGI="]
    stub.close()


def greet(server: socket.socket) -> None:
    with suppress(OSError), server.accept()[0] as client:
        client.recv(1000)
        client.sendall(b"SSH-2.0-OpenSSH_9\r\n")
