"""The lines of a list on a slide: the file only says that a paragraph is numbered, and PowerPoint counts."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from ingestion.parsers.charts import A
from ingestion.parsers.docx.numbering import formatted
from ingestion.parsers.writing import one_line

FORMATS = {
    "arabic": "decimal",
    "alphaLc": "lowerLetter",
    "alphaUc": "upperLetter",
    "romanLc": "lowerRoman",
    "romanUc": "upperRoman",
}  # as Word names them
AROUND = {"Period": "{}.", "ParenR": "{})", "ParenBoth": "({})", "Plain": "{}"}
SCHEME = re.compile(f"({'|'.join(FORMATS)})({'|'.join(AROUND)})")
BULLET = "-"


def list_lines(paragraphs: Iterable[Any]) -> Iterator[tuple[int, str, str]]:
    """Level, marker and text of those that say something.

    A level is counted on below deeper ones, and anew behind what has no number, or numbers of another kind.
    """
    counts: dict[int, tuple[str, int]] = {}
    for paragraph in paragraphs:
        if not (text := one_line(paragraph.text)):
            continue
        level, told = paragraph.level, paragraph._p.find(f"{A}pPr/{A}buAutoNum")
        counts = {above: count for above, count in counts.items() if above <= level}
        kind = told.get("type", "") if told is not None else ""
        if scheme := SCHEME.fullmatch(kind):
            before, number = counts.get(level, ("", 0))
            number = number + 1 if before == kind else start_of(told)
            counts[level] = kind, number
            label = formatted(number, FORMATS[scheme[1]])
            yield level, AROUND[scheme[2]].format(label) if label else BULLET, text
        else:
            counts.pop(level, None)
            yield level, BULLET, text


def start_of(told: Any) -> int:
    start = told.get("startAt", "")
    return int(start) if re.fullmatch(r"[0-9]{1,5}", start) else 1
