"""Governance: the audit's chain holds, nobody approved what they asked for, and what is active was approved."""

from datetime import datetime

from knowledge.governance.differences import compare
from knowledge.models import AuditEvent, Decision, Library, Snapshot

from .finding import Finding, violations

GUARDS = frozenset(
    {
        ("knowledge_auditevent", "audit_follows"),
        ("knowledge_auditevent", "append_only"),
        ("knowledge_auditevent", "never_emptied"),
        ("knowledge_audithead", "by_trigger_only"),
        ("knowledge_rowstate", "append_only"),
        ("knowledge_rowstate", "by_trigger_only"),
        ("knowledge_decision", "four_eyes"),
        ("knowledge_decision", "written_once"),
        ("knowledge_decision", "stays"),
        ("knowledge_snapshot", "origin"),
        ("knowledge_snapshotfile", "sealed"),
        ("knowledge_library", "only_approved"),
        ("knowledge_library", "born_inactive"),
        ("knowledge_library", "active_is_ready"),
        ("knowledge_library", "activated"),
        ("knowledge_library", "settings_history"),
        ("knowledge_library", "numbers_rise"),
        ("knowledge_snapshot", "numbered"),
        ("knowledge_job", "requested"),
        ("knowledge_activation", "by_trigger_only"),
        ("knowledge_activation", "stays"),
        ("knowledge_settingchange", "append_only"),
        ("knowledge_settingchange", "never_emptied"),
        ("knowledge_rowstate", "never_emptied"),
        ("knowledge_audithead", "never_emptied"),
        ("auth_user", "remember"),
        ("auth_group", "remember"),
        ("auth_user_groups", "remember"),
        ("knowledge_library_groups", "remember"),
        ("knowledge_membership", "remember"),
        ("knowledge_library", "remember"),
        ("knowledge_documentfile", "remember"),
    }
)
STANDING = """
    SELECT guard.relation || '.' || guard.name
    FROM unnest(ARRAY[{relations}], ARRAY[{names}]) AS guard (relation, name)
    WHERE NOT EXISTS (SELECT FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
                      WHERE relname = guard.relation AND tgname = guard.name AND tgenabled IN ('O', 'A'))
"""
SAME_EYES = """
    SELECT format('decision %s: whoever asked for snapshot %s decided about it', decision.id, snapshot.id)
    FROM knowledge_decision decision JOIN knowledge_snapshot snapshot ON snapshot.id = decision.snapshot_id
    WHERE decision.decided_by_id = snapshot.requested_by_id
"""
UNSAID = """
    SELECT format('decision %s is not in the audit', decision.id)
    FROM knowledge_decision decision
    JOIN knowledge_snapshot snapshot ON snapshot.id = decision.snapshot_id
    JOIN knowledge_library library ON library.id = snapshot.library_id
    WHERE NOT EXISTS (
        SELECT FROM knowledge_auditevent event
        WHERE event.action = CASE decision.verdict WHEN 'approved' THEN 'review.approve' ELSE 'review.reject' END
          AND event.library = library.slug AND event.snapshot = snapshot.number
          AND event.actor_id = decision.decided_by_id)
"""


def chain(_: bool) -> Finding:
    """Every event follows the one before and says what it said, and the guards that keep it so stand."""
    finding = Finding(checked=AuditEvent.objects.count())
    finding.fail(list(AuditEvent.objects.broken()))
    pairs = sorted(GUARDS)
    relations, names = (", ".join(f"'{pair[place]}'" for pair in pairs) for place in (0, 1))
    guards = violations(f"SELECT {len(pairs)}", STANDING.format(relations=relations, names=names))
    guards.examples = [f"the guard {name} is missing or switched off" for name in guards.examples]
    return finding.joined(guards)


def four_eyes(_: bool) -> Finding:
    """Approver ≠ requester, every decision is in the audit, and reviewed libraries show only what was approved."""
    counted = "SELECT count(*) FROM knowledge_decision"
    finding = violations(counted, SAME_EYES).joined(violations(counted, UNSAID))
    reviewed = Library.objects.filter(requires_review=True, active_snapshot__needs_review=True)
    for library in reviewed.select_related("active_snapshot__derived_from", "active_snapshot__library"):
        finding = finding.joined(published(library.active_snapshot))
    return finding


def published(snapshot: Snapshot | None) -> Finding:
    """Against the snapshot that was active before it, each file that it changed was approved."""
    finding = Finding()
    first = snapshot.activations.order_by("pk").first() if snapshot else None
    if snapshot is None or first is None:
        finding.expect(snapshot is None, f"{snapshot} is active and never was activated")
        return finding
    earlier = snapshot.library.activations.filter(pk__lt=first.pk).order_by("-pk").first()
    events = AuditEvent.objects.since_creation()
    derived = events.filter(action="snapshot.derive", library=snapshot.library.slug, snapshot=snapshot.number)
    pruned = (earlier and earlier.snapshot is None) or (snapshot.derived_from is None and derived.exists())
    if pruned:
        return finding  # there is nothing left to compare with; the audit still has it
    approved = approved_in(snapshot.derived_from or snapshot, first.at)
    for change in compare(earlier.snapshot if earlier else None, snapshot):
        finding.expect(approved.issuperset(change.documents), f"{snapshot}: {change.path} was not approved")
    return finding


def approved_in(candidate: Snapshot, at: datetime) -> set[int]:
    """The document files whose approval held at that moment, whatever was decided since, or holds now.

    Decisions have their time from the web server, activations from Postgres: the two clocks may differ a little.
    """
    then, now = Decision.objects.filter(decided_at__lte=at), Decision.objects.all()
    return {
        file
        for decisions in (then, now)
        for file, row in decisions.newest(candidate).items()
        if row.verdict == Decision.Verdict.APPROVED
    }
