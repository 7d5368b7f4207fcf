"""Collecting what no snapshot holds: retention prunes snapshots, and what only they held goes with them.

Each library is collected under its build lock, so that no build adopts what is being taken away; one that is busy is
left for the next time. What libraries share (vectors, originals) is collected so that a build which runs at the same
time finds it, or finds it gone and makes it again. Everything happens in small transactions: a killed run is completed
by the next. What a cited answer rests on stays for as long as its library does.
"""

import logging
import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
from django.db import OperationalError, connection, transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone

from knowledge.expiry import expired, forget_asked
from knowledge.models import AnswerCitation, AuditEvent, FileVersion, Job, Library, Snapshot, SnapshotFile, Upload
from knowledge.models.upload import is_wanted
from knowledge.storage import folders, locks, originals
from knowledge.storage.whole_files import UNFINISHED_SECONDS

from .embedding import batches
from .jobs import LibraryBusy, only_build_of
from .progress import Progress
from .rebuilding import alive_chunks, drop_segments, holders, renew_postings
from .sources import SourceError
from .sources.git.clone import DRAFT, sole_user
from .sources.git.process import git

SNAPSHOTS_AT_ONCE, VERSIONS_AT_ONCE, VECTORS_AT_ONCE = 20, 200, 5000
DEAD_SHARE = 0.2  # of an analysis's postings, before its segments are written anew
UNTOUCHED_SECONDS = 24 * 3600  # an original that was kept later may belong to a file that is being read now
UNFINISHED_DAYS = 7  # since its last job ended: for so long the next build goes on where it stopped

COLLECTABLE = """
    SELECT version.id, version.section_count, version.chunk_count
    FROM knowledge_fileversion version
    JOIN knowledge_documentfile document ON document.id = version.document_file_id
    WHERE document.library_id = %(library)s
      AND NOT EXISTS (SELECT FROM knowledge_snapshotfile member
                      WHERE member.file_version_id = version.id AND member.snapshot_id <> ALL(%(without)s))
      AND NOT EXISTS (SELECT FROM knowledge_answercitation citation WHERE citation.file_version_id = version.id)
    ORDER BY version.id
"""
NEEDED = """
    SELECT FROM knowledge_chunk chunk
    JOIN knowledge_snapshotfile member ON member.file_version_id = chunk.file_version_id
    JOIN knowledge_snapshot snapshot ON snapshot.id = member.snapshot_id AND snapshot.id <> ALL(%(without)s)
    WHERE chunk.content_hash = vector.content_hash AND vector.space_id IN (snapshot.space_id, snapshot.code_space_id)
"""
SUMMARISES = """
    SELECT FROM knowledge_sectionsummary summary
    JOIN knowledge_section section ON section.id = summary.section_id
    JOIN knowledge_snapshotfile member ON member.file_version_id = section.file_version_id
    JOIN knowledge_snapshot snapshot ON snapshot.id = member.snapshot_id AND snapshot.id <> ALL(%(without)s)
    WHERE summary.content_hash = vector.content_hash AND snapshot.space_id = vector.space_id
"""
UNUSED_VECTORS = f"""
    SELECT vector.space_id, vector.content_hash FROM knowledge_embedding vector
    WHERE NOT EXISTS ({NEEDED}) AND NOT EXISTS ({SUMMARISES})
"""  # noqa: S608
# Under the lock nothing is put into a snapshot: what is not needed then is looked for, and not found, by a later build.
LOCK_MEMBERSHIP = "SET LOCAL lock_timeout = '10s'; LOCK TABLE knowledge_snapshotfile IN SHARE MODE"
DROP_VECTORS = f"""
    DELETE FROM knowledge_embedding vector
    USING unnest(%(spaces)s::bigint[], %(hashes)s::bytea[]) AS unused (space_id, content_hash)
    WHERE vector.space_id = unused.space_id AND vector.content_hash = unused.content_hash
      AND NOT EXISTS ({NEEDED}) AND NOT EXISTS ({SUMMARISES})
"""  # noqa: S608

logger = logging.getLogger(__name__)


@dataclass
class Collected:
    """What was taken away, or would be. `busy` are libraries that were left because something builds them."""

    dry_run: bool
    snapshots: dict[str, list[int]] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    busy: list[str] = field(default_factory=list)
    kept_for_answers: int = 0

    def as_json(self) -> dict[str, Any]:
        return asdict(self) | {"counts": dict(self.counts)}


def collect(dry_run: bool = False) -> Collected:
    """With `dry_run` nothing is written, and what is counted is what a run now would take away."""
    found = Collected(dry_run)
    pruned: list[int] = []
    for library in Library.objects.order_by("slug"):
        try:
            with not_being_built(library) if dry_run else only_build_of(library):
                library.refresh_from_db()
                pruned += collect_library(library, found)
        except LibraryBusy:
            found.busy.append(library.slug)
        except Library.DoesNotExist:  # it was removed meanwhile
            continue
    collect_vectors(found, pruned if dry_run else [])
    collect_originals(found, pruned if dry_run else [])
    collect_folders(found)
    collect_expired(found)
    found.kept_for_answers = kept_for_answers()
    return found


@contextmanager
def not_being_built(library: Library) -> Iterator[None]:
    """Without the lock, whose holder buries what dead workers left: nothing is to be written. Raises LibraryBusy."""
    if library.pk in locks.holders(locks.BUILD):
        raise LibraryBusy(f"a build of {library} is running")
    yield


def collect_library(library: Library, found: Collected) -> list[int]:
    """Returns the snapshots that were (or would be) pruned. The caller holds the library's lock."""
    expendable = [*Snapshot.objects.expendable(library), *abandoned(library)]
    if not found.dry_run:
        expendable = prune(library, expendable)
    pruned = [snapshot.pk for snapshot in expendable]
    if expendable:
        found.snapshots[library.slug] = sorted(snapshot.number for snapshot in expendable)
    found.counts["snapshots"] += len(expendable)
    collect_versions(library, found, pruned)
    collect_postings(library, found, pruned)
    if library.kind == Library.Kind.GIT and not found.dry_run:
        tidy_clone(library)
    return pruned


def abandoned(library: Library) -> list[Snapshot]:
    """Unfinished ones that no job of the library will resume, and whose own ended days ago."""
    if library.jobs.filter(state__in=[Job.State.QUEUED, Job.State.RUNNING]).exists():
        return []
    lately = timezone.now() - timedelta(days=UNFINISHED_DAYS)
    return list(library.snapshots.exclude(state=Snapshot.State.READY).exclude(jobs__finished_at__gte=lately))


def prune(library: Library, listed: Sequence[Snapshot]) -> list[Snapshot]:
    """Those of them that are gone: none that was activated, pinned or planned since it was listed."""
    gone: list[Snapshot] = []
    for batch in batches(listed, SNAPSHOTS_AT_ONCE):
        with transaction.atomic():
            expendable = Snapshot.objects.expendable(Library.objects.lock(library.pk))
            still = set(expendable.filter(pk__in=[snapshot.pk for snapshot in batch]).values_list("pk", flat=True))
            gone += drop_snapshots(
                library, [one for one in batch if one.state != Snapshot.State.READY or one.pk in still]
            )
    return gone


def drop_snapshots(library: Library, snapshots: Sequence[Snapshot]) -> list[Snapshot]:
    """Their rows go with their memberships; an activation that came first keeps one, and so does whoever pinned it.

    Returns those that are gone. Together they cost little more than one: Django asks for what refers to them once.
    """
    with transaction.atomic():
        active = Library.objects.lock(library.pk).active_snapshot_id  # whoever activates or plans takes it, too
        unpinned = Snapshot.objects.select_for_update(of=("self",)).filter(pinned=False)
        listed = unpinned.filter(library=library, pk__in=[one.pk for one in snapshots]).order_by("pk")
        free = [pk for pk in listed.values_list("pk", flat=True) if pk != active]
        with connection.cursor() as cursor:
            cursor.execute("DELETE FROM knowledge_snapshotfile WHERE snapshot_id = ANY(%s)", [free])
        Snapshot.objects.filter(pk__in=free).delete()
    return [one for one in snapshots if one.pk in free]


def collect_versions(library: Library, found: Collected, pruned: Sequence[int]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(COLLECTABLE, {"library": library.pk, "without": list(pruned)})
        rows = cursor.fetchall()
    for name, column in (("sections", 1), ("chunks", 2)):
        found.counts[name] += sum(row[column] for row in rows)
    found.counts["file_versions"] += len(rows)
    if not found.dry_run:
        drop_versions([row[0] for row in rows])


def drop_versions(versions: Sequence[int]) -> None:
    for start in range(0, len(versions), VERSIONS_AT_ONCE):
        batch = list(versions[start : start + VERSIONS_AT_ONCE])
        FileVersion.objects.filter(pk__in=batch).delete()  # with all that is made of them; never what a snapshot holds


def collect_postings(library: Library, found: Collected, pruned: Sequence[int]) -> None:
    """Segments of an analysis that no snapshot uses go; those with many dead chunks are written anew without them."""
    segments: dict[str, list[bytes]] = {}
    for lexical, packed in library.segments.order_by("pk").values_list("lexical", "chunk_ids"):
        segments.setdefault(lexical, []).append(bytes(packed))
    for lexical, packs in segments.items():
        held = np.concatenate([np.frombuffer(packed, "<i8") for packed in packs])
        alive = alive_chunks(holders(library, lexical, pruned))
        dead = int(np.count_nonzero(~np.isin(held, alive)))
        if not dead or dead < DEAD_SHARE * len(held):
            continue
        found.counts["postings_of_chunks"] += dead
        if found.dry_run:
            continue
        if len(alive):
            renew_postings(library, lexical, Progress(Job(library=library), beats=False))
        else:
            drop_segments(library, lexical)


def tidy_clone(library: Library) -> None:
    """Git forgets the objects of commits that are not fetched any more: originals are kept beside it."""
    clone = folders.clone(library.pk)
    if (clone / "HEAD").exists():
        try:
            with sole_user(clone) as lock:
                git(clone, "gc", "--quiet", "--prune=now", timeout=900, pass_fds=(lock,))
        except SourceError as error:
            logger.warning("the clone of %s was not tidied: %s", library, error)


def collect_vectors(found: Collected, without: Sequence[int]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(UNUSED_VECTORS, {"without": list(without)})
        unused = [(space, bytes(content_hash)) for space, content_hash in cursor.fetchall()]
    found.counts["embeddings"] = len(unused) if found.dry_run else 0
    if found.dry_run:
        return
    for start in range(0, len(unused), VECTORS_AT_ONCE):
        spaces, hashes = zip(*unused[start : start + VECTORS_AT_ONCE], strict=True)
        try:
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute(LOCK_MEMBERSHIP)
                cursor.execute(DROP_VECTORS, {"spaces": list(spaces), "hashes": list(hashes), "without": []})
                found.counts["embeddings"] += cursor.rowcount
        except OperationalError as error:  # somebody writes memberships for long
            logger.warning("%s vectors are left for the next time: %s", len(unused) - start, error)
            found.counts["embeddings_left"] = len(unused) - start
            return


def collect_originals(found: Collected, without: Sequence[int]) -> None:
    """Those that are in use are loaded once; of the others each is asked for again when it is taken away."""
    used = in_use(without)
    found.counts["originals"] = 0
    untouched = dict.fromkeys(originals.stored(UNTOUCHED_SECONDS), UNTOUCHED_SECONDS)
    for sha256, seconds in (untouched | dict.fromkeys(left_of_erased(), 0)).items():
        if sha256 in used:
            continue
        if found.dry_run or originals.discard(sha256, is_wanted, seconds):
            found.counts["originals"] += 1


def left_of_erased() -> list[str]:
    """Originals of erased files that are there: others hold them, too, or the process that erased them was killed."""
    return [sha256 for sha256 in AuditEvent.objects.erased_originals() if originals.path_of(sha256).exists()]


def in_use(without: Sequence[int]) -> set[str]:
    """What uploads have, and file versions other than those that would go with the snapshots in `without`."""
    uploads = Upload.objects.current().values_list("sha256", flat=True)
    versions = FileVersion.objects.all()
    if without:
        held = Exists(SnapshotFile.objects.filter(file_version=OuterRef("pk")).exclude(snapshot__in=without))
        versions = versions.filter(held | Exists(AnswerCitation.objects.filter(file_version=OuterRef("pk"))))
    return {*uploads.iterator(), *versions.values_list("sha256", flat=True).iterator()}


def collect_folders(found: Collected) -> None:
    """Clones, with what lies beside them, and matrices of libraries that are gone, pictures of pages whose original is;
    what was being written when something was killed."""
    standing = [*folders.clones().glob("*"), *folders.matrices().glob("*")]
    libraries = set(Library.objects.values_list("pk", flat=True))  # after them: one that came since has none of these
    gone = [path for path in standing if is_of_no_library(path, libraries)]
    gone += [draft for draft in folders.clones().glob(f"{DRAFT}*") if originals.age(draft) > UNFINISHED_SECONDS]
    pictures = folders.pages().glob("[0-9a-f][0-9a-f]/*")
    gone += [folder for folder in pictures if not originals.path_of(folder.name).exists()]
    abandoned_files = [path for path in folders.originals().glob("*/.*") if originals.age(path) > UNFINISHED_SECONDS]
    found.counts["folders"] += len(gone)
    if not found.dry_run:
        for folder in gone:
            shutil.rmtree(folder, ignore_errors=True)  # and leaves files
        for path in (*gone, *abandoned_files):
            if not path.is_dir():
                path.unlink(missing_ok=True)


def collect_expired(found: Collected) -> None:
    for name, rows in expired().items():
        found.counts[name] += rows.count() if found.dry_run else rows.delete()[0]
    found.counts["questions_in_gate_runs"] += forget_asked(found.dry_run)


def is_of_no_library(path: Path, libraries: set[int]) -> bool:
    """`7`, `7.git`, `7.lock` and `7.known_hosts` are of library 7."""
    number = path.name.partition(".")[0]
    return number.isdecimal() and int(number) not in libraries


def kept_for_answers() -> int:
    """File versions that no snapshot holds, and a cited answer does."""
    cited = AnswerCitation.objects.filter(file_version__isnull=False, file_version__memberships__isnull=True)
    return cited.values("file_version").distinct().count()
