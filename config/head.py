"""Answers to HEAD: Django's views answer as to GET, and leave it to the server to send no body; gunicorn warns then."""

from collections.abc import Callable, Iterable
from typing import Any

from config.chunked import Application


def without_body(application: Application) -> Application:
    """The same application, whose answers to HEAD have GET's headers and nothing else."""

    def answer(request: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        answered = application(request, start_response)
        if request["REQUEST_METHOD"] != "HEAD":
            return answered
        if close := getattr(answered, "close", None):  # Django's: the request is over
            close()
        return []

    return answer
