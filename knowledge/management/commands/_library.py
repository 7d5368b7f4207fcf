"""Finding what a command was told to work on."""

import json
from collections.abc import Sequence

from django.core.management.base import CommandError

from knowledge.models import DocumentFile, Library, Snapshot
from knowledge.models.library import languages
from knowledge.spaces import why_words_only
from knowledge.spellings import of_path


def find_library(slug: str) -> Library:
    library = Library.objects.select_related("active_snapshot").filter(slug=slug).first()
    if library is None:
        raise CommandError(f"no such library: {slug}")
    return library


def find_snapshot(library: Library, number: int) -> Snapshot:
    snapshot = library.snapshots.filter(number=number).first()
    if snapshot is None:
        raise CommandError(f"{library} has no snapshot {number}")
    return snapshot


def find_document(library: Library, path: str) -> DocumentFile:
    document = of_path(library.document_files.all(), path).first()
    if document is None:
        raise CommandError(f"{library} has no file {path}")
    return document


def check_language(language: str) -> None:
    if language not in (known := languages()):
        raise CommandError(f"“{language}” is not a text-search configuration; known: {', '.join(known)}", returncode=2)


def activated(library: Library, before: Snapshot | None, as_json: bool, left: Sequence[str] = ()) -> str:
    """What `activate` and `rollback` say of the snapshot that is active now, of the one before it, and of the files
    that were not approved and so stay as they were."""
    now = library.active_snapshot
    words_only = why_words_only(now) if now else ""
    outcome = {
        "library": library.slug,
        "active": now.number if now else None,
        "before": before.number if before else None,
        "left": list(left),
        "degraded": ["embedding"] if words_only else [],
    }
    if as_json:
        return json.dumps(outcome, ensure_ascii=False)
    stayed = f"\n{len(left)} files were not approved and stay as they were" if left else ""
    warning = f"\n{words_only}" if words_only else ""
    return f"{library}: snapshot {outcome['active']} is active{stayed}{warning}"
