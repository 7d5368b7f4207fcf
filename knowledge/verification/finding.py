"""What a check found."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from django.db import connection


@dataclass
class Finding:
    checked: int = 0
    failed: int = 0
    examples: list[str] = field(default_factory=list)

    def expect(self, holds: bool, example: str) -> None:
        """Count one thing; keep its name if it is wrong."""
        self.checked += 1
        if not holds:
            self.fail([example])

    def fail(self, examples: Sequence[str]) -> None:
        self.failed += len(examples)
        self.examples += examples[: 5 - len(self.examples)]

    def joined(self, other: "Finding") -> "Finding":
        return Finding(self.checked + other.checked, self.failed + other.failed, self.examples + other.examples)


def violations(counted: str, violating: str) -> Finding:
    """A check in SQL: `counted` gives how many rows were looked at, `violating` a description of each wrong one."""
    with connection.cursor() as cursor:
        cursor.execute(counted)
        finding = Finding(checked=cursor.fetchone()[0])
        cursor.execute(violating)
        finding.fail([str(row[0]) for row in cursor.fetchall()])
    return finding
