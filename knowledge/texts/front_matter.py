"""What stands above the text of a page: YAML between dashes, TOML between pluses. Pure."""

import re
from collections.abc import Sequence

TOML = re.compile(r"\+\+\+[ \t]*\n(?:(?!\+\+\+)[^\n]*\n){0,200}?(?P<end>\+\+\+)[ \t]*(?:\n|\Z)")
YAML = re.compile(  # between blank lines stands text, between two rules
    r"---+[ \t]*\n(?![ \t]*\n(?:(?!---)[^\n]*\n){0,200}?[ \t]*\n---)(?:[\"']?\w[\w .:/-]{0,80}?[\"']?[ \t]*:(?:\s|\Z)"
    r"|(?>(?:[ \t]*(?:#[^\n]*)?\n)*)[\"']?[\w.-]+[\"']?[ \t]*:(?:\s|\Z))"
)
MOST_LINES = 300  # up to its first field, or of TOML all of it


def has_front_matter(text: str) -> bool:
    """Whether it opens with fields; a rule at the top, which looks the same, has text behind it."""
    return bool(TOML.match(text) or YAML.match(text))


def dashed(text: str) -> str:
    """Front matter between `+++`, as TOML's, between the dashes that the reader knows; as many characters as before."""
    if match := TOML.match(text):
        return "---" + text[3 : match.start("end")] + "---" + text[match.end("end") :]
    return text


def end_of_front_matter(lines: Sequence[str]) -> int:
    """Behind the line that closes it, as it was opened; 0 without one."""
    if not has_front_matter("\n".join(lines[:MOST_LINES])):
        return 0
    return next((at + 1 for at, line in enumerate(lines) if at and line.rstrip() == lines[0].rstrip()), 0)
