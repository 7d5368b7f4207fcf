"""What follows on a connection whose last body was not read, by the web server that the image runs."""

from collections.abc import Callable, Iterable
from http.client import HTTPConnection
from typing import Any

import pytest

from config.unread import told_to_close
from tests.config.conftest import served


def refusal(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    """As Django's, of a body that is too large: it reads nothing."""
    start_response("413 Content Too Large", [("Content-Type", "text/plain"), ("Content-Length", "0")])
    return [b""]


application = told_to_close(refusal)


@pytest.mark.parametrize(("size", "said"), [(3_000_000, "close"), (1000, "keep-alive")])
def test_the_next_request_is_answered_after_a_body_that_was_not_read(size: int, said: str) -> None:
    with served("tests.config.test_unread:application") as port:
        connection = HTTPConnection("127.0.0.1", port, timeout=10)
        connection.request("POST", "/", b"x" * size)
        refused = connection.getresponse()
        assert (refused.status, refused.read(), refused.headers["Connection"]) == (413, b"", said)
        connection.request("GET", "/")  # on another connection, where the answer said so
        assert connection.getresponse().status == 413
        connection.close()
