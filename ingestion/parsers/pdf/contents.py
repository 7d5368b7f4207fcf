"""Lists of a PDF's own pages: tables of contents and of figures, indexes. They lead to text, and are none."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from ingestion.parsers.pdf.layout import Layout
from ingestion.parsers.pdf.outline import ROMAN, key, unnumbered
from ingestion.parsers.pdf.paragraphs import Line
from ingestion.parsers.pdf.running import MOST_BEFORE, PAGE_NUMBER
from ingestion.parsers.writing import CONTENTS

ENTRY = re.compile(rf"(?P<title>.*?)\s*(?:[.·]\s?){{4,}}\s*(?P<page>\d{{1,4}}|{ROMAN})(?:[-–,]\s*\d{{1,4}})*")
WITHOUT_DOTS = re.compile(r"(?P<title>.+?)\s+(?P<page>\d{1,4})")
HEADING = re.compile(
    rf"{CONTENTS.pattern}|list of (?:figures|tables|examples)|(?:\w+ ){{0,4}}index|"
    "(?:abbildungs|tabellen|stichwort)verzeichnis",
    re.I,
)
LONGEST = 300  # characters of a line
SHORTEST = 3  # letters of a title that tells something
FEWEST = 3  # entries
TORN = (
    1.3  # of the letters that a page says beside a list of pages: with more in its blocks, parts of the list are left
)
NEAR = 3  # lines, within which an entry follows another: it may run over some, and a letter may head the next


@dataclass(frozen=True, slots=True)
class Entry:
    title: str  # its letters and digits, without the section's number
    number: int | None  # of the page, as it is printed; None where that is Roman


def lists_of_pages(texts: Sequence[str]) -> dict[int, frozenset[int]]:
    """page, from 1 → those of its lines that are such a list.

    Dots before a number may as well lead to a price. They lead to pages where most of the titles stand on the pages of
    these numbers, so and so many pages after the first.
    """
    pages = [text.split("\n") for text in texts]
    entries = [{at: entry for at, line in enumerate(lines) if (entry := read(ENTRY, line))} for lines in pages]
    if not any(entries):
        return {}
    both = list(zip(pages, entries, strict=True))
    said = [key("".join(line for at, line in enumerate(lines) if at not in own)) for lines, own in both]
    every = [entry for own in entries for entry in own.values()]
    votes = Counter(before for entry in every for before in range(MOST_BEFORE) if stands(entry, said, before))
    [(before, found)] = votes.most_common(1) or [(0, 0)]
    if found < FEWEST:
        return {}
    listed = {number: frozenset(list_lines(*page, said, before)) for number, page in enumerate(both, 1)}
    return {number: lines for number, lines in listed.items() if lines}


def read(form: re.Pattern[str], line: str) -> Entry | None:
    match = form.fullmatch(line.strip()) if len(line) <= LONGEST else None
    if match is None:
        return None
    return Entry(key(unnumbered(match["title"])), int(match["page"]) if match["page"].isdecimal() else None)


def stands(entry: Entry, said: Sequence[str], before: int) -> bool:
    """Whether the title stands on the page of that number."""
    if entry.number is None or len(entry.title) < SHORTEST:
        return False
    page = entry.number + before - 1
    return 0 <= page < len(said) and entry.title in said[page]


def list_lines(lines: Sequence[str], entries: dict[int, Entry], said: Sequence[str], before: int) -> Iterator[int]:
    for run in runs(sorted(entries)):
        numbered = [entries[at] for at in run if entries[at].number is not None]
        if 2 * sum(stands(entry, said, before) for entry in numbered) >= max(len(numbered), 1):
            yield from around(run, lines, said, before)


def around(run: Sequence[int], lines: Sequence[str], said: Sequence[str], before: int) -> range:
    """The lines of a run of entries, with those before and after that have no dots, and with its heading."""
    first, end = run[0], run[-1] + 1
    while first > 0 and is_entry(lines[first - 1], said, before):
        first -= 1
    while end < len(lines) and is_entry(lines[end], said, before):
        end += 1
    if first > 0 and len(lines[first - 1].strip()) == 1:  # a letter of an index
        first -= 1
    if first > 0 and HEADING.fullmatch(lines[first - 1].strip()):
        first -= 1
    return range(first, end)


def runs(places: Sequence[int]) -> Iterator[list[int]]:
    starts = [at for at, (one, other) in enumerate(pairwise(places), 1) if other - one > NEAR]
    for start, end in pairwise([0, *starts, len(places)]):
        if start < end:
            yield list(places[start:end])


def is_entry(line: str, said: Sequence[str], before: int) -> bool:
    """Whether it leads to a page without dots, as chapters do above their sections."""
    entry = read(WITHOUT_DOTS, line)
    return entry is not None and stands(entry, said, before)


def without_lists(layout: dict[int, Layout], said: Sequence[str], listed: Mapping[int, Set[int]]) -> dict[int, Layout]:
    """The pages but for the blocks most lines of which are in lists of pages, as `lists_of_pages` finds them in `said`,
    what each page says.
    """
    return {
        number: without_list(page, said[number - 1].split("\n"), listed[number]) if number in listed else page
        for number, page in layout.items()
    }


def without_list(page: Layout, lines: Sequence[str], listed: Set[int]) -> Layout:
    entries = {key(lines[at]) for at in listed}
    left = key("".join(line for at, line in enumerate(lines) if at not in listed))
    both = [(block, own, texts_of(block, own)) for block, own in zip(page.blocks, page.lines, strict=True)]
    kept = [each for each in both if 2 * sum(key(text) in entries for text in each[2]) < len(each[2])]
    running = page.running
    if sum(len(key(text)) for _, _, texts in kept for text in texts) > TORN * len(left):
        kept, running = [], " ".join([running, *filter(PAGE_NUMBER.fullmatch, lines)])
    blocks, own = [block for block, _, _ in kept], [lines for _, lines, _ in kept]
    return replace(page, blocks=blocks, lines=own, running=running)


def texts_of(block: Any, lines: Sequence[Line]) -> Sequence[str]:
    return [line.text for line in lines] or block.lines or [block.text or ""]
