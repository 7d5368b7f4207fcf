"""The audit as files to keep: lines of JSON that `audit_export --check` compares, and a table in words."""

import csv
import json
from collections.abc import Iterable, Iterator

from knowledge.governance.audit_words import act, told
from knowledge.models import AuditEvent

HEAD = ("event", "at", "who", "act", "what was done", "library", "snapshot", "file", "version", "details", "hash")
FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what a spreadsheet would reckon with, and anyone may write


def as_json_lines(events: Iterable[AuditEvent]) -> Iterator[str]:
    for event in events:
        yield json.dumps(event.as_json(), ensure_ascii=False) + "\n"


def as_csv(events: Iterable[AuditEvent]) -> Iterator[str]:
    table = csv.writer(Written())
    yield table.writerow(HEAD)
    for event in events:
        yield table.writerow([f"'{cell}" if cell.startswith(FORMULA) else cell for cell in map(str, cells(event))])


def cells(event: AuditEvent) -> list[object]:
    snapshot = "" if event.snapshot is None else event.snapshot
    details = "; ".join(f"{name}: {said}" for name, said in told(event.details))
    where = [event.library, snapshot, event.path, event.version]
    at = event.at.isoformat(timespec="seconds")
    return [event.number, at, event.actor, event.action, act(event.action), *where, details, event.hash]


class Written:
    """What `csv` takes for a file: each row is returned to whoever wrote it."""

    def write(self, row: str) -> str:
        return row
