"""Bodies that are answered unread: the server reads little of what is left away, and then ends the connection."""

from collections.abc import Callable, Iterable
from typing import Any

from config.chunked import Application

READ_AWAY = 65_536  # bytes that gunicorn reads of what is left, to use the connection again: its _DRAIN_MAX_BYTES


def told_to_close(application: Application) -> Application:
    """The same application, whose answers say so where the connection ends with them.

    A WSGI application may not write `Connection` itself: gunicorn's response is told to.
    """

    def answer(request: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        body = request["wsgi.input"]
        close = getattr(getattr(start_response, "__self__", None), "force_close", None)

        def start(*head: Any) -> Any:
            if close and is_left(body):
                close()
            return start_response(*head)

        return application(request, start)

    return answer


def is_left(body: Any) -> bool:
    """Whether more is unread than is read away, as far as gunicorn's body tells."""
    return getattr(getattr(body, "reader", None), "length", 0) >= READ_AWAY
