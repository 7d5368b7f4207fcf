"""Files of JSON lines, as they are or gzipped."""

import gzip
import zlib
from pathlib import Path

ENDINGS = (".jsonl", ".jsonl.gz")


def one_of(folder: Path, name: str) -> Path:
    """The file of this name, whichever way it is kept. Raises FileNotFoundError."""
    for ending in ENDINGS:
        if (path := folder / f"{name}{ending}").is_file():
            return path
    raise FileNotFoundError(f"there is no {name}.jsonl in {folder}, nor {name}.jsonl.gz")


def text(path: Path) -> str:
    """Of one that is not packed. Raises OSError, and ValueError that names the line of what is not UTF-8."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        number = error.object.count(b"\n", 0, error.start) + 1
        raise ValueError(f"{path}:{number}: this is not UTF-8") from error


def content(path: Path) -> bytes:
    """Unpacked. Raises OSError, also where the packing is damaged."""
    packed = path.read_bytes()
    try:
        return gzip.decompress(packed) if path.suffix == ".gz" else packed
    except (EOFError, zlib.error) as error:
        raise gzip.BadGzipFile(str(error)) from error
