"""Server-sent events: answers as they are written."""

from collections.abc import Iterator

from django.http import StreamingHttpResponse

EVENT_STREAM = "text/event-stream"


def event_stream(pieces: Iterator[str] | Iterator[bytes]) -> StreamingHttpResponse:
    """What is sent is sent on at once: nginx would keep it back."""
    return StreamingHttpResponse(pieces, content_type=EVENT_STREAM, headers={"X-Accel-Buffering": "no"})
