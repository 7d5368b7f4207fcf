"""Where a citation lands: the document as it was parsed, in the snapshot that was cited."""

import re
from pathlib import PurePosixPath

from django.db.models import F, Max
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.module_loading import import_string
from django.views.decorators.cache import never_cache

from knowledge.above import PAGE_IMAGE
from knowledge.access import Act, may, snapshots_for
from knowledge.http.methods import require_safe
from knowledge.inclusions import included_by, includes
from knowledge.models import Answer, DocumentFile, FileVersion, SnapshotFile
from knowledge.models.library import Reader
from knowledge.numbers import LARGEST, whole_number
from knowledge.spellings import of_path
from knowledge.storage import originals
from retrieval.pages import leading, versions
from retrieval.rendering import document_lines

PDF = "application/pdf"
# As the parser warns of pages that are images: how many pages there are, the first of these, whether there are more.
UNREAD = re.compile(r"no text on \d+ of (\d+) pages \(images or drawings\): (\d+(?:, \d+)*)( …)?")


@require_safe
def read(request: HttpRequest, slug: str, path: str) -> HttpResponse:
    try:
        member = find(request.user, slug, path, request.GET.get("snapshot", ""))
    except Http404:
        return to_last_seen(request, slug, path)
    version, library, path = member.file_version, member.snapshot.library, member.document_file.path
    cited = document_lines.cited_lines(request.GET.get("lines", ""))
    first = request.GET.get("from", "")
    shown = document_lines.window(version.line_count, cited, document_lines.cited_lines(first).start)
    parts = list(version.sections.all())
    earlier = find(request.user, slug, path, request.GET["compare"]) if request.GET.get("compare") else None
    asks = may(request.user, Act.INSPECT, library)
    has_original = originals.path_of(version.sha256).is_file()
    context = {
        "library": library,
        "snapshot": member.snapshot,
        "document": member.document_file,
        "version": version,
        "cited": cited,
        "versions": versions.versions_of(member),
        "compared": earlier and earlier.snapshot,
        "changes": versions.changes_since(member, earlier) if earlier else [],
        "on_host": versions.on_its_host(library, member.snapshot, path, document_lines.line_in_source(path, cited)),
        "has_original": has_original,
        "answers": Answer.objects.filter(citations__file_version=version).distinct().count() if asks else None,
        "sections": document_lines.read(version.text, path, parts, cited, shown, leading.leads(member, parts, shown)),
        "drawn": pages_of(version) if has_original and version.media_type == PDF else {},
        "unread": unread(version)[1],
        "parts": parts,
        "shown": shown,
        "partial": len(shown) < version.line_count,
        "includes": includes(member),
        "included_by": included_by(member),
        "current": None if member.snapshot.is_active else beside_active(member),
    }
    return render(request, "read.html", context)


@require_safe
def original(request: HttpRequest, slug: str, path: str) -> FileResponse:
    """The bytes that were read, to be kept and not shown: a page of somebody else's would run here."""
    member = find(request.user, slug, path, request.GET.get("snapshot", ""))
    try:
        content = originals.path_of(member.file_version.sha256).open("rb")
    except FileNotFoundError as error:
        raise Http404 from error
    kind = "application/octet-stream"
    return FileResponse(content, as_attachment=True, filename=PurePosixPath(path).name, content_type=kind)


@never_cache
@require_safe
def page_image(request: HttpRequest, slug: str, page: int, path: str) -> HttpResponse:
    """A page of a PDF, as it looks, for whoever may read what it says."""
    member = find(request.user, slug, path, request.GET.get("snapshot", ""))
    if member.file_version.media_type != PDF or not 1 <= page <= LARGEST:
        raise Http404
    if page > last_page(member.file_version):  # no process has to look whether there is such a page
        raise Http404
    picture = import_string(PAGE_IMAGE)(member.file_version.sha256, page)
    if picture is None:
        raise Http404
    return HttpResponse(picture, content_type="image/png")


def pages_of(version: FileVersion) -> dict[int, list[int]]:
    """ordinal of a section → the pages that its chunks are on, each page at the first section that has it, and one that
    none is on behind the page before.
    """
    rows = version.chunks.exclude(page=None).order_by("ordinal").values_list("section__ordinal", "page")
    firsts: dict[int, int] = {}
    for section, page in rows:
        if page:
            firsts.setdefault(page, section)
    found: dict[int, list[int]] = {}
    section = min(firsts.values(), default=0)
    for page in range(1, last_page(version) + 1):
        section = firsts.get(page, section)
        found.setdefault(section, []).append(page)
    return found


def last_page(version: FileVersion) -> int:
    """The last that has text, or that the parser warned of."""
    last = version.chunks.aggregate(last=Max("page"))["last"]
    return max(last or 0, unread(version)[0])


def unread(version: FileVersion) -> tuple[int, frozenset[int]]:
    """How many pages there are, and on which of them no text was read, as far as a warning tells; else 0, and none."""
    told = next(filter(None, map(UNREAD.match, version.warnings)), None)
    if not told:
        return 0, frozenset()
    last, named = int(told[1]), frozenset(map(int, told[2].split(", ")))
    return last, named | without_text(version, range(max(named) + 1, last + 1)) if told[3] else named


def without_text(version: FileVersion, pages: range) -> frozenset[int]:
    """Those that no passage is on, nor a heading."""
    return frozenset(pages).difference(
        version.chunks.values_list("page", flat=True), version.sections.values_list("page", flat=True)
    )


def find(user: Reader, slug: str, path: str, number: str) -> SnapshotFile:
    """The file in the asked or else the active snapshot. Missing, foreign and withdrawn are one: not found."""
    if "\0" in path:
        raise Http404
    snapshots = snapshots_for(user).filter(library__slug=slug)
    if not number:
        snapshots = snapshots.filter(library__active_snapshot=F("pk"))
    elif (asked := whole_number(number)) is not None:
        snapshots = snapshots.filter(number=asked)
    else:
        raise Http404
    snapshot = get_object_or_404(snapshots)  # apart: joined with the files, Postgres reads every file of the snapshot
    members = SnapshotFile.objects.select_related("snapshot__library", "document_file", "file_version")
    members = members.filter(
        snapshot=snapshot, document_file__library=snapshot.library_id, document_file__withdrawn_at__isnull=True
    )
    return get_object_or_404(of_path(members, path, "document_file__path"))


def to_last_seen(request: HttpRequest, slug: str, path: str) -> HttpResponseRedirect:
    """A file that is gone, in the newest older snapshot that this reader may read and that has it; else Http404.

    A link that names its snapshot leads there and nowhere else.
    """
    if "\0" in path or request.GET.get("snapshot"):
        raise Http404
    documents = DocumentFile.objects.filter(library__slug=slug, withdrawn_at__isnull=True)
    document = get_object_or_404(of_path(documents, path))
    older = snapshots_for(request.user).filter(number__lt=F("library__active_snapshot__number"))
    members = SnapshotFile.objects.filter(document_file=document, snapshot__in=older.values("pk"))
    newest = members.aggregate(newest=Max("snapshot__number"))["newest"]
    if newest is None:
        raise Http404
    query = request.GET.copy()
    query["snapshot"] = str(newest)
    return redirect(f"{reverse('read', args=[slug, path])}?{query.urlencode()}")


def beside_active(member: SnapshotFile) -> dict[str, object]:
    """How the active snapshot, if there is one, has this file, for a reader of an older one or (rolled back, or a
    candidate) a newer one."""
    active = member.snapshot.library.active_snapshot
    now = active.files.filter(document_file=member.document_file).first() if active else None
    return {
        "snapshot": active,
        "older": active is not None and member.snapshot.number < active.number,
        "same": now is not None and now.file_version_id == member.file_version_id,
        "gone": now is None,
    }
