"""What models think before they answer, between `<think>` and `</think>`, is no part of what they say. Pure.

Only at the beginning: documents and answers may speak of these tags.
"""

import re
from collections.abc import Iterator

OPENS, CLOSES = "<think>", "</think>"
# The server put the opening tag into the prompt: what is thought ends with the other one, on a line of its own.
LEFT_OPEN = re.compile(rf"\A(?:(?!{OPENS}).)*?^[ \t]*{CLOSES}[ \t]*$\s*", re.DOTALL | re.MULTILINE)


def aloud(pieces: Iterator[str]) -> Iterator[str]:
    """The pieces without the thoughts that they begin with; an empty one for each that belongs to them."""
    begun = ""
    for piece in pieces:
        begun += piece
        text = behind_thoughts(begun)
        yield text or ""
        if text is not None:
            yield from pieces
            return
    if not begun.lstrip().startswith(OPENS):
        yield begun


def behind_thoughts(begun: str) -> str | None:
    """A text without the thoughts that it begins with; None for as long as it may be nothing else."""
    text = begun.lstrip()
    if text.startswith(OPENS):
        _, closed, rest = text.partition(CLOSES)
        return behind_thoughts(rest.lstrip()) if closed else None
    return None if OPENS.startswith(text) else begun


def without_thoughts(text: str) -> str:
    """A whole text without the thoughts before it whose opening tag it lacks."""
    return LEFT_OPEN.sub("", text)
