"""Blocks that CommonMark does not have: formulas between `$$`, MyST's targets, `(setup)=`, and Pandoc's tables whose
rows have several lines.
"""

import re

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock

DOLLARS = re.compile(r"(?<!\$)\$\$(?!\$)")
ENDED = re.compile(r"(?<!\$)\$\$\s*(?:\([\w.:-]+\)|\{#[\w.:-]+\})?\s*\Z")  # perhaps with its label
TARGET = re.compile(r"\(([\w.:-]{1,200})\)=[ \t]*")
DASHES = re.compile(r"-{3,}(?: +-+)*")
COLUMNS = re.compile(r"-+(?: +-+)+")
HEADING = re.compile(r"#{1,6}[ \t]+\S")
MOST_LINES = 500  # of a table
MOST_LINES_OF_HEAD = 20
INTERRUPTED = ("paragraph", "reference", "blockquote", "list")


def rules_plugin(reader: MarkdownIt) -> None:
    for rule in (formula, target):
        reader.block.ruler.before("fence", rule.__name__, rule, {"alt": [*INTERRUPTED]})
    reader.block.ruler.before("fence", multiline_table.__name__, multiline_table)


def formula(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """From a line that begins with `$$` to the next that ends with them, without an empty one between."""
    first = line_of(state, start)
    if state.is_code_block(start) or not first.startswith("$$") or len(DOLLARS.findall(first)) != 1:
        return False
    for index in range(start + 1, end):
        line = line_of(state, index)
        if not line or state.sCount[index] < state.blkIndent:
            return False
        if ENDED.search(line):
            return silent or give(state, "formula", start, index + 1)
    return False


def target(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    match = TARGET.fullmatch(line_of(state, start))
    if match is None or state.is_code_block(start):
        return False
    return silent or give(state, "target", start, start + 1, match[1])


def multiline_table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """From a line of dashes to the next like it, with a line of dashes for each column below the head, or as both."""
    first = line_of(state, start).rstrip()
    if state.is_code_block(start) or not DASHES.fullmatch(first):
        return False
    has_columns = bool(COLUMNS.fullmatch(first))
    is_head = not has_columns
    for index in range(start + 1, min(end, start + MOST_LINES)):
        line = line_of(state, index).rstrip()
        if line == first:
            is_last = index + 1 == end or not line_of(state, index + 1).strip()
            is_table = has_columns and index > start + 1 and is_last
            return is_table and (silent or give(state, "multiline_table", start, index + 1))
        if HEADING.match(line) and not line_of(state, index - 1).strip():  # between two rules, that is
            return False
        if is_head and (not line or index > start + MOST_LINES_OF_HEAD):
            return False
        if is_head and COLUMNS.fullmatch(line):
            has_columns, is_head = True, False
    return False


def line_of(state: StateBlock, index: int) -> str:
    return state.src[state.bMarks[index] + state.tShift[index] : state.eMarks[index]]


def give(state: StateBlock, kind: str, start: int, end: int, content: str = "") -> bool:
    """A token for the lines start to end (half-open)."""
    token = state.push(kind, "", 0)
    token.map, token.content, state.line = [start, end], content, end
    return True
