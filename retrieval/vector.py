"""The vector branch: cosine similarity between the query's vector and every visible chunk's, in one embedding space.

Exact. A sealed snapshot's vectors never change, so they are read from Postgres once and kept as a matrix by position:
at 8,156 chunks the product takes 1 ms, where the same comparison as a join in Postgres took 35 ms. A snapshot of more
than MATRIX_CHUNKS is compared in Postgres.
"""

from itertools import chain
from typing import Any

import numpy as np
import psycopg
from django.db import connection
from numpy.typing import NDArray
from pgvector import Vector

from knowledge.models import Chunk

from .bm25 import top
from .view import Cache, SearchedSnapshot, View

MATRIX_CHUNKS = 100_000  # 154 MB of 384 dimensions

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


def rank(view: View, space: int, vector: list[float], depth: int) -> Ranking:
    """The `depth` nearest chunks of the snapshots in this embedding space: chunk id and cosine, nearest first.

    Equal cosines come in order of library, path and place.
    """
    reachable = [searched for searched in view.snapshots if searched.snapshot.space_id == space]
    found = chain.from_iterable(nearest(searched, vector, depth) for searched in reachable)
    return sorted(found, key=lambda entry: -entry[1])[:depth]


def unreachable(view: View, space: int) -> bool:
    """Whether a searched snapshot's vectors are of another space than the query's."""
    return any(searched.snapshot.space_id != space for searched in view.snapshots)


def nearest(searched: SearchedSnapshot, vector: list[float], depth: int) -> Ranking:
    if len(searched.chunk_ids) > MATRIX_CHUNKS:
        return nearest_in_postgres(searched, vector, depth)
    cosines = matrix_of(searched) @ np.array(vector, np.float32)
    best = top(cosines, depth, above=-np.inf)
    return [(int(searched.chunk_ids[position]), float(cosines[position])) for position in best]


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
