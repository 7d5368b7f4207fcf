"""What is counted for Prometheus, and how it is told.

Searches and endpoint calls are counted in each process; where several serve the site, they share files (see
`config.metrics`), and any of them tells the sum. What the database knows is read from it when it is asked for, so it
is the same whoever is asked.
"""

import logging
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from math import inf
from mmap import mmap
from pathlib import Path
from time import monotonic, perf_counter

import prometheus_client
from django.db import connection
from django.db.models import Count, OuterRef, Q, Subquery
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest, values
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.mmap_dict import MmapedDict
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from knowledge.listing import visible
from knowledge.models import Answer, Job, Library, Snapshot
from knowledge.models.job_states import JobState
from knowledge.models.ledger import BROKE_OFF, UNANSWERED

CONTENT_TYPE = prometheus_client.CONTENT_TYPE_LATEST
SECONDS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30)
ROOM = 1 << 20  # bytes of a file; what is counted below takes a tenth of it
NO_ROOM_SECONDS = 60.0  # before a disk without room is looked at again

logger = logging.getLogger(__name__)


class Reserved(MmapedDict):
    """A file that processes share, with its room on the disk from the start.

    Without that, counting on a full disk ends the process (SIGBUS). Where there is no room, it counts in memory until
    there is.
    """

    def __init__(self, filename: str, read_mode: bool = False) -> None:
        self.filename, self.look_again = filename, inf
        try:
            reserve(filename)
            super().__init__(filename, read_mode)
        except OSError as error:
            logger.warning("%s: this process's counts are not in /metrics: %s", filename, error)
            super().__init__(os.memfd_create("metrics"), read_mode)
            self.look_again = monotonic() + NO_ROOM_SECONDS

    def write_value(self, key: str, value: float, timestamp: float) -> None:
        super().write_value(key, value, timestamp)
        if monotonic() >= self.look_again:
            self.look_again = monotonic() + NO_ROOM_SECONDS
            with suppress(OSError):
                self.keep()

    def keep(self) -> None:
        """What was counted in memory, in the file. Raises OSError."""
        reserve(self.filename)
        file = Path(self.filename).open("r+b")  # noqa: SIM115 - for as long as the process lives
        kept, counted = mmap(file.fileno(), ROOM), self._m[: self._used]
        kept[8 : self._used] = counted[8:]
        kept[:8] = counted[:8]  # last: how much of it others are to read
        self.close()
        self._f, self._m, self._capacity, self.look_again = file, kept, ROOM, inf


def reserve(filename: str) -> None:
    """Raises OSError, and leaves no file that has less room."""
    descriptor = os.open(filename, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        os.posix_fallocate(descriptor, 0, ROOM)
    except OSError:
        Path(filename).unlink()
        raise
    finally:
        os.close(descriptor)


if hasattr(os, "posix_fallocate") and hasattr(os, "memfd_create"):  # Linux; elsewhere a full disk ends the process
    values.MmapedDict = Reserved  # type: ignore[misc] # where prometheus_client looks for it

SEARCHES = Counter("muniment_searches", "Searches answered", ["mode"])
SEARCH_SECONDS = Histogram("muniment_search_seconds", "How long searches took", ["mode"], buckets=SECONDS)
DEGRADED = Counter("muniment_degraded", "Searches and answers that lacked something", ["what"])
ENDPOINT_SECONDS = Histogram(
    "muniment_endpoint_seconds",
    "Calls of model endpoints, to their first answer",
    ["role", "outcome"],
    buckets=SECONDS,
)

JOBS = "SELECT state, count(*) FROM knowledge_job GROUP BY state"
EMBEDDED = """
    SELECT coalesce(sum((report #>> '{embeddings,computed}')::bigint), 0)::bigint FROM knowledge_job
    WHERE jsonb_typeof(report #> '{embeddings,computed}') = 'number'
"""


def searched(mode: str, seconds: float, degraded: Iterable[str]) -> None:
    SEARCHES.labels(mode).inc()
    SEARCH_SECONDS.labels(mode).observe(seconds)
    for what in degraded:
        DEGRADED.labels(what).inc()


@contextmanager
def endpoint_called(role: str) -> Iterator[None]:
    started, outcome = perf_counter(), "failed"
    try:
        yield
        outcome = "ok"
    finally:
        ENDPOINT_SECONDS.labels(role, outcome).observe(perf_counter() - started)


class Stored(Collector):
    """What the database knows."""

    def collect(self) -> Iterator[Metric]:
        libraries = counted_libraries()
        yield GaugeMetricFamily("muniment_libraries", "Libraries", len(libraries))
        for place, name in enumerate(("active_snapshot", "chunks", "documents", "snapshots"), start=1):
            gauge = GaugeMetricFamily(f"muniment_{name}", f"{name.replace('_', ' ')} of a library", labels=["library"])
            for row in libraries:
                gauge.add_metric([str(row[0])], float(row[place] or 0))
            yield gauge
        jobs = GaugeMetricFamily("muniment_jobs", "Jobs by state", labels=["state"])
        counted = {str(state): count for state, count in rows(JOBS)}
        for state in JobState.values:
            jobs.add_metric([state], float(counted.get(state, 0)))
        yield jobs
        oldest = Job.objects.due().longest_wait()
        yield GaugeMetricFamily("muniment_oldest_queued_job_seconds", "How long the oldest due job has waited", oldest)
        ((computed,),) = rows(EMBEDDED)
        yield CounterMetricFamily("muniment_embeddings_computed", "Embeddings that kept jobs computed", computed)
        answers = CounterMetricFamily("muniment_answers", "Answers in the ledger", labels=["outcome"])
        for outcome, count in counted_answers().items():
            answers.add_metric([outcome], count)
        yield answers


def counted_libraries() -> list[tuple[str, int | None, int, int, int | None]]:
    """Slug, number of the active snapshot, visible passages and files, and snapshots."""
    others = Snapshot.objects.filter(library=OuterRef("pk")).order_by().values("library")
    found = Library.objects.annotate(**visible(), count=Subquery(others.annotate(n=Count("pk")).values("n")))
    return list(
        found.order_by("slug").values_list("slug", "active_snapshot__number", "passage_count", "file_count", "count")
    )


def counted_answers() -> dict[str, int]:
    """By outcome; `broken_off`: the documents could not be searched."""
    counted: dict[str, int] = Answer.objects.filter(state=Answer.State.COMPLETE).aggregate(
        answered=Count("pk", filter=Q(refused=False)),
        broken_off=Count("pk", filter=BROKE_OFF),
        refused=Count("pk", filter=UNANSWERED),  # last: from here on this is its name, and no more the field's
    )
    return counted


def rows(sql: str) -> Sequence[tuple[float, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql)
        found: Sequence[tuple[float, ...]] = cursor.fetchall()
    return found


def exposition() -> bytes:
    """In Prometheus's text format, of all the processes that share files, else of this one. Raises DatabaseError."""
    stored = CollectorRegistry()
    stored.register(Stored())
    counted = prometheus_client.REGISTRY
    if getattr(values.ValueClass, "__name__", "") == "MmapedValue":
        counted = CollectorRegistry()
        MultiProcessCollector(counted)
    return generate_latest(counted) + generate_latest(stored)
