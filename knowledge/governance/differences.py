"""What a candidate changes beside another snapshot: file by file, section by section, passage by passage."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.template.defaultfilters import pluralize

from knowledge.changes.section_diff import SectionDiff, section_diffs
from knowledge.models import Chunk, Decision, FileVersion, Snapshot, SnapshotFile

MANY = 10  # files, below which losing most is no news
MOST = 0.5
DIFFERING = """
    SELECT id, theirs.version, mine.version
    FROM (SELECT document_file_id AS id, file_version_id AS version FROM knowledge_snapshotfile
          WHERE snapshot_id = %(after)s) mine
    FULL JOIN (SELECT document_file_id AS id, file_version_id AS version FROM knowledge_snapshotfile
               WHERE snapshot_id = %(before)s) theirs USING (id)
    WHERE mine.version IS DISTINCT FROM theirs.version
"""
# Two statements: in one, Postgres expects every file to differ, and reads all documents and versions that there are.
CHANGES = """
    SELECT document.id, document.path, differs.before, differs.after, was.sha256, now.sha256
    FROM unnest(%(documents)s::bigint[], %(befores)s::bigint[], %(afters)s::bigint[]) AS differs (id, before, after)
    JOIN knowledge_documentfile document USING (id)
    LEFT JOIN knowledge_fileversion was ON was.id = differs.before
    LEFT JOIN knowledge_fileversion now ON now.id = differs.after
    ORDER BY document.path
"""


@dataclass(frozen=True, slots=True)
class FileChange:
    """What a candidate does to a file. A renamed file is two document files, decided together."""

    path: str
    kind: str  # added, changed, rebuilt (the same bytes, read anew), removed or renamed
    documents: tuple[int, ...]
    before: int | None  # file versions
    after: int | None
    sha256: str  # of what is there afterwards, or of what is taken away
    old_path: str = ""
    decision: Decision | None = None
    rejected: Decision | None = None  # of the same in an earlier candidate, while this one is undecided
    withheld: str = ""  # that another file with its bytes was withdrawn, and why

    @classmethod
    def new(cls, member: SnapshotFile) -> "FileChange":
        version = member.file_version
        return cls(member.document_file.path, "added", (member.document_file_id,), None, version.pk, version.sha256)

    @property
    def is_approved(self) -> bool:
        return self.decision is not None and self.decision.verdict == Decision.Verdict.APPROVED

    @property
    def brings_bytes(self) -> bool:
        """That were not at this path: it is neither taken away nor only read anew."""
        return self.kind not in ("removed", "rebuilt")

    @property
    def is_to_be_chosen(self) -> bool:
        """By itself: it is not among all that are decided at once."""
        return self.rejected is not None or bool(self.withheld)

    @property
    def rejected_before(self) -> str:
        """In words; empty: it was not."""
        if (one := self.rejected) is None:
            return ""
        return f"rejected in snapshot {one.snapshot.number} by {one.decided_by}: {one.comment}"

    def as_json(self) -> dict[str, Any]:
        decision, before = self.decision, self.rejected
        return {
            "path": self.path,
            "kind": self.kind,
            "old_path": self.old_path or None,
            "sha256": self.sha256,
            "verdict": decision.verdict if decision else None,
            **told(decision),
            "rejected_before": {"snapshot": before.snapshot.number, **told(before)} if before else None,
            "withheld": self.withheld or None,
        }


def told(decision: Decision | None) -> dict[str, Any]:
    """Who decided when, and why, as JSON has it."""
    return {
        "decided_by": decision.decided_by.get_username() if decision else None,
        "decided_at": decision.decided_at.isoformat() if decision else None,
        "comment": decision.comment if decision else "",
    }


def compare(before: Snapshot | None, after: Snapshot) -> list[FileChange]:
    """By path; the decisions are those about `after`."""
    with connection.cursor() as cursor:
        cursor.execute(DIFFERING, {"before": before.pk if before else None, "after": after.pk})
        differing = tuple(zip(*cursor.fetchall(), strict=True)) or ((), (), ())
        names = ("documents", "befores", "afters")
        cursor.execute(CHANGES, {name: list(keys) for name, keys in zip(names, differing, strict=True)})
        rows = cursor.fetchall()
    decided = Decision.objects.newest(after)
    removed = {was: row for row in rows if row[3] is None for was in [row[4]]}
    found, renamed = [], set()
    for document, path, old_version, new_version, was, now in rows:
        if old_version is None and now in removed and removed[now][0] not in renamed:
            old = removed[now]
            renamed.add(old[0])
            found.append(
                FileChange(path, "renamed", (document, old[0]), old[2], new_version, now, old[1], decided.get(document))
            )
        elif old_version is None or new_version is not None:
            kind = "added" if old_version is None else "rebuilt" if was == now else "changed"
            found.append(FileChange(path, kind, (document,), old_version, new_version, now, "", decided.get(document)))
    for document, path, old_version, new_version, was, _ in rows:
        if new_version is None and document not in renamed:
            found.append(FileChange(path, "removed", (document,), old_version, None, was, "", decided.get(document)))
    return sorted(found, key=lambda change: change.path)


def loss_in_words(before: Snapshot | None, after: Snapshot) -> str:
    """That most files would go; else ""."""
    if before is None or not after.library.may_lose_files:
        return ""
    had, left = before.document_count, after.document_count
    if had < MANY or left >= had * MOST:
        return ""
    return f"only {left:,} {pluralize(left, 'file is,files are')} left of {had:,}"


def text_diff(change: FileChange) -> list[SectionDiff]:
    """The text of what changed, section by section."""
    kept = {version.pk: version for version in FileVersion.objects.filter(pk__in=[change.before, change.after])}
    before, after = kept.get(change.before or 0), kept.get(change.after or 0)
    return section_diffs(
        before.text if before else "",
        list(before.sections.all()) if before else [],
        after.text if after else "",
        list(after.sections.all()) if after else [],
    )


def chunk_diff(found: Iterable[FileChange]) -> tuple[int, int]:
    """How many chunks the changes bring, and how many they take away. Chunks are the same when their text is; of equal
    ones each counts, as a snapshot counts them."""
    before = [change.before for change in found if change.before]
    after = [change.after for change in found if change.after]
    old, new = hashes_in(before), hashes_in(after)
    return (new - old).total(), (old - new).total()


def hashes_in(versions: list[int]) -> Counter[bytes]:
    return Counter(map(bytes, Chunk.objects.filter(file_version__in=versions).values_list("content_hash", flat=True)))
