"""The vector branch: cosine similarity between the query's vector and the chunks', in the searched snapshots' space."""

from django.db import connection
from pgvector import Vector

from knowledge.models import Chunk

from .view import View

# Exact: every visible chunk is compared. Ties are broken by path and place, as everywhere.
EXACT = """
    SELECT visible.id, vector.vector <=> %s::vector AS distance
    FROM ({visible}) AS visible (id, content_hash, path, ordinal)
    JOIN knowledge_embedding vector ON vector.space_id = %s AND vector.content_hash = visible.content_hash
    ORDER BY distance, visible.path COLLATE "C", visible.ordinal
    LIMIT %s
"""


def rank(view: View, space: int, vector: list[float], depth: int) -> list[tuple[int, float]]:
    """The `depth` nearest chunks of the snapshots in this embedding space: chunk id and cosine, nearest first."""
    snapshots = [searched.snapshot.pk for searched in view.snapshots if searched.snapshot.space_id == space]
    columns = ("pk", "content_hash", "file_version__document_file__path", "ordinal")
    visible, parameters = Chunk.objects.in_snapshots(snapshots).order_by().values_list(*columns).query.sql_with_params()
    with connection.cursor() as cursor:
        cursor.execute(EXACT.format(visible=visible), [Vector(vector).to_text(), *parameters, space, depth])
        return [(chunk, 1.0 - distance) for chunk, distance in cursor.fetchall()]


def unreachable(view: View, space: int) -> bool:
    """Whether a searched snapshot's vectors are of another space than the query's."""
    return any(searched.snapshot.space_id != space for searched in view.snapshots)
