"""Vectors: finite, of the right size, one for every chunk, and for every part, summary and code that has more."""

import numpy as np
from django.db.models import Exists, OuterRef

from knowledge.models import Embedding, SectionSummary, Snapshot
from knowledge.parts import unpacked

from .finding import Finding, violations

SOUND = """
    SELECT format('vector %s in space %s', encode(vector.content_hash, 'hex'), space.id)
    FROM knowledge_embedding vector JOIN knowledge_embeddingspace space ON space.id = vector.space_id
    WHERE vector_dims(vector.vector) <> space.dimension OR NOT vector_norm(vector.vector) BETWEEN 0.99 AND 1.01
"""  # pgvector stores neither NaN nor infinity

MISSING = """
    SELECT format('chunk %s of snapshot %s has no vector', chunk.id, snapshot.id)
    FROM knowledge_snapshot snapshot
    JOIN knowledge_indexprofile profile ON profile.id = snapshot.profile_id
    JOIN knowledge_snapshotfile member ON member.snapshot_id = snapshot.id
    JOIN knowledge_chunk chunk ON chunk.file_version_id = member.file_version_id
    WHERE snapshot.state = 'ready' AND NOT EXISTS (
        SELECT FROM knowledge_embedding vector
        WHERE vector.space_id = snapshot.space_id AND vector.content_hash = chunk.content_hash
          AND (vector.parts IS NOT NULL OR NOT profile.settings ? 'parts'))
"""

CODE = """
    FROM knowledge_snapshot snapshot
    JOIN knowledge_snapshotfile member ON member.snapshot_id = snapshot.id
    JOIN knowledge_chunk chunk ON chunk.file_version_id = member.file_version_id AND chunk.kind = 'code'
    WHERE snapshot.state = 'ready' AND snapshot.code_space_id IS NOT NULL
"""

CODE_MISSING = f"""
    SELECT format('chunk %s of snapshot %s has no vector as code', chunk.id, snapshot.id) {CODE}
    AND NOT EXISTS (
        SELECT FROM knowledge_embedding vector
        WHERE vector.space_id = snapshot.code_space_id AND vector.content_hash = chunk.content_hash)
"""  # noqa: S608

OF_ITS_PROFILE = """
    SELECT format('snapshot %s is of space %s, which its profile does not name', snapshot.id, space.id)
    FROM knowledge_snapshot snapshot
    JOIN knowledge_indexprofile profile ON profile.id = snapshot.profile_id
    JOIN knowledge_embeddingspace space ON space.id = snapshot.space_id
    WHERE profile.settings -> 'embedding' IS DISTINCT FROM jsonb_build_object(
        'model', space.model, 'dimension', space.dimension,
        'query_prefix', space.query_prefix, 'document_prefix', space.document_prefix)
"""


def complete(_: bool) -> Finding:
    finding = violations("SELECT count(*) FROM knowledge_embedding", SOUND)
    missing = violations(
        "SELECT coalesce(sum(chunk_count), 0)::bigint FROM knowledge_snapshot WHERE state = 'ready'", MISSING
    )
    spaces = violations("SELECT count(*) FROM knowledge_snapshot", OF_ITS_PROFILE)
    return finding.joined(parts_sound()).joined(missing).joined(spaces)


def parts_sound() -> Finding:
    """Whole vectors, more than one, each finite and of unit length."""
    finding = Finding()
    rows = Embedding.objects.filter(parts__gt=b"").values_list("space", "space__dimension", "content_hash", "parts")
    for space, dimension, content_hash, parts in rows.iterator(chunk_size=500):
        sound = whole_vectors(bytes(parts or b""), dimension)
        finding.expect(sound, f"parts of vector {bytes(content_hash).hex()} in space {space}")
    return finding


def whole_vectors(parts: bytes, dimension: int) -> bool:
    several, rest = divmod(len(parts), 4 * dimension)
    if several < 2 or rest:
        return False
    with np.errstate(invalid="ignore", over="ignore"):
        lengths = np.linalg.norm(unpacked(parts, dimension).astype(np.float64), axis=1)
    return bool(((lengths > 0.99) & (lengths < 1.01)).all())


def of_summaries_and_code(_: bool) -> Finding:
    finding = Finding()
    summarised = Snapshot.objects.filter(state=Snapshot.State.READY, summaries_through__gt=0)
    for snapshot in summarised.select_related("library", "profile"):
        own = Embedding.objects.filter(space_id=snapshot.space_id, content_hash=OuterRef("content_hash"))
        held = SectionSummary.objects.of_snapshot(snapshot)
        for pk, is_there in held.annotate(is_there=Exists(own)).values_list("pk", "is_there"):
            finding.expect(is_there, f"summary {pk} of snapshot {snapshot.pk} has no vector")
    return finding.joined(violations(f"SELECT count(*) {CODE}", CODE_MISSING))
