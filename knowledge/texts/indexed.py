"""What of a passage is counted by its words: what pages show of it, and the titles it stands under. Pure."""

import re
from collections.abc import Sequence

from .analysis import tokens
from .comments import without_comments
from .formats import is_rst

MARKED_UP = 4  # how often as long as its text a heading with its marks may be: RST's stands between two lines
# RST's marks end at a space or a backslash: ``Request``\s is one word, and so is H\ :sub:`2`\ O.
JOINTS = re.compile(r"\\\s(?::su[bp][a-z]{0,10}:)?(?=[:`*|])[`*]{0,2}|(?<=\w)[`*]{1,2}\\\s?(?=\w)")


def indexed(text: str, context: str, breadcrumb: Sequence[str], path: str) -> tuple[str, str]:
    """A passage's body and its head: `context` is its own, `breadcrumb` its section's, `path` its file's.

    What says nothing but its own title has that in its body alone.
    """
    seen = without_comments(text, path)
    body = f"{context}\n{JOINTS.sub('', seen) if is_rst(path) else seen}"
    return body, "\n".join(breadcrumb[:-1] if breadcrumb and is_title(body, breadcrumb[-1]) else breadcrumb)


def is_title(text: str, title: str) -> bool:
    """Whether it says the title's words and no other."""
    return len(text) <= MARKED_UP * len(title) and {*tokens(text)} == {*tokens(title)} != set()
