"""What became of an uploaded file: a version in the active snapshot, a rejection with its reason, or nothing yet."""

from collections.abc import Iterable
from dataclasses import dataclass

from knowledge.models import Library, Snapshot, Upload


@dataclass(frozen=True, slots=True)
class Outcome:
    upload: Upload
    state: str  # "ready", "rejected", "waiting"
    reason: str = ""


def with_outcomes(library: Library, uploads: Iterable[Upload]) -> list[Outcome]:
    newest = library.snapshots.filter(state=Snapshot.State.READY).order_by("-number").first()
    return [outcome(upload, newest) for upload in uploads] if newest else [Outcome(one, "waiting") for one in uploads]


def outcome(upload: Upload, snapshot: Snapshot) -> Outcome:
    for file in snapshot.rejected:
        if (file["path"], file["identity"]) == (upload.path, upload.sha256):
            return Outcome(upload, "rejected", file["reason"])
    held = snapshot.files.filter(document_file__path=upload.path, identity=upload.sha256)
    return Outcome(upload, "ready" if held.exists() else "waiting")
