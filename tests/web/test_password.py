"""One's own password, changed on a page by whoever knows it."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from knowledge.accounts import log_ins
from knowledge.models import AuditEvent

OLD, NEW = "the first of two", "the second of two"
CHANGE = {"old_password": OLD, "new_password1": NEW, "new_password2": NEW}


@pytest.fixture
def member(db) -> User:
    return User.objects.create_user("member", password=OLD)


def signed_in(password: str) -> Client:
    client = Client()
    assert client.login(username="member", password=password)
    return client


def test_a_member_changes_their_password_and_is_signed_out_elsewhere(member):
    here, elsewhere = signed_in(OLD), signed_in(OLD)
    assert "/password" in here.get("/tokens").content.decode(), "the way to it"
    page = here.post("/password", CHANGE, follow=True)
    assert page.status_code == 200 and "Your password is changed" in page.content.decode()
    assert here.get("/password").status_code == 200
    assert elsewhere.get("/password")["Location"].startswith("/login")
    assert signed_in(NEW) and not Client().login(username="member", password=OLD)
    event = AuditEvent.objects.filter(action="user.password").latest("number")
    assert (event.actor, event.details["user"]) == ("member", "member")


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"old_password": "a guess"}, "old password was entered incorrectly"),
        ({"new_password2": "something else"}, "match"),
        ({"new_password1": "12345678", "new_password2": "12345678"}, "too common"),
    ],
    ids=["not known", "not said twice", "too weak"],
)
def test_what_is_wrong_is_said_and_nothing_is_changed(member, wrong, said):
    page = signed_in(OLD).post("/password", CHANGE | wrong)
    assert said in page.content.decode()
    member.refresh_from_db()
    assert member.check_password(OLD)


def test_the_old_password_is_not_guessed_without_end(member):
    """By whoever sits at a screen that was left open."""
    client, guess = signed_in(OLD), CHANGE | {"old_password": "a guess"}
    assert {client.post("/password", guess).status_code for _ in range(log_ins.OF_NAME)} == {200}
    assert client.post("/admin/password_change/", CHANGE).status_code == 429
    answer = client.post("/password", CHANGE)
    assert answer.status_code == 429 and answer["Retry-After"] == "600"
    assert "Try again in 10 minutes." in answer.content.decode()
    member.refresh_from_db()
    assert member.check_password(OLD) and client.get("/password").status_code == 200
    assert Client().post("/login", {"username": "member", "password": OLD}).status_code == 429, "one counter"
    events = AuditEvent.objects.filter(action__in=["session.refuse", "session.throttle"]).order_by("number")
    assert [event.action for event in events] == ["session.refuse", "session.throttle"]


def test_whoever_knows_it_begins_anew(member):
    client = signed_in(OLD)
    for _ in range(log_ins.OF_NAME - 1):
        client.post("/password", CHANGE | {"old_password": "a guess"})
    assert client.post("/password", CHANGE).status_code == 302
    assert client.post("/password", CHANGE).status_code == 200, "the old one is wrong now, and counted from one"


def test_who_signs_in_elsewhere_has_no_password_to_change(member):
    client = signed_in(OLD)
    member.set_unusable_password()
    member.save()
    client.force_login(member)
    assert "you sign in with another service" in client.get("/password").content.decode()
    client.post("/password", CHANGE)
    member.refresh_from_db()
    assert not member.has_usable_password()


def test_it_is_nobody_elses(member):
    assert Client().get("/password")["Location"].startswith("/login")
