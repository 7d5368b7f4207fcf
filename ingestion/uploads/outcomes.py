"""What became of an uploaded file: a version in the active snapshot, a rejection with its reason, or nothing yet."""

from collections.abc import Iterable
from dataclasses import dataclass

from knowledge.models import Library, Snapshot, Upload


@dataclass(frozen=True, slots=True)
class Outcome:
    upload: Upload
    state: str  # "ready", "rejected", "waiting"
    reason: str = ""
    withdrawn: bool = False  # held, and shown to nobody


def with_outcomes(library: Library, uploads: Iterable[Upload]) -> list[Outcome]:
    uploads = list(uploads)
    newest = library.snapshots.filter(state=Snapshot.State.READY).order_by("-number").first()
    if newest is None:
        return [Outcome(upload, "waiting") for upload in uploads]
    rejected = {(file["path"], file["identity"]): file["reason"] for file in newest.rejected}
    members = newest.files.filter(document_file__path__in=[upload.path for upload in uploads])
    held = set(members.values_list("document_file__path", "identity"))
    hidden = set(members.exclude(document_file__withdrawn_at=None).values_list("document_file__path", flat=True))
    return [outcome(upload, rejected, held, hidden) for upload in uploads]


def outcome(
    upload: Upload, rejected: dict[tuple[str, str], str], held: set[tuple[str, str]], hidden: set[str]
) -> Outcome:
    name = (upload.path, upload.sha256)
    if name in rejected:
        return Outcome(upload, "rejected", rejected[name])
    return Outcome(upload, "ready" if name in held else "waiting", withdrawn=name in held and upload.path in hidden)
