"""What a build counts and times, and whom it tells."""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from knowledge.models import Job, Snapshot

Listener = Callable[["Progress"], None]
SHOWN_EVERY = 1.0  # seconds
STAGES = ("source", "parse", "embed", "summaries", "lexical", "twins", "seal", "prepare", "activate", "merge")
RATES = {
    "parse": {"files": "done", "chunks": "chunks_new"},
    "embed": {"embeddings": "done"},
    "lexical": {"chunks": "done"},
}
SUMMARIES = ("written", "extracted", "reused", "failed", "embedded")


@dataclass
class Progress:
    """The running figures of one build. `beat()` writes them to the job's row, which also renews its lease."""

    job: Job
    listener: Listener | None = None
    beats: bool = True  # a measurement has no row to write to
    stage: str = ""
    done: int = 0
    total: int = 0
    counters: Counter[str] = field(default_factory=Counter)
    seconds: dict[str, float] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    unread: dict[str, int] = field(default_factory=dict)  # files of kinds that no parser reads
    _last_beat: float = 0.0
    _stage_began: float = 0.0
    _skipped: int = 0  # steps of this stage that were there already, and tell nothing about its speed

    @contextmanager
    def timed(self, stage: str, total: int = 0) -> Iterator[None]:
        """A stage of the build: named on the job, timed in the report and in the job's log."""
        self.stage, self.done, self.total, self._skipped = stage, 0, total, 0
        self._stage_began = started = time.monotonic()
        self.beat(force=True)
        try:
            yield
        finally:
            self.seconds[stage] = self.seconds.get(stage, 0.0) + time.monotonic() - started
        if self.beats:
            self.job.log(f"{stage} done", seconds=round(self.seconds[stage], 3), steps=self.done)

    def skip(self, steps: int) -> None:
        """Steps that were there already."""
        self._skipped += steps
        self.advance(steps)

    def advance(self, steps: int = 1) -> None:
        self.done += steps
        self.beat()

    def beat(self, force: bool = False) -> None:
        """Tell the job row and the listener, at most every second. Raises LeaseLost when another has the job."""
        now = time.monotonic()
        if not self.beats or (not force and now - self._last_beat < SHOWN_EVERY):
            return
        self._last_beat = now
        self.job.beat(stage=self.stage, counters=self.figures(now - self._stage_began))
        if self.listener:
            self.listener(self)

    def figures(self, elapsed: float) -> dict[str, Any]:
        """Everything counted, `done` of `total`; after a second of the stage also its rates per second and the ETA."""
        figures: dict[str, Any] = dict(self.counters) | {"done": self.done, "total": self.total}
        worked = self.done - self._skipped
        if elapsed < 1 or not worked:
            return figures
        for name, counter in RATES.get(self.stage, {}).items():
            count = worked if counter == "done" else self.counters[counter]
            figures[f"{name}_per_second"] = round(count / elapsed, 1)
        if self.total:
            figures["eta_seconds"] = round((self.total - self.done) * elapsed / worked)
        return figures


@dataclass(frozen=True, slots=True)
class BuildReport:
    """What a build did: `reindex --json` prints it, the job keeps it."""

    library: str
    snapshot: int
    state: str
    revision: str
    files: dict[str, int]
    chunks: dict[str, int]
    embeddings: dict[str, int]
    summaries: dict[str, int]
    seconds: dict[str, float]
    manifest_hash: str
    rejected: list[dict[str, str]]
    active: bool
    warnings: list[str]
    unread: dict[str, int]

    @classmethod
    def of(cls, snapshot: Snapshot, progress: Progress, files: dict[str, int]) -> "BuildReport":
        count = progress.counters
        measured = dict.fromkeys(STAGES, 0.0) | progress.seconds
        seconds = {stage: round(value, 3) for stage, value in measured.items()}
        return cls(
            library=snapshot.library.slug,
            snapshot=snapshot.number,
            state=snapshot.state,
            revision=snapshot.revision,
            files=files,
            chunks={"new": count["chunks_new"], "reused": snapshot.chunk_count - count["chunks_new"]},
            embeddings={"computed": count["embeddings_computed"], "reused": count["embeddings_reused"]},
            summaries={name: count[f"summaries_{name}"] for name in SUMMARIES},
            seconds=seconds | {"total": round(sum(progress.seconds.values()), 3)},
            manifest_hash=snapshot.manifest_hash,
            rejected=[{"path": file["path"], "reason": file["reason"]} for file in snapshot.rejected],
            active=snapshot.is_active,
            warnings=progress.warnings,
            unread=progress.unread,
        )

    def as_json(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}
