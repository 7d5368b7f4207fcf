"""What a build would do, from the source's listing alone: nothing is written, no model is called."""

from typing import Any

from knowledge.models import Library

from .sources import open_source


def dry_run(library: Library) -> dict[str, Any]:
    """Paths that a build would add, read again and remove. Raises SourceError."""
    base = library.active_snapshot
    known = dict(base.files.values_list("document_file__path", "identity")) if base else {}
    with open_source(library) as source:
        found = {file.path: file.identity for file in source.files}
        revision = source.revision
    return {
        "library": library.slug,
        "dry_run": True,
        "revision": revision,
        "added": sorted(found.keys() - known.keys()),
        "changed": sorted(path for path in found.keys() & known.keys() if found[path] != known[path]),
        "removed": sorted(known.keys() - found.keys()),
    }
