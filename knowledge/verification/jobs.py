"""Jobs: none is forgotten."""

from .finding import Finding, violations


def leases(_: bool) -> Finding:
    return violations(
        "SELECT count(*) FROM knowledge_job",
        """
        SELECT format('job %s is running, and its lease ended %s', id, lease_expires_at)
        FROM knowledge_job WHERE state = 'running' AND lease_expires_at < statement_timestamp()
        """,
    )
