"""What of a passage is counted by its words: what pages show of it. Pure."""

import re

from .comments import without_comments
from .formats import is_rst

# RST's marks end at a space or a backslash: ``Request``\s is one word, and so is H\ :sub:`2`\ O.
JOINTS = re.compile(r"\\\s(?::su[bp][a-z]{0,10}:)?(?=[:`*|])[`*]{0,2}|(?<=\w)[`*]{1,2}\\\s?(?=\w)")


def indexed(text: str, context: str, path: str) -> str:
    """`context` is that of the passage, `path` its file's."""
    seen = without_comments(text, path)
    return f"{context}\n{JOINTS.sub('', seen) if is_rst(path) else seen}"
