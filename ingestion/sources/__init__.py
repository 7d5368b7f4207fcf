"""Where files come from. `open_source(library)` yields a Source: a revision, and the files that the library wants."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from typing import Protocol

from knowledge.models import Library

from .base import Source, SourceAway, SourceBroken, SourceError, SourceRefused, SourceSlow, counted_by_kind
from .corpus import open_corpus
from .directory import open_directory
from .git import open_git
from .uploads import open_uploads

__all__ = [
    "Source",
    "SourceAway",
    "SourceBroken",
    "SourceError",
    "SourceRefused",
    "SourceSlow",
    "counted_by_kind",
    "open_source",
]


class Opener(Protocol):
    def __call__(self, library: Library, keep: bool = True) -> AbstractContextManager[Source]: ...


OPENERS: dict[str, Opener] = {
    Library.Kind.GIT: open_git,
    Library.Kind.DIRECTORY: open_directory,
    Library.Kind.UPLOADS: open_uploads,
    Library.Kind.CORPUS: open_corpus,
}


@contextmanager
def open_source(library: Library, keep: bool = True) -> Iterator[Source]:
    """The library's files as they are now. Raises SourceError with a reason for the operator.

    With `keep` false nothing is left behind, such as what was fetched.
    """
    opener = OPENERS.get(library.kind)
    if opener is None:
        raise SourceError(f"it holds {library.get_kind_display().lower()}, which cannot be read again from a source")
    with opener(library, keep) as source:
        yield without(source, frozenset(library.unindexed))


def without(source: Source, unindexed: frozenset[str]) -> Source:
    """The source without the files that an operator has taken out of the index."""
    if not unindexed:
        return source
    return replace(source, files=tuple(file for file in source.files if file.path not in unindexed))
