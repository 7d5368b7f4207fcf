"""The numbers of an ODT's lists: the file says how a level is counted, and which lists go on from another."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from lxml import etree

from ingestion.parsers.docx.numbering import formatted

TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
STYLE = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
FORMATS = {"1": "decimal", "a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"}
BULLET = "-"
LONGEST = 20  # characters around a number


@dataclass(frozen=True, slots=True)
class Level:
    format: str  # as Word's
    prefix: str
    suffix: str
    start: int
    shown: int  # levels whose numbers it shows


Styles = Mapping[str, Mapping[int, Level]]


def list_styles(roots: Iterable[etree._Element]) -> dict[str, dict[int, Level]]:
    """Name of a style of lists → level, counted from 1, → how it is numbered; levels with bullets are not there."""
    styles = (style for root in roots for style in root.iterfind(f"./*/{TEXT}list-style"))
    return {style.get(f"{STYLE}name", ""): levels_of(style) for style in styles}


def levels_of(style: etree._Element) -> dict[int, Level]:
    found = {}
    for one in style.iterfind(f"{TEXT}list-level-style-number"):
        if form := FORMATS.get(one.get(f"{STYLE}num-format", "")):
            prefix, suffix = (one.get(f"{STYLE}num-{name}", "").strip()[:LONGEST] for name in ("prefix", "suffix"))
            start, shown = whole(one, "start-value") or 1, whole(one, "display-levels") or 1
            found[whole(one, "level") or 1] = Level(form, prefix, suffix, start, shown)
    return found


def whole(element: etree._Element, name: str) -> int | None:
    value = element.get(f"{TEXT}{name}", "")
    return int(value) if value.isdecimal() and len(value) < 7 else None


@dataclass(slots=True)
class Numbers:
    """How far the lists of a document are counted, those of one style together."""

    styles: Styles
    counts: dict[str, dict[int, int]] = field(default_factory=dict)

    def begin(self, element: etree._Element, style: str, level: int) -> None:
        """A list that does not go on from another is counted anew."""
        goes_on = element.get(f"{TEXT}continue-numbering") == "true" or element.get(f"{TEXT}continue-list")
        if not goes_on:
            self.counts.get(style, {}).pop(level, None)

    def label(self, item: etree._Element, style: str, level: int) -> str:
        """What stands before an item: its number, or a bullet."""
        own = self.styles.get(style, {}).get(level)
        if own is None or item.tag != f"{TEXT}list-item":
            return BULLET
        counts = self.counts.setdefault(style, {})
        told = whole(item, "start-value")
        counts[level] = counts.get(level, own.start - 1) + 1 if told is None else told
        numbers = [self.number(style, above) for above in range(max(level - own.shown + 1, 1), level + 1)]
        return BULLET if None in numbers else f"{own.prefix}{'.'.join(filter(None, numbers))}{own.suffix}"

    def number(self, style: str, level: int) -> str | None:
        own = self.styles[style].get(level)
        return formatted(self.counts[style].get(level, own.start), own.format) if own else ""
