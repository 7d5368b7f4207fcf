"""Bodies that are sent in chunks: Django reads no more of a body than CONTENT_LENGTH says, and they don't say it."""

from collections.abc import Callable, Iterable
from http import HTTPStatus
from io import BytesIO
from typing import Any

TOO_LONG = "A form with files of more than {:,} KB has to say how long it is (Content-Length): it came in chunks.\n"

Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


def with_length(application: Application, most: int) -> Application:
    """The same application, to which a body in chunks comes with its length.

    Of one of more than `most` bytes so many come that it refuses them, in its own words; but 411 for a form with files,
    which may be longer where it says how long.
    The server has to end such a body itself (`wsgi.input_terminated`), as gunicorn does.
    """

    def answer(request: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        if request.get("HTTP_TRANSFER_ENCODING") and request.get("wsgi.input_terminated"):
            body = request["wsgi.input"].read(most + 1)
            if len(body) > most and request.get("CONTENT_TYPE", "").startswith("multipart/"):
                status, said = HTTPStatus.LENGTH_REQUIRED, TOO_LONG.format(most // 1024).encode()
                headers = [("Content-Type", "text/plain; charset=utf-8"), ("Content-Length", str(len(said)))]
                start_response(f"{status.value} {status.phrase}", headers)
                return [said]
            request |= {"wsgi.input": BytesIO(body), "CONTENT_LENGTH": str(len(body))}
        return application(request, start_response)

    return answer
