"""Answers that go on being written when their reader reloads the page: a thread writes, any number of readers follow.

A follower says how many characters of the draft it has, so it can come back to this process or to another one, which
knows of the draft what the database knows. It holds no database connection while it waits.
"""

import logging
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from django.conf import settings
from django.db import DatabaseError, connection

from knowledge.endpoints import EndpointError
from knowledge.models import Answer
from knowledge.models.library import Reader
from retrieval.answering import drafts
from retrieval.answering.events import Begun, Event, Finished, Silent, Token
from retrieval.answering.ledger import Asking, TooMany
from retrieval.answering.pipeline import SILENCE, answer_events
from retrieval.results import SearchOptions
from retrieval.view import release_connection

AT_MOST_EVERY = 0.04  # seconds between two pieces that are sent: the first goes at once, later ones go together
LOOKED_AT_EVERY = 0.5  # seconds: drafts of other processes
SEATS_EACH = 8  # streams of one reader: more than anyone has tabs that wait
logger = logging.getLogger(__name__)

_writers: dict[int, "Writer"] = {}
_seats: Counter[str] = Counter()  # taken in this process, by reader
_seating = threading.Lock()


@dataclass(frozen=True, slots=True)
class Piece:
    """Text of the draft, and how many characters of it there are with this."""

    text: str
    end: int


@dataclass(frozen=True, slots=True)
class Ended:
    """There is no more: the entry says whether it is complete."""

    pk: int


@dataclass(slots=True)
class Writer:
    pk: int  # of the answer's entry, which forgets it when it is deleted
    events: Iterator[Event]
    told: list[Event] = field(default_factory=list)  # before the draft
    text: str = ""
    ended: bool = False
    changed: threading.Condition = field(default_factory=threading.Condition)

    def write(self) -> None:
        try:
            for event in self.events:
                with self.changed:
                    if isinstance(event, Token):
                        self.text += event.text
                    elif not isinstance(event, Silent | Finished):
                        self.told.append(event)
                    self.changed.notify_all()
        except (EndpointError, DatabaseError) as error:
            logger.warning("Answer %s broke off: %s", self.pk, error)
        except Exception:
            logger.exception("Answer %s broke off", self.pk)
        finally:
            _writers.pop(self.pk, None)
            connection.close()
            with self.changed:
                self.ended = True
                self.changed.notify_all()

    def wait_for(self, told: int, end: int) -> tuple[list[Event], str, bool]:
        with self.changed:
            self.changed.wait_for(lambda: self.ended or len(self.told) > told or len(self.text) > end, SILENCE)
            return self.told[told:], self.text[end:], self.ended


def start(user: Reader, question: str, options: SearchOptions, asking: Asking) -> Answer:
    """Begin an answer and return its entry; a thread writes on. Raises TooMany, and RuntimeError for no thread."""
    events = answer_events(user, question, options, asking)
    begun = next(events)
    assert isinstance(begun, Begun)  # noqa: S101
    writer = _writers[begun.entry.pk] = Writer(begun.entry.pk, events)
    try:
        threading.Thread(target=writer.write, name=f"answer {begun.entry.pk}", daemon=True).start()
    except RuntimeError:  # no more threads: else the answer would seem to be written for ever, and count as such
        del _writers[begun.entry.pk]
        events.close()
        raise
    return begun.entry


def stop(entry: Answer) -> None:
    entry.stop()
    drafts.stop(entry.pk)


@contextmanager
def seat(reader: str) -> Iterator[None]:
    """While following. Raises TooMany when this process streams as much as it can and still serve pages, or as much as
    one reader is due."""
    with _seating:
        if _seats.total() >= settings.ASK_STREAMS or _seats[reader] >= SEATS_EACH:
            raise TooMany("Too many answers are streamed. This one is written all the same: reload in a moment.", 3)
        _seats[reader] += 1
    try:
        yield
    finally:
        with _seating:
            _seats.subtract([reader])
            if not _seats[reader]:
                del _seats[reader]


def follow(pk: int, end: int) -> Iterator[Event | Piece | Silent | Ended]:
    """What happens to an answer from the character `end` of its draft on."""
    release_connection()
    writer = _writers.get(pk)
    yield from follow_writer(writer, end) if writer else follow_row(pk, end)


def follow_writer(writer: Writer, end: int) -> Iterator[Event | Piece | Silent | Ended]:
    told = 0
    while True:
        events, text, ended = writer.wait_for(told, end)
        yield from events
        told, end = told + len(events), end + len(text)
        if text:
            yield Piece(text, end)
        if ended:
            yield Ended(writer.pk)
            return
        if not (events or text):
            yield Silent()
        time.sleep(AT_MOST_EVERY)


def follow_row(pk: int, end: int) -> Iterator[Piece | Silent | Ended]:
    """An answer that another process writes, or that nobody writes any more."""
    while True:
        row = Answer.objects.only("state", "draft", "beat_at").get(pk=pk)
        release_connection()
        if len(row.draft) > end:
            yield Piece(row.draft[end:], len(row.draft))
            end = len(row.draft)
        else:
            yield Silent()
        if not row.is_being_written:
            yield Ended(pk)
            return
        time.sleep(LOOKED_AT_EVERY)
