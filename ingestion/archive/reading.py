"""Taking a snapshot out of an archive: checked whole before anything is written, and invisible until it is complete.

It goes into a library of its own kind, which has no other source: what an archive says of a file is never taken for
what a repository or a directory says. The snapshot is ready, and active only when somebody activates it.
"""

import random
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from django.core.exceptions import ValidationError
from django.db import DatabaseError, connection, transaction

from ingestion.chunking import CHUNKER_VERSION, embedding_text
from ingestion.embedding import embed_missing
from ingestion.embedding import store as store_vectors
from ingestion.lexical import index_lexemes
from ingestion.merging import merge_segments
from ingestion.operations import operation
from ingestion.parsers import PARSER_VERSION
from ingestion.pipeline import prepare
from ingestion.profile import SCORING_VERSION
from ingestion.progress import Listener, Progress
from ingestion.versions import store
from knowledge import originals
from knowledge.analysis import ANALYSIS_VERSION
from knowledge.endpoints import Embedder, EndpointError, embedding_endpoint
from knowledge.models import DocumentFile, EmbeddingSpace, FileVersion, IndexProfile, Library, Snapshot, SnapshotFile
from knowledge.spaces import SAME_MODEL_COSINE, same_model, space_of

from .checking import Archive, ArchivedFile, open_archive
from .layout import LARGEST, ArchiveError, expect

SAMPLE = 32  # vectors that are made again, to see that they are what the model makes
IDENTITY = ("model", "dimension", "query_prefix", "document_prefix")


@dataclass(frozen=True, slots=True)
class Outcome:
    library: str
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
    access: str = Library.Access.SIGNED_IN,
    embed_again: bool = False,
    largest: int = LARGEST,
    listener: Listener | None = None,
) -> Outcome:
    """Raises ArchiveError, LibraryBusy or EndpointError; nothing that can be seen is there then."""
    with open_archive(path, largest) as archive:
        check_versions(archive)
        space, endpoint = choose_space(archive, with_vectors=archive.has_vectors and not embed_again)
        check_all(archive, endpoint if archive.has_vectors and not embed_again else None)
        library = library_for(slug or archive.manifest["library"]["slug"], archive, access)
        if known := already(library, archive, space):
            return outcome(known, archive)
        with operation(library, "import", listener, file=path.name) as progress:
            snapshot = take(archive, library, space, endpoint, embed_again, progress)
    return outcome(snapshot, archive, progress)


def check_versions(archive: Archive) -> None:
    """What was made by a newer version may mean something else here; other postings could not be made again."""
    newest = {"parsers": PARSER_VERSION, "chunker": CHUNKER_VERSION, "scoring": SCORING_VERSION}
    for name, ours in newest.items():
        theirs = archive.profile[name]
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


def choose_space(archive: Archive, with_vectors: bool) -> tuple[EmbeddingSpace | None, Embedder | None]:
    """The space that the vectors belong to, and the endpoint where it makes vectors of this space.

    No space: the archive's vectors are of a model that is not known here; a space is made for them.
    """
    claimed = archive.manifest["space"]
    try:
        endpoint = embedding_endpoint()
        own = space_of(endpoint)
    except EndpointError:
        if not with_vectors:
            raise
        endpoint, own = None, None
    if own and is_same(own, claimed):
        return own, endpoint
    if not with_vectors:
        told = f"{own.model} answers here" if own else "no model answers here"
        raise ArchiveError(
            f"the archive's texts were embedded by {claimed['model']}, and {told}: "
            "set EMBEDDING_URL to that model, or import an archive that holds its vectors"
        )
    identity = {name: claimed[name] for name in IDENTITY}
    spaces = EmbeddingSpace.objects.filter(**identity).order_by("pk")
    return next((space for space in spaces if is_same(space, claimed)), None), None


def is_same(space: EmbeddingSpace, claimed: dict[str, Any]) -> bool:
    if any(getattr(space, name) != claimed[name] for name in IDENTITY):
        return False
    return same_model(np.array(space.canaries, np.float32), np.array(claimed["canaries"], np.float32))


def check_all(archive: Archive, endpoint: Embedder | None) -> None:
    """Everything once, before anything is written. A sample of the vectors is made again where the model is there."""
    sample: list[tuple[str, Any]] = []
    chosen, seen = random.SystemRandom(), 0
    for file in archive.files():
        if archive.has_originals:
            archive.original(file.record["sha256"], file.record["size"])
        for place, chunk in enumerate(file.chunks if endpoint is not None and file.vectors is not None else ()):
            seen += 1
            slot = len(sample) if len(sample) < SAMPLE else chosen.randrange(seen)
            if slot < SAMPLE:
                breadcrumb = file.sections[chunk.section].breadcrumb
                text = embedding_text(breadcrumb, chunk.text, chunk.context)
                sample[slot : slot + 1] = [(text, file.vectors[place])]  # type: ignore[index]
    if endpoint is not None and sample:
        own = endpoint.embed_documents([text for text, _ in sample])
        alike = (own * np.stack([vector for _, vector in sample])).sum(axis=1) >= SAME_MODEL_COSINE
        expect(alike.all(), "the archive's vectors are not those of its texts: import it with --embed")


def library_for(slug: str, archive: Archive, access: str) -> Library:
    """A library for archives; a new one is its readers' only when its first snapshot is activated."""
    library = Library.objects.filter(slug=slug).first()
    if library is None:
        name = archive.manifest["library"]["name"] or slug
        library = Library(slug=slug, name=name, kind=Library.Kind.ARCHIVE, access=access)
        library.language = archive.profile["language"]
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
    return library


def already(library: Library, archive: Archive, space: EmbeddingSpace | None) -> Snapshot | None:
    same = library.snapshots.filter(state=Snapshot.State.READY, manifest_hash=archive.manifest["manifest_hash"])
    return same.filter(space=space).order_by("-number").first() if space else None


def take(
    archive: Archive,
    library: Library,
    space: EmbeddingSpace | None,
    endpoint: Embedder | None,
    embed_again: bool,
    progress: Progress,
) -> Snapshot:
    space = space or EmbeddingSpace.objects.create(**archive.manifest["space"])
    snapshot = start(archive, library, space)
    try:
        with progress.timed("read", total=archive.manifest["counts"]["files"]):
            for file in archive.files():
                add(archive, snapshot, file, embed_again, progress)
                progress.advance()
        with progress.timed("embed"):
            if endpoint is not None:
                embed_missing(snapshot, endpoint, progress)
        with progress.timed("lexical"):
            index_lexemes(snapshot, progress)
        with progress.timed("seal"), transaction.atomic():
            snapshot.seal()
            same = snapshot.manifest_hash == archive.manifest["manifest_hash"]
            expect(
                same and snapshot.chunk_count == archive.manifest["counts"]["chunks"], "it changed while it was read"
            )
    except BaseException:
        with suppress(DatabaseError):
            Snapshot.objects.filter(pk=snapshot.pk).delete()
        raise
    with progress.timed("merge"):
        merge_segments(library, snapshot.profile.lexical_hash)
    with progress.timed("prepare"):
        prepare(snapshot, progress)
    return snapshot


def start(archive: Archive, library: Library, space: EmbeddingSpace) -> Snapshot:
    with transaction.atomic():
        library.snapshots.filter(state=Snapshot.State.BUILDING).delete()  # an import that was killed
        return library.new_snapshot(
            profile=IndexProfile.objects.for_settings(archive.profile),
            space=space,
            revision=archive.manifest["snapshot"]["revision"],
            rejected=[file | {"identity": ""} for file in archive.manifest["rejected"]],
        )


def add(archive: Archive, snapshot: Snapshot, file: ArchivedFile, embed_again: bool, progress: Progress) -> None:
    """One file, all or nothing. Its identity is its content's: no source will be asked about it."""
    record = file.record
    if archive.has_originals:
        originals.keep(archive.original(record["sha256"], record["size"]))
    with transaction.atomic():
        document, _ = DocumentFile.objects.get_or_create(library=snapshot.library, path=record["path"])
        version = version_of(document, snapshot.profile, file)
        SnapshotFile.objects.create(
            snapshot=snapshot, document_file=document, file_version=version, identity=record["sha256"]
        )
        if file.vectors is not None and not embed_again:
            store_vectors(snapshot.space_id, file.content_hashes, file.vectors)
            progress.counters["embeddings_imported"] += len(file.chunks)


def version_of(document: DocumentFile, profile: IndexProfile, file: ArchivedFile) -> FileVersion:
    columns = {name: value for name, value in file.record.items() if name not in ("path", "sha256")}
    version, is_new = FileVersion.objects.get_or_create(
        document_file=document,
        sha256=file.record["sha256"],
        structure=profile.structure_hash,
        defaults=columns | {"text": file.text},
    )
    if is_new:
        store(version, file.sections, file.chunks)
    same = version.text == file.text and all(getattr(version, name) == value for name, value in columns.items())
    expect(same, f"{document.path}: another archive says something else of the same content")
    return version


def outcome(snapshot: Snapshot, archive: Archive, progress: Progress | None = None) -> Outcome:
    """Without progress: nothing had to be done."""
    counts = archive.manifest["counts"]
    done = progress.counters if progress else {}
    return Outcome(
        library=snapshot.library.slug,
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
