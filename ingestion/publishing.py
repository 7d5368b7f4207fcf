"""Having searches see what a job has made."""

from django.db import transaction

from knowledge.failpoints import failpoint
from knowledge.governance import activation
from knowledge.models import Job, Library, Snapshot


def publish(library: Library, snapshot: Snapshot, job: Job, beside: int | None = None) -> None:
    """As far as the library's gate lets it, and as long as the job is its worker's. `beside` is as in `activate`.

    Raises NotActivatable or LeaseLost.
    """
    activation.admit(library, snapshot)  # it takes its time, so before the job is held
    with transaction.atomic():
        job.hold()
        activation.point_at(library, snapshot, None, "snapshot.activate", beside)
        failpoint("activate.written")
