"""The answers that this process is writing. Once a second their drafts are saved in one statement, which is also the
sign that they are alive; who wants one stopped, in any process, is heard then. No writer holds a database connection.
A draft whose passages were noted and are gone is of an erased file: it is not saved again.
"""

import logging
import threading
from dataclasses import dataclass

from django.db import connection

SAVED_EVERY = 1.0  # seconds
SAVE = """
    UPDATE knowledge_answer answer
    SET draft = CASE WHEN answer.passages = '[]' THEN '' ELSE written.draft END, beat_at = now()
    FROM unnest(%s::bigint[], %s::text[]) AS written (id, draft)
    WHERE answer.id = written.id AND answer.state = 'incomplete'
    RETURNING answer.id, answer.stopping
"""
logger = logging.getLogger(__name__)


@dataclass(slots=True)
class DraftBuffer:
    """The draft so far, and whether its reader wants no more of it."""

    text: str = ""
    stopped: bool = False


_buffers: dict[int, DraftBuffer] = {}
_lock = threading.Lock()
_cleared = threading.Event()  # no draft is left: nobody waits for the next second
_saver: threading.Thread | None = None


def put(pk: int, buffer: DraftBuffer) -> None:
    global _saver  # noqa: PLW0603 - one thread per process, while there is something to save
    with _lock:
        _buffers[pk] = buffer
        _cleared.clear()
        if _saver is None:
            thread = threading.Thread(target=_keep, name="drafts", daemon=True)
            thread.start()  # where there are no more threads it raises, and the next one tries again
            _saver = thread


def take_away(pk: int) -> None:
    with _lock:
        _buffers.pop(pk, None)
        if not _buffers:
            _cleared.set()


def stop(pk: int) -> None:
    """At once, where this process is the writer."""
    if buffer := _buffers.get(pk):
        buffer.stopped = True


def _keep() -> None:
    global _saver  # noqa: PLW0603
    while True:
        _cleared.wait(SAVED_EVERY)
        with _lock:
            buffers = dict(_buffers)
            if not buffers:
                _saver = None
                return
        try:
            save(buffers)
        except Exception as error:  # whatever it is: the next second may be better, and stops must be heard again
            logger.warning("the drafts of %d answers were not saved: %s", len(buffers), error)
        finally:
            connection.close()


def save(buffers: dict[int, DraftBuffer]) -> None:
    texts = [buffer.text.replace("\0", "") for buffer in buffers.values()]
    with connection.cursor() as cursor:
        cursor.execute(SAVE, [list(buffers), texts])
        for pk, stopping in cursor.fetchall():
            if stopping:
                buffers[pk].stopped = True
