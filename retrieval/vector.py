"""The vector branch: cosine similarity between the query's vector and every visible chunk's, in one embedding space.

Exact. A sealed snapshot's vectors never change, so they are read from Postgres once and kept as a matrix by position:
at 8,156 chunks the product takes 1 ms, where the same comparison as a join in Postgres took 35 ms. A snapshot of more
than MATRIX_CHUNKS is compared in Postgres.
"""

from typing import Any

import numpy as np
import psycopg
from django.db import connection
from numpy.typing import NDArray
from pgvector import Vector

from knowledge.models import Chunk

from .view import Cache, SearchedSnapshot, View

MATRIX_CHUNKS = 100_000  # 154 MB of 384 dimensions
UNKNOWN = -1.0

Ranking = list[tuple[int, float]]
Matrix = NDArray[np.float32]

VECTORS = """
    SELECT visible.id, vector_send(vector.vector) FROM ({visible}) AS visible (id, content_hash)
    JOIN knowledge_embedding vector ON vector.space_id = %s AND vector.content_hash = visible.content_hash
"""

IN_POSTGRES = """
    SELECT visible.id, vector.vector <=> %s::vector AS distance
    FROM ({visible}) AS visible (id, content_hash, path, ordinal)
    JOIN knowledge_embedding vector ON vector.space_id = %s AND vector.content_hash = visible.content_hash
    ORDER BY distance, visible.path, visible.ordinal
    LIMIT %s
"""

_matrices = Cache(16)


def cosines(view: View, space: int, vector: list[float], depth: int) -> NDArray[np.float32]:
    """The cosine of every visible chunk, by position counted through the view's snapshots.

    −1 where it is not known: in snapshots of another embedding space, and beyond the `depth` nearest chunks of a
    snapshot that is compared in Postgres.
    """
    parts = [np.full(len(searched.chunk_ids), UNKNOWN, np.float32) for searched in view.snapshots]
    for part, searched in zip(parts, view.snapshots, strict=True):
        if searched.snapshot.space_id != space:
            continue
        if len(part) <= MATRIX_CHUNKS:
            part[:] = matrix_of(searched) @ np.array(vector, np.float32)
        else:
            near = nearest_in_postgres(searched, vector, depth)
            part[positions_of(searched, [chunk for chunk, _ in near])] = [cosine for _, cosine in near]
    return np.concatenate(parts) if parts else np.empty(0, np.float32)


def positions_of(searched: SearchedSnapshot, chunks: list[int]) -> NDArray[np.int64]:
    order = np.argsort(searched.chunk_ids, kind="stable")
    return order[np.searchsorted(searched.chunk_ids[order], np.array(chunks, np.int64))]


def unreachable(view: View, space: int) -> bool:
    """Whether a searched snapshot's vectors are of another space than the query's."""
    return any(searched.snapshot.space_id != space for searched in view.snapshots)


def nearest_in_postgres(searched: SearchedSnapshot, vector: list[float], depth: int) -> Ranking:
    columns = ("pk", "content_hash", "file_version__document_file__path", "ordinal")
    visible, parameters = visible_sql(searched, *columns)
    with connection.cursor() as cursor:
        sql = IN_POSTGRES.format(visible=visible)
        cursor.execute(sql, [Vector(vector).to_text(), *parameters, searched.snapshot.space_id, depth])
        return [(chunk, 1.0 - distance) for chunk, distance in cursor.fetchall()]


def matrix_of(searched: SearchedSnapshot) -> Matrix:
    """The unit vectors by position: float32 of shape (chunks, dimension)."""
    known = _matrices.get(searched.key)
    if isinstance(known, np.ndarray):
        return known
    matrix = np.zeros((len(searched.chunk_ids), searched.snapshot.space.dimension), np.float32)
    visible, parameters = visible_sql(searched, "pk", "content_hash")
    position = {int(chunk): place for place, chunk in enumerate(searched.chunk_ids)}
    connection.ensure_connection()
    with psycopg.Cursor(connection.connection) as cursor:
        sql = VECTORS.format(visible=visible)
        cursor.execute(sql, [*parameters, searched.snapshot.space_id], binary=True)
        for chunk, sent in cursor:
            matrix[position[chunk]] = np.frombuffer(sent, ">f4", offset=4)  # after the dimension and two unused bytes
    _matrices.put(searched.key, matrix)
    return matrix


def visible_sql(searched: SearchedSnapshot, *columns: str) -> tuple[str, tuple[Any, ...]]:
    chunks = Chunk.objects.in_snapshots([searched.snapshot.pk]).order_by().values_list(*columns)
    sql, parameters = chunks.query.sql_with_params()
    return sql, tuple(parameters)
