"""Heads and feet of a PDF's pages: what says the same on several of them, but for the page's own number."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any

from ingestion.parsers.pdf.layout import Layout
from ingestion.parsers.pdf.outline import ROMAN, Outline, bookmarked, is_running_title, key
from ingestion.parsers.pdf.paragraphs import Line, begin_at, runs

EDGE = 0.09  # of a page's height, where heads and feet stand
FEWEST_RUNNING = 3  # pages that have the same line there
FEWEST_COUNTED = 2  # of them, whose numbers count on
JOURNAL = re.compile(r"\((?:19|20)\d\d\)[\s,:]*$")  # before the number of a page: “Journal of Cycling 12 (2024) 211”
LONGEST_RUNNING = 200  # characters
MOST_BEFORE = 60  # pages that stand before the one with the number 1
SHORTEST_LINE = 4  # letters of one that is only part of a block: names of points in drawings repeat
AROUND = r"[-–—|·•.()\[\]\s]*"
# Frames are those of the US printing office.
WORD = r"(?P<word>\b(?:page|pg\.?|p\.|seite|s\.|blatt|folie|slide|frm|p[aá]gina|p[aá]g\.?)\s*)?"
OF = r"\s*(?:/|of|von|sur|de|di|van)\s*\d{1,4}\b"
# Capitals head the parts of an index.
PAGE_NUMBER = re.compile(rf"{AROUND}(?i:{WORD})(?:(?P<number>\d{{1,4}})(?i:{OF})?|{ROMAN}){AROUND}")
BESIDE = re.compile(rf"^{ROMAN}\s|\s{ROMAN}$")  # what is said, a page number
OWN = re.compile(rf"{WORD}(?<![\w.,:/])(?<!\w[-–])0*(?P<number>[1-9]\d{{0,3}})(?!\w|[-–.,:/]\d)(?:{OF})?", re.I)
ANY_NUMBER = "#"  # what all of them say, as heads and feet


@dataclass(frozen=True, slots=True)
class Said:
    """What a head or foot says beside the page's own number, how many pages that makes before the one with the number
    1 (None without a number), and whether the number is told from any other: by a word before it, by standing alone, or
    by the document, which calls the page so.
    """

    rest: str
    before: int | None = None
    is_told: bool = True


@dataclass(frozen=True, slots=True)
class Running:
    """What heads and feet say on several pages, and in which readings; the bookmarks' keys, and the bookmarks of each
    page; the pages' own names.
    """

    rests: frozenset[str]
    counted: frozenset[Said]
    titles: frozenset[str]
    outline: Mapping[int, Outline]
    labels: Sequence[str]

    def has(self, text: str, page: int, is_heading: bool) -> bool:
        """A heading does not run where it may count something else than the pages."""
        told = [said for said in readings(text, page, self.labels) if said in self.counted and said.rest in self.rests]
        return any(said.is_told or not is_heading for said in told) or is_running_title(text, self.titles)


def without_running_lines(
    layout: Mapping[int, Layout], outline: Mapping[int, Outline], labels: Sequence[str]
) -> dict[int, Layout]:
    """The pages but for the heads and feet that say the same on several, whatever their page number, or nothing but
    that, or that repeat the title of a section; also where a head was taken for a paragraph's first line.

    `outline` has the bookmarks of each page, `labels` are the pages' own names.
    """
    said = [
        {said for text in edge_texts(page) for said in readings(text, number, labels)}
        for number, page in layout.items()
    ]
    counts = Counter(each for page in said for each in page)
    counted = frozenset(each for each, count in counts.items() if count >= fewest(each))
    pages = Counter(rest for page in said for rest in {each.rest for each in page & counted})
    rests = frozenset(rest for rest, count in pages.items() if count >= FEWEST_RUNNING)
    titles = frozenset(title for bookmarks in outline.values() for title in bookmarks)
    running = Running(rests, counted, titles, outline, labels)
    return {number: without_running(page, number, running) for number, page in layout.items()}


def fewest(said: Said) -> int:
    """Pages that say it, whose numbers count on."""
    if said.before is None:
        return 1
    return FEWEST_COUNTED if said.is_told or said.before >= 0 else FEWEST_RUNNING


def without_running(page: Layout, number: int, running: Running) -> Layout:
    blocks, own, left_out = list[Any](), list[Sequence[Line]](), list[str]()
    for block, lines in zip(page.blocks, page.lines, strict=True):
        if runs_at_edge(block, page, number, running):
            left_out.append(block.text)
            continue
        head = list(takewhile(lambda line: is_at_edge(line, page) and running.has(line.text, number, False), lines))
        if head and is_headed(block, lines, len(head)):
            left_out += [line.text for line in head]
            blocks.append(below_head(block, lines, len(head)))
            own.append(lines[len(head) :])
        else:
            blocks.append(block)
            own.append(lines)
    return replace(page, blocks=blocks, lines=own, running=" ".join(left_out))


def runs_at_edge(block: Any, page: Layout, number: int, running: Running) -> bool:
    """Nothing does that a bookmark on that page names, unless something else on it says the same."""
    if not is_block_at_edge(block, page) or not running.has(block.text, number, block.kind == "heading"):
        return False
    outline = running.outline.get(number, {})
    bookmark = bookmarked(block.text, outline)
    return not bookmark or sum(bookmarked(other.text or "", outline) == bookmark for other in page.blocks) > 1


def is_headed(block: Any, lines: Sequence[Line], count: int) -> bool:
    """Whether it is prose that begins with so many of its lines, and goes on."""
    head = "".join(line.text for line in lines[:count])
    return runs(block) and len(lines) > count and key(block.text).startswith(key(head))


def below_head(block: Any, lines: Sequence[Line], count: int) -> Any:
    letters = [at for at, letter in enumerate(block.text) if letter.isalnum()]
    begin = begin_at(block.text, letters, sum(line.letters for line in lines[:count]))
    top, bottom = lines[count].top, block.bbox.y + block.bbox.height
    return replace(block, text=block.text[begin:], bbox=replace(block.bbox, y=top, height=bottom - top))


def edge_texts(page: Layout) -> set[str]:
    """What stands at a page's head and foot, whatever liteparse has made of it."""
    lines = (line.text for line in page.all_lines if is_at_edge(line, page))
    long = {text for text in lines if PAGE_NUMBER.fullmatch(text) or sum(map(str.isalpha, text)) >= SHORTEST_LINE}
    return long | {block.text for block in page.blocks if is_block_at_edge(block, page)}


def is_block_at_edge(block: Any, page: Layout) -> bool:
    box = block.bbox
    return box is not None and is_short_at_edge(block.text, box.y, box.y + box.height, page)


def is_at_edge(line: Line, page: Layout) -> bool:
    return is_short_at_edge(line.text, line.top, line.bottom, page)


def is_short_at_edge(text: str | None, top: float, bottom: float, page: Layout) -> bool:
    is_within = EDGE * page.height < bottom and top < (1 - EDGE) * page.height
    return text is not None and 0 < len(text) <= LONGEST_RUNNING and not is_within


def readings(text: str, page: int, labels: Sequence[str]) -> Iterator[Said]:
    """What something at a head or foot may say, by which of its numbers is the page's: none, one after a word such as
    `page`, or one at an end that is its number or its own name.
    """
    if alone := PAGE_NUMBER.fullmatch(text):
        number = alone["number"]
        yield Said(ANY_NUMBER, page - int(number) if number and not alone["word"] else None)
    if not any(map(str.isalpha, text)):
        return
    yield Said(letters_and_numbers(text))
    if (without_roman := BESIDE.sub("", text)) != text:
        yield Said(letters_and_numbers(without_roman))
    for own in OWN.finditer(text):
        before = page - int(own["number"])
        outside = text[: own.start()], text[own.end() :]
        is_at_end = not all(any(map(str.isalnum, part)) for part in outside)
        is_label = is_at_end and own["number"] in labels[page - 1 : page]
        is_page = 0 <= before < MOST_BEFORE or (before < 0 and bool(JOURNAL.search(outside[0])))
        if own["word"] or is_label or (is_at_end and is_page):
            is_told = own["word"] is not None or (is_label and before != 0)
            yield Said(letters_and_numbers(" ".join(outside)), before, is_told)


def letters_and_numbers(text: str) -> str:
    """In any order: left pages may have them the other way round."""
    return " ".join(["".join(sorted(filter(str.isalpha, text))), *sorted(re.findall(r"\d+", text))])
