"""Jobs: none is forgotten."""

from knowledge.waiting import worker_is_alive

from .finding import Finding, violations


def leases(_: bool) -> Finding:
    """What died with the last worker, or ran when a backup was taken, waits for the next one to find it."""
    building = violations(
        "SELECT count(*) FROM knowledge_library",
        """
        SELECT format('library %s has %s builds at once', library_id, count(*))
        FROM knowledge_snapshot WHERE state = 'building' GROUP BY library_id HAVING count(*) > 1
        """,
    )
    held = violations(
        "SELECT count(*) FROM knowledge_job",
        f"""
        SELECT format('job %s is running, and its lease ended %s', id, lease_expires_at)
        FROM knowledge_job WHERE state = 'running' AND lease_expires_at < statement_timestamp() AND {worker_is_alive()}
        """,  # noqa: S608 - true or false
    )
    return held.joined(building)
