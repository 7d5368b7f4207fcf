"""What a file's text is written in once it was parsed, by the suffix of its name. Pure."""

from collections.abc import Iterator
from enum import Enum, auto


class Notation(Enum):
    RST = auto()
    MARKDOWN = auto()
    NOTEBOOK = auto()  # Markdown, which its parser makes of the cells
    TEXT = auto()
    WRITTEN_OUT = auto()  # what a parser makes of a page or an office document


NOTATIONS = {
    ".beir": Notation.TEXT,
    ".csv": Notation.WRITTEN_OUT,
    ".docm": Notation.WRITTEN_OUT,
    ".docx": Notation.WRITTEN_OUT,
    ".dotm": Notation.WRITTEN_OUT,
    ".dotx": Notation.WRITTEN_OUT,
    ".eml": Notation.WRITTEN_OUT,
    ".epub": Notation.WRITTEN_OUT,
    ".fodt": Notation.WRITTEN_OUT,
    ".htm": Notation.WRITTEN_OUT,
    ".html": Notation.WRITTEN_OUT,
    ".ipynb": Notation.NOTEBOOK,
    ".markdown": Notation.MARKDOWN,
    ".md": Notation.MARKDOWN,
    ".mdx": Notation.MARKDOWN,
    ".ods": Notation.WRITTEN_OUT,
    ".odt": Notation.WRITTEN_OUT,
    ".ott": Notation.WRITTEN_OUT,
    ".pdf": Notation.WRITTEN_OUT,
    ".pptm": Notation.WRITTEN_OUT,
    ".pptx": Notation.WRITTEN_OUT,
    ".rst": Notation.RST,
    ".rst.inc": Notation.RST,
    ".text": Notation.TEXT,
    ".tsv": Notation.WRITTEN_OUT,
    ".txt": Notation.TEXT,
    ".xhtml": Notation.WRITTEN_OUT,
    ".xlsm": Notation.WRITTEN_OUT,
    ".xlsx": Notation.WRITTEN_OUT,
}
NOT_AS_IN_THE_FILE = (Notation.NOTEBOOK, Notation.WRITTEN_OUT)
HOLDING_HTML = (Notation.MARKDOWN, Notation.NOTEBOOK)


def notation_of(path: str) -> Notation | None:
    """None for a program, and where the name has no suffix that is known."""
    return next((NOTATIONS[suffix] for suffix in suffixes(path) if suffix in NOTATIONS), None)


def suffixes(path: str) -> Iterator[str]:
    """Those of the file's name, in small letters, the longest first."""
    name = path.rsplit("/", 1)[-1]
    return (name[index:].lower() for index, character in enumerate(name) if character == "." and index)


def is_rst(path: str) -> bool:
    return notation_of(path) is Notation.RST


def may_hold_html(path: str) -> bool:
    """Whether HTML in this file is markup, and no example of it."""
    return notation_of(path) in HOLDING_HTML


def has_lines_of_the_file(path: str) -> bool:
    """Whether lines of the text as parsed are those of the file."""
    return notation_of(path) not in NOT_AS_IN_THE_FILE
