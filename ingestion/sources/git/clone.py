"""The bare clone of a library: fetched into, incrementally, by one git at a time."""

import fcntl
import logging
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from ingestion.sources.base import SourceAway, SourceError, shown
from ingestion.temporary import temporary_folder
from knowledge.failpoints import failpoint
from knowledge.models import Library
from knowledge.storage import folders

from .access import access_to
from .address import allowed_url
from .process import git

FETCH_SECONDS = 900
ORPHAN_SECONDS = 60  # how long a git whose worker was killed is waited for
MANY_PACKS = 20
REF = "refs/muniment/source"
DRAFT = ".new-"  # how the name begins of a clone that is being made
NO_SUCH_REF = "couldn't find remote ref"
OTHER_HASH = re.compile(r"mismatched algorithms: client \w+; server (sha1|sha256)\b")
ABBREVIATED = re.compile(r"[0-9a-f]{4,39}")
MOST_NAMED = 5  # branches and tags, where somebody has to name one
DEAD = ("*.lock", "refs/**/*.lock", "objects/pack/tmp_*", "objects/pack/.tmp-*")  # what a killed git leaves

logger = logging.getLogger(__name__)


@contextmanager
def fetched(library: Library, keep: bool, seconds: int | None) -> Iterator[Path]:
    """The library's clone after a fetch of so many seconds at most. With `keep` false it is a temporary copy: nothing
    stays of what was fetched."""
    if keep:
        clone = folders.clone(library.pk)
        fetch(clone, library, seconds)
        yield clone
        return
    with temporary_folder() as folder:
        clone = folder / "source.git"
        borrow(folders.clone(library.pk), clone)
        fetch(clone, library, seconds)
        yield clone


def fetch(clone: Path, library: Library, seconds: int | None) -> None:
    """Bring the newest commit of the library's ref (or the default branch) into the clone. Raises SourceError."""
    remote, ref = allowed_url(library.location), checked_ref(library.ref)
    with sole_user(clone) as lock:
        prepare(clone)
        failpoint("source.before-fetch")
        with access_to(remote, library, known_hosts(clone)) as access:
            arguments = [
                "fetch",
                "--quiet",
                "--no-tags",
                "--no-recurse-submodules",
                "--depth=1",
                "--force",
                "--no-write-fetch-head",
            ]
            reach = partial(
                git,
                clone,
                *access.options,
                timeout=FETCH_SECONDS if seconds is None else seconds,
                pass_fds=(*access.pass_fds, lock),
                secrets=access.secrets,
            )
            try:
                with_its_hash(clone, partial(reach, *arguments, "--", remote.url, f"{ref or 'HEAD'}:{REF}"))
            except SourceError as error:
                if NO_SUCH_REF not in str(error):
                    raise
                there = b"" if ref else reach("ls-remote", "--heads", "--tags", "--refs", "--", remote.url)
                raise SourceError(f"the repository {missing(ref, there)}") from error
        failpoint("source.fetched")
        if len(list(clone.glob("objects/pack/*.pack"))) > MANY_PACKS:
            repack(clone, lock)


def with_its_hash(clone: Path, newest: Callable[[], object]) -> None:
    """Fetches, if need be into a new clone that names its objects as the repository does: by SHA-1 or by SHA-256."""
    try:
        newest()
    except SourceError as error:
        if not (other := OTHER_HASH.search(str(error))):
            raise
        make(clone, f"--object-format={other[1]}")
        newest()


def missing(ref: str, there: bytes) -> str:
    """What is wrong with a repository that has no such ref. `there`: what `ls-remote` says where none was named."""
    if ref:
        hint = "; a commit is named by all its 40 digits" if ABBREVIATED.fullmatch(ref) else ""
        return f"has no branch or tag “{ref}”{hint}"
    names = [line.split("/", 2)[-1] for line in there.decode("utf-8", "replace").splitlines()]
    if not names:
        return "is empty: it has no commit yet"
    some = ", ".join([*map(shown, names[:MOST_NAMED]), *["…"] * (len(names) > MOST_NAMED)])
    return f"has no default branch; it has {some}: name one of these with --ref, or in the admin"


def repack(clone: Path, lock: int) -> None:
    """Make few packs of many. What was fetched can be read without it, so a failure stops no build."""
    try:
        git(clone, "repack", "-a", "-d", "-q", timeout=FETCH_SECONDS, pass_fds=(lock,))
    except SourceError as error:
        logger.warning("the packs of %s stay as they are: %s", clone.name, error)


def remove_damaged(library: Library) -> bool:
    """Whether the library's clone lacked something, as after a full disk or a power cut. The next fetch makes another.

    It stays where git could not look at all of it. Raises SourceAway where another git holds it.
    """
    clone = folders.clone(library.pk)
    with sole_user(clone) as lock:
        if not (clone / "HEAD").exists():
            return False
        try:
            git(clone, "fsck", "--connectivity-only", "--no-dangling", pass_fds=(lock,))
        except SourceAway:  # it took too long, or was killed
            return False
        except SourceError as error:
            logger.warning("%s is damaged, and made anew: %s", clone.name, error)
            shutil.rmtree(clone)
            return True
    return False


def checked_ref(ref: str) -> str:
    """A name that git would take, and that is nothing else in a refspec. Raises SourceError."""
    if ref.startswith(("-", "+")) or re.search(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{", ref):
        raise SourceError(f"“{ref}” is not a branch, tag or commit id")
    return ref


def known_hosts(clone: Path) -> Path:
    """Where the first key that an SSH host showed to this library is kept."""
    return clone.with_suffix(".known_hosts")


@contextmanager
def sole_user(clone: Path) -> Iterator[int]:
    """Hold the clone's lock, which its gits inherit: while one whose worker was killed still writes, no other may."""
    clone.parent.mkdir(parents=True, exist_ok=True)
    clone.parent.chmod(0o700)  # what a private repository holds is for its library's readers
    with clone.with_suffix(".lock").open("a") as lock:
        deadline = time.monotonic() + ORPHAN_SECONDS
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError as error:
                if time.monotonic() > deadline:
                    raise SourceAway("another git still writes to this library's clone; try again later") from error
                time.sleep(0.5)
        yield lock.fileno()


def prepare(clone: Path) -> None:
    """A clone that git can fetch into. Called with its lock held, so whatever lock or draft lies there is dead."""
    if not (clone / "HEAD").exists():
        make(clone)
    for dead in [file for pattern in DEAD for file in clone.glob(pattern)]:
        dead.unlink(missing_ok=True)


def make(clone: Path, *options: str) -> None:
    """An empty clone, in the place of whatever stands there."""
    with tempfile.TemporaryDirectory(dir=clone.parent, prefix=DRAFT) as folder:
        draft = Path(folder, "x.git")
        git(draft, "init", "--quiet", "--bare", "--template=", *options)
        shutil.rmtree(clone, ignore_errors=True)
        draft.rename(clone)
    failpoint("source.clone-made")


def borrow(standing: Path, clone: Path) -> None:
    """A copy of a clone that reads the original's objects and adds none to them."""
    if not (standing / "HEAD").exists():
        return
    with sole_user(standing):
        shutil.copytree(standing, clone, ignore=shutil.ignore_patterns("objects", "*.lock"))
    (clone / "objects/info").mkdir(parents=True)
    (clone / "objects/info/alternates").write_text(f"{standing / 'objects'}\n")
    if known_hosts(standing).exists():
        shutil.copy(known_hosts(standing), known_hosts(clone))
