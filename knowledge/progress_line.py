"""A job's figures as one line for a terminal, or as words for a page."""

from collections.abc import Mapping
from typing import Any

BAR = 24
STAGES = {
    "source": "Finding the files",
    "parse": "Reading the files",
    "read": "Reading the archive",
    "summaries": "Summarising sections",
    "embed": "Working out what the passages mean",
    "lexical": "Indexing the words",
    "twins": "Looking for near twins",
    "seal": "Checking that all is there",
    "prepare": "Preparing the first search",
    "activate": "Opening it to searches",
    "merge": "Tidying up",
}


def words(figures: Mapping[str, Any]) -> str:
    """`12.3 files/s, 40 chunks/s, 1:02 left`: what is known of the speed."""
    ending = "_per_second"
    parts = [
        f"{rate:,.0f} {name.removesuffix(ending)}/s" if rate >= 10 else f"{rate:.1f} {name.removesuffix(ending)}/s"
        for name, rate in figures.items()
        if name.endswith(ending)
    ]
    if (left := figures.get("eta_seconds")) is not None:
        parts.append(f"{clock(left)} left")
    return ", ".join(parts)


def clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def longest_first(seconds: Mapping[str, float]) -> list[tuple[str, float]]:
    """The total and the stages that took a tenth of a second or more."""
    return sorted(((stage, spent) for stage, spent in seconds.items() if spent >= 0.05), key=lambda pair: -pair[1])


def line(stage: str, figures: Mapping[str, Any]) -> str:
    """`embed   ███████▌░░░  1,234/5,000  63 embeddings/s, 1:02 left`."""
    done, total = figures.get("done", 0), figures.get("total", 0)
    if not total:
        return f"{stage:8}"
    filled = min(BAR, BAR * done // total)
    return f"{stage:8}{'█' * filled}{'░' * (BAR - filled)} {done:,}/{total:,}  {words(figures)}".rstrip()
