"""What a commit holds, read from the clone's objects: files as git names them, never a working tree."""

import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

from ingestion.documents import SourceFile
from ingestion.parsers import suffix
from ingestion.paths import fault_of_name, leads_on
from ingestion.sources.base import (
    Source,
    SourceAway,
    SourceBroken,
    SourceError,
    checked,
    fault_of_size,
    path_filter,
    unreadable,
)
from knowledge.models import Library

from .clone import REF, fetched, remove_damaged
from .process import CloneDamaged, git, running

MOST_ENTRIES = 1_000_000  # of a tree, wanted or not: trees can hold themselves many times over
LONGEST_ENTRY = 64 * 1024  # bytes
READ = 1 << 20
BROKE_OFF = "git broke off while it read the commit's files: reindex, and if it does so again, remove the clone"
REGULAR = (b"100644", b"100755", b"100664")


@contextmanager
def open_git(library: Library, keep: bool = True, seconds: int | None = None) -> Iterator[Source]:
    """Where the clone that is kept turns out to be damaged, it is made anew, once."""
    with ExitStack() as opened:
        try:
            source = opened.enter_context(newest(library, keep, seconds))
        except CloneDamaged:
            if not (keep and remove_damaged(library)):
                raise
            source = opened.enter_context(newest(library, keep, seconds))
        yield source


@contextmanager
def newest(library: Library, keep: bool, seconds: int | None) -> Iterator[Source]:
    with fetched(library, keep, seconds) as clone, BlobReader(clone) as reader:
        revision = commit_of(clone, library.ref)
        unread: Counter[str] = Counter()
        wanted = path_filter(library.include, library.exclude, suffix, unread)
        tree = treeish(clone, revision, library.subdirectory)
        yield Source(revision=revision, files=checked(files(clone, tree, reader, wanted)), unread=unread)


def commit_of(clone: Path, ref: str) -> str:
    """The id of the commit that was fetched. Raises SourceError where the ref is a tag of something else."""
    kind = git(clone, "cat-file", "-t", REF).decode().strip()
    try:
        return git(clone, "rev-parse", "--verify", "--end-of-options", f"{REF}^{{commit}}").decode().strip()
    except CloneDamaged:
        raise
    except SourceError as error:
        raise SourceError(
            f"“{ref}” is a {kind} and no commit; name a branch, a tag of a commit or a commit id"
        ) from error


def treeish(clone: Path, revision: str, subdirectory: str) -> str:
    """The tree of the folder. Raises SourceError unless the commit holds such a folder."""
    folder = subdirectory.strip("/")
    if not folder:
        return revision
    if not leads_on(folder) or fault_of_name(folder):
        raise SourceError(f"“{folder}” is not a folder's path")
    named = f"{revision}:{folder}"
    try:
        kind = git(clone, "cat-file", "-t", named)
    except (CloneDamaged, SourceAway):
        raise
    except SourceError:
        kind = b""
    if kind.strip() != b"tree":
        raise SourceError(f"there is no folder “{folder}” in commit {revision[:12]}")
    return named


def files(clone: Path, tree: str, reader: "BlobReader", wanted: Callable[[str], bool]) -> Iterator[SourceFile]:
    """The tree's regular files. Symbolic links, submodules and hidden folders are left out."""
    for entry in entries(clone, tree):
        meta, raw_path = entry.split(b"\t", 1)
        mode, kind, blob, size = meta.split()
        path = raw_path.decode("utf-8", "surrogateescape")
        if kind != b"blob" or mode not in REGULAR:
            continue
        if any(part.startswith(".") for part in path.split("/")) or not wanted(path):
            continue
        if reason := fault_of_name(path) or fault_of_size(int(size)):
            yield unreadable(path, blob.decode(), reason)
        else:
            yield SourceFile(path, blob.decode(), int(size), partial(reader.read, blob.decode()))


def entries(clone: Path, tree: str) -> Iterator[bytes]:
    """`mode kind id size<TAB>path`, one by one as git writes them: a tree of a few objects may list for years."""
    with running(clone, "ls-tree", "-r", "-z", "-l", "--full-tree", tree) as process:
        assert process.stdout  # noqa: S101 - a pipe
        count, rest = 0, b""
        while part := process.stdout.read1(READ):  # type: ignore[attr-defined]
            *whole, rest = (rest + part).split(b"\0")
            count += len(whole)
            if count > MOST_ENTRIES or len(rest) > LONGEST_ENTRY:
                raise SourceError(f"the commit lists more than {MOST_ENTRIES:,} files, or paths that never end")
            yield from whole
        if process.wait():
            raise CloneDamaged("git cannot list the commit's files: the clone is damaged; remove it and reindex")


class BlobReader:
    """Reads blobs through one `git cat-file --batch`."""

    def __init__(self, clone: Path) -> None:
        self.clone = clone
        self.process: subprocess.Popen[bytes] | None = None
        self.opened = ExitStack()

    def __enter__(self) -> "BlobReader":
        return self

    def __exit__(self, *_: object) -> None:
        self.opened.close()

    def read(self, blob: str) -> bytes:
        if self.process is None:
            batch = running(self.clone, "cat-file", "--batch", stdin=subprocess.PIPE)
            self.process = self.opened.enter_context(batch)
        assert self.process.stdin and self.process.stdout  # noqa: S101 - both are pipes
        try:
            self.process.stdin.write(f"{blob}\n".encode())
            self.process.stdin.flush()
        except BrokenPipeError as error:
            raise SourceBroken(BROKE_OFF) from error
        line = self.process.stdout.readline()
        if not line.endswith(b"\n"):
            raise SourceBroken(BROKE_OFF)
        header = line.split()
        if len(header) != 3 or header[1] != b"blob":
            raise SourceError(f"git has no blob {blob}")
        size = int(header[2])
        content = self.process.stdout.read(size + 1)
        if len(content) <= size:
            raise SourceBroken(BROKE_OFF)
        return content[:size]
