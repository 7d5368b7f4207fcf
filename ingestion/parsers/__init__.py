"""From a file's bytes to a parsed document.

What a new format takes is said at the end of `docs/formats.md`.
"""

import re
from collections.abc import Callable
from dataclasses import replace

from ingestion.documents import BlockKind, ParsedDocument, ParseError
from ingestion.parsers import beir, code, docx, eml, epub, html, ipynb, markdown, odt, pdf, pptx, rst, sheets, text
from ingestion.parsers.natural_language import labelled
from ingestion.zips import OTHER_ARCHIVES
from knowledge.texts.formats import suffixes

PARSER_VERSION = 29

Parser = Callable[[bytes, str], ParsedDocument]

PARSERS: dict[str, Parser] = {
    ".beir": beir.parse,
    ".csv": sheets.parse_csv,
    ".docm": docx.parse,
    ".docx": docx.parse,
    ".dotm": docx.parse,
    ".dotx": docx.parse,
    ".eml": eml.parse,
    ".epub": epub.parse,
    ".fodt": odt.parse,
    ".htm": html.parse,
    ".html": html.parse,
    ".ipynb": ipynb.parse,
    ".markdown": markdown.parse,
    ".md": markdown.parse,
    ".mdx": markdown.parse,
    ".ods": sheets.parse,
    ".odt": odt.parse,
    ".ott": odt.parse,
    ".pdf": pdf.parse,
    ".pptm": pptx.parse,
    ".pptx": pptx.parse,
    ".rst": rst.parse,
    ".rst.inc": rst.parse,
    ".text": text.parse,
    ".tsv": sheets.parse_csv,
    ".txt": text.parse,
    ".xhtml": html.parse,
    ".xlsm": sheets.parse,
    ".xlsx": sheets.parse,
    **dict.fromkeys(code.LANGUAGES, code.parse),
}
SUFFIXES = tuple(sorted(PARSERS))
# What is in a file such as README, COPYING.LIB or LICENSE-MIT, its name says.
TEXT_NAMES = (
    "readme", "license", "licenses", "licence", "licences", "copying", "copyright", "notice", "notices", "authors",
    "contributors", "maintainers", "credits", "thanks", "changelog", "changes", "history", "news", "install", "todo",
    "faq", "contributing", "security", "bugs", "makefile", "gnumakefile", "dockerfile", "containerfile", "jenkinsfile",
    "gemfile", "rakefile",
)  # fmt: skip
TEXT_BY_NAME = re.compile(  # as static/uploads.js has it
    rf"(?:[Dd]ockerfile(?=\.[a-z])|(?i:{'|'.join(TEXT_NAMES)})(?=$|[.-][A-Z]))(?:[.-]\w[\w-]*)?"
)
NO_TEXT = "it has no text"
POINTER = b"version https://git-lfs.github.com/spec/"
LARGEST_POINTER = 1024
KEPT_ELSEWHERE = "it is kept in Git LFS: this is only a pointer to it"
MOST_HEADINGS = 100_000  # each is a section, which the worker makes, where nothing else limits its time
SAVE_AS = {
    ".adoc": "HTML", ".doc": "DOCX", ".mobi": "EPUB", ".msg": "EML", ".numbers": "XLSX", ".odp": "PPTX", ".org": "HTML",
    ".pages": "DOCX", ".ppt": "PPTX", ".rtf": "DOCX", ".tex": "PDF", ".xls": "XLSX",
}  # fmt: skip

__all__ = ["PARSERS", "PARSER_VERSION", "SAVE_AS", "SUFFIXES", "TEXT_NAMES", "parse", "suffix", "unread"]


def parse(data: bytes, path: str) -> ParsedDocument:
    """Raises ParseError for a suffix that no parser reads, and for content that is not what the suffix says."""
    if (known := suffix(path)) is None:
        raise ParseError(path, unread(path))
    if len(data) <= LARGEST_POINTER and data.startswith(POINTER):
        raise ParseError(path, KEPT_ELSEWHERE)
    document = PARSERS[known](data, path)
    if sum(block.kind is BlockKind.HEADING for block in document.blocks) > MOST_HEADINGS:
        raise ParseError(path, f"it has more than {MOST_HEADINGS:,} headings")
    if not document.blocks:
        document = replace(document, warnings=(*document.warnings, NO_TEXT))
    return document if known in code.LANGUAGES else labelled(document)


def unread(path: str) -> str:
    """Why nothing reads a file of this name, and what to do."""
    if path.lower().endswith(OTHER_ARCHIVES):
        return "only ZIP archives are unpacked: make it one"
    if "." not in path.rsplit("/", 1)[-1]:
        return "its name has no ending that says what it is: add one, as .txt or .md"
    better = SAVE_AS.get("." + path.rsplit(".", 1)[-1].lower(), "")
    return f"files with this suffix are not read{f': save it as {better}' if better else ''}"


def suffix(path: str) -> str | None:
    """The longest known suffix of the file's name, or that of plain text where the whole name says so."""
    name = path.rsplit("/", 1)[-1]
    known = next((ending for ending in suffixes(name) if ending in PARSERS), None)
    foreign = "." + name.rpartition(".")[2].lower() in SAVE_AS
    return known or (".txt" if TEXT_BY_NAME.fullmatch(name) and not foreign else None)
