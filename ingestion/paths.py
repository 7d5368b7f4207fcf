"""Which paths a library's files may have. Pure."""

import re
import unicodedata

from ingestion.documents import LONGEST_PATH

MAX_FILES = 200_000
UNSEEN = re.compile(r"[\u200b\u2060\ufeff\u202a-\u202e\u2066-\u2069]")  # they turn text round, or take no place


def fault_of_name(path: str) -> str | None:
    """Why a file of this path cannot be kept: the name is no text, too long, or not what it looks like."""
    if len(path) > LONGEST_PATH:
        return f"its path has {len(path):,} characters; at most {LONGEST_PATH:,} are kept"
    kinds = {unicodedata.category(character) for character in path}
    if "Cs" in kinds:
        return "its name is not UTF-8"
    if kinds & {"Cc", "Zl", "Zp"}:
        return "its name has control characters"
    return "its name has characters that nobody sees" if UNSEEN.search(path) else None


def leads_on(path: str) -> bool:
    """Whether it names something below where it begins, by the one path that leads there."""
    return not {"", ".", ".."} & set(path.split("/"))
