"""How pages, answers of the API and commands say what went wrong, how a document stands, and days and settings."""

import re
import shlex
from datetime import date, datetime
from typing import Any

from django.utils.text import capfirst

from knowledge.models import DocumentFile, Library

NAMED = 20  # other files with the same bytes
ENDS = (".", "?", "!", "…")


def sentence(error: object) -> str:
    """An error's message with a capital, and a full stop where it ends without a mark.

    One that begins with the name of a host, a file or a snapshot keeps its letters: such names are no plain words, and
    errors quote those that may be one.
    """
    text = str(error) if str(error).endswith(ENDS) else f"{error}."
    return capfirst(text) if text.partition(" ")[0].isalpha() else text


def of_file(error: OSError) -> str:
    """The file and what is wrong with it, without the number that the system gives it."""
    return f"{error.filename}: {error.strerror}" if error.filename else str(error)


def standing(document: DocumentFile) -> str:
    """Whether it is seen, and where it is not there, when a new file of its path will be; and where its bytes are still
    found."""
    state = document.state
    if others := document.still_found():
        more = f" and {len(others) - NAMED:,} more" if len(others) > NAMED else ""
        return f"{state.label} (the same bytes are still found in {', '.join(others[:NAMED])}{more})"
    if state != DocumentFile.State.GONE:
        return state.label
    seen = f"is seen once an operator lets it in: {let_in(document)}" if document.is_shut_out else "will be seen"
    return f"{state.label}; a new file of this path {seen}"


def let_in(document: DocumentFile) -> str:
    """The command that has builds read it again."""
    pattern = shlex.quote(f"^{re.escape(document.path)}$")
    return f"manage.py unindex {pattern} --library {document.library.slug} --restore --yes"


def short(digest: str) -> str:
    """A hash as people say it."""
    return digest[:12]


def day(at: date) -> str:
    """`28 Nov 2026`: the one form of days, and of the day of a moment."""
    return f"{at:%-d %b %Y}"


def moment(at: datetime) -> str:
    return f"{at:%-d %b %Y, %H:%M}"


def label(name: str) -> str:
    """A library's setting as its form calls it; of what else is set or told, its name in words."""
    verbose = {field.name: field.verbose_name for field in Library._meta.concrete_fields}
    return capfirst(str(verbose.get(name, name.replace("_", " "))))


def setting(value: Any) -> str:
    """What a setting was set to, in words."""
    if value is None or value == "":
        return "nothing"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
