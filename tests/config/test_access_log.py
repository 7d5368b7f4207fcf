"""What the image's web server writes down of a request."""

import json
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from urllib.request import Request, urlopen

import pytest

from config.local.home import CHECKOUT
from config.local.process import free_port

READY = "Booting worker"


@pytest.fixture
def server() -> Iterator[tuple[int, subprocess.Popen[str]]]:
    """The port and the process of the image's web server, with a site that answers everything."""
    command = re.search(r"^CMD (\[.*\])", (CHECKOUT / "Dockerfile").read_text().replace("\\\n", ""), re.M | re.S)
    assert command
    replaced = {"gunicorn": "-mgunicorn", "config.wsgi": "wsgiref.simple_server:demo_app", "--workers=2": "--workers=1"}
    port = free_port()
    replaced["--bind=0.0.0.0:8000"] = f"--bind=127.0.0.1:{port}"
    arguments = [replaced.get(argument, argument) for argument in json.loads(command[1])]
    with subprocess.Popen(
        [sys.executable, *arguments],
        cwd=CHECKOUT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as server:
        assert server.stdout
        while READY not in server.stdout.readline():
            assert server.poll() is None
        yield port, server
        server.terminate()


def logged(server: subprocess.Popen[str]) -> str:
    assert server.stdout
    server.terminate()
    return server.stdout.read()


def test_neither_questions_nor_tokens_are_logged(server: tuple[int, subprocess.Popen[str]]) -> None:
    port, process = server
    for path in ("/search?q=purple", "/invitation/t0ken"):
        asked = Request(f"http://127.0.0.1:{port}{path}", headers={"Referer": "http://x/search?q=purple"})
        urlopen(asked, timeout=10).close()

    log = logged(process)
    assert '"GET /search" 200' in log and '"GET /invitation/…" 200' in log
    assert "purple" not in log and "t0ken" not in log


def test_a_path_cannot_write_lines_of_its_own(server: tuple[int, subprocess.Popen[str]]) -> None:
    port, process = server
    urlopen(f"http://127.0.0.1:{port}/a%0a%22GET%20/admin/%22%1b%5b31m", timeout=10).close()

    assert '"GET /a%0A%22GET%20/admin/%22%1B%5B31m" 200' in logged(process)


@pytest.mark.parametrize("header", [b"Content-Length: x", b"Transfer-Encoding: chunked, chunked"])
def test_a_request_that_cannot_be_read_is_answered_and_logged(
    server: tuple[int, subprocess.Popen[str]], header: bytes
) -> None:
    port, process = server
    with socket.create_connection(("127.0.0.1", port), timeout=10) as client, client.makefile("rb") as said:
        client.sendall(b"POST /search HTTP/1.1\r\nHost: x\r\n" + header + b"\r\n\r\n")
        assert said.readline().startswith(b"HTTP/1.1 400 ")

    assert '"POST -" 400' in logged(process)
