"""A file as it was brought, before anybody has judged it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ingestion.sources.base import MAX_FILE_BYTES


@dataclass(frozen=True, slots=True)
class Brought:
    """`name` as its bringer wrote it, with folders; `content` lies in a file; `fault` says why it was not received."""

    name: str
    content: Path
    size: int
    fault: str = ""

    def close(self) -> None:
        """Requests close their files; this one is closed already, and goes with its folder."""

    @property
    def is_archive(self) -> bool:
        return self.name.lower().endswith(".zip")


def fault_of(size: int, is_archive: bool) -> str:
    """An archive may be as large as the whole upload: its files are measured one by one."""
    too_large = size > MAX_FILE_BYTES and not is_archive
    return f"it has more than {MAX_FILE_BYTES // 1024**2} MB, the most that a file may have" if too_large else ""


def brought_below(paths: Iterable[Path]) -> Iterator[Brought]:
    """Files, and of folders what is below them, named from the folder on. Symbolic links are left out.

    Raises OSError for what cannot be read.
    """
    for path in paths:
        whole = path.resolve(strict=True)
        below = sorted(file for file in whole.rglob("*") if not file.is_symlink()) if whole.is_dir() else [whole]
        for file in below:
            if file.is_file():
                size = file.stat().st_size
                name = file.relative_to(whole.parent).as_posix()
                yield Brought(name, file, size, fault_of(size, name.lower().endswith(".zip")))
