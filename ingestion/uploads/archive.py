"""A zip that somebody brought, member by member, without trusting what it says about itself."""

import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import suppress
from itertools import filterfalse, pairwise
from pathlib import Path

from ingestion.sources.base import MAX_FILE_BYTES
from ingestion.zips import DAMAGED, MOST_MEMBERS, OTHER_ARCHIVES, looks_like_a_bomb

from .names import Refused, kept_path

LARGEST_DIRECTORY = 64 * 1024**2  # bytes
ZIP64_END = 76  # bytes between the directory and its end record, in large archives
ENTRY = b"PK\x01\x02"  # of the directory
READ = 1 << 20
UTF_8_NAME = 0x800  # the flag of a name that says it is UTF-8
UNICODE_PATH = 0x7075  # Info-ZIP's extra field: version 1, the checksum of the name, the name in UTF-8
LETTER = r"[^\W\d_]"
SIGN = r"(?:[^\w\x00-\x7f‘’“”„…–—°·«»¿¡™®©]|ⁿ)"
SIGNS = re.compile(rf"(?<={LETTER}){SIGN}|{SIGN}(?={LETTER})|(?<={LETTER})(?!(?<=l)·l)[°·²µ‘“”„…](?={LETTER})")
WORDS, GREEK, LATIN = re.compile(f"{LETTER}+"), re.compile("[α-ωΑ-Ω]"), re.compile("[a-zA-Z]")
ACCENTED = re.compile("[ΘΦ]|πo")  # é, è and ão, which short words have, too
CAPITAL, SMALL = "[À-ÖØ-Þ]", "[a-zß-öø-ÿ]"
UNLIKELY = re.compile(  # capitals within words, and the õ of Portuguese
    f"{SMALL}{CAPITAL}|[A-Z]{CAPITAL}{SMALL}|[ß-öø-ÿ][A-Z]|äe"
)

Member = tuple[str, bytes | Refused]  # path, and what it holds or why it is not taken


def unpacked(archive: Path, most_bytes: int) -> Iterator[Member]:
    """Every file of the archive. Raises Refused for an archive of which nothing is to be trusted."""
    try:
        refuse_crowds(archive)
        opened = zipfile.ZipFile(archive)
    except DAMAGED as error:
        raise Refused("it is not a zip archive, or it is damaged") from error
    with opened:
        members = [member for member in opened.infolist() if not name_of(member).endswith("/")]
        refuse_bombs(members, most_bytes)
        for member in members:
            try:
                yield kept_path(name_of(member)), content_of(opened, member)
            except Refused as reason:
                yield name_of(member), reason


def refuse_crowds(archive: Path) -> None:
    """Before zipfile makes half a kilobyte of each of the directory's entries, of which 50 MB may have a million."""
    with archive.open("rb") as file:
        end = zipfile._EndRecData(file)  # type: ignore[attr-defined]  # what zipfile itself will read
        if end is None:
            raise zipfile.BadZipFile
        size, behind = end[zipfile._ECD_SIZE], end[zipfile._ECD_LOCATION]  # type: ignore[attr-defined]
        if size > LARGEST_DIRECTORY:
            raise Refused(f"its directory has {size:,} bytes; at most {LARGEST_DIRECTORY:,} are read")
        file.seek(max(behind - size - ZIP64_END, 0))
        if (count := file.read(size + ZIP64_END).count(ENTRY)) > 2 * MOST_MEMBERS:  # folders among them
            raise Refused(f"it holds {count:,} files and folders; at most {MOST_MEMBERS:,} files are taken at once")


def refuse_bombs(members: list[zipfile.ZipInfo], most_bytes: int) -> None:
    """By what the directory says; `content_of` stops where it lied."""
    if len(members) > MOST_MEMBERS:
        raise Refused(f"it holds {len(members):,} files; at most {MOST_MEMBERS:,} are taken at once")
    if (total := sum(member.file_size for member in members)) > most_bytes:
        raise Refused(f"it unpacks to {total:,} bytes; at most {most_bytes:,} are taken at once")
    if any(looks_like_a_bomb(member) for member in members):
        raise Refused("it is packed so tightly that it looks like a bomb")
    places = sorted((member.header_offset, member.compress_size) for member in members)
    if any(start + size > later for (start, size), (later, _) in pairwise(places)):
        raise Refused("its files overlap, as in a bomb")


def name_of(member: zipfile.ZipInfo) -> str:
    """The name as it was meant: zipfile reads as cp437 what is not marked as UTF-8, as macOS leaves it, or of Windows.

    zipfile also cuts a name at a NUL; what it was says more of who made it.
    """
    name = member.orig_filename
    if member.flag_bits & UTF_8_NAME:
        return name
    written = name.encode("cp437")
    try:
        return (unicode_path(member.extra, zlib.crc32(written)) or written).decode("utf-8")
    except UnicodeDecodeError:
        return in_windows(name)


def in_windows(name: str) -> str:
    """Read as cp1252 or cp850, where cp437 has signs or Greek letters within words and they have letters."""
    if not is_garbled(name):
        return name
    readings = []
    for encoding in ("cp1252", "cp850"):
        with suppress(UnicodeDecodeError):
            readings.append(name.encode("cp437").decode(encoding))
    return min(filterfalse(is_garbled, readings), key=lambda text: len(UNLIKELY.findall(text)), default=name)


def is_garbled(name: str) -> bool:
    return SIGNS.search(name) is not None or any(map(is_mixed, WORDS.findall(name)))


def is_mixed(word: str) -> bool:
    """Whether it has Greek letters and others, but for something as short as kΩ."""
    greek, latin = GREEK.findall(word), LATIN.findall(word)
    return bool(greek and latin) and (len(latin) > 2 or len(greek) > 1 or ACCENTED.search(word) is not None)


def unicode_path(extra: bytes, checksum: int) -> bytes:
    """The name in UTF-8 beside a name with this checksum; empty without one."""
    at = 0
    while at + 4 <= len(extra):
        kind, size = struct.unpack_from("<HH", extra, at)
        field = extra[at + 4 : at + 4 + size]
        if kind == UNICODE_PATH and len(field) > 5 and struct.unpack_from("<BL", field) == (1, checksum):
            return field[5:]
        at += 4 + size
    return b""


def content_of(opened: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    kind = stat.S_IFMT(member.external_attr >> 16)
    if kind not in (0, stat.S_IFREG):
        raise Refused("it is a symbolic link" if kind == stat.S_IFLNK else "it is not a regular file")
    if name_of(member).lower().endswith((".zip", *OTHER_ARCHIVES)):
        raise Refused("it is an archive within an archive; unpack it first")
    if member.flag_bits & 1:
        raise Refused("it is encrypted")
    if member.file_size > MAX_FILE_BYTES:
        raise Refused(f"it has {member.file_size:,} bytes; at most {MAX_FILE_BYTES:,} are taken")
    try:
        with opened.open(member) as file:
            content = file.read(member.file_size + 1)
    except DAMAGED as error:
        raise Refused("it is damaged") from error
    if len(content) != member.file_size:
        raise Refused("it is damaged: its size is not what the archive says")
    return content
