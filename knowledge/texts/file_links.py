"""Which file of a library a path means that is written in another file of it. Pure."""

from collections.abc import Collection, Iterator
from posixpath import join, normpath

DOCUMENTS = (".rst", ".txt", ".md", ".markdown", ".html", ".ipynb")  # what a name may leave out, likeliest first


def named(path: str, target: str, known: Collection[str]) -> str | None:
    """The file that a path written in the file `path` means, with or without its suffix."""
    for candidate in candidates(path, target):
        for suffix in ("", *DOCUMENTS):
            if candidate + suffix in known:
                return candidate + suffix
    return None


def candidates(path: str, target: str) -> Iterator[str]:
    """Where the target may be, from the library's top. One from the documentation's top, which may lie below, is
    looked for in every folder above the file."""
    folder = path.rpartition("/")[0]
    if not target.startswith("/"):
        yield inside(join(folder, target))
        return
    parts = folder.split("/") if folder else []
    for depth in range(len(parts) + 1):
        yield inside("/".join([*parts[:depth], target.lstrip("/")]))


def inside(path: str) -> str:
    """Normalised; "" for one that leads out of the library."""
    found = normpath(path)
    return "" if found.split("/")[0] == ".." else found
