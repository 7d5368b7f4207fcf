"""Invitations: links that make an account with a role, once."""

import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from knowledge.accounts.invitations import find, open_invitations
from knowledge.models import AuditEvent, Invitation, Membership
from tests.conftest import begun_elsewhere
from tests.web.governance.conftest import REVIEW, text


def test_an_invitation_works_once(library, people, client):
    sent = {"do": "invite", "name": "Ann", "role": "reviewer"}
    page = people["librarian"].post("/libraries/one/members", sent, follow=True)
    link = page.context["link"]
    account = {"username": "ann", "password1": "a long enough one", "password2": "a long enough one"}
    shown = text(client.get(link))
    assert "as reviewer of “The handbook”" in shown and re.search(r'name="username" value="Ann"', shown)
    assert client.post(link, account).status_code == 302
    assert Membership.objects.get(user__username="ann").role == "reviewer"
    assert Client().get(link).status_code == Client().post(link, account | {"username": "bob"}).status_code == 404
    over, unknown = (text(Client().get(address)) for address in (link, "/invitation/unknown"))
    assert "works once" in over and 'href="/login"' in over and over.split("<main")[1] == unknown.split("<main")[1]
    assert Invitation.objects.get().accepted_by.username == "ann"
    assert not User.objects.filter(username="bob").exists()


def test_an_invitation_that_is_sent_twice_lets_in_who_made_the_account(library, client):
    """A double click: the browser shows the answer to the second, with the cookies from before the first."""
    link = f"/invitation/{Invitation.issue('Ann', 'reader', library, None)[1]}"
    account = {"username": "ann", "password1": "a long enough one", "password2": "a long enough one"}
    assert client.post(link, account).status_code == 302
    second = Client()
    assert second.post(link, account).headers["Location"] == "/libraries/one/"
    assert second.get("/tokens").status_code == 200
    assert Client().post(link, account | {"password1": "another"}).status_code == 404
    Invitation.objects.update(accepted_at=timezone.now() - timedelta(minutes=2))
    assert Client().post(link, account).status_code == 404


@pytest.mark.django_db(transaction=True)
def test_of_two_invitations_that_take_one_name_the_second_says_so(library, client, monkeypatch):
    first, second = (f"/invitation/{Invitation.issue('Ann', 'reader', library, None)[1]}" for _ in range(2))
    account = {"username": "ann", "password1": "a long enough one", "password2": "a long enough one"}
    accept, others, answers = Invitation.accept, [], []

    def meanwhile(row: Invitation, user: User) -> None:
        if not others:
            others.append(begun_elsewhere(lambda: answers.append(Client().post(second, account))))
        accept(row, user)

    monkeypatch.setattr(Invitation, "accept", meanwhile)
    assert client.post(first, account).status_code == 302
    others[0].join()
    assert answers[0].status_code == 200 and "already exists" in text(answers[0])


@pytest.mark.parametrize(
    ("role", "asked", "there"),
    [("reviewer", "to approve it", REVIEW), ("reader", "search its documents", "/libraries/one/")],
)
def test_an_invitation_says_what_for_and_leads_there(library, client, role, asked, there):
    link = f"/invitation/{Invitation.issue('Ann', role, library, None)[1]}"
    assert asked in text(client.get(link))
    account = {"username": "ann", "password1": "a long enough one", "password2": "a long enough one"}
    assert client.post(link, account).headers["Location"] == there


def test_an_invitation_says_whom_it_signs_out(library, people, client):
    link = f"/invitation/{Invitation.issue('Ann', 'reader', library, None)[1]}"
    assert "signed in as librarian" in text(people["librarian"].get(link))
    assert "signed in as" not in text(client.get(link))


def test_a_weak_password_is_said_of_the_field_where_it_is_chosen(library, client):
    link = f"/invitation/{Invitation.issue('Ann', 'reader', library, None)[1]}"
    page = text(client.post(link, {"username": "ann", "password1": "12345", "password2": "12345"}))
    (first,) = re.findall(r'<input[^>]* name="password1"[^>]*>', page)
    assert 'aria-invalid="true"' in first and "autofocus" in first and "id_password1_error" in first
    assert page.count("autofocus") == 1 and 'id="id_password1_error"' in page


def test_an_invitations_link_is_not_used_up_by_a_head(library, people):
    where = "/libraries/one/members"
    people["librarian"].post(where, {"do": "invite", "name": "Ann", "role": "reader"})
    assert people["librarian"].head(where).status_code == 200
    assert people["librarian"].get(where).context["link"]


def test_an_open_invitation_is_withdrawn_and_no_other(library, people, client):
    where = "/libraries/one/members"
    page = people["librarian"].post(where, {"do": "invite", "name": "Ann", "role": "reader"}, follow=True)
    assert re.search(r'<input [^>]*readonly value="([^"]*)"', text(page))[1] == page.context["link"]
    assert "no-store" in page.headers["Cache-Control"] and len(page.redirect_chain) == 1, "reloaded, it makes no other"
    assert page.context["link"] not in text(people["librarian"].get(where)), "it is shown once"
    row = Invitation.objects.get()
    asked = {"do": "withdraw", "invitation": row.pk}
    assert f'name="invitation" value="{row.pk}"' in text(people["librarian"].get(where))
    assert people["reviewer"].post(where, asked).status_code == 403
    assert "invitation for Ann is withdrawn" in text(people["librarian"].post(where, asked, follow=True))
    assert client.get(page.context["link"]).status_code == 404
    assert AuditEvent.objects.filter(action="invitation.withdraw", library="one", actor="librarian").count() == 1
    assert "not open any more" in text(people["librarian"].post(where, asked, follow=True))
    Invitation.objects.update(accepted_at=timezone.now(), expires_at=timezone.now() + timedelta(1))
    assert "not open any more" in text(people["librarian"].post(where, asked, follow=True))
    other = Invitation.issue("Bob", "reader", None, None)[0]
    assert "not open" in text(people["librarian"].post(where, asked | {"invitation": other.pk}, follow=True))
    assert AuditEvent.objects.filter(action="invitation.withdraw").count() == 1


@pytest.mark.parametrize(
    "fall",
    [
        lambda user: User.objects.filter(pk=user.pk).update(is_active=False),
        lambda user: user.memberships.update(role="editor"),
        lambda user: user.memberships.all().delete(),
        lambda user: user.delete(),
    ],
    ids=["off", "no librarian", "no member", "gone"],
)
def test_an_invitation_falls_with_who_made_it(library, people, client, as_superuser, fall):
    made = {"do": "invite", "name": "Ann", "role": "librarian"}
    link = people["librarian"].post("/libraries/one/members", made, follow=True).context["link"]
    others = as_superuser.post("/libraries/one/members", made, follow=True).context["link"]
    assert open_invitations().count() == 2
    fall(User.objects.get(username="librarian"))
    account = {"username": "ann", "password1": "a long enough one", "password2": "a long enough one"}
    assert client.get(link).status_code == client.post(link, account).status_code == 404
    assert not User.objects.filter(username="ann").exists()
    assert client.post(others, account).status_code == 302


def test_an_invitation_sleeps_while_who_made_it_is_no_librarian_and_can_be_withdrawn(library, people, as_superuser):
    where, maker = "/libraries/one/members", Membership.objects.filter(user__username="librarian")
    people["librarian"].post(where, {"do": "invite", "name": "Ann", "role": "reader"})
    asked = {"do": "withdraw", "invitation": Invitation.objects.get().pk}
    asleep = "asleep: its link works only while librarian manages this library"
    assert asleep not in text(as_superuser.get(where))
    maker.update(role="editor")
    assert asleep in text(as_superuser.get(where))
    assert "invitation for Ann is withdrawn" in text(as_superuser.post(where, asked, follow=True))
    maker.update(role="librarian")
    assert not open_invitations().exists()


def test_an_invitation_without_a_library_needs_an_administrator(people, superuser, client):
    _, token = Invitation.issue("Ann", "reviewer", None, superuser)
    assert client.get(f"/invitation/{token}").status_code == 200
    User.objects.filter(pk=superuser.pk).update(is_superuser=False)
    assert client.get(f"/invitation/{token}").status_code == 404
    assert find(Invitation.issue("Bob", "reader", None, None)[1]), "the operator's"


def test_an_invitation_works_beside_single_sign_on(library, people, client, settings):
    settings.AUTHENTICATION_BACKENDS = [*settings.AUTHENTICATION_BACKENDS, "knowledge.accounts.sign_on.SingleSignOn"]
    sent = {"do": "invite", "name": "Ann", "role": "reviewer"}
    page = people["librarian"].post("/libraries/one/members", sent, follow=True)
    account = {"username": "ann", "password1": "a long enough one", "password2": "a long enough one"}
    assert client.post(page.context["link"], account).status_code == 302
