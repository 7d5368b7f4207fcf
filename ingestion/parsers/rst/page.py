"""What the scans of one RST file share: its lines, what waits for a heading, warnings, and where it leads."""

import posixpath
from dataclasses import dataclass, field

from ingestion.documents import FileLink, LinkKind

MOST_LINKS = 10_000


@dataclass(slots=True)
class Page:
    """What the scans of one file share."""

    path: str
    lines: list[str]
    styles: list[str] = field(default_factory=list)  # of title adornment, the highest level first
    labels: list[str] = field(default_factory=list)  # waiting for a heading
    language: str = ""  # of literal blocks, as `highlight` set it
    warnings: list[str] = field(default_factory=list)
    links: list[FileLink] = field(default_factory=list)

    def refer(self, kind: LinkKind, index: int, target: str) -> None:
        if len(self.links) < MOST_LINKS:
            self.links.append(FileLink(kind, index + 1, target))

    def warn(self, index: int, problem: str) -> None:
        self.warnings.append(f"line {index + 1}: {problem}")

    def take_in(self, name: str, index: int, path: str) -> None:
        if outside(self.path, path):
            self.warn(index, f"{name} of a file outside of the library: left out")
        elif path and not path.startswith("<"):  # <isonum.txt> and its like are docutils' own
            self.refer(LinkKind.INCLUDE, index, path)


def outside(path: str, target: str) -> bool:
    """Whether a path in a file of the library leads out of it. One that begins with / starts at the top."""
    folder = "" if target.startswith("/") else path.rpartition("/")[0]
    return posixpath.normpath(posixpath.join(folder, target.lstrip("/"))).split("/")[0] == ".."
