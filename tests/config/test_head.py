"""HEAD, as the web server asks for it."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.handlers.wsgi import WSGIHandler
from django.core.signals import request_finished
from django.test import RequestFactory

from config.head import without_body
from config.local.home import CHECKOUT


@pytest.mark.django_db  # the end of a request looks at a connection that other tests may have left open
@pytest.mark.parametrize(("method", "body"), [("GET", b"ok"), ("HEAD", b"")])
def test_an_answer_to_head_has_the_headers_and_no_body_and_is_closed(method: str, body: bytes) -> None:
    told: list[tuple[str, dict[str, str]]] = []
    over: list[bool] = []

    def start_response(status: str, headers: list[tuple[str, str]], *_: Any) -> None:
        told.append((status, dict(headers)))

    def finished(**_: Any) -> None:
        over.append(True)

    request_finished.connect(finished)
    try:
        request = RequestFactory().generic(method, "/healthz").environ
        answered: Any = without_body(WSGIHandler())(request, start_response)
        assert b"".join(answered) == body
        if close := getattr(answered, "close", None):
            close()
    finally:
        request_finished.disconnect(finished)
    ((status, headers),) = told
    assert status == "200 OK" and headers["Content-Length"] == "2" and over == [True]


def test_the_web_server_serves_it_so(tmp_path: Path) -> None:
    told = """import io
from config.wsgi import application
request = {"PATH_INFO": "/healthz", "SERVER_NAME": "localhost", "SERVER_PORT": "80", "wsgi.input": io.BytesIO()}
for method in ("GET", "HEAD"):
    print(list(application(request | {"REQUEST_METHOD": method}, lambda *_: None)))"""
    given = os.environ | {"MUNIMENT_HOME": str(tmp_path)}
    run = subprocess.run([sys.executable, "-c", told], cwd=CHECKOUT, env=given, stdout=subprocess.PIPE, text=True)
    assert run.stdout == "[b'ok']\n[]\n"
