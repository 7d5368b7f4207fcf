"""What people uploaded, as the rows say: every current upload is a file, so that each has a version or a rejection.

What the patterns leave out has another identity than when it is read, so that a build sees that they have changed.
"""

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial

from ingestion.documents import SourceFile
from knowledge.models import Library
from knowledge.storage import originals

from .base import Source, checked, path_filter, unreadable

Row = tuple[str, str, int]  # path, SHA-256, size


@contextmanager
def open_uploads(library: Library, keep: bool = True) -> Iterator[Source]:
    rows = current(library)
    wanted = path_filter(library.include, library.exclude, lambda path: path)
    files = checked(
        SourceFile(path, sha256, size, partial(originals.read, sha256))
        if wanted(path)
        else unreadable(path, f"left out {sha256}", "the library's patterns leave it out")
        for path, sha256, size in rows
    )
    yield Source(revision=revision_of(rows), files=files)


def current(library: Library) -> list[Row]:
    return list(library.uploads.current().order_by("path").values_list("path", "sha256", "size"))


def revision_of(rows: Iterable[Row]) -> str:
    digest = hashlib.sha256()
    for path, sha256, _ in rows:
        digest.update(f"{path}\0{sha256}\n".encode())
    return digest.hexdigest()
