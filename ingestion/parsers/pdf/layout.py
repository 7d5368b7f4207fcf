"""The blocks of a PDF's pages and their boxes, as liteparse finds them, without the heads and feet that repeat."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any

from liteparse import LiteParse
from liteparse import ParseError as LayoutError

from ingestion.parsers.pdf.forms import Field, rows_of
from ingestion.parsers.pdf.outline import ROMAN, is_running_title, key, unnumbered
from ingestion.parsers.pdf.paragraphs import Line, begin_at, from_above, grouped, lines_saying, lines_within, usual_room
from ingestion.parsers.pdf.spoken import squeezed
from ingestion.parsers.writing import Writer

LABEL = re.compile(
    r"[\W_]*(?:note|tip|hint|warning|caution|important|danger|hinweis|anmerkung|achtung|wichtig|warnung|vorsicht|"
    r"remarque|attention|avertissement|nota|advertencia|importante)[\W_]*",
    re.I,
)
SENTENCE = re.compile(r"[a-z]{2}\.\W*$")
MOST_PAGES = 5_000
EDGE = 0.09  # of a page's height, where heads and feet stand
FEWEST_RUNNING = 3  # pages that have the same line there
LONGEST_RUNNING = 200  # characters
SHORTEST_LINE = 4  # letters of one that is only part of a block: names of points in drawings repeat
TORN = (
    1.3  # of the letters that a page says beside a list of pages: with more in its blocks, parts of the list are left
)
AROUND = r"[-–—|·•.()\[\]\s]*"
# Capitals head the parts of an index.
PAGE_NUMBER = re.compile(rf"{AROUND}(?:\d{{1,4}}(?:\s*/\s*\d{{1,4}})?|{ROMAN}){AROUND}")
BESIDE = re.compile(rf"^{ROMAN}\s|\s{ROMAN}$")  # what is said, a page number
ANY_NUMBER = "#"  # what all of them say, as heads and feet


@dataclass(frozen=True, slots=True)
class Layout:
    """A page as liteparse sees it: its height in points, its blocks, the lines of each that is prose, a heading, a
    table or code, the white space that is usual between the document's lines, what its heads and feet say, which went,
    what the lines say that stand where those do, and the rows of one that has fields to fill in.
    """

    height: float
    blocks: Sequence[Any]
    lines: Sequence[Sequence[Line]] = ()
    usual_room: float | None = None
    running: str = ""
    edge_lines: frozenset[str] = frozenset()
    rows: Sequence[Line] = ()


BARE = Layout(0.0, ())


def read_layout(data: bytes, writer: Writer, forms: Mapping[int, Sequence[Field]]) -> dict[int, Layout]:
    """page → liteparse's blocks; none where it fails, and the lines will do."""
    reader = LiteParse(
        ocr_enabled=False,
        quiet=True,
        extract_blocks=True,
        keep_headers_footers=True,
        image_mode="off",
        continue_on_page_error=True,
        max_pages=MOST_PAGES,
        num_workers=1,
    )
    try:
        result = reader.parse(data)
    except LayoutError as error:
        writer.warnings.append(f"its layout cannot be told, so it is read line by line ({error})")
        return {}
    for page in result.pages:
        page.blocks = titles_first(page.blocks or (), page.width / 2)
    lines = {page.page_num: lines_of(page) for page in result.pages}
    prose = [
        each
        for page in result.pages
        for block, each in zip(page.blocks, lines[page.page_num], strict=True)
        if runs(block)
    ]
    usual = usual_room(prose)
    rows = {page.page_num: rows_of(page, forms[page.page_num]) for page in result.pages if page.page_num in forms}
    return {
        page.page_num: Layout(
            page.height,
            page.blocks,
            lines[page.page_num],
            usual,
            edge_lines=edge_lines(page),
            rows=rows.get(page.page_num, ()),
        )
        for page in result.pages
    }


def titles_first(blocks: Sequence[Any], middle: float) -> Sequence[Any]:
    """The blocks, those before the columns that come between the left and the right one, though they stand across the
    page's middle and above both.
    """
    beside = [at for at, block in enumerate(blocks) if block.bbox is not None and not is_across(block.bbox, middle)]
    right = next((at for at in beside if blocks[at].bbox.x >= middle), 0)
    top = min((blocks[at].bbox.y for at in beside), default=0.0)
    start = right
    while start > 0 and start - 1 not in beside and is_above(blocks[start - 1].bbox, top):
        start -= 1
    left = min(beside[0], start) if beside else 0
    return [*blocks[:left], *blocks[start:right], *blocks[left:start], *blocks[right:]]


def is_above(box: Any, top: float) -> bool:
    return box is not None and bool(box.y + box.height <= top)


def is_across(box: Any, middle: float) -> bool:
    return bool(box.x < middle < box.x + box.width)


def edge_lines(page: Any) -> frozenset[str]:
    """What the lines at a page's head and foot say, whatever liteparse has made of them."""
    said = {line_at_edge(line, page.height) for line in grouped(from_above(page.text_items or ()))}
    return frozenset(text for text in said if text == ANY_NUMBER or len(text) >= SHORTEST_LINE)


def lines_of(page: Any) -> list[list[Line]]:
    """Of each of a page's blocks; none of what is neither prose nor a heading nor a table nor code."""
    items = from_above(page.text_items or ())
    return [own_lines(block, items, page.blocks) for block in page.blocks]


def own_lines(block: Any, items: Sequence[Any], blocks: Sequence[Any]) -> list[Line]:
    if block.kind == "heading" and block.bbox is not None and block.text:
        return lines_saying(items, block)
    return lines_within(items, block.bbox, smaller(block, blocks)) if has_lines(block) else []


def smaller(table: Any, blocks: Sequence[Any]) -> list[Any]:
    """The boxes of the other blocks in a table: tables that are none reach over what is not theirs."""
    if runs(table):
        return []
    size = area(table.bbox)
    return [block.bbox for block in blocks if block is not table and block.bbox is not None and area(block.bbox) < size]


def area(box: Any) -> float:
    return float(box.width * box.height)


def has_lines(block: Any) -> bool:
    return runs(block) or (block.bbox is not None and bool(block.rows or block.lines))


def runs(block: Any) -> bool:
    """Whether it is prose, which may run over several lines."""
    return block.kind in ("paragraph", "list_item") and block.bbox is not None and bool(block.text)


def without_running_lines(layout: dict[int, Layout], titles: frozenset[str] = frozenset()) -> dict[int, Layout]:
    """The pages but for the heads and feet that say the same on several, whatever their page number, or nothing but
    that, or that repeat the title of a section; also where a head was taken for a paragraph's first line.

    `titles` are keys of the bookmarks.
    """
    edges = (
        {*page.edge_lines, *(block_at_edge(block, page.height) for block in page.blocks)} for page in layout.values()
    )
    pages = Counter(said for page in edges for said in page if said)
    running = frozenset(said for said, count in pages.items() if count >= FEWEST_RUNNING)
    return {number: without_running(page, running, titles) for number, page in layout.items()}


def without_running(page: Layout, running: frozenset[str], titles: frozenset[str]) -> Layout:
    blocks, own, left_out = list[Any](), list[Sequence[Line]](), list[str]()
    for block, lines in zip(page.blocks, page.lines, strict=True):
        if is_running(block.text, block_at_edge(block, page.height), running, titles):
            left_out.append(block.text)
            continue
        head = list(
            takewhile(lambda line: is_running(line.text, line_at_edge(line, page.height), running, titles), lines)
        )
        if head and is_headed(block, lines, len(head)):
            left_out += [line.text for line in head]
            blocks.append(below_head(block, lines, len(head)))
            own.append(lines[len(head) :])
        else:
            blocks.append(block)
            own.append(lines)
    return replace(page, blocks=blocks, lines=own, running=" ".join(left_out))


def is_running(text: str, said: str, running: frozenset[str], titles: frozenset[str]) -> bool:
    return said in running or (said != "" and is_running_title(text, titles))


def is_headed(block: Any, lines: Sequence[Line], count: int) -> bool:
    """Whether it is prose that begins with so many of its lines, and goes on."""
    head = "".join(line.text for line in lines[:count])
    return runs(block) and len(lines) > count and key(block.text).startswith(key(head))


def below_head(block: Any, lines: Sequence[Line], count: int) -> Any:
    letters = [at for at, letter in enumerate(block.text) if letter.isalnum()]
    begin = begin_at(block.text, letters, sum(line.letters for line in lines[:count]))
    top, bottom = lines[count].top, block.bbox.y + block.bbox.height
    return replace(block, text=block.text[begin:], bbox=replace(block.bbox, y=top, height=bottom - top))


def block_at_edge(block: Any, height: float) -> str:
    box = block.bbox
    return edge_text(block.text, box.y, box.y + box.height, height) if box is not None and block.text else ""


def line_at_edge(line: Line, height: float) -> str:
    return edge_text(line.text, line.top, line.bottom, height)


def edge_text(text: str, top: float, bottom: float, height: float) -> str:
    """What something short says that stands at a page's head or foot, the page's number and order aside, and any
    number alone the same; "" for what stands elsewhere.
    """
    if len(text) > LONGEST_RUNNING or (EDGE * height < bottom and top < (1 - EDGE) * height):
        return ""
    if PAGE_NUMBER.fullmatch(text):
        return ANY_NUMBER
    return "".join(sorted(letter for letter in squeezed(BESIDE.sub("", text)) if letter.isalpha()))


def without_false_headings(layout: dict[int, Layout], titles: frozenset[str]) -> dict[int, Layout]:
    """The pages, where there are bookmarks, with what none of them names as paragraphs if it is the label of a note, or
    ends as sentences do: large letters, the last line of a cell. `titles` are keys of the bookmarks.
    """
    if not titles:
        return layout
    return {
        number: replace(page, blocks=[as_text(block) if is_false(block, titles) else block for block in page.blocks])
        for number, page in layout.items()
    }


def is_false(block: Any, titles: frozenset[str]) -> bool:
    text = block.text or ""
    is_named = not titles.isdisjoint((key(text), key(unnumbered(text))))
    return block.kind == "heading" and not is_named and bool(LABEL.fullmatch(text) or SENTENCE.search(text))


def as_text(heading: Any) -> Any:
    return replace(heading, kind="paragraph", level=None)


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
