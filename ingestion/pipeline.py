"""From a source to a ready snapshot: read `build` from top to bottom. A stage resumes where a killed one stopped."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass

from django.db import transaction

from knowledge.endpoints import Embedder, embedding_endpoint
from knowledge.endpoints.deterministic import BagOfWordsEmbedding
from knowledge.failpoints import failpoint
from knowledge.governance import review
from knowledge.governance.audit import acting
from knowledge.governance.differences import compare
from knowledge.governance.withdrawal import withheld
from knowledge.models import (
    DocumentFile,
    EmbeddingSpace,
    FileVersion,
    IndexProfile,
    Job,
    Library,
    NotActivatable,
    Snapshot,
    SnapshotFile,
)
from knowledge.spaces import recognised_space
from knowledge.storage.statistics import refresh_statistics

from .code_vectors import code_endpoint, code_space, embed_code
from .documents import SourceFile
from .drift import others_by_words, refuse_drift
from .embedding import embed_missing
from .lexical import index_lexemes
from .loss import refuse_loss, warning_of_loss
from .merging import merge_segments
from .plan import Member, Plan, held, make_plan, members, with_originals
from .profile import profile_settings
from .progress import BuildReport, Listener, Progress
from .publishing import publish
from .reading import Reading, read_files
from .reading_places import order_files
from .sources import Source, SourceError, counted_by_kind, open_source
from .summaries.stage import summarise_missing
from .twins.stage import find_twins
from .versions import drafted, make_version

MOST_WITHHELD = 20  # of which each is named


def build(job: Job, listener: Listener | None = None) -> BuildReport:
    """Bring the job's library up to date with its source, and activate the result unless review or options forbid it.

    A source that is as the active snapshot saw it writes nothing, and what changes no file waits for no review. The
    options `full` (build anew what a changed profile would mix) and `force` (that, and even what did not change, an
    empty source, and files that lost their originals) are the operator's word; `retry` reads again what the base
    rejected, though nothing changed.
    Raises ProfileChanged, SourceError, SandboxError, EndpointError or LeaseLost.
    """
    failpoint("source.before")
    library, progress, forced = job.library, Progress(job, listener), bool(job.options.get("force"))
    with ExitStack() as opened:
        with progress.timed("source"):
            work = begin(job, opened, progress)
            progress.unread = dict(work.source.unread)
        if not work.plan.identities:
            warn(nothing_found(library), job, progress)
        failpoint("source.planned")
        if not forced:
            refuse_loss(work.base, len(work.plan.identities))
            if not job.options.get("retry") and (standing := find_standing(work, library)):
                return unchanged(standing, job, progress)
        snapshot = read_in(work, job, progress, forced)
    with progress.timed("embed"):
        embed_missing(snapshot, work.endpoint, progress)
        embed_code(snapshot, work.for_code, work.code, progress)
    with progress.timed("summaries"):
        summarise_missing(snapshot, work.endpoint, progress)
    with progress.timed("lexical"):
        index_lexemes(snapshot, progress)
    with progress.timed("twins"):
        find_twins(snapshot, progress)
    with progress.timed("seal"):
        refresh_statistics()
        order_files(snapshot)
        seal(snapshot, job)
    with progress.timed("prepare"):
        prepare(snapshot, progress)
    files = count_files(snapshot, work.base)
    warn_of_withheld(work.base, snapshot, job, progress)
    activate(snapshot, job, progress)
    if not forced:
        warn_of_loss(work.base, snapshot, job, progress)
    with progress.timed("merge"):
        merge_segments(library, work.profile.lexical_hash)
    failpoint("merge.done")
    return BuildReport.of(snapshot, progress, files)


@dataclass(frozen=True, slots=True)
class Work:
    """What a build has to do, and with what. Without a model of its own for code, `code` and `for_code` are None."""

    base: Snapshot | None
    source: Source
    plan: Plan
    profile: IndexProfile
    space: EmbeddingSpace
    endpoint: Embedder
    code: EmbeddingSpace | None
    for_code: Embedder | None

    def fits(self, snapshot: Snapshot) -> bool:
        """Whether a snapshot is of this revision, profile and space. Its files may be others: see Plan."""
        now = self.source.revision, self.profile.pk, self.space.pk
        return (snapshot.revision, snapshot.profile_id, snapshot.space_id) == now


def begin(job: Job, opened: ExitStack, progress: Progress) -> Work:
    """The source is open for as long as `opened` is. Raises ProfileChanged, SourceError or EndpointError."""
    library, options = job.library, job.options
    test_mode = bool(options.get("test_mode"))
    endpoint = BagOfWordsEmbedding() if test_mode else embedding_endpoint()
    for_code = code_endpoint(test_mode)
    space, code = recognised_space(endpoint), code_space(for_code)
    built_with = profile_settings(library, space, test_mode, code)
    base = base_of(job)
    if not (options.get("force") or options.get("full")):
        refuse_drift(base, space, built_with)
    if space.pk is None:
        space.save()
        size = f"{space.dimension:,} numbers, of {space.max_tokens:,} tokens at most"
        job.log(f"the first vectors by {space.model}: {size}")
        if not test_mode and (warning := others_by_words(space, library)):
            warn(warning, job, progress)
    profile = IndexProfile.objects.for_settings(built_with)
    source = opened.enter_context(open_source(library))
    failpoint("source.opened")
    plan = make_plan(source, base, profile, options.get("paths", ()), job.poisoned)
    if base and options.get("force") and library.kind != Library.Kind.UPLOADS:  # originals are what those are read from
        plan = with_originals(plan, base)
    return Work(base, source, plan, profile, space, endpoint, code, for_code)


def read_in(work: Work, job: Job, progress: Progress, forced: bool) -> Snapshot:
    """The building snapshot, with every file that it is to hold. Raises SourceEmptied, SandboxError or LeaseLost."""
    if work.source.unread:
        job.log(f"no parser reads {counted_by_kind(work.source.unread)}")
    snapshot = resume_or_start(job, work)
    job.belongs_to(snapshot)
    with progress.timed("parse", total=len(work.plan.identities)):
        add_files(snapshot, work.plan, work.endpoint, progress)
    failpoint("parse.closed")
    if not forced:
        refuse_loss(work.base, snapshot.files.count())
    refresh_statistics()
    return snapshot


def nothing_found(library: Library) -> str:
    chosen = {"only": library.include, "without": library.exclude}
    patterns = ", ".join(f"{word} {' '.join(globs)}" for word, globs in chosen.items() if globs)
    return f"there is no file that can be read{f' with the patterns of this library ({patterns})' if patterns else ''}"


def warn_of_loss(base: Snapshot | None, snapshot: Snapshot, job: Job, progress: Progress) -> None:
    """When it is known whether it has become active: the way back is another then."""
    if warning := warning_of_loss(base, snapshot, job.library.active_snapshot == snapshot):
        warn(warning, job, progress)


def warn_of_withheld(base: Snapshot | None, snapshot: Snapshot, job: Job, progress: Progress) -> None:
    """A withdrawal is of a path: the file comes back under another unless somebody looks."""
    contents = {change.path: change.sha256 for change in compare(base, snapshot) if change.brings_bytes}
    found = [f"{path} has {why}" for path, why in withheld(job.library, contents).items()]
    for warning in found[:MOST_WITHHELD]:
        warn(warning, job, progress)
    if more := len(found[MOST_WITHHELD:]):
        warn(f"{more:,} more files have the bytes of others that were withdrawn", job, progress)


def warn(warning: str, job: Job, progress: Progress) -> None:
    job.log(warning, level="warning")
    progress.warnings.append(warning)


def base_of(job: Job) -> Snapshot | None:
    """What the build starts from: the active snapshot.

    Files that are tried again were rejected by a build that may still wait for review: from the active snapshot, the
    retry would undo whatever else waits with it. What nobody reviews, and was not to be activated, is not published
    with them, and what was made as a test is no base but of a test.
    """
    if not job.options.get("retry"):
        return job.library.active_snapshot
    waiting = review.candidates(job.library)
    if job.options.get("activate", True):
        waiting = waiting.exclude(jobs__options__activate=False, needs_review=False)
    if not job.options.get("test_mode"):
        waiting = waiting.exclude(jobs__options__test_mode=True)
    return waiting.first() or job.library.active_snapshot


def seal(snapshot: Snapshot, job: Job) -> None:
    failpoint("seal.before")
    with transaction.atomic():
        job.hold()
        failpoint("seal.held")
        snapshot.seal()
        failpoint("seal.written")
    failpoint("seal.done")


def prepare(snapshot: Snapshot, progress: Progress) -> None:
    if fault := snapshot.prepare():
        progress.job.log(f"nothing is prepared for searching: {fault}", level="warning")


def activate(snapshot: Snapshot, job: Job, progress: Progress) -> None:
    """Whoever went back since the job's first attempt began has the last word."""
    library = job.library
    library.refresh_from_db()  # its gate, and what is active, as they are by now: a build may take hours
    if not job.options.get("activate", True) or library.active_snapshot == snapshot:
        return
    if (now := library.active_number) < (job.shown or 0):
        progress.warnings.append(f"not activated: rolled back meanwhile, to snapshot {now}")
        job.log(progress.warnings[-1], level="warning")
        return
    if not review.is_to_be_decided(snapshot, library):
        failpoint("activate.before")
        with progress.timed("activate"), acting(job.requested_by):
            try:
                publish(library, snapshot, job, beside=now)
            except NotActivatable as error:  # by the gate, or another is active by now: it waits for somebody to decide
                progress.job.log(f"not activated: {error}", level="warning")
        failpoint("activate.done")


def find_standing(work: Work, library: Library) -> Snapshot | None:
    """The active or the newest ready snapshot, where a build would only make the same again.

    The newest is ready and not active while it waits for review, or when its build was killed before it activated it.
    """
    plan = work.plan
    newest = library.snapshots.filter(state=Snapshot.State.READY).newest_built()
    for snapshot in dict.fromkeys((work.base, newest)):
        if snapshot and work.fits(snapshot):
            found = held(snapshot, plan.known if snapshot == work.base and plan.known else members(snapshot))
            if found == plan.identities | dict.fromkeys(still_unread(plan, found), ""):
                return snapshot
    return None


def still_unread(plan: Plan, found: Mapping[str, str]) -> list[str]:
    """The paths of files that could not be read, so that their content has no name, and cannot be now."""
    return [file.path for file in plan.files if found.get(file.path) == "" and not is_readable(file)]


def is_readable(file: SourceFile) -> bool:
    try:
        file.read()
    except OSError:
        return False
    except SourceError:
        return True  # it is rejected for another reason now
    return True


def unchanged(standing: Snapshot, job: Job, progress: Progress) -> BuildReport:
    active = job.library.active_snapshot
    files = count_files(standing, active)
    progress.counters["embeddings_reused"] = standing.chunk_count
    if standing != active and standing.activations.exists():
        job.log(f"{standing} holds what the source has; it was active and is not activated again by itself")
    else:
        activate(standing, job, progress)
        warn_of_loss(active, standing, job, progress)
    failpoint("unchanged.activated")
    return BuildReport.of(standing, progress, files)


def resume_or_start(job: Job, work: Work) -> Snapshot:
    """The building snapshot that a killed build of the same revision left, or a new one.

    What somebody else asked for is not resumed: whoever asks may not approve, and a snapshot knows one of them.
    """
    library = job.library
    with transaction.atomic():
        left = library.snapshots.filter(state=Snapshot.State.BUILDING).first()
        is_anothers = left and left.requested_by_id and job.requested_by_id not in (None, left.requested_by_id)
        if left and work.fits(left) and not is_anothers:
            return left
        if left:
            failpoint("snapshot.before-replacing")
            left.delete()  # its file versions and vectors stay, and are found again by their content
        made = library.new_snapshot(revision=work.source.revision, profile=work.profile, space_id=work.space.pk)
        failpoint("snapshot.created")
        return made


def add_files(snapshot: Snapshot, plan: Plan, endpoint: Embedder, progress: Progress) -> None:
    """Membership rows for every file: adopted where its content is known, parsed where it is new, or rejected."""
    present = drop_strangers(snapshot, plan)
    adopted = {path: member for path, member in plan.adopted().items() if path not in present}
    failpoint("parse.before")
    adopt(snapshot, adopted, progress)
    failpoint("parse.adopted")
    snapshot.rejected = list(plan.rejected)
    progress.skip(len(present) + len(adopted) + len(snapshot.rejected))
    new = (file for file in plan.files if file.path not in present and file.path not in adopted)
    for reading in read_files(careful(new, progress.job), snapshot.library, snapshot.profile):
        failpoint("parse.read")
        add_file(snapshot, reading, endpoint, progress)
        progress.advance()
    progress.job.take_in_hand("")
    failpoint("parse.added")
    snapshot.save(update_fields=["rejected"])
    failpoint("parse.done")


def careful(files: Iterable[SourceFile], job: Job) -> Iterator[SourceFile]:
    """After a death, reading a file is also suspected, and not only what is made of it."""
    for file in files:
        if job.deaths or job.attempts > 1:
            job.take_in_hand(file.path)
        failpoint("parse.before-reading")
        yield file


def drop_strangers(snapshot: Snapshot, plan: Plan) -> set[str]:
    """The paths that a resumed snapshot holds as planned. What a build with other options left is taken out."""
    wanted, found = plan.identities, members(snapshot)
    strangers = [member.document for path, member in found.items() if wanted.get(path) != member.identity]
    snapshot.files.filter(document_file__in=strangers).delete()
    return {path for path, member in found.items() if wanted.get(path) == member.identity}


def adopt(snapshot: Snapshot, adopted: dict[str, Member], progress: Progress) -> None:
    failpoint("parse.before-adopting")
    SnapshotFile.objects.bulk_create(
        [
            SnapshotFile(
                snapshot=snapshot,
                document_file_id=member.document,
                file_version_id=member.version,
                identity=member.identity,
            )
            for member in adopted.values()
        ],
        batch_size=5000,
    )
    progress.counters["files_adopted"] += len(adopted)


def add_file(snapshot: Snapshot, reading: Reading, endpoint: Embedder, progress: Progress) -> None:
    """One file, all or nothing: its version with sections and chunks, and its membership; or the reason why not."""
    if reading.fault:
        reject(snapshot, reading.path, reading.identity, reading.fault, progress)
        return
    if reading.is_new:
        progress.job.take_in_hand(reading.path)
    content = reading.known or drafted(reading, snapshot.profile, endpoint)
    with transaction.atomic():
        document, _ = DocumentFile.objects.get_or_create(library=snapshot.library, path=reading.path)
        failpoint("parse.document-made")
        version = content if isinstance(content, FileVersion) else make_version(document, reading, content)
        failpoint("parse.version-made")
        SnapshotFile.objects.create(
            snapshot=snapshot, document_file=document, file_version=version, identity=reading.identity
        )
        failpoint("parse.member-made")
    failpoint("parse.stored")
    progress.counters["files_parsed"] += 1
    if reading.is_new:
        progress.counters["chunks_new"] += version.chunk_count


def reject(snapshot: Snapshot, path: str, identity: str, reason: str, progress: Progress) -> None:
    """It is written with all others when the last file has been read: who resumes the build reads it again."""
    snapshot.rejected.append({"path": path, "identity": identity, "reason": reason})
    failpoint("parse.rejected")
    progress.job.log(f"rejected {path}: {reason}", level="warning", path=path)


def count_files(snapshot: Snapshot, base: Snapshot | None) -> dict[str, int]:
    if snapshot == base:
        unchanged = snapshot.files.count()
        return {"added": 0, "changed": 0, "removed": 0, "unchanged": unchanged, "rejected": len(snapshot.rejected)}
    changes = base.diff(snapshot) if base else {"added": list(members(snapshot)), "changed": [], "removed": []}
    counts = {name: len(paths) for name, paths in changes.items()}
    unchanged_files = snapshot.files.count() - counts["added"] - counts["changed"]
    return counts | {"unchanged": unchanged_files, "rejected": len(snapshot.rejected)}
