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
    """The log of jobs leaves out what the command says: on a terminal everything, elsewhere why a job failed."""
    log, shows_all = logging.getLogger("muniment.jobs"), command.stderr.isatty()

    def says_more(record: logging.LogRecord) -> bool:
        return not shows_all and record.levelno < logging.ERROR

    log.addFilter(says_more)
    try:
        yield
    finally:
        log.removeFilter(says_more)
