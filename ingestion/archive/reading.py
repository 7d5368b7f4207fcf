"""Taking a snapshot out of an archive: checked whole before anything is written, and invisible until it is complete.

It goes into a library of its own kind, which has no other source: what an archive says of a file is never taken for
what a repository or a directory says. The snapshot is ready, and active only when somebody activates it.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import repeat
from pathlib import Path
from typing import Any

import numpy as np
from django.core.exceptions import ValidationError
from django.db import DatabaseError, connection, transaction

from ingestion.chunking import CHUNKER_VERSION, PARTS_VERSION
from ingestion.code_vectors import code_endpoint, embed_code
from ingestion.embedding import embed_missing
from ingestion.embedding import store as store_vectors
from ingestion.lexical import index_lexemes
from ingestion.merging import merge_segments
from ingestion.operations import operation
from ingestion.parsers import PARSER_VERSION
from ingestion.pipeline import prepare
from ingestion.profile import SCORING_VERSION
from ingestion.progress import Listener, Progress
from ingestion.reading_places import order_files
from ingestion.summaries.stage import close as close_summaries
from ingestion.summaries.stage import embed as embed_summaries
from ingestion.summaries.stage import take_over
from ingestion.twins.stage import find_twins
from ingestion.versions import store, store_code
from knowledge.endpoints import Embedder, EndpointError, embedding_endpoint
from knowledge.models import (
    DocumentFile,
    EmbeddingSpace,
    FileVersion,
    IndexProfile,
    Job,
    Library,
    SectionSummary,
    Snapshot,
    SnapshotFile,
)
from knowledge.parts import packed
from knowledge.spaces import same_model, space_of
from knowledge.storage import originals
from knowledge.storage.statistics import refresh_statistics
from knowledge.texts.analysis import ANALYSIS_VERSION

from .checking import Archive, open_archive
from .contents import ArchivedFile
from .layout import LARGEST, VERSION_FIELDS, ArchiveError, expect
from .sampling import check_all, summary_hash

VARIABLES = {"texts": "EMBEDDING_URL", "code": "CODE_EMBEDDING_URL"}
IDENTITY = ("model", "dimension", "query_prefix", "document_prefix")


@dataclass(frozen=True, slots=True)
class Chosen:
    """Where vectors of an archive belong. No space: that of a model that is not known here, or there are none.

    The endpoint is there where it makes vectors of this space.
    """

    space: EmbeddingSpace | None
    endpoint: Embedder | None


@dataclass(frozen=True, slots=True)
class Outcome:
    library: str
    access: str
    snapshot: int
    state: str
    manifest_hash: str
    files: int
    chunks: int
    embeddings: dict[str, int]  # computed, imported
    active: bool
    known: bool  # the library had this snapshot already
    seconds: dict[str, float] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def import_snapshot(
    path: Path,
    slug: str = "",
    access: str = Library.Access.GROUPS,
    embed_again: bool = False,
    largest: int = LARGEST,
    listener: Listener | None = None,
) -> Outcome:
    """Raises ArchiveError, LibraryBusy or EndpointError; nothing that can be seen is there then.

    An archive does not say who might read its library: a new one is open to nobody but whom it is given to.
    """
    with open_archive(path, largest) as archive:
        check_versions(archive)
        with_vectors = archive.has_vectors and not embed_again
        texts = choose(archive.manifest["space"], embedding_endpoint, "texts", with_vectors)
        for_code = partial(code_endpoint, test_mode=False)
        code = choose(archive.manifest["code_space"], for_code, "code", with_vectors)
        check_all(archive, texts.endpoint if with_vectors else None, code.endpoint if with_vectors else None)
        library, is_new = library_for(slug or archive.manifest["library"]["slug"], archive, access)
        if known := already(library, archive, texts.space):
            return outcome(known, archive)
        try:
            with operation(library, "import", listener, file=path.name) as progress:
                snapshot = take(archive, library, texts, code, with_vectors, progress)
        except BaseException:
            if is_new:
                with suppress(DatabaseError):
                    take_back(library)
            raise
    return outcome(snapshot, archive, progress)


def check_versions(archive: Archive) -> None:
    """What was made by a newer version may mean something else here; other postings could not be made again."""
    newest = {
        "parsers": PARSER_VERSION,
        "chunker": CHUNKER_VERSION,
        "scoring": SCORING_VERSION,
        "parts": PARTS_VERSION,
    }
    for name, ours in newest.items():
        theirs = archive.profile.get(name, 0)
        expect(theirs <= ours, f"the archive was made by a newer version ({name} {theirs}; here {ours}): upgrade first")
    analysis = archive.profile["analysis"]
    expect(
        analysis == ANALYSIS_VERSION,
        f"the archive's words were analysed as version {analysis} does; here it is {ANALYSIS_VERSION}: "
        "reindex where it comes from with this version, and export again",
    )
    language = archive.profile["language"]
    with connection.cursor() as cursor:
        cursor.execute("SELECT EXISTS (SELECT FROM pg_ts_config WHERE cfgname = %s)", [language])
        expect(cursor.fetchone()[0], f"this Postgres has no text-search configuration “{language[:40]}”")


def choose(
    claimed: dict[str, Any] | None, open_endpoint: Callable[[], Embedder | None], role: str, with_vectors: bool
) -> Chosen:
    """For the vectors of a role, "texts" or "code": nothing where the archive has no such space.

    Raises ArchiveError where there are no vectors, and another model or none answers; EndpointError.
    """
    if claimed is None:
        return Chosen(None, None)
    try:
        endpoint = open_endpoint()
        own = space_of(endpoint) if endpoint else None
    except EndpointError:
        if not with_vectors:
            raise
        return known_space(claimed)
    if own and is_same(own, claimed):
        return Chosen(own, endpoint)
    if not with_vectors:
        raise ArchiveError(
            f"the archive's {role} {'were' if role == 'texts' else 'was'} embedded by {claimed['model']}, and "
            f"{own.model if own else 'no model for code'} answers here: set {VARIABLES[role]} to that model, or import "
            "an archive that holds its vectors"
        )
    return known_space(claimed)


def known_space(claimed: dict[str, Any]) -> Chosen:
    identity = {name: claimed[name] for name in IDENTITY}
    spaces = EmbeddingSpace.objects.filter(**identity).order_by("pk")
    return Chosen(next((space for space in spaces if is_same(space, claimed)), None), None)


def is_same(space: EmbeddingSpace, claimed: dict[str, Any]) -> bool:
    if any(getattr(space, name) != claimed[name] for name in IDENTITY):
        return False
    return same_model(np.array(space.canaries, np.float32), np.array(claimed["canaries"], np.float32))


def library_for(slug: str, archive: Archive, access: str) -> tuple[Library, bool]:
    """A library for archives, and whether it was made just now."""
    library = Library.objects.filter(slug=slug).first()
    is_new = library is None
    if library is None:
        name = archive.manifest["library"]["name"]
        is_taken = Library.objects.filter(name=name).exists()  # beside its namesake nobody could tell them apart
        library = Library(slug=slug, name=slug if is_taken else name or slug, kind=Library.Kind.ARCHIVE, access=access)
        library.language, library.summaries = archive.profile["language"], "summaries" in archive.profile
        try:
            library.full_clean()
        except ValidationError as error:
            raise ArchiveError("; ".join(error.messages)) from error
        library.save()
    expect(
        library.kind == Library.Kind.ARCHIVE,
        f"{slug} has a source of its own ({library.get_kind_display().lower()}): give the imported one another name "
        "with --library",
    )
    return library, is_new


@transaction.atomic
def take_back(library: Library) -> None:
    """A library whose first import failed goes with it: its readers would see an empty one."""
    Library.objects.lock(library.pk)
    in_use = library.snapshots.exists() or library.jobs.filter(state=Job.State.RUNNING).exists()
    if not in_use:  # by somebody else, since
        library.delete()


def already(library: Library, archive: Archive, space: EmbeddingSpace | None) -> Snapshot | None:
    """The one that it has of the archive, whole: one that a file was erased from keeps its manifest's hash."""
    whole = library.snapshots.filter(state=Snapshot.State.READY, erased=[])
    same = whole.filter(manifest_hash=archive.manifest["manifest_hash"])
    return same.filter(space=space).order_by("-number").first() if space else None


def take(
    archive: Archive, library: Library, texts: Chosen, code: Chosen, with_vectors: bool, progress: Progress
) -> Snapshot:
    snapshot = start(archive, library, texts.space, code.space)
    try:
        with progress.timed("read", total=archive.manifest["counts"]["files"]):
            for file in archive.files():
                add(archive, snapshot, file, with_vectors, progress)
                progress.advance()
            refresh_statistics()
        with progress.timed("embed"):
            if texts.endpoint:
                embed_missing(snapshot, texts.endpoint, progress)
            embed_code(snapshot, code.endpoint, code.space, progress)
        with progress.timed("summaries"):
            finish_summaries(snapshot, texts.endpoint, progress)
        with progress.timed("lexical"):
            index_lexemes(snapshot, progress)
        with progress.timed("twins"):
            find_twins(snapshot, progress)
        refresh_statistics()
        with progress.timed("seal"), transaction.atomic():
            order_files(snapshot)
            progress.job.hold()
            snapshot.seal()
            same = snapshot.manifest_hash == archive.manifest["manifest_hash"]
            expect(
                same and snapshot.chunk_count == archive.manifest["counts"]["chunks"], "it changed while it was read"
            )
    except BaseException:
        with suppress(DatabaseError):
            Snapshot.objects.filter(pk=snapshot.pk, state=Snapshot.State.BUILDING).delete()
        raise
    with progress.timed("merge"):
        merge_segments(library, snapshot.profile.lexical_hash)
    with progress.timed("prepare"):
        prepare(snapshot, progress)
    return snapshot


def start(archive: Archive, library: Library, space: EmbeddingSpace | None, code: EmbeddingSpace | None) -> Snapshot:
    """Spaces that are not known here are made."""
    claimed = archive.manifest["code_space"]
    with transaction.atomic():
        library.snapshots.filter(state=Snapshot.State.BUILDING).delete()  # an import that was killed
        return library.new_snapshot(
            profile=IndexProfile.objects.for_settings(archive.profile),
            space=space or EmbeddingSpace.objects.create(**archive.manifest["space"]),
            code_space=code or (EmbeddingSpace.objects.create(**claimed) if claimed else None),
            revision=archive.manifest["snapshot"]["revision"],
            rejected=[file | {"identity": ""} for file in archive.manifest["rejected"]],
        )


def add(archive: Archive, snapshot: Snapshot, file: ArchivedFile, with_vectors: bool, progress: Progress) -> None:
    """One file, all or nothing. Its identity is its content's: no source will be asked about it."""
    record = file.record
    expect(
        record["path"] not in snapshot.library.unindexed,
        f"it holds {record['path']}, which was taken out of {snapshot.library}: import it into another library, "
        "or let the file in again with unindex --restore",
    )
    with transaction.atomic():
        if archive.has_originals:
            originals.hold()
            originals.keep(archive.original(record["sha256"], record["size"]))
        document, _ = DocumentFile.objects.get_or_create(library=snapshot.library, path=record["path"])
        version = version_of(document, snapshot.profile, file)
        SnapshotFile.objects.create(
            snapshot=snapshot, document_file=document, file_version=version, identity=record["sha256"]
        )
        if with_vectors:
            add_vectors(snapshot, file, progress)


def add_vectors(snapshot: Snapshot, file: ArchivedFile, progress: Progress) -> None:
    summaries = [summary_hash(file, summary) for summary in file.summaries]
    code = [file.content_hashes[place] for place in file.code]
    parts = None if file.parts is None else [packed(own) for own in file.parts]
    for space, hashes, vectors, own in (
        (snapshot.space_id, file.content_hashes, file.vectors, parts),
        (snapshot.space_id, summaries, file.summary_vectors, None),
        (snapshot.code_space_id, code, file.code_vectors, None),
    ):
        if space is not None and vectors is not None:
            store_vectors(space, hashes, list(zip(vectors, own or repeat(None), strict=False)))
            progress.counters["embeddings_imported"] += len(hashes)


def version_of(document: DocumentFile, profile: IndexProfile, file: ArchivedFile) -> FileVersion:
    columns = {name: file.record[name] for name in sorted(VERSION_FIELDS - {"sha256"})}
    version, is_new = FileVersion.objects.get_or_create(
        document_file=document,
        sha256=file.record["sha256"],
        structure=profile.structure_hash,
        defaults=columns | {"text": file.text},
    )
    if is_new:
        store(version, file.sections, file.chunks)
        store_code(version, file.symbols, file.references)
    same = version.text == file.text and all(getattr(version, name) == value for name, value in columns.items())
    expect(
        same and summaries_of(version, file),
        f"{document.path}: another archive says something else of the same content",
    )
    return version


def summaries_of(version: FileVersion, file: ArchivedFile) -> bool:
    """Whether its summaries are there now as the archive has them."""
    told = {(summary.section, summary.method, summary.text) for summary in file.summaries}
    if not told:
        return True
    take_over(version, sorted(told))
    there = SectionSummary.objects.filter(section__file_version=version)
    return told <= set(there.values_list("section__ordinal", "method", "text"))


def finish_summaries(snapshot: Snapshot, endpoint: Embedder | None, progress: Progress) -> None:
    """The snapshot has what its archive had, and what was there already."""
    if not snapshot.profile.settings.get("summaries"):
        return
    if endpoint:
        held = SectionSummary.objects.filter(section__file_version__memberships__snapshot=snapshot)
        methods = sorted(held.values_list("method", flat=True).order_by().distinct())
        embed_summaries(snapshot, methods, endpoint, progress)
    close_summaries(snapshot)


def outcome(snapshot: Snapshot, archive: Archive, progress: Progress | None = None) -> Outcome:
    """Without progress: nothing had to be done."""
    counts = archive.manifest["counts"]
    done = progress.counters if progress else {}
    return Outcome(
        library=snapshot.library.slug,
        access=snapshot.library.access,
        snapshot=snapshot.number,
        state=snapshot.state,
        manifest_hash=snapshot.manifest_hash,
        files=counts["files"],
        chunks=counts["chunks"],
        embeddings={
            "computed": done.get("embeddings_computed", 0),
            "imported": done.get("embeddings_imported", 0),
        },
        active=snapshot.is_active,
        known=progress is None,
        seconds={stage: round(value, 3) for stage, value in (progress.seconds if progress else {}).items()},
    )
