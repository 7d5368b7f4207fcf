"""One line on a terminal that says how far the work is, and makes room for what is said next."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from django.core.management.base import BaseCommand


def show_line(command: BaseCommand, text: str = "") -> None:
    """In the place of the line before; without a text that one is cleared. Nothing where stderr is no terminal."""
    if command.stderr.isatty():
        command.stderr.write(f"\r\033[K{text}", ending="")
        command.stderr.flush()


@contextmanager
def without_log(command: BaseCommand) -> Iterator[None]:
    """On a terminal the log of jobs is not written between words that say the same; elsewhere it is."""
    log = logging.getLogger("muniment.jobs")
    log.disabled = command.stderr.isatty()
    try:
        yield
    finally:
        log.disabled = False
