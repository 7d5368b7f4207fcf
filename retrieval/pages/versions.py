"""The versions of a file that a reader may open, what changed between two of them, and where they come from."""

import re
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import quote, urlsplit

from knowledge.changes.section_diff import SectionDiff
from knowledge.governance.differences import FileChange, text_diff
from knowledge.models import Library, Snapshot, SnapshotFile

MOST = 20
ADDRESSES = {"gitlab": "-/blob", "codeberg": "src/commit", "gitea": "src/commit", "github": "blob"}


@dataclass(frozen=True, slots=True)
class VersionSeen:
    """A version, by the active snapshot if that holds it, else by the newest that does."""

    snapshot: int
    sealed_at: datetime | None
    is_active: bool
    is_shown: bool


def versions_of(member: SnapshotFile) -> list[VersionSeen]:
    """The distinct versions in snapshots that searches see or saw, newest first."""
    rows = (
        SnapshotFile.objects.filter(document_file=member.document_file, snapshot__state=Snapshot.State.READY)
        .filter(snapshot__activations__isnull=False)
        .order_by("-snapshot__number")
        .values_list("file_version", "snapshot__number", "snapshot__sealed_at", "snapshot")
        .distinct()
    )
    active = member.snapshot.library.active_snapshot_id
    seen: dict[int, VersionSeen] = {}
    for version, number, sealed_at, snapshot in rows[:500]:
        if version not in seen or snapshot == active:
            is_shown = version == member.file_version_id
            seen[version] = VersionSeen(number, sealed_at, snapshot == active, is_shown)
    return list(seen.values())[:MOST]


def changes_since(member: SnapshotFile, earlier: SnapshotFile) -> list[SectionDiff]:
    before, after = earlier.file_version, member.file_version
    return text_diff(
        FileChange(member.document_file.path, "changed", (member.document_file_id,), before.pk, after.pk, after.sha256)
    )


def on_its_host(library: Library, snapshot: Snapshot, path: str, line: int = 0) -> str:
    """The address of the file, at its line, on the git host that the library is read from; "" where none is known."""
    parts = urlsplit(library.source)
    host = (parts.hostname or "").lower()
    name = next((name for name in ADDRESSES if host == f"{name}.com" or re.match(rf"{name}\b", host)), "")
    is_commit = re.fullmatch(r"[0-9a-f]{40,64}", snapshot.revision)
    if library.kind != Library.Kind.GIT or parts.scheme != "https" or not name or not is_commit:
        return ""
    below = "/".join(part for part in (library.subdirectory.strip("/"), path) if part)
    repository = parts.path.rstrip("/").removesuffix(".git")
    mark = f"#L{line}" if line else ""
    return f"https://{parts.netloc}{repository}/{ADDRESSES[name]}/{snapshot.revision}/{quote(below)}{mark}"
