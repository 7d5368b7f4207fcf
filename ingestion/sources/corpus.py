"""An evaluation corpus in BEIR's format: every line of `corpus.jsonl` (or `.jsonl.gz`) is one file, `<id>.beir`."""

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from ingestion.documents import SourceFile
from knowledge import json_lines
from knowledge.models import Library

from .base import Source, SourceError


@contextmanager
def open_corpus(library: Library, keep: bool = True) -> Iterator[Source]:
    path = Path(library.location)
    try:
        content = json_lines.content(path)
    except OSError as error:
        raise SourceError(f"{path}: {error.strerror or error}") from error
    files = sorted((corpus_file(line) for line in content.splitlines() if line.strip()), key=lambda f: f.path)
    yield Source(revision=hashlib.sha256(content).hexdigest(), files=tuple(files))


def corpus_file(line: bytes) -> SourceFile:
    document = json.loads(line)
    content = json.dumps({"title": document.get("title") or "", "text": document["text"]}, ensure_ascii=False).encode()
    return SourceFile(
        f"{document['_id']}.beir", hashlib.sha256(content).hexdigest(), len(content), partial(bytes, content)
    )
