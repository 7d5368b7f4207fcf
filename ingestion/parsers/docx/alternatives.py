"""Parts of other formats that a Word document takes in whole (`altChunk`), where they stand."""

import email
import re
from email.message import EmailMessage
from email.policy import default

from lxml import etree

from ingestion.parsers.archives import Archive
from ingestion.parsers.docx.styles import W
from ingestion.parsers.eml import content_of
from ingestion.parsers.encoding import decode, encoding_named
from ingestion.parsers.html import write_html, write_page
from ingestion.parsers.writing import Writer

RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
MARK = "\ue000{}\ue000"
MARKED = re.compile(f"<p>{MARK.format('([0-9]{1,9})')}</p>")
PAGES = (".html", ".htm", ".xhtml")
MAILS = (".mht", ".mhtml")


def mark_alternatives(root: etree._Element) -> list[str]:
    """In place: a paragraph with a mark for each, as mammoth knows none. The ids of their relationships, in order."""
    found: list[str] = []
    for element in root.findall(f"{W}body/{W}altChunk"):
        paragraph = etree.Element(f"{W}p")
        etree.SubElement(etree.SubElement(paragraph, f"{W}r"), f"{W}t").text = MARK.format(len(found))
        if (parent := element.getparent()) is not None:
            parent.replace(element, paragraph)
        found.append(element.get(RELATION, ""))
    return found


def write_around(html: str, marked: list[str], targets: dict[str, str], archive: Archive, writer: Writer) -> None:
    """`html` with the parts at their marks; behind it those without one. `targets`: id of a relationship → part."""
    first, *others = MARKED.split(html)
    write_html(first, writer)
    left = dict(targets)
    for number, text in zip(others[::2], others[1::2], strict=True):
        identity = marked[int(number)] if int(number) < len(marked) else ""
        if name := left.pop(identity, ""):
            write_alternative(archive, name, writer)
        write_html(text, writer)
    for name in left.values():
        write_alternative(archive, name, writer)


def write_alternative(archive: Archive, name: str, writer: Writer) -> None:
    kind, content, charset = name.lower(), archive.read(name), ""
    if kind.endswith(MAILS):
        content, charset = page_in(content)
    if kind.endswith((*PAGES, *MAILS)) and content:
        write_page(content, writer, charset)
    elif kind.endswith(".txt"):
        text, warnings = decode(content, archive.path)
        writer.paragraph(text)
        writer.warn(warnings)
    else:
        writer.warn([f"its part {name} is of another format, and was left out"])


def page_in(archived: bytes) -> tuple[bytes, str]:
    """The first page of a web archive, and the encoding that its head names. Nothing of what holds none."""
    for part in email.message_from_bytes(archived, policy=default).walk():
        if isinstance(part, EmailMessage) and part.get_content_type() == "text/html":
            return content_of(part), encoding_named(part.get_content_charset() or "")
    return b"", ""
