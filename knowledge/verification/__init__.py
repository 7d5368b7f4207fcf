"""What must always hold (`manage.py verify`): every check reads the rows and trusts nothing computed before."""

import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from typing import Any

from knowledge.storage.one_state import one_state

from . import answers, digests, files, governance, jobs, postings, snapshots, vectors
from .finding import Finding

CHECKS: tuple[tuple[str, Callable[[bool], Finding]], ...] = (
    ("the active snapshot is ready and its manifest hash verifies", snapshots.active),
    ("what is visible is in an active snapshot and not withdrawn", snapshots.visible),
    ("sections and chunks are complete, gapless and inside their file", files.structure),
    ("every chunk's text is what its file says there", files.quotes),
    ("vectors are finite, of their space's dimension, and complete", vectors.complete),
    ("postings equal what the chunks' lexemes say", postings.equal),
    ("stored originals hash to their names, and every upload has a version or a rejection", files.originals),
    ("jobs have ended, wait, or hold a fresh lease", jobs.leases),
    ("citations quote their chunk, inside its lines", answers.citations),
    ("older snapshots can be read and verify", snapshots.older),
    ("file versions say what they were sealed with", digests.sealed_as_they_are),
    ("the audit's chain is unbroken, and its guards stand", governance.chain),
    ("what is active was approved, by somebody else than asked for it", governance.four_eyes),
    ("summaries, and code that has a model of its own, have their vectors", vectors.of_summaries_and_code),
)


@dataclass(frozen=True, slots=True)
class Check:
    id: int
    name: str
    ok: bool
    checked: int
    failed: int
    examples: list[str]
    seconds: float

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def run_checks(deep: bool) -> Iterator[Check]:
    """All checks in order. `deep` reads everything where the plain run reads a sample.

    Each reads one state: what is collected meanwhile is no fault. What looks at files asks again itself.
    """
    for number, (name, check) in enumerate(CHECKS, start=1):
        started = time.monotonic()
        with nullcontext() if check is files.originals else one_state():
            found = check(deep)
        seconds = round(time.monotonic() - started, 3)
        yield Check(number, name, not found.failed, found.checked, found.failed, found.examples[:5], seconds)
