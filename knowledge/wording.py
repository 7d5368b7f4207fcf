"""How pages and answers of the API say what went wrong."""

from django.utils.text import capfirst


def sentence(error: object) -> str:
    """An error's message with a capital and a full stop. One that begins with the name of a host, a file or a snapshot
    keeps its letters: such names are no plain words, and errors quote those that may be one.
    """
    text = f"{str(error).rstrip('.')}."
    return capfirst(text) if text.partition(" ")[0].isalpha() else text
