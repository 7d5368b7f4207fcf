"""Where a paragraph of a PDF ends: liteparse runs together what a page keeps apart by white space alone."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from statistics import median
from typing import Any

from ingestion.documents import Box, union
from ingestion.parsers.pdf.outline import key
from knowledge.texts.stops import STOPS

WIDER = 0.4  # of a line's height: so much more white space than usual ends a paragraph
MOST_ROWS = 0.6  # of the lines of a table without rules: others go on in one of its cells
FEWEST_CELLS = 3  # of one that is a row by itself
LONGEST_CELL = 4  # words, half of the cells at least: columns of prose are none
NEAR = 3.0  # heights, within which a heading goes on
INDENT = 5.0  # points, by which an item at least is farther right than the text around its list
UNLIKE = 0.1  # of a letter's width: types that differ less are those of code
USUAL_OF_ITEMS = 0.4  # white space, in heights, where too few lines tell
ENDED = re.compile(rf"[{STOPS}:;：；][\"'”’)\]」』）]*$")
POINT = re.compile(r"(?P<before>\(?(?:\d{1,3}\.)*)(?P<own>\d{1,3}|[a-z])(?P<after>[.)]|(?<=\.\d)|(?<=\.\d\d))\s")
FEWEST = 3  # lines that go on with a small letter, from which the usual white space is told


@dataclass(slots=True)
class Line:
    """What stands beside each other: its box in points from the page's top, how many letters and digits it has, and
    its pieces with where they begin and end.
    """

    left: float
    top: float
    right: float
    bottom: float
    letters: int
    goes_on: bool  # its first letter is a small one
    pieces: list[tuple[float, float, str]]

    @property
    def height(self) -> float:
        return self.bottom - self.top

    @property
    def box(self) -> Box:
        return round(self.left, 1), round(self.top, 1), round(self.right, 1), round(self.bottom, 1)

    @property
    def text(self) -> str:
        return " ".join(text for _, _, text in sorted(self.pieces))

    @property
    def cells(self) -> list[str]:
        """Its pieces, those in one that have no more room between them than words have."""
        pieces = sorted(self.pieces)
        starts = [at for at, (left, right) in enumerate(pairwise(pieces), 1) if right[0] - left[1] > self.height]
        return [" ".join(text for _, _, text in pieces[a:b]) for a, b in pairwise([0, *starts, len(pieces)])]

    @property
    def has_gap(self) -> bool:
        """Whether it leaves as much room between two pieces as columns do."""
        return len(self.cells) > 1


def lines_within(items: Sequence[Any], box: Any, but: Sequence[Any]) -> list[Line]:
    """The lines of the items whose middle is in a block's box and in none of the others, from above.

    `items` come as `from_above` sorts them.
    """
    return grouped([item for item in items_within(items, box) if not any(is_within(item, other) for other in but)])


def items_within(items: Sequence[Any], box: Any) -> list[Any]:
    first = bisect_left(items, box.y, key=middle)
    last = bisect_right(items, box.y + box.height, key=middle)
    return [item for item in items[first:last] if is_within(item, box)]


def smaller(table: Any, blocks: Sequence[Any]) -> list[Any]:
    """The boxes of the other blocks in a table: tables that are none reach over what is not theirs."""
    if runs(table):
        return []
    size = area(table.bbox)
    return [block.bbox for block in blocks if block is not table and block.bbox is not None and area(block.bbox) < size]


def area(box: Any) -> float:
    return float(box.width * box.height)


def runs(block: Any) -> bool:
    """Whether it is prose, which may run over several lines."""
    return block.kind in ("paragraph", "list_item") and block.bbox is not None and bool(block.text)


def lines_saying(items: Sequence[Any], block: Any) -> list[Line]:
    return grouped(items_saying(items, block))


def items_saying(items: Sequence[Any], block: Any) -> list[Any]:
    """Those, from a heading's top on, that say its letters one after the other; none where they do not.

    A heading's box is only that of its first line. `items` come as `from_above` sorts them.
    """
    left, taken = key(block.text), list[Any]()
    bottom = block.bbox.y + block.bbox.height
    for item in items[bisect_left(items, block.bbox.y, key=middle) :]:
        if not left or item.y > bottom + NEAR * item.height:
            break
        said = key(item.text)
        if said and left.startswith(said):
            taken.append(item)
            left, bottom = left[len(said) :], item.y + item.height
    return [] if left else taken


def grouped(items: Sequence[Any]) -> list[Line]:
    lines: list[Line] = []
    for item in items:
        letters = sum(map(str.isalnum, item.text))
        right, bottom = item.x + item.width, item.y + item.height
        if lines and middle(item) < lines[-1].bottom:
            line = lines[-1]
            line.goes_on = starts_small(item.text) if item.x < line.left else line.goes_on
            line.left, line.top = min(line.left, item.x), min(line.top, item.y)
            line.right, line.bottom = max(line.right, right), max(line.bottom, bottom)
            line.letters += letters
            line.pieces.append((item.x, right, item.text.strip()))
        else:
            piece = (item.x, right, item.text.strip())
            lines.append(Line(item.x, item.y, right, bottom, letters, starts_small(item.text), [piece]))
    return lines


def from_above(items: Sequence[Any]) -> list[Any]:
    return sorted((item for item in items if item.text.strip() and item.height > 0), key=middle)


def is_within(item: Any, box: Any) -> bool:
    across, down = item.x + item.width / 2, middle(item)
    return bool(box.x <= across <= box.x + box.width and box.y <= down <= box.y + box.height)


def is_across(box: Any, middle: float) -> bool:
    return bool(box.x < middle < box.x + box.width)


def middle(item: Any) -> float:
    return float(item.y + item.height / 2)


def starts_small(text: str) -> bool:
    return next((letter.islower() for letter in text if letter.isalnum()), False)


def usual_room(blocks: Sequence[Sequence[Line]]) -> float | None:
    """The white space above a line within a sentence, in heights of that line; None where too few lines tell."""
    rooms = [room(above, below) for lines in blocks for above, below in pairwise(lines) if below.goes_on]
    return median(rooms) if len(rooms) >= FEWEST else None


def room(above: Line, below: Line) -> float:
    return (below.top - above.bottom) / below.height


def paragraphs(
    text: str, lines: Sequence[Line], usual: float | None, marker: str = ""
) -> Iterator[tuple[str, Box | None]]:
    """A block's text cut where its lines are farther apart than usual, each part with its box; None for the whole's.
    An item of a list, with this marker, ends above a line that begins left of it; what is numbered, above the line with
    the next number.

    Lines that do not hold the same letters as the text cut nothing.
    """
    usual = USUAL_OF_ITEMS if usual is None and marker else usual
    apart = {at for at, (above, below) in enumerate(pairwise(lines), 1) if is_apart(above, below, usual)}
    starts = sorted(apart | end_of_item(lines, marker) | next_points(lines))
    letters = [at for at, letter in enumerate(text) if letter.isalnum()]
    if not starts or len(letters) != sum(line.letters for line in lines):
        yield text, None
        return
    passed = list(accumulate((line.letters for line in lines), initial=0))
    for start, end in pairwise([0, *starts, len(lines)]):
        part = text[begin_at(text, letters, passed[start]) : begin_at(text, letters, passed[end])].strip()
        if part:
            yield part, union([line.box for line in lines[start:end]])


def are_rows(text: str, lines: Sequence[Line]) -> bool:
    """Whether lines that say the same as the text are rows of a table without rules, which liteparse runs together.

    What is set to both margins leaves room, too, but between small words; formulas (`\\frac`) leave it anywhere.
    """
    rows = [cells for line in lines if len(cells := line.cells) > 1]
    cells = [cell for row in rows for cell in row]
    if len(rows) < MOST_ROWS * len(lines) or len(cells) < FEWEST_CELLS or "\\" in text:
        return False
    is_prose = (
        2 * sum(map(starts_small, cells)) > len(cells) or median(len(cell.split()) for cell in cells) > LONGEST_CELL
    )
    return not is_prose and sorted(key(text)) == sorted(key("".join(line.text for line in lines)))


def is_apart(above: Line, below: Line, usual: float | None) -> bool:
    return usual is not None and not below.goes_on and room(above, below) > usual + WIDER


def end_of_item(lines: Sequence[Line], marker: str) -> set[int]:
    """The first line, if any, that stands left of the marker that the first one begins with, below a sentence's end: an
    item's first line alone may be indented.
    """
    if not marker or not lines or not lines[0].text.startswith(marker):
        return set()
    left = lines[0].left - INDENT
    outside = (at for at, (_, line) in enumerate(pairwise(lines), 1) if line.left < left and not line.goes_on)
    first = next(outside, 0)
    return {first} if first and ENDED.search(lines[first - 1].text) else set()


def next_points(lines: Sequence[Line]) -> set[int]:
    """The lines that count on from the first one's number, written as it is, and as far left."""
    starts = set()
    last = POINT.match(lines[0].text) if lines else None
    for at, line in enumerate(lines[1:], 1):
        point = POINT.match(line.text)
        if last and point and abs(line.left - lines[0].left) < INDENT and counts_on(last, point):
            starts.add(at)
            last = point
    return starts


def counts_on(last: re.Match[str], point: re.Match[str]) -> bool:
    if last["before"] != point["before"] or last["after"] != point["after"]:
        return False
    one, two = (ord(own) if own.isalpha() else int(own) for own in (last["own"], point["own"]))
    return last["own"].isalpha() == point["own"].isalpha() and two == one + 1


def begin_at(text: str, letters: Sequence[int], passed: int) -> int:
    """Where the word begins that follows so many letters, with the marks before it; the text's end after the last."""
    if passed in (0, len(letters)):
        return len(text) if passed else 0
    after, next_letter = letters[passed - 1] + 1, letters[passed]
    spaces = [at for at in range(after, next_letter) if text[at].isspace()]
    return spaces[-1] + 1 if spaces else next_letter


def indented(texts: Sequence[str], lines: Sequence[Line]) -> Sequence[str]:
    """Lines of code, each as far from the left as its place tells.

    They are as they were where the lines do not say the same, or letters are not all of one width.
    """
    if not lines or list(map(key, texts)) != [key(line.text) for line in lines]:
        return texts
    widths = [(right - left) / len(text) for line in lines for left, right, text in line.pieces]
    letter = median(widths)
    if letter <= 0 or sum(abs(width - letter) < UNLIKE * letter for width in widths) <= len(widths) / 2:
        return texts
    margin = min(line.left for line in lines)
    return [" " * round((line.left - margin) / letter) + text for text, line in zip(texts, lines, strict=True)]
