"""What every source offers, and which paths a library wants."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ingestion.documents import SourceFile

MAX_FILES = 200_000
MAX_FILE_BYTES = 50 * 1024 * 1024


class SourceError(Exception):
    """The source cannot be read; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Source:
    """One state of a source. `revision` names it: equal revisions hold equal files. `files` are in order of path."""

    revision: str
    files: tuple[SourceFile, ...]


def glob_to_regex(pattern: str) -> str:
    """A shell pattern as a regular expression over the whole path: `**/` any folders, `*` and `?` stay inside one.

    A pattern without a slash is matched against the file's name, as in .gitignore; one that ends in a slash, or
    names a folder, matches what is below it.
    """
    anchored = pattern.strip("/")
    prefix = "" if "/" in pattern.rstrip("/") else "(?:.*/)?"
    out, index = [], 0
    while index < len(anchored):
        if anchored.startswith("**/", index):
            out.append("(?:.*/)?")
            index += 3
        elif anchored.startswith("**", index):
            out.append(".*")
            index += 2
        else:
            character = anchored[index]
            out.append({"*": "[^/]*", "?": "[^/]"}.get(character, re.escape(character)))
            index += 1
    return f"{prefix}{''.join(out)}(?:/.*)?"


def path_filter(
    include: Sequence[str], exclude: Sequence[str], readable: Callable[[str], object]
) -> Callable[[str], bool]:
    """Whether a path is wanted: included (or, when nothing is named, of a kind that we read) and not excluded."""
    included = re.compile("|".join(f"(?:{glob_to_regex(glob)})" for glob in include) or r"[^\s\S]")
    excluded = re.compile("|".join(f"(?:{glob_to_regex(glob)})" for glob in exclude) or r"[^\s\S]")

    def wanted(path: str) -> bool:
        if excluded.fullmatch(path):
            return False
        return bool(included.fullmatch(path)) if include else readable(path) is not None

    return wanted


def checked(files: Iterator[SourceFile]) -> tuple[SourceFile, ...]:
    """The files in order of path; refuses more than MAX_FILES."""
    listed: list[SourceFile] = []
    for file in files:
        listed.append(file)
        if len(listed) > MAX_FILES:
            raise SourceError(f"more than {MAX_FILES:,} files; narrow the library with --include or --exclude")
    return tuple(sorted(listed, key=lambda file: file.path))
