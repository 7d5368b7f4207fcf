"""File versions say what they were sealed with: an index that grew equals one that was built clean, bit for bit."""

from collections import defaultdict
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from django.db.models import F

from knowledge.digest import CHUNK, SECTION, digest
from knowledge.models import Chunk, FileVersion, Section

from .finding import Finding

SAMPLE, AT_ONCE = 200, 100


def sealed_as_they_are(deep: bool) -> Finding:
    """The digest of each version (of about 200, spread evenly, unless `deep`), computed from its rows again."""
    finding = Finding()
    versions = list(FileVersion.objects.order_by("pk").values_list("pk", "digest"))
    chosen = versions if deep else versions[:: max(len(versions) // SAMPLE, 1)]
    for start in range(0, len(chosen), AT_ONCE):
        batch = dict(chosen[start : start + AT_ONCE])
        sections = by_version(Section.objects.all(), SECTION, batch)
        chunks = by_version(Chunk.objects.annotate(of=F("section__ordinal")), ("ordinal", "of", *CHUNK), batch)
        for pk, sealed in batch.items():
            for chunk in chunks[pk]:
                chunk.section = chunk.of
            finding.expect(digest(sections[pk], chunks[pk]) == sealed, f"file version {pk}")
    return finding


def by_version(rows: Any, columns: Sequence[str], versions: dict[int, str]) -> dict[int, list[SimpleNamespace]]:
    found: dict[int, list[SimpleNamespace]] = defaultdict(list)
    chosen = rows.filter(file_version__in=list(versions)).order_by("file_version", "ordinal")
    for row in chosen.values("file_version", *columns):
        found[row["file_version"]].append(SimpleNamespace(**row))
    return found
