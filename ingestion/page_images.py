"""The pages of PDFs as pictures, made when they are first looked at, and kept beside the originals.

Rendering is parsing: it runs in the sandbox, which gives back nothing but pixels. The PNG is written here, so that no
byte of a hostile file reaches a browser as it is.
"""

import base64
import logging
import shutil
import struct
import threading
import time
import zlib
from contextlib import suppress

from ingestion.documents import ParseError
from ingestion.parsers.page_image import HEIGHT, MEDIA_TYPE, WIDTH
from ingestion.sandbox import SandboxError
from ingestion.sandbox.client import borrowed
from ingestion.sandbox.limits import Limits
from knowledge.storage import originals
from knowledge.storage.whole_files import whole

LIMITS = Limits(cpu_seconds=10, wall_seconds=15, memory=512 * 1024**2, output=16 * 1024**2)
RENDERER = "ingestion.parsers.page_image:parse"
MOST_KEPT = 200  # pages of one PDF, about 100 kB each; later ones are made anew each time
SIGNATURE = b"\x89PNG\r\n\x1a\n"
PATIENCE_SECONDS = 20  # for the pages that others look at first
AGAIN_SECONDS, MOST_FAILED = 600, 1000  # a page that could not be drawn is not tried again meanwhile
_one_at_a_time = threading.Lock()
_failed: dict[tuple[str, int], float] = {}  # until when, on the monotonic clock
logger = logging.getLogger(__name__)


class Busy(Exception):
    """Others look at so many pages that this one would be long in coming; it can be asked for again at once."""


def page_image(sha256: str, page: int) -> bytes | None:
    """A PNG of this page, from 1, of the original; None where there is no such page, or none that can be drawn now."""
    kept = originals.images_of(sha256) / f"{page}.png"
    with suppress(FileNotFoundError):
        return kept.read_bytes()
    if time.monotonic() < _failed.get((sha256, page), 0):
        return None
    try:
        picture = rendered(originals.read(sha256), page)
    except FileNotFoundError:
        return None
    except (ParseError, SandboxError) as error:
        logger.warning("no picture of page %s of %s: %s", page, sha256[:12], error)
        remember_failure(sha256, page)
        return None
    except Busy:
        return None
    if page <= MOST_KEPT:
        kept.parent.mkdir(parents=True, exist_ok=True)
        with whole(kept) as file:
            file.write(picture)
        if not originals.path_of(sha256).exists():  # it was erased meanwhile
            shutil.rmtree(kept.parent, ignore_errors=True)
    return picture


def remember_failure(sha256: str, page: int) -> None:
    if len(_failed) >= MOST_FAILED:
        _failed.clear()
    _failed[sha256, page] = time.monotonic() + AGAIN_SECONDS


def rendered(content: bytes, page: int) -> bytes:
    """Raises ParseError, SandboxError, Busy."""
    given = [(content, str(page))]
    if not _one_at_a_time.acquire(timeout=PATIENCE_SECONDS):
        raise Busy
    try:
        with borrowed(parser=RENDERER, limits=LIMITS) as sandbox:
            sandbox.submit(given)
            [outcome] = sandbox.collect(given)
    finally:
        _one_at_a_time.release()
    if isinstance(outcome, ParseError):
        raise outcome
    try:
        width, height = map(int, outcome.title.split())
        pixels = base64.b64decode(outcome.text, validate=True)
    except ValueError as error:
        raise ParseError(str(page), "its picture is damaged") from error
    fits = 0 < width <= WIDTH + 1 and 0 < height <= HEIGHT + 1 and len(pixels) == width * height * 3
    if outcome.media_type != MEDIA_TYPE or not fits:
        raise ParseError(str(page), "its picture is damaged")
    return png(width, height, pixels)


def png(width: int, height: int, pixels: bytes) -> bytes:
    """https://www.w3.org/TR/png-3/: eight bits a channel, RGB, no filter."""
    row = width * 3
    lines = b"".join(b"\0" + pixels[at : at + row] for at in range(0, len(pixels), row))
    header = struct.pack("!IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return SIGNATURE + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(lines, 6)) + chunk(b"IEND", b"")


def chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack("!I", len(content)) + kind + content + struct.pack("!I", zlib.crc32(kind + content))
