"""Snapshots that travel: a zip that says everything a snapshot holds, and proves it.

    manifest.json      format, profile, embedding space, counts, the SHA-256 of every other member, the manifest hash
    tree.json          the files, one a line, in order of path
    nodes.jsonl        their sections with their text, one a line: a file's sections make up its text
    chunks.ndjson      their chunks, one a line: the source of truth, vectors and postings follow from them
    summaries.jsonl    summaries of sections, where there are any
    vectors.f32        optional: float32, little-endian, row i is the vector of line i of chunks.ndjson
    originals/<sha256> optional: the files' bytes

Names, order, dates and encodings are fixed, so one snapshot has one archive. The zip's comment is the SHA-256 of all
bytes before it: no byte can change unseen. Members say nothing of database ids.
"""

from .checking import Archive, open_archive
from .layout import ArchiveError
from .reading import Outcome, import_snapshot
from .writing import export_snapshot

__all__ = ["Archive", "ArchiveError", "Outcome", "export_snapshot", "import_snapshot", "open_archive"]
