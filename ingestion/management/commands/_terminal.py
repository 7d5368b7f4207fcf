"""One line on a terminal that says how far the work is, and makes room for what is said next."""

from django.core.management.base import BaseCommand


def show_line(command: BaseCommand, text: str = "") -> None:
    """In the place of the line before; without a text that one is cleared. Nothing where stderr is no terminal."""
    if command.stderr.isatty():
        command.stderr.write(f"\r\033[K{text}", ending="")
        command.stderr.flush()
