"""What is said of a picture, for those who do not see it."""

import re

from ingestion.parsers.writing import one_line

FILE = re.compile(r".*\.(?:png|jpe?g|jpe|gif|svg|webp|avif|bmp|tiff?|emf|wmf|ico)", re.I)
NOTHING = re.compile(  # that a person wrote: "Picture 3", "[Note]" beside a note, what Word sees in a picture
    r"(?:image|img|picture|photo|graphic|figure|grafik|bild|imagen?)[\s_-]*\d*"
    r"|\[[^]]*\]"
    r"|.*(?:description automatically generated|AI-generated content).*",
    re.I,
)


def alternative(text: str | None) -> str:
    """The text that stands for a picture, in one line; "" for the name of a file, and for what programs write."""
    lines = (text or "").strip().split("\n")
    if any(not line.strip() for line in lines):  # Word writes what it sees, and below, in any language, that it guesses
        return ""
    line = one_line(" ".join(lines))
    return "" if FILE.fullmatch(line) or NOTHING.fullmatch(line) else line
