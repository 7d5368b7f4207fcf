"""Listening to a model, which says nothing for a minute while it reads a long prompt."""

import threading
from collections.abc import Callable, Generator, Iterator
from queue import Empty, SimpleQueue

EVERY = 1.0  # seconds
Told = tuple[str | None, Exception | None]  # a piece, or None at the end; or what was raised instead


def heard(pieces: Iterator[str], end: Callable[[], None]) -> Generator[str]:
    """The pieces, each taken when it is asked for, and an empty one for every second in which none comes.

    A thread waits for the model, so that whoever listens can leave meanwhile: `end`, which ends the stream, is called
    as soon as the thread has the piece that it waits for. Raises what the pieces raise, and RuntimeError for no thread.
    """
    wanted: SimpleQueue[bool] = SimpleQueue()
    come: SimpleQueue[Told] = SimpleQueue()

    def take() -> None:
        while wanted.get():
            come.put(taken(pieces))
        end()

    threading.Thread(target=take, name="model", daemon=True).start()
    try:
        while True:
            wanted.put(True)
            while (told := within(come)) is None:
                yield ""
            piece, error = told
            if error:
                raise error
            if piece is None:
                return
            yield piece
    finally:
        wanted.put(False)


def taken(pieces: Iterator[str]) -> Told:
    try:
        return next(pieces, None), None
    except Exception as error:  # raised again where it is listened to
        return None, error


def within(come: SimpleQueue[Told]) -> Told | None:
    """What comes within a second; None for nothing."""
    try:
        return come.get(timeout=EVERY)
    except Empty:
        return None
