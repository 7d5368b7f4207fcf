"""What an element of HTML says, and what it is: its lines of text, furniture, notes, tables."""

import re
from collections.abc import Iterator, Sequence

from selectolax.lexbor import LexborNode

from ingestion.parsers import formulas
from ingestion.parsers.html.elements import (
    ANY_HEADING,
    BLOCKS,
    DEEPEST,
    HEADINGS,
    LISTS,
    SILENT,
    above,
    classes,
    is_hidden,
    roles,
)
from ingestion.parsers.html.furniture import is_furniture
from ingestion.parsers.html.mathml import linear
from ingestion.parsers.html.pictures import alt_of
from ingestion.parsers.tables import Grid, in_one_line, is_told_by_rows
from ingestion.parsers.writing import STRUCK, is_value, one_line, words
from knowledge.texts.analysis import ALL_UNSPACED

LINE_NUMBERS = words("gutter line-number linenodiv lineno linenos linenumber ln lnt rouge-gutter")
FRAGMENT_LINES = "div.line"  # of code, as Doxygen writes it, some of them in a div that folds them
WHOLE = f"pre, table, {ANY_HEADING}, div.fragment {FRAGMENT_LINES}"  # what is never a line of a list or of a note
DESCRIBED = words(  # the classes of lists of definitions in which Sphinx describes what is a section
    "class classmethod decorator exception function macro method staticmethod struct"
)
MOSTLY = 0.5
MOST_MAINS = 4  # that are looked at
MOST_CELLS_OF_A_NOTE = 3
UNTICKED, TICKED = "☐", "☒"
NAMES = (".descclassname", ".descname")
NOTED = words("doc-noteref noteref")
BREAK = re.compile("\u200b(?=\\()|(?<=,)\u200b")
NOTE_NUMBER = re.compile(r"[0-9]{1,4}|[a-zA-Z*†‡§]")
WRAPPED = re.compile(r"[ \t\f\r]*\n\s*")
WRAPPED_UNSPACED = re.compile(rf"(?<=[{ALL_UNSPACED}]){WRAPPED.pattern}(?=[{ALL_UNSPACED}])")
NESTING = LISTS | {"dl"}

Nested = tuple[int, LexborNode]  # how many pieces of text stand before a list, and the list


def visible_text(node: LexborNode) -> str:
    return one_line(" ".join(texts(node)))


def title_of(heading: LexborNode) -> str:
    """What a heading says; where that is only on a button, which unfolds what is below, what the button says."""
    button = heading.css_first("button")
    return visible_text(heading) or (visible_text(button) if button is not None else "")


def texts(node: LexborNode) -> list[str]:
    """The lines of text in a node: a new one for each block in it, and for each line break."""
    parts: list[str] = []
    gather(node, parts)
    return lines_of("".join(parts)).split("\n")


def gather(node: LexborNode, parts: list[str], depth: int = 0, nested: list[Nested] | None = None) -> None:
    """Add a node's text to `parts`; lists and definitions in it go to `nested` instead, where it is given."""
    for child in node.iter(include_text=True):
        if (told := told_at_once(child, parts, depth)) is not None:
            parts.append(told)
        elif nested is not None and child.tag in NESTING:
            nested.append((len(parts), child))
        elif child.tag == "table" and is_told_by_rows(map(cells_of, own_rows(child))):
            gather_rows(child, parts, depth + 1)
        else:
            edge, sign = "\n" if child.tag in BLOCKS else "", STRUCK if is_struck(child) else ""
            parts.append(edge + sign)
            gather(child, parts, depth + 1, nested)
            parts.append(sign + edge)


def told_at_once(node: LexborNode, before: Sequence[str], depth: int) -> str | None:
    """What is read of a node that nobody walks through, "" where that is nothing; None for one with something in it.

    `before` are the pieces of text that it stands behind, `depth` says how far in it is.
    """
    if node.tag == "-text":
        text = joined(node.text_content or "")
        return f" {text.lstrip()}" if before and before[-1] in (UNTICKED, TICKED) else text
    if node.tag == "br":
        return "\n"
    if sign := box_of(node) or alt_of(node):
        return sign
    if is_left_out(node):
        return ""
    if number := note_number(node):
        return number if "".join(before[-1:]).endswith("[") else f"[{number}]"
    if node.tag == "math":
        return linear(node)
    if depth > DEEPEST:
        return node.text(separator=" ")
    return f"^{node.text().strip()}" if is_exponent(node, before) else None


def gather_rows(table: LexborNode, parts: list[str], depth: int) -> None:
    """A table within a cell, in a line."""
    caption = own_caption(table)
    if caption is not None:
        parts.append("\n")
        gather(caption, parts, depth)
    rows = ([gathered(cell, depth) for cell in cells_of(row)] for row in own_rows(table))
    parts.append(f"\n{in_one_line(rows)}\n")


def gathered(cell: LexborNode, depth: int) -> str:
    parts: list[str] = []
    if not is_hidden(cell):
        gather(cell, parts, depth)
    return "".join(parts)


def joined(text: str) -> str:
    """Text in one line: how its source is broken into lines, nobody sees. A script without spaces gets none there."""
    return WRAPPED.sub(" ", WRAPPED_UNSPACED.sub("", text))


def lines_of(text: str) -> str:
    """White space in HTML is one space; only what stood for a line break or a block's edge ends a line."""
    return "\n".join(filter(None, (" ".join(line.split()) for line in unbroken(text).split("\n"))))


def unbroken(text: str) -> str:
    """Without the places at which Javadoc has a signature broken."""
    return BREAK.sub("", text)


def is_left_out(node: LexborNode) -> bool:
    return (node.tag in SILENT and not unfolds(node)) or is_hidden(node) or is_furniture(node)


def is_shown(node: LexborNode) -> bool:
    """Whether neither it nor what it is in is left out."""
    return not any(is_left_out(each) for each in (node, *above(node)))


def main_of(body: LexborNode) -> LexborNode | None:
    """The element that says it is the page's content, if there is one, and most of the text is in it.

    Around it is what all pages of a site have: ways to skip it, heads and feet.
    """
    found = [node for node in body.css("main, [role=main]")[:MOST_MAINS] if is_shown(node)]
    if not found or any(found[0] not in above(other) for other in found[1:]):
        return None
    return found[0] if len(visible_text(found[0])) >= MOSTLY * len(visible_text(body)) else None


def unfolds(node: LexborNode) -> bool:
    """Whether it is the button that a summary or a term is written on."""
    return node.tag == "button" and node.parent is not None and node.parent.tag in ("summary", "dt")


def note_number(node: LexborNode) -> str:
    """The number by which a text refers to a note: it stands right behind a word, and is none of its letters. "" else.

    Pandoc, EPUB and DocBook say what it is; others only raise it.
    """
    if node.tag != "a" or "#" not in (node.attributes.get("href") or ""):
        return ""
    text = "".join(node.text().split())
    is_raised = node.css_first("sup") is not None or (node.parent is not None and node.parent.tag == "sup")
    return text if (is_raised or not NOTED.isdisjoint(roles(node))) and NOTE_NUMBER.fullmatch(text) else ""


def box_of(node: LexborNode) -> str:
    """Whether a task of a list is done: a box that nobody can click, or one that Pandoc labels with all of its item. ""
    for all else.
    """
    if node.tag != "input" or node.attributes.get("type") != "checkbox":
        return ""
    if "disabled" not in node.attributes and not is_label_of_item(node.parent):
        return ""
    return TICKED if "checked" in node.attributes else UNTICKED


def is_label_of_item(label: LexborNode | None) -> bool:
    if label is None or label.tag != "label" or label.attributes.get("for") or label.parent is None:
        return False
    around = label.parent.parent if label.parent.tag == "p" else label.parent
    return around is not None and around.tag == "li" and "".join(label.text().split()) != ""


def is_exponent(node: LexborNode, before: Sequence[str]) -> bool:
    """Whether it is one of `formulas`, and no reference to a note."""
    if node.tag != "sup" or node.css_first("a") is not None:
        return False
    return formulas.is_exponent(node.text().strip(), next((text for text in reversed(before) if text), ""))


def is_struck(node: LexborNode) -> bool:
    """Whether a line goes through a value, which no longer holds."""
    style = node.attributes.get("style") or ""
    if node.tag not in ("s", "strike") and "line-through" not in style:
        return False
    return is_value(node.text()) and not any(child.tag in BLOCKS for child in node.iter())


def is_line_number(node: LexborNode) -> bool:
    return not LINE_NUMBERS.isdisjoint(classes(node)) and "".join(node.text().split()).isdecimal()


def elements(node: LexborNode) -> list[LexborNode]:
    return [child for child in node.iter() if child.tag not in SILENT and not is_hidden(child)]


def described(node: LexborNode) -> LexborNode | None:
    """The term that names what Sphinx describes here, None for another list of definitions."""
    if node.tag != "dl" or DESCRIBED.isdisjoint(classes(node)):
        return None
    terms = (child for child in node.iter() if child.tag == "dt" and child.attributes.get("id"))
    return next((term for term in terms if term.css_first(".descname") is not None), None)


def described_name(term: LexborNode) -> str:
    """Behind its module, as the term says it, or its class, as the id does: `click.Command`, `Command.invoke`."""
    before, name = (visible_text(part) if part is not None else "" for part in map(term.css_first, NAMES))
    own = term.attributes.get("id") or ""
    return ".".join(own.split(".")[-2:]) if not before and own.endswith(f".{name}") else before + name


def frame_of(note: LexborNode) -> LexborNode | None:
    """The table that DocBook and AsciiDoctor put a note in: an image or its title, and beside or below them what it
    says.
    """
    inner = elements(note)
    if len(inner) != 1 or inner[0].tag != "table":
        return None
    cells = list(own_cells(inner[0]))
    is_image = bool(cells) and cells[0].css_first("img") is not None and not cells[0].text().strip()
    is_icon = bool(cells) and "icon" in classes(cells[0])
    return inner[0] if (is_image or is_icon) and len(cells) <= MOST_CELLS_OF_A_NOTE else None


def holds_more(note: LexborNode) -> bool:
    """Whether it holds what is never a line of a note, but for a heading that is its title."""
    inner = elements(note)
    title = inner[0] if inner and inner[0].tag in HEADINGS else None
    return any(whole not in (note, title) for whole in note.css(WHOLE))


# --- tables -----------------------------------------------------------------------------------------


def own_rows(table: LexborNode) -> Iterator[LexborNode]:
    """In the order in which they are seen: the head first and the foot last, wherever they are written."""
    children = elements(table)
    for tag, place in (("thead", 0), ("tfoot", len(children))):
        moved = next((child for child in children if child.tag == tag), None)
        if moved is not None:
            children.remove(moved)
            children.insert(place, moved)
    for child in children:
        if child.tag == "tr":
            yield child
        elif child.tag in ("thead", "tbody", "tfoot"):
            yield from (row for row in elements(child) if row.tag == "tr")


def cells_of(row: LexborNode) -> list[LexborNode]:
    return [cell for cell in row.iter() if cell.tag in ("td", "th")]


def own_cells(table: LexborNode) -> Iterator[LexborNode]:
    for row in own_rows(table):
        yield from (cell for cell in cells_of(row) if not is_left_out(cell) and not is_line_number(cell))


def own_caption(table: LexborNode) -> LexborNode | None:
    return next((child for child in elements(table) if child.tag == "caption" and not is_furniture(child)), None)


def arranges(table: LexborNode) -> bool:
    """Whether the table only puts text side by side: one cell, or cells with headings, code or tables of their own.

    Tables are values where the cells around them have heads, or most of the text; headings and code where they stand
    below the names of columns, beside other values.
    """
    if table.attributes.get("role") in ("presentation", "none"):
        return True
    cells = list(own_cells(table))
    if len(cells) <= 1:
        return True
    if any(map(holds_a_block, cells)):
        values = (cell for cell in cells if cell.tag == "td" and cell.text().strip())
        return not names_columns(table) or all(map(holds_a_block, values))
    if any(cell.tag == "th" for cell in cells):
        return False
    lengths = [(len("".join(cell.text().split())), cell.css_first("table") is not None) for cell in cells]
    within = sum(length for length, has_table in lengths if has_table)
    return within > MOSTLY * sum(length for length, _ in lengths)


def holds_a_block(cell: LexborNode) -> bool:
    return cell.css_first("h1, h2, h3, pre") is not None


def names_columns(table: LexborNode) -> bool:
    """Whether a row of it, of several cells, is nothing but heads."""
    rows = ((row, cells_of(row)) for row in own_rows(table))
    return any(len(cells) > 1 and are_heads(row, cells) for row, cells in rows)


def are_heads(row: LexborNode, cells: Sequence[LexborNode]) -> bool:
    return (row.parent is not None and row.parent.tag == "thead") or all(cell.tag == "th" for cell in cells)


def grid_of(table: LexborNode) -> Grid:
    rows, header_rows, still_header = [], 0, True
    for row in own_rows(table):
        cells = cells_of(row)
        if cells and still_header and are_heads(row, cells):
            header_rows += 1
        elif cells:
            still_header = False
        rows.append([(cell_text(cell), span(cell, "colspan"), span(cell, "rowspan")) for cell in cells])
    return Grid(rows, header_rows)


def cell_text(cell: LexborNode) -> str:
    """ "" for a hidden one, which keeps its place: the others stay below their heads."""
    return "" if is_hidden(cell) else " ".join(texts(cell))


def span(cell: LexborNode, name: str) -> int:
    value = cell.attributes.get(name) or "1"
    return min(max(int(value), 1), 100) if re.fullmatch(r"[0-9]{1,4}", value) else 1
