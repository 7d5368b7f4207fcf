"""In which order a library's files are to be read, as their tables of contents (`toctree`) say. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from knowledge.file_links import DOCUMENTS, candidates, named

TOPS = ("index", "contents", "readme")  # names that a table of contents over a whole library goes by


@dataclass(frozen=True, slots=True)
class Place:
    """A file's place in the order, and how many files it stands below."""

    path: str
    depth: int


def reading_order(contents: Mapping[str, Sequence[str]]) -> list[Place]:
    """Every file once. `contents` has the entries of each file's tables of contents, in order, for all files.

    Each file is followed by those that it lists, one deeper; what several files list stands below the first. Files
    that nobody lists come by their path, those called `index` and their like before the others of their folder.
    """
    order: list[Place] = []
    placed: set[str] = set()
    children = {path: list(dict.fromkeys(listed(path, entries, contents))) for path, entries in contents.items()}
    below = {child for path, found in children.items() for child in found if child != path}
    paths = sorted(contents, key=by_folder)
    for start in (*(path for path in paths if path not in below), *paths):  # at last those that list each other only
        waiting = [Place(start, 0)]
        while waiting:
            place = waiting.pop()
            if place.path in placed:
                continue
            placed.add(place.path)
            order.append(place)
            waiting += [Place(child, place.depth + 1) for child in reversed(children[place.path])]
    return order


def by_folder(path: str) -> tuple[tuple[str, ...], int, str]:
    *folders, name = path.split("/")
    stem = name.split(".")[0].lower()
    return tuple(folders), TOPS.index(stem) if stem in TOPS else len(TOPS), name


def listed(path: str, entries: Sequence[str], known: Mapping[str, object]) -> Iterator[str]:
    """The files that the entries of one file name, as far as the library has them."""
    for entry in entries:
        if set(entry) & set("*?["):
            yield from matching(path, entry, known)
        elif found := named(path, entry, known):
            yield found


def matching(path: str, pattern: str, known: Mapping[str, object]) -> list[str]:
    """The files of the folder that the pattern means, by path; a wildcard does not take in a slash."""
    for wanted in candidates(path, pattern):
        fitting = [name for name in known if name != path and fits(name, wanted)]
        if fitting:
            return sorted(fitting)
    return []


def fits(name: str, wanted: str) -> bool:
    stem, _, suffix = name.rpartition(".")
    return f".{suffix}" in DOCUMENTS and stem.count("/") == wanted.count("/") and fnmatchcase(stem, wanted)
