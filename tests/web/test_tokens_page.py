"""One's own API tokens: shown once, seen without the secret, dead on the next request."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from knowledge.models import ApiToken, Job
from tests.web.asking import ask

MAKE = {"do": "make", "name": "laptop", "scopes": ["search"], "days": "30"}


def made(client: Client, **values: object) -> str:
    return re.search(r"mun_[\w-]{20,}", client.post("/tokens", MAKE | values).content.decode())[0]


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def test_a_token_is_shown_once_and_only_its_hash_is_kept(signed_in, client):
    answer = signed_in.post("/tokens", MAKE)
    token = re.search(r"mun_[\w-]{20,}", answer.content.decode())[0]
    assert f'readonly value="{token}"' in answer.content.decode()
    assert answer.headers["Cache-Control"] == "no-store"
    row = ApiToken.objects.get()
    assert token not in row.digest and row.scopes == ["search"]
    assert timedelta(days=29) < row.expires_at - timezone.now() <= timedelta(days=30)
    page = signed_in.get("/tokens").content.decode()
    assert "laptop" in page and token not in page and "mun_" not in page
    assert client.get("/api/v1/libraries/", headers=bearer(token)).status_code == 200
    assert signed_in.get("/tokens").content.decode().count("never") == 0  # it says when it was used


def test_what_is_revoked_is_dead_on_the_next_request(signed_in, client):
    token = made(signed_in)
    signed_in.post("/tokens", {"do": "revoke", "token": ApiToken.objects.get().pk})
    assert client.get("/api/v1/libraries/", headers=bearer(token)).status_code == 401
    page = signed_in.get("/tokens").content.decode()
    assert "revoked" in page and 'value="revoke"' not in page


def test_what_nearly_every_program_needs_is_ticked_beforehand(as_superuser):
    page = as_superuser.get("/tokens").content.decode()
    ticked = re.findall(r'<input type="checkbox" name="scopes" value="(\w+)"[^>]* checked', page)
    assert ticked == ["search", "ask"] and 'value="manage"' in page
    refused = as_superuser.post("/tokens", MAKE | {"scopes": []}).content.decode()
    assert " checked" not in refused, "as it was sent"


def test_others_tokens_are_not_there(signed_in, librarian):
    row, _ = ApiToken.issue(librarian, "theirs", ["search"], None)
    assert signed_in.post("/tokens", {"do": "revoke", "token": row.pk}).status_code == 404
    assert "theirs" not in signed_in.get("/tokens").content.decode()
    row.refresh_from_db()
    assert row.revoked_at is None


@pytest.mark.parametrize(
    "bad", [{"name": ""}, {"scopes": []}, {"scopes": ["all"]}, {"days": "100000"}, {"days": ""}, {"name": "x" * 101}]
)
def test_bad_forms_make_none(signed_in, bad):
    answer = signed_in.post("/tokens", MAKE | bad)
    assert answer.status_code == 400 and "notice bad" in answer.content.decode() and not ApiToken.objects.exists()


def test_who_may_manage_nothing_is_not_offered_to_let_a_program_manage(signed_in, librarian):
    assert 'value="manage"' not in signed_in.get("/tokens").content.decode()
    assert signed_in.post("/tokens", MAKE | {"scopes": ["manage"]}).status_code == 400
    signed_in.force_login(librarian)
    assert 'value="manage"' in signed_in.get("/tokens").content.decode()


@pytest.mark.parametrize(("scope", "answers"), [("search", [200, 200, 403, 403]), ("ask", [403, 403, 200, 200])])
def test_no_scope_does_what_another_is_for(reader, signed_in, handbook, client, scope, answers):
    row = ask(signed_in)
    headers = bearer(ApiToken.issue(reader, "one", [scope], None)[1])
    searched = client.get("/api/v1/search?q=bike", headers=headers)
    retrieved = client.post("/retrieve", {"query": "bike"}, "application/json", headers=headers)
    asked = client.post("/api/v1/ask", {"question": "How long?"}, "application/json", headers=headers)
    replayed = client.get(f"/api/v1/answers/{row.pk}/replay", headers=headers)
    assert [response.status_code for response in (searched, retrieved, asked, replayed)] == answers


def test_only_a_token_for_it_governs_and_only_as_its_user_may(librarian, reader, handbook, client):
    job = Job.objects.create(library=handbook)
    manage = ApiToken.issue(librarian, "m", ["manage"], None)[1]
    others = ApiToken.issue(librarian, "s", ["search", "ask"], None)[1]
    weak = ApiToken.issue(reader, "r", ["manage"], None)[1]
    for address in ("review/", "audit/"):
        address = f"/api/v1/libraries/handbook/{address}"
        answers = [client.get(address, headers=bearer(one)).status_code for one in (manage, others, weak)]
        assert answers == [200, 403, 403], address
    withdraw = {"path": "lending.rst", "reason": "wrong"}
    for one, status in ((others, 403), (weak, 403), (manage, 200)):
        address = "/api/v1/libraries/handbook/withdraw/"
        assert client.post(address, withdraw, "application/json", headers=bearer(one)).status_code == status
        assert client.get("/api/v1/jobs/", headers=bearer(one)).status_code == status
        cancel = f"/api/v1/jobs/{job.pk}/cancel/"
        assert client.post(cancel, {}, "application/json", headers=bearer(one)).status_code == status
    assert handbook.document_files.get(path="lending.rst").withdrawn_at
    assert client.get("/api/v1/search?q=bike", headers=bearer(manage)).status_code == 403, "it does that alone"
    said = client.get("/api/v1/jobs/", headers=bearer(others)).json()["detail"]
    assert said == "This token may not manage: make one with --scope manage."
    ApiToken.objects.update(revoked_at=timezone.now())
    assert client.get("/api/v1/jobs/", headers=bearer(others)).json()["detail"].endswith("expired or revoked.")


def test_what_a_token_does_is_audited_as_its_users_act(librarian, handbook, client):
    from knowledge.models import AuditEvent

    token = ApiToken.issue(librarian, "m", ["manage"], None)[1]
    withdraw = {"path": "lending.rst", "reason": "wrong"}
    client.post("/api/v1/libraries/handbook/withdraw/", withdraw, "application/json", headers=bearer(token))
    assert AuditEvent.objects.filter(action="document.withdraw").get().actor == "librarian"


def test_what_a_token_may_do_is_asked_for_in_words(signed_in):
    page = signed_in.post("/tokens", MAKE | {"scopes": []}).content.decode()
    assert "Choose at least one thing that it may do." in page and "scopes:" not in page


def test_an_old_token_that_works_still_is_shown_before_those_that_are_dead(signed_in, reader, monkeypatch):
    monkeypatch.setattr("knowledge.pages.tokens.SHOWN", 2)
    made(signed_in, name="old and living")
    for number in range(3):
        made(signed_in, name=f"dead {number}")
        ApiToken.objects.get(name=f"dead {number}").revoke()
    shown = [token.name for token in signed_in.get("/tokens").context["tokens"]]
    assert shown == ["old and living", "dead 2", "dead 1"]
