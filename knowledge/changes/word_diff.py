"""Which words of a text are others in another one. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

PIECE = re.compile(r"\S+\s*")


@dataclass(frozen=True, slots=True)
class Piece:
    """Words that are the same, were removed or were added."""

    kind: str
    text: str


def differences(before: str, after: str) -> Iterator[Piece]:
    """What stayed is as `after` has it; how words are spaced makes no difference."""
    old, new = PIECE.findall(before), PIECE.findall(after)
    bare = [[word.strip() for word in words] for words in (old, new)]
    for tag, a, b, c, d in SequenceMatcher(None, bare[0], bare[1], autojunk=False).get_opcodes():
        if tag == "equal":
            yield Piece("same", "".join(new[c:d]))
            continue
        if a < b:
            yield Piece("removed", "".join(old[a:b]))
        if c < d:
            yield Piece("added", "".join(new[c:d]))
