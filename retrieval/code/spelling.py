"""Names as developers write them, as they are stored. Pure."""

import re
from collections.abc import Iterator

OPERATOR = re.compile(r"(?<![\w$])operator(?:\s*[^\w\s].*| \w.*)$")  # of C++: verbatim, but for the space before a sign
JOINTS = re.compile(r"::|\\|#|(?:\?->|->|\?\.)(?=[\w$])")
TYPES = re.compile(r"<(?!=>)[^<>]*>|\[[^\[\]]+\]")  # `Rack[T]`, `Matrix<bool>`; `[]` and `<=>` are names
RECEIVER = re.compile(r"\(\s*\*?\s*([\w.$]+)\s*\)\s*(?=\.)")  # `(*Rack).Put`
STARTS = (
    "crate",
    "self",
    "Self",
    "this",
    "$this",
    "super",
    "main",
)  # of what is written in the same place; Go's programs


def spellings(name: str) -> Iterator[str]:
    """As it may be stored, the likeliest first: joined by points, without types, then without what only leads there."""
    name = " ".join(name.replace("\0", "").split())
    operator = OPERATOR.search(name)
    owner = joined(name[: operator.start()] if operator else name)
    own = re.sub(r"^operator\s+(?!\w)", "operator", operator.group()) if operator else ""
    plain = ".".join(filter(None, [owner, own]))
    yield plain
    first, _, rest = plain.partition(".")
    while rest and first in STARTS:
        yield rest
        plain = rest
        first, _, rest = plain.partition(".")
    if re.search(r"[\w$]!$", plain):  # a macro of Rust, as it is called
        yield plain[:-1]


def joined(written: str) -> str:
    while (plain := TYPES.sub("", written)) != written:  # one within another
        written = plain
    parts = JOINTS.sub(".", RECEIVER.sub(r"\1", written)).strip(". ()").split(".")
    return ".".join(part.strip() for part in parts if part.strip())
