"""Zips that nobody vouches for: how much of one is taken, and what reading a damaged one raises. Pure."""

import lzma
import zipfile
import zlib

OTHER_ARCHIVES = (".7z", ".bz2", ".gz", ".rar", ".tar", ".tgz", ".xz", ".zst")  # which nobody unpacks here
MOST_MEMBERS = 20_000
HIGHEST_RATIO = 200  # unpacked to packed; text seldom goes beyond 20
RATIO_MATTERS = 4 * 1024**2  # bytes unpacked, below which any ratio will do
DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    OSError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    KeyError,
)


def looks_like_a_bomb(member: zipfile.ZipInfo) -> bool:
    """By what the directory says, which may lie."""
    return member.file_size > RATIO_MATTERS and member.file_size > HIGHEST_RATIO * max(member.compress_size, 1)
