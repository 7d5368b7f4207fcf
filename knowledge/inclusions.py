"""Which files of a snapshot take in which others (RST's `include` and its like): see docs/decisions/0016."""

from collections.abc import Collection

from django.db.models import QuerySet, TextField
from django.db.models.functions import Cast

from knowledge.models import SnapshotFile
from knowledge.texts.file_links import candidates, named

INCLUDE = "include"
MOST = 50


def includes(member: SnapshotFile) -> list[tuple[int, str]]:
    """The lines of a file at which others belong, with those files' paths."""
    path = member.document_file.path
    wanted = [(line, target) for kind, line, target in member.file_version.links if kind == INCLUDE][:MOST]
    possible = {candidate for _, target in wanted for candidate in candidates(path, target)}
    known = visible_among(member, possible)
    found = ((line, named(path, target, known)) for line, target in wanted)
    return [(line, target) for line, target in found if target]


def included_by(member: SnapshotFile) -> list[str]:
    """The paths of the files that take this one in, the first fifty."""
    path = member.document_file.path
    name = path.rpartition("/")[2]
    naming = (
        visible(member)
        .filter(file_version__links__contains=[[INCLUDE]])  # as the index file_version_includes has it
        .annotate(written=Cast("file_version__links", TextField()))
        .filter(written__contains=name)
        .order_by("document_file__path")
        .values_list("document_file__path", "file_version__links")
    )
    return [other for other, links in naming if takes_in(other, links, path)][:MOST]


def takes_in(path: str, links: list[tuple[str, int, str]], included: str) -> bool:
    targets = {target for kind, _, target in links if kind == INCLUDE}
    return any(named(path, target, {included}) for target in targets)


def visible_among(member: SnapshotFile, paths: Collection[str]) -> set[str]:
    """Those of the paths at which its snapshot has a file that is seen."""
    return set(visible(member).filter(document_file__path__in=paths).values_list("document_file__path", flat=True))


def visible(member: SnapshotFile) -> QuerySet[SnapshotFile]:
    return SnapshotFile.objects.filter(snapshot=member.snapshot_id, document_file__withdrawn_at__isnull=True)
