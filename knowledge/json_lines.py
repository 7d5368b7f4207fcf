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


def content(path: Path) -> bytes:
    """Unpacked. Raises OSError, also where the packing is damaged."""
    packed = path.read_bytes()
    try:
        return gzip.decompress(packed) if path.suffix == ".gz" else packed
    except (EOFError, zlib.error) as error:
        raise gzip.BadGzipFile(str(error)) from error
