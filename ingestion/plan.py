"""What a build has to do, decided before anything is written: which files it reads, and which stay as they are."""

from collections.abc import Collection
from dataclasses import dataclass, replace

from knowledge.models import IndexProfile, Snapshot
from knowledge.spellings import composed
from knowledge.storage import originals

from .documents import SourceFile
from .sources import Source, SourceError

POISONED = "the worker died each time that it read it; change the file, or try it again by hand"


@dataclass(frozen=True, slots=True)
class Member:
    """A file of a snapshot: the source's name for its content, and the rows that hold it."""

    identity: str
    version: int
    document: int


@dataclass(frozen=True, slots=True)
class Plan:
    """`files` are wanted as the source has them. `kept` stay as the base has them, for a build narrowed to paths."""

    files: tuple[SourceFile, ...]
    known: dict[str, Member]  # the base's, where its sections and chunks can be taken over
    kept: dict[str, Member]
    rejected: tuple[dict[str, str], ...]  # by the base, and not looked at again

    @property
    def identities(self) -> dict[str, str]:
        """path → identity of every file that the snapshot will hold, or reject."""
        return (
            {path: member.identity for path, member in self.kept.items()}
            | {file["path"]: file["identity"] for file in self.rejected}
            | {file.path: file.identity for file in self.files}
        )

    def adopted(self) -> dict[str, Member]:
        """The base's versions that serve, by path: those of `kept`, and those of files that did not change."""
        same = {
            file.path: self.known[file.path]
            for file in self.files
            if file.path in self.known and self.known[file.path].identity == file.identity
        }
        return self.kept | same


def make_plan(
    source: Source,
    base: Snapshot | None,
    profile: IndexProfile,
    paths: Collection[str],
    poisoned: Collection[str] = (),
) -> Plan:
    """Raises SourceError when one of `paths` names nothing. `poisoned` files are rejected unread.

    Without a base of the same structure nothing could stay as it is: then all is read, whatever `paths`. What the
    base rejected as poisoned stays so until it changes, or is among `paths`.
    """
    if base is None or base.profile.structure_hash != profile.structure_hash:
        return apart(Plan(source.files, {}, {}, ()), poisoned)
    known = members(base)
    if not paths:
        identities = source.identities
        deadly = {
            file["path"]
            for file in base.rejected
            if file["reason"] == POISONED and identities.get(file["path"]) == file["identity"]
        }
        return apart(Plan(source.files, known, {}, ()), deadly.union(poisoned))
    paths = [*map(composed, paths)]
    files = tuple(file for file in source.files if is_below(file.path, paths))
    there = {*known, *(file.path for file in files)}
    if nowhere := [path for path in paths if not any(is_below(one, [path]) for one in there)]:
        raise SourceError(f"there is no file at or below {', '.join(nowhere)}")
    taken_out = {*base.library.unindexed}  # since the base, which may be active until a reviewer decides

    def stays(path: str) -> bool:
        return not is_below(path, paths) and path not in taken_out

    kept = {path: member for path, member in known.items() if stays(path)}
    rejected = tuple(file for file in base.rejected if stays(file["path"]))
    return apart(Plan(files, known, kept, rejected), poisoned)


def with_originals(plan: Plan, base: Snapshot) -> Plan:
    """The plan, in which files whose original is missing or damaged are read again."""
    hashes = dict(base.files.values_list("file_version", "file_version__sha256"))
    known = {path: member for path, member in plan.known.items() if originals.intact(hashes[member.version])}
    return replace(plan, known=known)


def apart(plan: Plan, poisoned: Collection[str]) -> Plan:
    """The plan with its poisoned files rejected."""
    if not poisoned:
        return plan
    deadly = tuple(
        {"path": file.path, "identity": file.identity, "reason": POISONED}
        for file in plan.files
        if file.path in poisoned
    )
    files = tuple(file for file in plan.files if file.path not in poisoned)
    return replace(plan, files=files, rejected=plan.rejected + deadly)


def is_below(path: str, paths: Collection[str]) -> bool:
    """However its accents are written; `paths` have theirs in one with the letter."""
    path = composed(path)
    return any(path == named or path.startswith(f"{named.rstrip('/')}/") for named in paths)


def members(snapshot: Snapshot) -> dict[str, Member]:
    """The snapshot's files by path."""
    rows = snapshot.files.values_list("document_file__path", "identity", "file_version", "document_file")
    return {path: Member(identity, version, document) for path, identity, version, document in rows}


def held(snapshot: Snapshot, found: dict[str, Member]) -> dict[str, str]:
    """path → identity of every file that the snapshot holds (`found`) or rejected."""
    rejected = {file["path"]: file["identity"] for file in snapshot.rejected}
    return rejected | {path: member.identity for path, member in found.items()}
