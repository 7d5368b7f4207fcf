"""Blocks that CommonMark does not have: formulas between `$$`, and MyST's targets, `(setup)=`."""

import re

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock

DOLLARS = re.compile(r"(?<!\$)\$\$(?!\$)")
ENDED = re.compile(r"(?<!\$)\$\$\s*(?:\([\w.:-]+\)|\{#[\w.:-]+\})?\s*\Z")  # perhaps with its label
TARGET = re.compile(r"\(([\w.:-]{1,200})\)=[ \t]*")
INTERRUPTED = ("paragraph", "reference", "blockquote", "list")


def rules_plugin(reader: MarkdownIt) -> None:
    for rule in (formula, target):
        reader.block.ruler.before("fence", rule.__name__, rule, {"alt": [*INTERRUPTED]})


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


def line_of(state: StateBlock, index: int) -> str:
    return state.src[state.bMarks[index] + state.tShift[index] : state.eMarks[index]]


def give(state: StateBlock, kind: str, start: int, end: int, content: str = "") -> bool:
    """A token for the lines start to end (half-open)."""
    token = state.push(kind, "", 0)
    token.map, token.content, state.line = [start, end], content, end
    return True
