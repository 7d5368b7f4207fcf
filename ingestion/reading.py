"""From a source's files to what their parsers made of them, in order. Parsers run in the sandbox, one batch ahead."""

import hashlib
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import chain

from django.db import transaction

from knowledge.models import FileVersion, IndexProfile, Library
from knowledge.storage import originals

from .documents import ParsedDocument, ParseError, SourceFile
from .sandbox import parse_each
from .sources import SourceBroken, SourceError

MOST_WAITING = 1000  # files: several batches of the parser's


@dataclass(frozen=True, slots=True)
class Reading:
    """A file as it was read: a version that is known already, or what was parsed, or why it is rejected."""

    path: str
    identity: str
    sha256: str = ""
    content: bytes = field(default=b"", repr=False)  # of what is new only
    known: FileVersion | None = None
    document: ParsedDocument | None = None
    fault: str = ""

    @property
    def is_new(self) -> bool:
        return not self.fault and self.known is None


def read_files(files: Iterable[SourceFile], library: Library, profile: IndexProfile) -> Iterator[Reading]:
    """Every file, in order. Only content that the profile's structure has not seen at this path is parsed.

    What is known waits for the parser only behind what is parsed, and a long run of it lets the parser finish first:
    a build of many files never holds them all.
    """
    readings = (read(file, library, profile) for file in files)
    for reading in readings:
        if reading.is_new:
            yield from parsed(chain([reading], readings), profile.settings.get("ocr", ""))
        else:
            yield reading


def parsed(readings: Iterable[Reading], languages: str) -> Iterator[Reading]:
    """In order, until MOST_WAITING wait for the parser or behind it."""
    waiting: deque[Reading] = deque()

    def inputs() -> Iterator[tuple[bytes, str]]:
        for reading in readings:
            waiting.append(reading)
            if reading.is_new:
                yield reading.content, reading.path
            if len(waiting) >= MOST_WAITING:
                return

    for outcome in parse_each(inputs(), languages):
        while not waiting[0].is_new:
            yield waiting.popleft()
        reading = waiting.popleft()
        if isinstance(outcome, ParseError):
            yield replace(reading, fault=outcome.reason)
        else:
            yield replace(reading, document=outcome)
    yield from waiting


def read(file: SourceFile, library: Library, profile: IndexProfile) -> Reading:
    try:
        content = file.read()
    except SourceBroken:
        raise
    except OSError as error:  # it could be read when the files were listed: without an identity it is tried again
        return Reading(file.path, "", fault=f"it cannot be read: {error.strerror}")
    except SourceError as error:
        return Reading(file.path, file.identity, fault=str(error))
    identity = file.identify(content) if file.identify else file.identity
    sha256 = hashlib.sha256(content).hexdigest()
    same = FileVersion.objects.filter(
        document_file__library=library,
        document_file__path=file.path,
        sha256=sha256,
        structure=profile.structure_hash,
    )
    known = same.only("pk").first()
    if known and not originals.intact(sha256):
        keep_again(content)
    return Reading(file.path, identity, sha256, b"" if known else content, known)


@transaction.atomic
def keep_again(content: bytes) -> None:
    """The original of a version that is there: it was lost, or damaged."""
    originals.hold()
    originals.keep(content)
