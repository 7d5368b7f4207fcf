"""From a file's bytes to a parsed document. A new format is one module, and its suffixes here."""

from collections.abc import Callable

from ingestion.documents import ParsedDocument, ParseError
from ingestion.parsers import beir, code, docx, html, markdown, odt, pdf, rst, text

PARSER_VERSION = 2

Parser = Callable[[bytes, str], ParsedDocument]

PARSERS: dict[str, Parser] = {
    ".beir": beir.parse,
    ".docx": docx.parse,
    ".htm": html.parse,
    ".html": html.parse,
    ".markdown": markdown.parse,
    ".md": markdown.parse,
    ".odt": odt.parse,
    ".pdf": pdf.parse,
    ".rst": rst.parse,
    ".rst.inc": rst.parse,
    ".text": text.parse,
    ".txt": text.parse,
    ".xhtml": html.parse,
    **dict.fromkeys(code.LANGUAGES, code.parse),
}
SUFFIXES = tuple(sorted(PARSERS))

__all__ = ["PARSERS", "PARSER_VERSION", "SUFFIXES", "parse", "suffix"]


def parse(data: bytes, path: str) -> ParsedDocument:
    """Raises ParseError for a suffix that no parser reads, and for content that is not what the suffix says."""
    if (known := suffix(path)) is None:
        raise ParseError(path, "no parser reads files with this suffix")
    return PARSERS[known](data, path)


def suffix(path: str) -> str | None:
    """The longest known suffix of the file's name."""
    name = path.rsplit("/", 1)[-1].lower()
    endings = (name[index:] for index, character in enumerate(name) if character == "." and index)
    return next((ending for ending in endings if ending in PARSERS), None)
