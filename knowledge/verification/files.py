"""File versions: all there, in their places, word for word."""

from django.db.models import Max, Q, QuerySet

from knowledge.models import AuditEvent, FileVersion, Job, Library, Snapshot, Upload
from knowledge.models.upload import is_wanted
from knowledge.storage import originals as store

from .finding import Finding, violations

SAMPLED = "chunk.id % greatest((SELECT count(*) / 2000 FROM knowledge_chunk), 1) = 0"  # about 2,000, spread evenly
ALL = "SELECT count(*) FROM knowledge_chunk chunk"
BEING_BROUGHT = 600  # seconds that an original may be there before the row that it is of
WHOLE = Q(options__paths__isnull=True) | Q(options__paths=None) | Q(options__paths=[])  # a build of all there is

STRUCTURE = """
    WITH sections AS (
        SELECT file_version_id AS id, count(*) AS n, max(ordinal) AS last, min(line_start) AS first_line,
               max(line_end) AS last_line, sum(line_end - line_start + 1) AS lines
        FROM knowledge_section GROUP BY file_version_id),
    chunks AS (
        SELECT file_version_id AS id, count(*) AS n, max(ordinal) AS last, min(line_start) AS first_line,
               max(line_end) AS last_line
        FROM knowledge_chunk GROUP BY file_version_id)
    SELECT format('file version %s: %s of %s sections, %s of %s chunks, %s lines', version.id, coalesce(sections.n, 0),
                  version.section_count, coalesce(chunks.n, 0), version.chunk_count, version.line_count)
    FROM knowledge_fileversion version LEFT JOIN sections USING (id) LEFT JOIN chunks USING (id)
    WHERE coalesce(sections.n, 0) <> version.section_count OR coalesce(sections.last, -1) <> version.section_count - 1
       OR coalesce(chunks.n, 0) <> version.chunk_count OR coalesce(chunks.last, -1) <> version.chunk_count - 1
       OR sections.first_line <> 1 OR sections.last_line <> version.line_count OR sections.lines <> version.line_count
       OR chunks.last_line > version.line_count
"""

PLACES = """
    SELECT format('chunk %s is not inside its section %s', chunk.id, section.id)
    FROM knowledge_chunk chunk JOIN knowledge_section section ON section.id = chunk.section_id
    WHERE section.file_version_id <> chunk.file_version_id
       OR chunk.line_start < section.line_start OR chunk.line_end > section.line_end
"""

QUOTES = """
    SELECT format('chunk %s', chunk.id)
    FROM knowledge_chunk chunk JOIN knowledge_fileversion version ON version.id = chunk.file_version_id
    WHERE (substr(version.text, chunk.char_start + 1, chunk.char_end - chunk.char_start) <> chunk.text
       OR length(left(version.text, chunk.char_start))
          - length(replace(left(version.text, chunk.char_start), E'\\n', '')) <> chunk.line_start - 1
       OR length(chunk.text) - length(replace(chunk.text, E'\\n', '')) <> chunk.line_end - chunk.line_start)
"""


def structure(_: bool) -> Finding:
    return violations("SELECT count(*) FROM knowledge_fileversion", STRUCTURE).joined(violations(ALL, PLACES))


def quotes(deep: bool) -> Finding:
    if deep:
        return violations(ALL, QUOTES)
    return violations(f"{ALL} WHERE {SAMPLED}", f"{QUOTES} AND {SAMPLED}")


def originals(deep: bool) -> Finding:
    """Present; with `deep`, read and hashed as well. Every upload has become something, and what was erased is gone.

    Archives may come without originals: then what is there must be right.
    """
    finding = Finding()
    archived = Q(document_file__library__kind=Library.Kind.ARCHIVE)
    versions, archives = FileVersion.objects.exclude(archived), FileVersion.objects.filter(archived)
    needed = versions.values_list("sha256", flat=True)
    uploaded = Upload.objects.current().values_list("sha256", flat=True)
    for sha256 in needed.union(uploaded).iterator():
        is_there = store.intact(sha256) if deep else store.path_of(sha256).exists()
        is_kept = is_there or needed.filter(sha256=sha256).exists() or uploaded.filter(sha256=sha256).exists()
        if is_kept:  # else it was collected since
            finding.expect(is_there, "" if is_there else described(sha256, versions))
    for sha256 in archives.values_list("sha256", flat=True).distinct().iterator():
        if store.path_of(sha256).exists():
            is_right = not deep or store.intact(sha256) or not store.path_of(sha256).exists()
            finding.expect(is_right, "" if is_right else described(sha256, archives))
    return finding.joined(uploads()).joined(erased())


def described(sha256: str, versions: QuerySet[FileVersion]) -> str:
    """Whose original it is (of several, one), and what brings it back."""
    version = versions.filter(sha256=sha256).select_related("document_file__library").order_by("-pk").first()
    holder = version.document_file if version else Upload.objects.current().filter(sha256=sha256).first()
    if holder is None:
        return f"original {sha256}"  # it was collected since
    library = holder.library
    read_again = f"; manage.py reindex --force {library.slug} reads it again"
    again = {
        Library.Kind.GIT: read_again,
        Library.Kind.DIRECTORY: read_again,
        Library.Kind.UPLOADS: "; upload it again",
    }
    return f"original {sha256} of {library}: {holder.path}{again.get(Library.Kind(library.kind), '')}"


def erased() -> Finding:
    """Originals of erased files are there where others hold them, or while an erasing goes on."""
    finding = Finding()
    named = AuditEvent.objects.erased_originals()
    if Job.objects.filter(kind="erase", state=Job.State.RUNNING).exists():
        return finding
    for sha256 in named:
        is_left = store.age(store.path_of(sha256)) >= BEING_BROUGHT and not is_wanted(sha256)
        finding.expect(not is_left, f"original {sha256} was erased and is there: gc takes it away")
    return finding


def uploads() -> Finding:
    """What a build that has succeeded since could see has a version or a recorded rejection, or was taken out.

    Builds that were narrowed to paths count for nothing: they leave alone what is not at or below these.
    """
    finding = Finding()
    for library in Library.objects.filter(kind=Library.Kind.UPLOADS):
        builds = library.jobs.filter(WHOLE, kind="build", state=Job.State.SUCCEEDED)
        began = builds.aggregate(last=Max("started_at"))["last"]
        if began is None:
            continue
        newest = library.snapshots.filter(state=Snapshot.State.READY).newest_built()
        rejected = newest.rejected_contents if newest else {}
        versions = set(
            FileVersion.objects.filter(document_file__library=library).values_list("document_file__path", "sha256")
        )
        for upload in library.uploads.current().filter(uploaded_at__lt=began).iterator():
            name = (upload.path, upload.sha256)
            known = name in versions or name in rejected or upload.path in library.unindexed
            finding.expect(known, f"upload {library}: {upload.path}")
    return finding
