"""What every source offers, and which paths a library wants."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, pairwise, takewhile
from pathlib import PurePosixPath

from ingestion.documents import LONGEST_PATH, SourceFile
from ingestion.paths import MAX_FILES

MAX_FILE_BYTES = 50 * 1024 * 1024
MAX_BYTES = 50 * 1024**3  # of all files of a library together
CHARACTERS = re.compile(r"\[(?P<but>[!^]?)(?P<listed>\]?[^\]/]+|\])\]")
TOKEN = re.compile(rf"{CHARACTERS.pattern}|.", re.DOTALL)
PIECE = re.compile(rf"\*\*/|\*\*|{CHARACTERS.pattern}|.", re.DOTALL)  # of a pattern without braces
FOLDERS, ANYTHING, WITHIN = WILD = ("(?:.*/)?", ".*", "[^/]*")
MOST_PATTERNS = 1_000  # that the braces of one stand for
MOST_KINDS = 6  # endings that are named


class SourceError(Exception):
    """The source cannot be read; the message says why and what to do."""


class SourceAway(SourceError):
    """The source, or the room for it, is not there now, and may be later without anybody's doing."""


class SourceRefused(SourceError):
    """The source wants a log-in, or says of what may be private that it is not there."""


class SourceSlow(SourceAway):
    """The source did not answer in the time that was given to it."""


class SourceBroken(SourceAway):
    """The source broke off while it was read: that says nothing about a file, and the build is to be repeated."""


@dataclass(frozen=True, slots=True)
class Source:
    """One state of a source. `revision` names it: equal revisions hold equal files. `files` are in order of path."""

    revision: str
    files: tuple[SourceFile, ...]
    unread: Mapping[str, int] = field(default_factory=dict)  # files of kinds that no parser reads, by their ending

    @property
    def identities(self) -> dict[str, str]:
        return {file.path: file.identity for file in self.files}


def glob_to_regex(pattern: str) -> str:
    """A shell pattern as a regular expression over whole paths: `**/` any folders, `*`, `?`, `[a-z]` stay inside one.

    A pattern without a slash is matched against the file's name, as in .gitignore. Its braces are `expanded` before.
    """
    anchored = pattern.removeprefix("./").strip("/")
    prefix = "" if "/" in pattern.removesuffix("/**").rstrip("/") else "(?:.*/)?"
    return prefix + joined([of_piece(piece) for piece in PIECE.finditer(anchored)])


def of_piece(piece: re.Match[str]) -> str:
    if piece["listed"]:
        return of_characters(piece)
    return {"**/": FOLDERS, "**": ANYTHING, "*": WITHIN, "?": "[^/]"}.get(piece[0], re.escape(piece[0]))


def joined(pieces: list[str]) -> str:
    """Of the same wildcard twice, what is between them is looked for once, as `fnmatch.translate` does it.

    Where the first place for it does not lead on, no later one does: the second wildcard has tried it. Without this,
    `*a*a*a*b` takes as many steps as there are ways to choose three of the path's letters.
    """
    out = ""
    while pieces:
        wild = pieces.pop(0)
        fixed = list(takewhile(lambda piece: piece not in WILD, pieces)) if wild in WILD else []
        follows = pieces[len(fixed)] if len(fixed) < len(pieces) else ""
        if wild not in (WITHIN, ANYTHING) or follows != wild:
            out += wild
        elif fixed:
            out += f"(?>{wild}?{''.join(fixed)})"
            del pieces[: len(fixed)]
    return out


def expanded(pattern: str) -> list[str]:
    """The patterns that `{a,b}` stands for; its parts may hold slashes, brackets and braces of their own.

    A brace without a comma or an end stands for itself. Raises SourceError for more than MOST_PATTERNS, and for a
    pattern that is longer than any path.
    """
    if len(pattern) > LONGEST_PATH:
        raise SourceError(f"“{pattern[:100]}…” has {len(pattern):,} characters; a pattern has at most {LONGEST_PATH:,}")
    done: list[str] = []
    waiting = [pattern]
    while waiting:
        if len(done) + len(waiting) > MOST_PATTERNS:
            raise SourceError(f"“{pattern[:100]}” stands for more than {MOST_PATTERNS:,} patterns")
        current = waiting.pop()
        if cuts := first_choice(current):
            before, after = current[: cuts[0]], current[cuts[-1] + 1 :]
            waiting += [f"{before}{current[start + 1 : end]}{after}" for start, end in pairwise(cuts)]
        else:
            done.append(current)
    return list(filter(None, done)) or [pattern]


def first_choice(pattern: str) -> list[int]:
    """Where the brace, the commas and the end of the first `{a,b}` stand that is in no other; nothing without one."""
    choices, opened = [], list[list[int]]()
    for token in TOKEN.finditer(pattern):
        if token[0] == "{":
            opened.append([token.start()])
        elif opened and token[0] in (",", "}"):
            opened[-1].append(token.start())
            if token[0] == "}" and len(cuts := opened.pop()) > 2:
                choices.append(cuts)
    return min(choices, default=[])


def of_characters(found: re.Match[str]) -> str:
    """`[a-z]` or `[!a-z]`; one that is no range, such as `[z-a]`, stands for itself."""
    escaped = re.sub(r"[\\\[\]&~|^]", r"\\\g<0>", found["listed"])
    chosen = f"(?!/)[{'^' if found['but'] else ''}{escaped}]"
    try:
        re.compile(chosen)
    except re.error:
        return re.escape(found[0])
    return chosen


def path_filter(
    include: Sequence[str],
    exclude: Sequence[str],
    readable: Callable[[str], object],
    unread: Counter[str] | None = None,
) -> Callable[[str], bool]:
    """Whether a path is wanted: included (or nothing is named), not excluded, and of a kind that we read.

    A pattern that names a folder means what is below it. A file that a pattern names itself is wanted whatever its
    kind, so that one which we cannot read is rejected with a reason and not passed over. What only its kind leaves out
    is counted in `unread`. Raises SourceError for a pattern that is too long or stands for too many.
    """
    included, left_out = (list(chain.from_iterable(map(expanded, globs))) for globs in (include, exclude))
    named, below = either(included), either([f"{glob.rstrip('/')}/**" for glob in included])
    excluded = either([*left_out, *(f"{glob.rstrip('/')}/**" for glob in left_out)])

    def wanted(path: str) -> bool:
        if excluded.fullmatch(path):
            return False
        if named.fullmatch(path):
            return True
        if include and not below.fullmatch(path):
            return False
        if (is_read := readable(path) is not None) is False and unread is not None:
            unread[ending(path)] += 1
        return is_read

    return wanted


def ending(path: str) -> str:
    """By which files of one kind are counted together, as it can be shown."""
    return shown(PurePosixPath(path).suffix.lower()[:20]) or "without suffix"


def counted_by_kind(unread: Mapping[str, int]) -> str:
    """`3 files (.png 2, .exe 1)`, or ""."""
    count = sum(unread.values())
    kinds = sorted(unread.items(), key=lambda kind: (-kind[1], kind[0]))
    shown = [f"{name} {files:,}" for name, files in kinds[:MOST_KINDS]] + ["…"] * (len(kinds) > MOST_KINDS)
    return f"{count:,} file{'s' * (count != 1)} ({', '.join(shown)})" if count else ""


def either(globs: Sequence[str]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{glob_to_regex(glob)})" for glob in globs) or r"[^\s\S]")


def unreadable(path: str, identity: str, reason: str) -> SourceFile:
    """A file that is wanted and cannot be had: the build rejects it with this reason, by a name that can be shown."""
    return SourceFile(shown(path), identity, 0, partial(refuse, reason))


def shown(path: str) -> str:
    """With escapes for what cannot be printed, or is not UTF-8; cut where it is too long to be kept."""
    printed = (character if character.isprintable() else ascii(character)[1:-1] for character in path)
    return "".join(printed)[:LONGEST_PATH]


def refuse(reason: str) -> bytes:
    raise SourceError(reason)


def fault_of_pattern(pattern: str) -> str | None:
    """Why a library cannot have it."""
    try:
        expanded(pattern)
    except SourceError as error:
        return f"{error}."
    return None


def fault_of_size(size: int) -> str | None:
    return f"the file has {size:,} bytes; at most {MAX_FILE_BYTES:,} are read" if size > MAX_FILE_BYTES else None


def checked(files: Iterator[SourceFile]) -> tuple[SourceFile, ...]:
    """The files in order of path; refuses more than MAX_FILES, or MAX_BYTES."""
    listed: list[SourceFile] = []
    total = 0
    for file in files:
        listed.append(file)
        total += file.size
        if total > MAX_BYTES:
            raise SourceError(f"more than {MAX_BYTES // 1024**3} GiB; narrow the library with --include or --exclude")
        if len(listed) > MAX_FILES:
            raise SourceError(f"more than {MAX_FILES:,} files; narrow the library with --include or --exclude")
    return tuple(sorted(listed, key=lambda file: file.path))
