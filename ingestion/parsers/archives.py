"""Formats that are ZIP archives of XML: nothing is unpacked before the directory was looked at."""

import io
import re
import zipfile
from collections.abc import Iterable
from posixpath import join, normpath, split

from lxml import etree

from ingestion.documents import ParseError
from ingestion.zips import DAMAGED, MOST_MEMBERS, looks_like_a_bomb

MOST_BYTES = 400 * 1024**2  # unpacked, all members together
LARGEST_PART = 64 * 1024**2  # of XML or HTML, unpacked
COMPOUND = bytes.fromhex("d0cf11e0a1b11ae1")  # the containers of old Office files, and of encrypted new ones
RELATIONSHIP = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"
ENTITY = re.compile(rb"<!(?:ENTITY|DOCTYPE[^>\[]*\[)", re.I)


class Archive:
    """The members of an archive, after its directory was checked. Raises ParseError for what is wrong with it."""

    def __init__(self, data: bytes, path: str, what: str) -> None:
        self.path = path
        if data.startswith(COMPOUND):
            raise ParseError(path, compound_reason(data, what))
        try:
            self.zip = zipfile.ZipFile(io.BytesIO(data))
            self.members = {member.filename: member for member in self.zip.infolist()}
        except DAMAGED as error:
            raise ParseError(path, f"this is not {what}, or it is damaged: its ZIP container cannot be read") from error
        self.check()

    def check(self) -> None:
        members = self.zip.infolist()
        if len(members) > MOST_MEMBERS:
            raise ParseError(
                self.path, f"its container has {len(members):,} members; at most {MOST_MEMBERS:,} are read"
            )
        if sum(member.file_size for member in members) > MOST_BYTES:
            raise ParseError(self.path, f"its container holds more than {MOST_BYTES // 1024**2} MiB when unpacked")
        for member in members:
            name = member.filename.replace("\\", "/")
            if name.startswith("/") or ".." in name.split("/") or re.match(r"[a-zA-Z]:", name):
                raise ParseError(self.path, "its container has a member that points outside of it")
            if looks_like_a_bomb(member):
                raise ParseError(self.path, "its container is packed so tightly that it looks like a bomb")

    def __contains__(self, name: str) -> bool:
        return name in self.members

    def read(self, name: str) -> bytes:
        """A member. A part that is stored longer than the directory says is cut there, as zipfile does."""
        member = self.members.get(name)
        if member is None:
            raise ParseError(self.path, f"it is incomplete: {name} is missing")
        if member.flag_bits & 1:
            raise ParseError(self.path, "it is encrypted: it needs a password")
        if member.file_size > LARGEST_PART:
            raise ParseError(self.path, f"its part {name} has more than {LARGEST_PART // 1024**2} MiB")
        try:
            return self.zip.read(member)
        except DAMAGED as error:
            raise ParseError(self.path, f"it is damaged: its part {name} cannot be unpacked") from error

    def xml(self, name: str) -> etree._Element:
        return read_xml(self.read(name), self.path, name)

    def refuse_entities(self, part: bytes) -> None:
        """For parts that a library reads by itself."""
        refuse_entities(part, self.path)

    def repacked(self, names: Iterable[str], replaced: dict[str, bytes]) -> bytes:
        """An archive of some of the members, without compression; `replaced` have another content."""
        target = io.BytesIO()
        with zipfile.ZipFile(target, "w") as packed:
            for name in names:
                packed.writestr(name, replaced[name] if name in replaced else self.read(name))
        return target.getvalue()


def read_xml(data: bytes, path: str, name: str = "") -> etree._Element:
    """The root. Entities are refused, nothing is fetched, deep or huge trees are an error."""
    refuse_entities(data, path)
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, recover=False)
    try:
        root = etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        part = f"its part {name}" if name else "it"
        raise ParseError(path, f"it is damaged: {part} is not well-formed XML ({error})") from error
    return root


def refuse_entities(data: bytes, path: str) -> None:
    """XML may define names for texts, and texts made of names: that is how small files grow without end."""
    plain = data.replace(b"\0", b"")  # UTF-16 and UTF-32
    if ENTITY.search(plain[:200_000]):
        raise ParseError(path, "its XML defines entities, which no document needs and attacks use")


def compound_reason(data: bytes, what: str) -> str:
    encrypted = "EncryptedPackage".encode("utf-16-le") in data
    if encrypted:
        return "it is encrypted: it needs a password"
    return f"this is not {what} but a file of an old Office version: save it in a current format"


def relationships(archive: Archive, part: str) -> list[etree._Element]:
    """What a part of an Office file says that it leads to; "" is the file as a whole."""
    folder, file = split(part)
    rels = join(folder, "_rels", f"{file}.rels")
    return list(archive.xml(rels).iter(RELATIONSHIP)) if rels in archive else []


def resolve(base: str, target: str) -> str:
    """The member that a relative reference in the member `base` means; "" for one outside."""
    if re.match(r"[a-zA-Z][\w+.-]*:", target):
        return ""
    joined = target.lstrip("/") if target.startswith("/") else f"{base.rpartition('/')[0]}/{target}"
    name = normpath(joined).lstrip("/")
    return "" if name.startswith("..") else name
