"""Queries over tables just filled are planned for what is in them."""

from django.db import connection

from knowledge.models import Chunk
from knowledge.storage.statistics import refresh_statistics


def expected_rows(snapshot: int) -> float:
    """As many chunks as Postgres supposes in the snapshot."""
    plan = Chunk.objects.in_snapshots([snapshot]).order_by().explain(format="json")
    return float(str(plan).split('"Plan Rows": ')[1].split(",")[0])


def test_a_build_leaves_statistics_of_what_it_wrote(indexed):
    """Postgres was told that every table is empty; the first search after a build would loop over all rows for each."""
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    library = indexed("many", {f"{n:03}.md": f"# {n}\n\nText.\n" for n in range(200)})

    assert 100 < expected_rows(library.active_snapshot_id) < 400


def test_only_tables_that_changed_are_analysed(indexed):
    indexed("many", {f"{n:03}.md": f"# {n}\n\nText.\n" for n in range(200)})
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE strange AS SELECT generate_series(1, 1000)")
    analysed = refresh_statistics()

    assert "knowledge_chunk" in analysed and "knowledge_answer" not in analysed and "strange" not in analysed
