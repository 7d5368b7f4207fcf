"""Where things lie in the home."""

import shutil
from pathlib import Path

from django.conf import settings


def originals() -> Path:
    return Path(settings.HOME / "originals")


def pages() -> Path:
    """Of PDFs, as pictures."""
    return Path(settings.HOME / "pages")


def clones() -> Path:
    return Path(settings.HOME / "clones")


def clone(library: int) -> Path:
    """What else is of the library's repository lies beside it: `7.git`, `7.lock` and `7.known_hosts`."""
    return clones() / f"{library}.git"


def matrices() -> Path:
    return Path(settings.HOME / "matrices")


def matrices_of(library: int) -> Path:
    return matrices() / str(library)


def drop_matrices(library: int) -> None:
    """Searches make them anew, of the vectors that there are by then."""
    shutil.rmtree(matrices_of(library), ignore_errors=True)
