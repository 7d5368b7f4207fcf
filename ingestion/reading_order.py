"""In which order a library's files are to be read, as their tables of contents (`toctree`) say. Pure."""

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from itertools import chain

from knowledge.texts.file_links import DOCUMENTS, candidates, named

Group = Sequence[str]  # files that one entry lists
Find = Callable[[str], Group]  # a pattern → the files that it means
WILD = re.compile(r"[*?[]")
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
    order: dict[str, Place] = {}
    find = finder(contents)
    children = {path: list(listed(path, entries, contents, find)) for path, entries in contents.items()}
    below = set(standing_below(children))
    left = {id(group): iter(group) for groups in children.values() for group in groups}  # whoever lists it goes on with
    paths = sorted(contents, key=by_folder)
    for start in (*(path for path in paths if path not in below), *paths):  # at last those that list each other only
        waiting = [iter([start])]
        while waiting:
            path = next(waiting[-1], None)
            if path is None:
                waiting.pop()
            elif path not in order:
                order[path] = Place(path, len(waiting) - 1)
                waiting.append(chain.from_iterable(left[id(group)] for group in children[path]))
    return list(order.values())


def standing_below(children: Mapping[str, Sequence[Group]]) -> Iterator[str]:
    """The files that another one lists."""
    listing: dict[int, set[str]] = defaultdict(set)
    for path, groups in children.items():
        for group in groups:
            listing[id(group)].add(path)
    for group in {id(group): group for groups in children.values() for group in groups}.values():
        yield from (child for child in group if listing[id(group)] != {child})


def by_folder(path: str) -> tuple[tuple[str, ...], int, str]:
    *folders, name = path.split("/")
    stem = name.split(".")[0].lower()
    return tuple(folders), TOPS.index(stem) if stem in TOPS else len(TOPS), name


def listed(path: str, entries: Sequence[str], known: Mapping[str, object], find: Find) -> Iterator[Group]:
    """The files that the entries of one file name, as far as the library has them; it may be among them."""
    for entry in entries:
        if WILD.search(entry):
            yield matching(path, entry, find)
        elif found := named(path, entry, known):
            yield (found,)


def matching(path: str, pattern: str, find: Find) -> Group:
    """The files of the folder that the pattern means, by path; one folder of others than the one that it stands in."""
    fitting = map(find, candidates(path, pattern))
    return next((group for group in fitting if any(name != path for name in group)), ())


def finder(known: Iterable[str]) -> Find:
    """What finds the files that a pattern means, by path; a wildcard does not take in a slash.

    Only those are compared that lie as deep and begin like the pattern: with an index in every folder that takes in all
    of it, each file is compared once. What one pattern means is one group, whoever lists it.
    """
    stems: dict[int, list[tuple[str, str]]] = defaultdict(list)
    for name in known:
        stem, _, suffix = name.rpartition(".")
        if f".{suffix}" in DOCUMENTS:
            stems[stem.count("/")].append((stem, name))
    for as_deep in stems.values():
        as_deep.sort()

    @cache
    def find(wanted: str) -> Group:
        beginning, as_deep = WILD.split(wanted)[0], stems.get(wanted.count("/"), [])

        def head(pair: tuple[str, str]) -> str:
            return pair[0][: len(beginning)]

        alike = as_deep[bisect_left(as_deep, beginning, key=head) : bisect_right(as_deep, beginning, key=head)]
        return sorted(name for stem, name in alike if fnmatchcase(stem, wanted))

    return find
