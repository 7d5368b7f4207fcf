"""The numbers of a DOCX: the file only says which list and level a paragraph is of, and Word counts.

ECMA-376, 17.9. Lists of one abstract definition are counted on together, unless one of them overrides its start.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from lxml import etree

from ingestion.parsers.docx.styles import Styles, W, ancestry, is_on, value

LABEL_STYLE = "MunimentLabel"
UNTOLD = "-"
LEVELS = range(9)
NUMBER = re.compile(r"[0-9]{1,9}")
PLACE = re.compile(r"%([1-9])")
LONGEST_TEXT = 60  # characters around and between the numbers
MOST_LETTERS = 10
ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"),
    (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip
UNSEEN = (f"{W}rPr/{W}del", f"{W}rPr/{W}moveFrom", f"{W}rPr/{W}vanish")
CHOICE = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Choice"  # mammoth reads the fallback


@dataclass(frozen=True, slots=True)
class Level:
    format: str
    text: str  # with %1 to %9 for the numbers of the levels
    start: int
    restart: int  # it begins anew after levels above this one; 0: never
    is_legal: bool  # all of its numbers are decimal
    style: str  # the style of the paragraphs that are of this level


@dataclass(frozen=True, slots=True)
class Numbering:
    """One `w:num`."""

    counted_as: str
    levels: dict[int, Level]
    starts: dict[int, int]  # what it overrides


@dataclass(slots=True)
class Lists:
    """The lists of a document, and how far they are counted."""

    numberings: dict[str, Numbering]
    styles: Styles
    counts: dict[str, dict[int, int]] = field(default_factory=dict)
    begun: set[tuple[str, int]] = field(default_factory=set)

    def label(self, name: str, index: int) -> str:
        """What stands before a paragraph there: "" for a bullet, `UNTOLD` where it cannot be told. Counts on."""
        numbering = self.numberings[name]
        return written(numbering, index, self.count(name, numbering, index))

    def place(self, paragraph: etree._Element) -> tuple[str, int] | None:
        """The numbering and the level that the paragraph, or else its style, names; None where there is no such."""
        own = paragraph.find(f"{W}pPr/{W}numPr")
        styles = list(ancestry(value(paragraph, f"{W}pPr/{W}pStyle"), self.styles))
        inherited = [found for style in styles if (found := style.find(f"{W}pPr/{W}numPr")) is not None]
        names = (value(one, f"{W}numId") for one in (own, *inherited))
        name = next(filter(None, names), "")
        level = value(own, f"{W}ilvl") or self.linked(name, styles) or value(next(iter(inherited), None), f"{W}ilvl")
        index = number(level, 0)
        return (name, index) if name in self.numberings and index in self.numberings[name].levels else None

    def linked(self, name: str, styles: Sequence[etree._Element]) -> str:
        """The level of the numbering that is made for one of these styles."""
        levels = self.numberings[name].levels if name in self.numberings else {}
        indexes = {level.style: str(index) for index, level in levels.items() if level.style}
        return next((found for style in styles if (found := indexes.get(style.get(f"{W}styleId", "")))), "")

    def count(self, name: str, numbering: Numbering, index: int) -> dict[int, int]:
        """The numbers of its levels after one more of this level. What was left out above it counts as begun."""
        counts = self.counts.setdefault(numbering.counted_as, {})
        for level in LEVELS[: index + 1]:
            overrides = level == index and level in numbering.starts and (name, level) not in self.begun
            if level in numbering.levels and (level not in counts or overrides):
                counts[level] = start_of(numbering, level)
                self.begun.add((name, level))
            elif level == index:
                counts[level] += 1
        for deeper in LEVELS[index + 1 :]:
            if deeper in numbering.levels and index < numbering.levels[deeper].restart:
                counts.pop(deeper, None)
        return counts


def write_labels(root: etree._Element, lists: Lists) -> None:
    """In place: the numbers as first runs of their paragraphs, which have a style of their own.

    What a paragraph has from its style is written to it, too: mammoth does not look there.
    """
    for paragraph in list(root.iter(f"{W}p")):
        properties = paragraph.find(f"{W}pPr")
        if properties is None or any(is_on(properties.find(path)) for path in UNSEEN):
            continue
        if next(paragraph.iterancestors(CHOICE), None) is not None:
            continue
        if (place := lists.place(paragraph)) is None:
            continue
        write_place(properties, *place)
        if (label := lists.label(*place)) and any(text.text for text in paragraph.iter(f"{W}t")):
            run = etree.Element(f"{W}r")
            style = etree.SubElement(etree.SubElement(run, f"{W}rPr"), f"{W}rStyle")
            style.set(f"{W}val", LABEL_STYLE)
            etree.SubElement(run, f"{W}t").text = label
            properties.addnext(run)


def write_place(properties: etree._Element, name: str, index: int) -> None:
    for own in properties.findall(f"{W}numPr"):
        properties.remove(own)
    place = etree.SubElement(properties, f"{W}numPr")
    etree.SubElement(place, f"{W}ilvl").set(f"{W}val", str(index))
    etree.SubElement(place, f"{W}numId").set(f"{W}val", name)


def read_lists(root: etree._Element, styles: Styles) -> Lists:
    """The lists of numbering.xml."""
    abstract = {one.get(f"{W}abstractNumId", ""): one for one in root.iterfind(f"{W}abstractNum")}
    levels = {identity: read_levels(one.iterfind(f"{W}lvl")) for identity, one in abstract.items()}
    styled = {value(one, f"{W}styleLink"): identity for identity, one in abstract.items()}
    links = {identity: value(one, f"{W}numStyleLink") for identity, one in abstract.items()}
    numberings = {}
    for one in root.iterfind(f"{W}num"):
        identity = value(one, f"{W}abstractNumId")
        if link := links.get(identity):
            identity = styled.get(link, identity)
        own = read_levels(one.iterfind(f"{W}lvlOverride/{W}lvl"))
        numberings[one.get(f"{W}numId", "")] = Numbering(identity, levels.get(identity, {}) | own, read_starts(one))
    return Lists(numberings, styles)


def read_starts(numbering: etree._Element) -> dict[int, int]:
    overrides = numbering.iterfind(f"{W}lvlOverride")
    starts = ((override.get(f"{W}ilvl", ""), value(override, f"{W}startOverride")) for override in overrides)
    return {number(level, 0): int(start) for level, start in starts if NUMBER.fullmatch(start)}


def read_levels(levels: Iterable[etree._Element]) -> dict[int, Level]:
    return {index: level for index, level in map(read_level, levels) if index in LEVELS}


def read_level(level: etree._Element) -> tuple[int, Level]:
    index = number(level.get(f"{W}ilvl", ""), 0)
    return index, Level(
        format=value(level, f".//{W}numFmt") or "decimal",
        text=value(level, f"{W}lvlText"),
        start=number(value(level, f"{W}start"), 0),
        restart=number(value(level, f"{W}lvlRestart"), index),
        is_legal=is_on(level.find(f"{W}isLgl")),
        style=value(level, f"{W}pStyle"),
    )


def number(text: str, otherwise: int) -> int:
    return int(text) if NUMBER.fullmatch(text) else otherwise


def start_of(numbering: Numbering, index: int) -> int:
    return numbering.starts.get(index, numbering.levels[index].start)


def written(numbering: Numbering, index: int, counts: dict[int, int]) -> str:
    level = numbering.levels[index]
    if level.format == "bullet":
        return ""
    places = {int(place) - 1 for place in PLACE.findall(level.text[:LONGEST_TEXT])}
    if len(level.text) > LONGEST_TEXT or any(place > index or place not in numbering.levels for place in places):
        return UNTOLD
    formats = {place: "decimal" if level.is_legal else numbering.levels[place].format for place in places}
    shown = {place: formatted(counts[place], formats[place]) for place in places}
    if None in shown.values():
        return UNTOLD
    return " ".join(PLACE.sub(lambda place: shown[int(place[1]) - 1] or "", level.text).split()) or UNTOLD


def formatted(number: int, format: str) -> str | None:
    """The number as `ST_NumberFormat` names it; None for a format that is not known here."""
    if format == "decimal":
        return str(number)
    if format == "decimalZero":
        return f"{number:02}"
    if format == "none":
        return ""
    if format in ("lowerLetter", "upperLetter") and 0 < number <= 26 * MOST_LETTERS:
        letters = chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 + 1)
        return letters.upper() if format == "upperLetter" else letters
    if format in ("lowerRoman", "upperRoman") and 0 < number < 4000:
        return roman(number).upper() if format == "upperRoman" else roman(number)
    return None


def roman(number: int) -> str:
    digits = ""
    for size, digit in ROMAN:
        digits += digit * (number // size)
        number %= size
    return digits
