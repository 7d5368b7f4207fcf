"""EPUB: the chapters in the order of the book's spine, each an HTML page in the archive."""

from urllib.parse import unquote

from lxml import etree

from ingestion.documents import ParsedDocument, ParseError
from ingestion.parsers.archives import Archive, resolve
from ingestion.parsers.html import write_page
from ingestion.parsers.writing import Writer

MEDIA_TYPE = "application/epub+zip"
CONTAINER = "{urn:oasis:names:tc:opendocument:xmlns:container}"
PACKAGE = "{http://www.idpf.org/2007/opf}"
DUBLIN_CORE = "{http://purl.org/dc/elements/1.1/}"
PAGES = ("application/xhtml+xml", "text/html", "application/x-dtbook+xml")
MOST_CHAPTERS = 5_000


def parse(data: bytes, path: str) -> ParsedDocument:
    archive = Archive(data, path, "an EPUB book")
    package_name = find_package(archive)
    package = archive.xml(package_name)
    encrypted = encrypted_parts(archive)
    writer = Writer(path)
    named = spine(package, package_name)
    chapters = [name for name in named if name in archive]
    if missing := len(named) - len(chapters):
        writer.warnings.append(f"{missing} of its {len(named)} chapters {'is' if missing == 1 else 'are'} not in it")
    readable = [name for name in chapters if name not in encrypted]
    if chapters and not readable:
        raise ParseError(path, "it is encrypted: its chapters cannot be read")
    for name in readable[:MOST_CHAPTERS]:
        write_page(archive.read(name), writer, is_xhtml=True)
    if not writer.blocks:
        raise ParseError(path, "it has no text")
    return writer.finish(MEDIA_TYPE, package.findtext(f".//{DUBLIN_CORE}title") or "")


def find_package(archive: Archive) -> str:
    for root_file in archive.xml("META-INF/container.xml").iter(f"{CONTAINER}rootfile"):
        name = resolve("", root_file.get("full-path", ""))
        if name in archive:
            return name
    raise ParseError(archive.path, "it is damaged: it names no package of chapters")


def spine(package: etree._Element, package_name: str) -> list[str]:
    """The archive's names of the pages, in reading order."""
    items = {item.get("id"): item for item in package.iter(f"{PACKAGE}item")}
    references = package.iter(f"{PACKAGE}itemref")
    chosen = [items[reference.get("idref")] for reference in references if reference.get("idref") in items]
    return [
        resolve(package_name, unquote(item.get("href", "").partition("#")[0]))
        for item in chosen
        if item.get("media-type") in PAGES and "nav" not in (item.get("properties") or "").split()
    ]


def encrypted_parts(archive: Archive) -> set[str]:
    if "META-INF/encryption.xml" not in archive:
        return set()
    references = archive.xml("META-INF/encryption.xml").iter("{http://www.w3.org/2001/04/xmlenc#}CipherReference")
    return {resolve("", unquote(reference.get("URI", ""))) for reference in references}
