"""Bodies that are sent in chunks: Django reads no more of a body than CONTENT_LENGTH says, and they don't say it."""

from collections.abc import Callable, Iterable
from http import HTTPStatus
from io import BytesIO
from typing import Any

MOST = 2_621_440  # bytes, as of a body that says its length: settings.DATA_UPLOAD_MAX_MEMORY_SIZE, Django's default
TOO_LONG = (
    f"A body of more than {MOST // 1024:,} KB has to say how long it is (Content-Length): it came in chunks.\n"
).encode()

Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


def with_length(application: Application) -> Application:
    """The same application, to which a body in chunks comes with its length; 411 for one that is longer than MOST.

    The server has to end such a body itself (`wsgi.input_terminated`), as gunicorn does.
    """

    def answer(request: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        if request.get("HTTP_TRANSFER_ENCODING") and request.get("wsgi.input_terminated"):
            body = request["wsgi.input"].read(MOST + 1)
            if len(body) > MOST:
                status = HTTPStatus.LENGTH_REQUIRED
                headers = [("Content-Type", "text/plain; charset=utf-8"), ("Content-Length", str(len(TOO_LONG)))]
                start_response(f"{status.value} {status.phrase}", headers)
                return [TOO_LONG]
            request |= {"wsgi.input": BytesIO(body), "CONTENT_LENGTH": str(len(body))}
        return application(request, start_response)

    return answer
