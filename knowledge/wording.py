"""How pages, answers of the API and commands say what went wrong."""

from django.utils.text import capfirst

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
