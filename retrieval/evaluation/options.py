"""Which options of `evaluate` go together: one that would do nothing is refused. Pure."""

from collections.abc import Mapping
from typing import Any

HITS = ("without --answers asks for hits", ("library", "snapshot", "against", "branches", "limit", "save"))
TAKEN = {  # by what is measured: why it takes no others, and those that it takes
    "compare": ("compares runs as they were kept", ("library",)),
    "learn": ("learns from all the questions, of one snapshot", ("library", "snapshot")),
    "forget": ("forgets all that was learnt", ("library",)),
    "recall": ("measures the active snapshot", ("library", "limit")),
    "beir": ("measures the corpus as it is now", ("split", "language", "branches", "limit", "save")),
    "golden": HITS,
    "questions": HITS,
    "answers": ("asks one snapshot, and keeps no run", ("library", "snapshot", "limit", "unanswerable", "judge")),
}
OPTIONS = dict.fromkeys(name for _, names in TAKEN.values() for name in names)


def fault(options: Mapping[str, Any]) -> str:
    """What is wrong with them; empty where nothing is."""
    given = {name for name, value in options.items() if value is not None and value is not False}
    what = next(name for name in TAKEN if name in given)
    if "answers" in given:
        if TAKEN[what] is not HITS:
            return "--answers needs --questions or --golden"
        what = "answers"
    why, taken = TAKEN[what]
    idle = [f"--{name}" for name in OPTIONS if name in given and name not in taken]
    return f"--{what} {why}: it takes no {' and no '.join(idle)}" if idle else ""
