"""What models think before they answer, between `<think>` and `</think>`, is no part of what they say. Pure.

Only at the beginning: documents and answers may speak of these tags.
"""

import re
from collections.abc import Callable, Iterator

OPENS, CLOSES = "<think>", "</think>"
CLOSING = re.compile(rf"(?:(?P<alone>^[ \t]*{CLOSES}[ \t]*$)|{CLOSES})\s*", re.MULTILINE)
CODE = re.compile("`+")  # around code


def aloud(pieces: Iterator[str], may_lack_opening: Callable[[], bool]) -> Iterator[str]:
    """The pieces without the thoughts that they begin with; an empty one for each that belongs to them.

    `may_lack_opening`, asked once a piece has come: whether all may be thoughts until they are closed.
    """
    begun, has_thought = "", False
    for piece in pieces:
        begun += piece
        lacks_opening = not has_thought and may_lack_opening()
        while end := end_of_thought(begun) or (lacks_opening and end_without_opening(begun)):
            begun, has_thought, lacks_opening = begun[end:], True, False
        begun = begun.lstrip() if has_thought else begun
        if lacks_opening or may_be_thought(begun):
            yield ""
            continue
        yield begun
        yield from pieces
        return
    if not begun.lstrip().startswith(OPENS):
        yield begun


def end_of_thought(begun: str) -> int:
    """Where the thought ends that a text begins with; 0 if it begins with none, or with one that goes on."""
    return begun.find(CLOSES) + len(CLOSES) if begun.lstrip().startswith(OPENS) and CLOSES in begun else 0


def may_be_thought(begun: str) -> bool:
    """Whether a text begins with a thought that goes on, or may do so."""
    text = begun.lstrip()
    return text.startswith(OPENS) or OPENS.startswith(text)


def end_without_opening(text: str) -> int:
    """Where the thoughts end whose opening tag the server put into the prompt; 0 if there are none.

    The closing tag has a line of its own, or stands in no code.
    """
    for tag in CLOSING.finditer(text):
        before = text[: tag.start()]
        if OPENS in before:
            break
        if tag["alone"] or len(CODE.findall(before)) % 2 == 0:
            return tag.end()
    return 0


def without_thoughts(text: str) -> str:
    """A whole text without the thoughts before it whose opening tag it lacks."""
    return text[end_without_opening(text) :]
