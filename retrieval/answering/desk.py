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
class Sheet:
    """What stands on the desk: the draft so far, and whether its reader wants no more of it."""

    text: str = ""
    stopped: bool = False


_sheets: dict[int, Sheet] = {}
_lock = threading.Lock()
_cleared = threading.Event()  # the desk is empty: nobody waits for the next second
_saver: threading.Thread | None = None


def put(pk: int, sheet: Sheet) -> None:
    global _saver  # noqa: PLW0603 - one thread per process, while there is something to save
    with _lock:
        _sheets[pk] = sheet
        _cleared.clear()
        if _saver is None:
            thread = threading.Thread(target=_keep, name="desk", daemon=True)
            thread.start()  # where there are no more threads it raises, and the next one tries again
            _saver = thread


def take_away(pk: int) -> None:
    with _lock:
        _sheets.pop(pk, None)
        if not _sheets:
            _cleared.set()


def stop(pk: int) -> None:
    """At once, where this process is the writer."""
    if sheet := _sheets.get(pk):
        sheet.stopped = True


def _keep() -> None:
    global _saver  # noqa: PLW0603
    while True:
        _cleared.wait(SAVED_EVERY)
        with _lock:
            sheets = dict(_sheets)
            if not sheets:
                _saver = None
                return
        try:
            save(sheets)
        except Exception as error:  # whatever it is: the next second may be better, and stops must be heard again
            logger.warning("the drafts of %d answers were not saved: %s", len(sheets), error)
        finally:
            connection.close()


def save(sheets: dict[int, Sheet]) -> None:
    texts = [sheet.text.replace("\0", "") for sheet in sheets.values()]
    with connection.cursor() as cursor:
        cursor.execute(SAVE, [list(sheets), texts])
        for pk, stopping in cursor.fetchall():
            if stopping:
                sheets[pk].stopped = True
