"""Bodies that come in chunks, by the web server that the image runs."""

from collections.abc import Callable, Iterable
from http.client import HTTPConnection
from typing import Any

from config.chunked import with_length
from tests.config.conftest import served


def reader(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    """Says how much it reads, as Django does: no more than CONTENT_LENGTH."""
    body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [f"{len(body)} bytes".encode()]


MOST = 2_621_440  # bytes, Django's default
application = with_length(reader, MOST)


def test_a_body_in_chunks_is_read_as_one_that_says_its_length() -> None:
    with served("tests.config.test_chunked:application") as port:
        said = answers(port)
    (plain, in_chunks, long, (status, why)) = said
    assert plain == in_chunks == (200, "1000 bytes")
    assert long == (200, f"{MOST + 1} bytes")  # which Django refuses
    assert status == 411 and "at most" not in why and "2,560 KB" in why


def answers(port: int) -> list[tuple[int, str]]:
    said = []
    for body, chunked, kind in (
        (b"x" * 1000, False, "text/plain"),
        (iter([b"x" * 600, b"x" * 400]), True, "text/plain"),
        (iter([b"x" * (MOST + 9)]), True, "text/plain"),
        (iter([b"x" * (MOST + 9)]), True, "multipart/form-data; boundary=x"),
    ):
        connection = HTTPConnection("127.0.0.1", port, timeout=10)
        headers = {"Content-Type": kind} | ({"Transfer-Encoding": "chunked"} if chunked else {})
        connection.request("POST", "/", body, encode_chunked=chunked, headers=headers)
        answer = connection.getresponse()
        said.append((answer.status, answer.read().decode()))
        connection.close()
    return said
