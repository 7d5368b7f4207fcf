"""Guessing of passwords."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from knowledge.accounts import log_ins
from knowledge.http.network import network_of
from knowledge.models import AuditEvent

ADMIN, PAGE = "/admin/login/", "/login"


@pytest.fixture
def someone(db) -> User:
    return User.objects.create_user("someone", password="right", is_staff=True)


def attempt(name: str, password: str, page: str = PAGE, address: str = "192.0.2.1") -> int:
    return Client(REMOTE_ADDR=address).post(page, {"username": name, "password": password}).status_code


def events() -> list[str]:
    found = AuditEvent.objects.filter(action__startswith="session.").order_by("number")
    return list(found.values_list("action", flat=True))


@pytest.mark.parametrize("page", [PAGE, ADMIN])
def test_who_failed_too_often_waits_and_the_audit_has_two_events(someone, page):
    for _ in range(log_ins.OF_NAME):
        assert attempt("someone", "wrong", page) == 200
    assert [attempt("someone", "right", where) for where in (PAGE, ADMIN)] == [429, 429]
    assert attempt("\uff53omeone ", "right") == 429, "another way to write the name"
    assert events() == ["session.refuse", "session.throttle"]
    assert AuditEvent.objects.latest("number").details == {"user": "someone", "failures": log_ins.OF_NAME}


def test_the_page_says_so_and_for_how_long(someone, monkeypatch):
    monkeypatch.setattr(log_ins, "OF_NAME", 1)
    attempt("someone", "wrong")
    response = Client(REMOTE_ADDR="192.0.2.1").post(ADMIN, {"username": "someone", "password": "x", "next": "/admin/"})
    assert response["Retry-After"] == "600" and "Try again in 10 minutes." in response.content.decode()
    assert 'name="next" value="/admin/"' in response.content.decode()


def test_nobody_locks_somebody_else_out(someone):
    for _ in range(log_ins.OF_NAME):
        attempt("someone", "wrong")
    assert attempt("other", "wrong") == 200
    assert attempt("someone", "right", address="192.0.2.2") == 302


def test_all_addresses_of_a_network_count_as_one(someone):
    for number in range(log_ins.OF_NAME + 1):
        status = attempt("someone", "wrong", address=f"2001:db8:0:1::{number:x}")
    assert status == 429
    assert attempt("someone", "wrong", address="2001:db8:0:2::1") == 200


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("2001:db8:0:1:2:3:4:5", "2001:db8:0:1::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("", ""),
        ("unknown", "unknown"),
    ],
)
def test_of_which_network_an_address_is(rf, address, network):
    assert network_of(rf.get("/", REMOTE_ADDR=address)) == network


def test_whoever_remembers_begins_anew(someone):
    for _ in range(2):
        for _ in range(log_ins.OF_NAME - 1):
            attempt("someone", "wrong")
        assert attempt("someone", "right") == 302


def test_many_names_from_one_address_wait_too(someone, monkeypatch):
    monkeypatch.setattr(log_ins, "OF_ADDRESS", 3)
    for number in range(3):
        attempt(f"name{number}", "wrong")
    assert attempt("someone", "right") == 429
    assert events() == ["session.refuse"] * 3 + ["session.throttle"]


def test_the_wait_begins_with_the_failure_that_reached_the_limit(someone, monkeypatch):
    renewed = []
    monkeypatch.setattr(log_ins.cache, "touch", lambda key, seconds: renewed.append(seconds), raising=False)
    for _ in range(log_ins.OF_NAME - 1):
        attempt("someone", "wrong")
    assert renewed == []
    attempt("someone", "wrong")
    assert renewed == [log_ins.WINDOW]
