"""What a build would do, from the source's listing alone: nothing is written, no model is called."""

from collections.abc import Collection
from typing import Any

from knowledge.models import Library

from .plan import held, make_plan, members
from .sources import open_source


def dry_run(library: Library, paths: Collection[str] = ()) -> dict[str, Any]:
    """Paths that a build would add, read again and remove. Raises SourceError."""
    base = library.active_snapshot
    known = held(base, members(base)) if base else {}
    with open_source(library) as source:
        found = make_plan(source, base, base.profile, paths).identities if base else source.identities
        revision = source.revision
    return {
        "library": library.slug,
        "dry_run": True,
        "revision": revision,
        "added": sorted(found.keys() - known.keys()),
        "changed": sorted(path for path in found.keys() & known.keys() if found[path] != known[path]),
        "removed": sorted(known.keys() - found.keys()),
    }
