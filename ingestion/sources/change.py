"""Whether a source is worth a build, told at little cost. Schedules build without asking: that costs little, too."""

from knowledge.models import Library, Snapshot

from .directory import directory_state
from .git import newest_commit
from .uploads import current, revision_of


def has_changed(library: Library) -> bool:
    """Whether the source differs from what the newest snapshot was built from. Raises SourceError.

    Nothing is fetched, and no file is opened: git is asked for one commit id, a directory for names, sizes and times.
    True where that cannot tell. Whether the *profile* changed is another question (`ingestion.drift`).
    """
    newest = library.snapshots.filter(state=Snapshot.State.READY).order_by("-number").first()
    if newest is None:
        return True
    match library.kind:
        case Library.Kind.GIT:
            return newest_commit(library) != newest.revision
        case Library.Kind.DIRECTORY:
            return directory_state(library) != library.source_state
        case Library.Kind.UPLOADS:
            return revision_of(current(library)) != newest.revision
    return True
