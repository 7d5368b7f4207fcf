"""Behind a reverse proxy: whom it passes on is believed of a proxy that is named, and of nobody else."""

import pytest
from django.http import HttpResponse

from config.proxies import ForwardedFor


@pytest.fixture
def address(settings, rf):
    """The address that a request counts for: `address("127.0.0.1", "203.0.113.7")`."""

    def of(peer: str, told: str, believed: str = "127.0.0.1,10.1.0.0/16") -> str:
        settings.FORWARDED_ALLOW_IPS = believed.split(",")
        request = rf.get("/", REMOTE_ADDR=peer, headers={"X-Forwarded-For": told} if told else {})
        return ForwardedFor(lambda request: HttpResponse(request.META["REMOTE_ADDR"]))(request).content.decode()

    return of


@pytest.mark.parametrize("peer", ["127.0.0.1", "10.1.2.3", ""])  # none: over a Unix socket
def test_a_proxy_that_is_named_says_who_asks(address, peer):
    assert address(peer, "203.0.113.7") == "203.0.113.7"
    assert address(peer, "2001:db8::7") == "2001:db8::7"


def test_nobody_else_is_believed(address):
    assert address("198.51.100.1", "203.0.113.7") == "198.51.100.1"
    assert address("198.51.100.1", "203.0.113.7", believed="*") == "203.0.113.7"


def test_what_a_visitor_put_before_it_is_not_believed(address):
    for believed in ("127.0.0.1,10.1.0.0/16", "*,10.1.0.0/16"):
        assert address("127.0.0.1", "198.51.100.9, 203.0.113.7, 10.1.2.3", believed) == "203.0.113.7"
        assert address("127.0.0.1", "10.1.2.3, 203.0.113.7", believed) == "203.0.113.7"


def test_what_is_no_address_counts_for_the_proxy_that_said_it(address):
    assert address("127.0.0.1", "") == "127.0.0.1"
    assert address("127.0.0.1", "unknown") == "127.0.0.1"
    assert address("127.0.0.1", "203.0.113.7, unknown, 10.1.2.3") == "10.1.2.3"
