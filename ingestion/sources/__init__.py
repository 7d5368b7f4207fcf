"""Where files come from. `open_source(library)` yields a Source: a revision, and the files that the library wants."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace

from knowledge.models import Library

from .base import Source, SourceError
from .corpus import open_corpus
from .directory import open_directory
from .git import open_git

__all__ = ["Source", "SourceError", "open_source"]

OPENERS: dict[str, Callable[[Library], AbstractContextManager[Source]]] = {
    Library.Kind.GIT: open_git,
    Library.Kind.DIRECTORY: open_directory,
    Library.Kind.CORPUS: open_corpus,
}


@contextmanager
def open_source(library: Library) -> Iterator[Source]:
    """The library's files as they are now. Raises SourceError with a reason for the operator."""
    opener = OPENERS.get(library.kind)
    if opener is None:
        raise SourceError(
            f"{library} holds {library.get_kind_display().lower()}, which cannot be read again from a source"
        )
    with opener(library) as source:
        yield without(source, frozenset(library.unindexed))


def without(source: Source, unindexed: frozenset[str]) -> Source:
    """The source without the files that an operator has taken out of the index."""
    if not unindexed:
        return source
    return replace(source, files=tuple(file for file in source.files if file.path not in unindexed))
