"""An evaluation corpus in BEIR's format: every line of `corpus.jsonl` (or `.jsonl.gz`) is one file, `<id>.beir`."""

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from ingestion.documents import SourceFile
from ingestion.paths import fault_of_name
from knowledge import json_lines
from knowledge.models import Library

from .base import Source, SourceError, checked


@contextmanager
def open_corpus(library: Library, keep: bool = True) -> Iterator[Source]:
    path = Path(library.location)
    try:
        content = json_lines.content(path)
    except OSError as error:
        raise SourceError(f"{path}: {error.strerror or error}") from error
    files = checked(documents(path, content))
    for one, other in pairwise(files):
        if one.path == other.path:
            raise SourceError(f"{path}: two documents have the id {one.path.removesuffix('.beir')}")
    yield Source(revision=hashlib.sha256(content).hexdigest(), files=files)


def documents(path: Path, content: bytes) -> Iterator[SourceFile]:
    """Raises SourceError, with the line, for one that is no document."""
    for number, line in enumerate(content.splitlines(), start=1):
        if line.strip():
            try:
                yield corpus_file(json.loads(line))
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise SourceError(f"{path}, line {number}: it is no document with an _id and a text") from error


def corpus_file(document: dict[str, Any]) -> SourceFile:
    content = json.dumps({"title": document.get("title") or "", "text": document["text"]}, ensure_ascii=False).encode()
    name = f"{document['_id']}.beir"
    if fault := fault_of_name(name):
        raise ValueError(fault)
    return SourceFile(name, hashlib.sha256(content).hexdigest(), len(content), partial(bytes, content))
