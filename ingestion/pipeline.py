"""From a source to a ready snapshot: read `build` from top to bottom. A stage resumes where a killed one stopped."""

from collections.abc import Collection

from django.db import transaction
from django.db.models import Max

from knowledge.endpoints import Embedder, embedding_endpoint
from knowledge.models import DocumentFile, IndexProfile, Job, Library, Snapshot, SnapshotFile
from knowledge.spaces import space_of

from .documents import ParseError, SourceFile
from .embedding import embed_missing
from .lexical import index_lexemes
from .profile import current_profile
from .progress import BuildReport, Listener, Progress
from .sources import Source, SourceError, open_source
from .versions import find_or_make_version


def build(job: Job, listener: Listener | None = None) -> BuildReport:
    """Bring the job's library up to date with its source, and activate the result unless review or options forbid it.

    A source that is as the active snapshot saw it writes nothing. Raises SourceError, EndpointError or LeaseLost.
    """
    library, progress = job.library, Progress(job, listener)
    endpoint = embedding_endpoint()
    with progress.timed("source"):
        space = space_of(endpoint)
        profile = current_profile(library, space)
        opened = open_source(library)
        source = opened.__enter__()
    try:
        base = library.active_snapshot
        if base and not job.options.get("force") and (base.revision, base.profile_id) == (source.revision, profile.pk):
            return unchanged(base, progress)
        snapshot = resume_or_start(library, source.revision, profile, space.pk)
        job.belongs_to(snapshot)
        with progress.timed("parse", total=len(source.files)):
            add_files(snapshot, base, source, endpoint, progress, job.options.get("paths", ()))
    finally:
        opened.__exit__(None, None, None)
    with progress.timed("embed"):
        embed_missing(snapshot, endpoint, progress)
    with progress.timed("lexical"):
        index_lexemes(snapshot, progress)
    with progress.timed("seal"):
        snapshot.seal()
    files = count_files(snapshot, base)
    if job.options.get("activate", True) and not library.requires_review:
        with progress.timed("activate"):
            library.activate(snapshot)
    return BuildReport.of(snapshot, progress, files)


def unchanged(base: Snapshot, progress: Progress) -> BuildReport:
    files = {"added": 0, "changed": 0, "removed": 0, "unchanged": base.files.count(), "rejected": len(base.rejected)}
    progress.counters["embeddings_reused"] = base.chunk_count
    return BuildReport.of(base, progress, files)


def resume_or_start(library: Library, revision: str, profile: IndexProfile, space_id: int) -> Snapshot:
    """The building snapshot that a killed build of the same revision left, or a new one."""
    with transaction.atomic():
        left = library.snapshots.filter(state=Snapshot.State.BUILDING).first()
        if left and (left.revision, left.profile_id, left.space_id) == (revision, profile.pk, space_id):
            return left
        if left:
            left.delete()  # its file versions and vectors stay, and are found again by their content
        number = (library.snapshots.aggregate(Max("number"))["number__max"] or 0) + 1
        return library.snapshots.create(number=number, revision=revision, profile=profile, space_id=space_id)


def add_files(
    snapshot: Snapshot,
    base: Snapshot | None,
    source: Source,
    endpoint: Embedder,
    progress: Progress,
    paths: Collection[str],
) -> None:
    """Membership rows for every file: adopted where its content is known, parsed where it is new, or rejected."""
    if base and base.profile.structure_hash != snapshot.profile.structure_hash:
        base = None
    known = dict(members(base)) if base else {}
    present = {path for path, _ in members(snapshot)}
    wanted = [file for file in source.files if file.path not in present]
    adopted = [(file, known[file.path][1]) for file in wanted if adoptable(file, known, paths)]
    adopt(snapshot, adopted, progress)
    progress.advance(len(present) + len(adopted))
    snapshot.rejected = []
    for file in wanted:
        if not adoptable(file, known, paths):
            add_file(snapshot, file, endpoint, progress)
            progress.advance()
    snapshot.save(update_fields=["rejected"])


def members(snapshot: Snapshot) -> list[tuple[str, tuple[str, int, int]]]:
    """path → (identity, file version, document file) of every file in the snapshot."""
    rows = snapshot.files.values_list("document_file__path", "identity", "file_version", "document_file")
    return [(path, (identity, version, document)) for path, identity, version, document in rows]


def adoptable(file: SourceFile, known: dict[str, tuple[str, int, int]], paths: Collection[str]) -> bool:
    """Whether the base snapshot's version serves: same content, or a build narrowed to other paths."""
    if file.path not in known:
        return False
    narrowed_away = bool(paths) and not any(
        file.path == path or file.path.startswith(f"{path.rstrip('/')}/") for path in paths
    )
    return narrowed_away or known[file.path][0] == file.identity


def adopt(snapshot: Snapshot, files: list[tuple[SourceFile, int]], progress: Progress) -> None:
    documents = dict(snapshot.library.document_files.values_list("path", "pk"))
    SnapshotFile.objects.bulk_create(
        [
            SnapshotFile(
                snapshot=snapshot,
                document_file_id=documents[file.path],
                file_version_id=version,
                identity=file.identity,
            )
            for file, version in files
        ],
        batch_size=5000,
    )
    progress.counters["files_adopted"] += len(files)


def add_file(snapshot: Snapshot, file: SourceFile, endpoint: Embedder, progress: Progress) -> None:
    """One file, all or nothing: its version with sections and chunks, and its membership; or the reason why not."""
    try:
        content = file.read()
        with transaction.atomic():
            document, _ = DocumentFile.objects.get_or_create(library=snapshot.library, path=file.path)
            version, made = find_or_make_version(document, content, snapshot.profile, endpoint)
            SnapshotFile.objects.create(
                snapshot=snapshot, document_file=document, file_version=version, identity=file.identity
            )
    except (ParseError, SourceError) as error:
        reason = error.reason if isinstance(error, ParseError) else str(error)
        snapshot.rejected.append({"path": file.path, "identity": file.identity, "reason": reason})
        snapshot.save(update_fields=["rejected"])
        progress.job.log(f"rejected {file.path}: {reason}", level="warning", path=file.path)
        return
    progress.counters["files_parsed"] += 1
    if made:
        progress.counters["chunks_new"] += version.chunk_count


def count_files(snapshot: Snapshot, base: Snapshot | None) -> dict[str, int]:
    changes = base.diff(snapshot) if base else {"added": list(dict(members(snapshot))), "changed": [], "removed": []}
    counts = {name: len(paths) for name, paths in changes.items()}
    unchanged_files = snapshot.files.count() - counts["added"] - counts["changed"]
    return counts | {"unchanged": unchanged_files, "rejected": len(snapshot.rejected)}
