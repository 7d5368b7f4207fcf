"""What the first search of a snapshot would wait for, done when it is built: `Snapshot.prepare` asks for it by name."""

from knowledge.models import Snapshot

from . import matrices
from .view import one_read


def prepare(snapshot: Snapshot) -> None:
    """Leave the snapshot's matrix in the home, for every process to map. This one does not keep it."""
    if snapshot.chunk_count >= matrices.KEPT_CHUNKS:
        with one_read(None, (snapshot.library.slug,), snapshot.number) as view:
            matrices.find_or_make(view.snapshots[0])
