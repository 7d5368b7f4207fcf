"""What of a pasted stack trace is looked for: the message, and the frame beside it. Pure.

The other frames are ten times as many words, most of them of the caller's own files, and all that an embedding model
reads. There are no lines: white space is folded, as it is by a field of one line into which a trace is pasted.
"""

import re
from collections.abc import Iterator

FILE = r"(?P<file>[^\s()\"`']{1,300}?)"
NAME = r"(?P<name>[^\s()`'@]{1,300})"
ARGUMENTS = r"\([^()]{0,300}\)"
PYTHON = re.compile(r'(?<!\S)File "(?P<file>[^"]{1,400})", line \d+(?:, in (?P<name>\S{1,200}))?')
FRAMES = (
    PYTHON,
    *(
        re.compile(rf"(?<!\S){frame}(?!\w)")
        for frame in (
            rf"at\s(?:async\s|new\s)*{NAME}(?:\s\[as\s[^\]]{{1,100}}\])?\s?"  # JavaScript, Java
            rf"\((?:{FILE}(?::\d+){{1,2}}|native|Native\ Method|Unknown\ Source|<anonymous>|index\s\d+)\)"
            r"(?:\s~?\[[^\]]{1,200}\])?",
            rf"at\s(?:async\s)?{FILE}:\d+:\d+",  # also of Rust
            r"at\s(?P<name>[^\s()]{1,300}\.[^\s()]{1,200})(?:\(\)|\([^():]{0,300}\))"  # C#
            r"(?:\sin\s(?P<file>[^\n]{1,300}?):line\s\d+)?",
            rf"(?P<name>[^\s@]{{0,200}})@{FILE}:\d+:\d+",  # JavaScript in Firefox and Safari
            rf"\#\d+\s{FILE}\(\d+\):\s{NAME}(?:{ARGUMENTS})?",  # PHP
            rf"from\s{FILE}:\d+:in\s[`'](?P<name>[^`']{{1,200}})'",  # Ruby
            rf"\([\w.-]{{1,80}}\s\d[\w.-]{{0,40}}\)\s{FILE}:\d+:\s{NAME}",  # Elixir
            r"(?P<name>[^\s()]{1,200}(?:\(\*\w{1,100}\)[^\s()]{1,100})?)"  # Go
            rf"(?:{ARGUMENTS})?\s{FILE}:\d+\s\+0x[0-9a-f]+",
        )
    ),
)
OPENING = "Traceback (most recent call last):"
AROUND = re.compile(  # what a runtime says of every error
    rf"{re.escape(OPENING)}|During handling of the above exception, another exception occurred:"
    r"|The above exception was the direct cause of the following exception:"
    r"|\bgoroutine \d+ \[[^\]]{1,80}\]:|\bexit status \d+|\.\.\. \d+ (?:more|common frames omitted)\b"
    r"|\bStack trace:|#\d+ \{main\}"
)
SEPARATORS = re.compile(r"[/\\]")
TOLD = 2  # parts of a path: where it is installed tells nothing


def without_frames(text: str) -> str:
    """Without the frames of its stack traces but for the one beside each message; as it is where there are no two."""
    found = (frame for pattern in FRAMES for frame in pattern.finditer(text))
    frames = sorted(found, key=lambda frame: frame.start())
    if len(frames) < 2:
        return text
    return " ".join(AROUND.sub(" ", " ".join(told(text, frames))).split())


def told(text: str, frames: list[re.Match[str]]) -> Iterator[str]:
    """Python says the message behind the last frame, each with a line of its source; the others before the first."""
    before = text[: frames[0].start()]
    yield before
    for frame, end in zip(frames, [*(one.start() for one in frames[1:]), len(text)], strict=True):
        behind = text[frame.end() : end]
        is_python = frame.re is PYTHON
        if is_beside := not is_python or end == len(text) or OPENING in behind:
            yield behind
        if is_beside if is_python else AROUND.sub("", before).strip():
            yield short(frame)
        before = behind


def short(frame: re.Match[str]) -> str:
    """The function, and the end of its file's path."""
    name, file = (frame.groupdict().get(of) or "" for of in ("name", "file"))
    return f"{name} {'/'.join(SEPARATORS.split(file)[-TOLD:])}"
