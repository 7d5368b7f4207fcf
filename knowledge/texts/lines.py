"""Which lines belong together, by their indent or by what they say. Pure."""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from .stops import SPACED, UNSPACED

ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1*\s*$")  # what RST has below a title, or above it, too
STOP_WITHIN = re.compile(rf"[{SPACED}]\s|[{UNSPACED}]\S")  # of a line
BRACKETS, CLOSING = ("{", "(", "["), ("}", ")", "]")
STATEMENT = re.compile(r"(?:async )?(?:def|class|if|elif|else|for|while|with|try|except|finally|match|case)\b.*:$")
KEY = re.compile(r"[\w.-]+:$")
SCRIPT = re.compile(r"(?:#+[ !]|\$ )\S")  # a comment, a prompt
COMMENT = re.compile(r"#+ \S")
COMMAND = re.compile(r"#!|\$ |[a-z./~]|[A-Z_]+=")  # how one begins, and no text below a heading of Markdown
DEFINITION = re.compile(r":[ \t]+(?=\S)")  # of Markdown, below its term
ENTRY = re.compile(r"""["']?[\w./-]+["']?:(?:\s|$)|- \S""")  # of YAML, below a key


def indent_of(line: str) -> int:
    """How far in its text begins, in columns: a tab leads to the next of eight, as where `man` was printed."""
    return len(line[: first_of(line)].expandtabs())


def first_of(line: str) -> int:
    """How many characters stand before its text."""
    return len(line) - len(line.lstrip())


def depth_of(line: str) -> int:
    """How far in it stands: a definition behind a colon, further in than its term."""
    return indent_of(line) + bool(DEFINITION.match(line, first_of(line)))


def column_of(at: int, text: str) -> int:
    """How far in a place stands in its line: a quotation's further lines would else look further in than its first."""
    return len(text[text.rfind("\n", 0, at) + 1 : at].expandtabs())


def placed(quote: str, at: int, text: str) -> str:
    """A quotation with the blanks before it, which show how its further lines stand to the first. Of one that begins
    behind something else, in the middle of a line, the paragraph goes on as far out as it begins."""
    before = text[text.rfind("\n", 0, at) + 1 : at]
    if not before.strip():
        return before + quote
    first, *further = quote.split("\n")
    inner = indent_of(further[0] if further and further[0].strip() else before)
    return "\n".join([first, *(line.expandtabs()[inner:] if indent_of(line) >= inner else line for line in further)])


def inside(lines: Sequence[str], at: int, indent: int) -> int:
    """Where the block ends that is further in than `indent`, without the blank lines after it."""
    end = at
    for n in range(at, len(lines)):
        if lines[n].strip():
            if indent_of(lines[n]) <= indent:
                break
            end = n + 1
    return end


def after(lines: Sequence[str], at: int, belongs: Callable[[str], bool]) -> int:
    """The first line from `at` on that does not belong."""
    return next((n for n in range(at, len(lines)) if not belongs(lines[n].strip())), len(lines))


def defines(lines: Sequence[str], at: int) -> bool:
    """Whether this line is the term of a definition list: it opens a paragraph that goes on further in.

    So does a quotation that begins within an indented line; a term holds no end of a sentence, and opens no code.
    """
    return opens(lines, at) and not STOP_WITHIN.search(lines[at].strip()) and not opens_block(lines, at)


def opens(lines: Sequence[str], at: int) -> bool:
    """Whether a paragraph begins at this line, and goes on further in or behind a colon."""
    indent = indent_of(lines[at])
    begins = at == 0 or not lines[at - 1].strip() or indent_of(lines[at - 1]) > indent
    further = at + 1 < len(lines) and (indent_of(lines[at + 1]) > indent or DEFINITION.match(lines[at + 1]))
    return begins and bool(further and lines[at + 1].strip())


def opens_block(lines: Sequence[str], at: int) -> bool:
    """Whether this line opens a block of code, which a PDF has without a mark: a statement, a bracket or a key."""
    if not opens(lines, at):
        return False
    line, below = lines[at].strip(), lines[at + 1].strip()
    return line.endswith(BRACKETS) or bool(STATEMENT.match(line) or (KEY.match(line) and ENTRY.match(below)))


def end_of_block(lines: Sequence[str], at: int) -> int:
    """Where the block ends that this line opens: behind the bracket that closes it."""
    indent = indent_of(lines[at])
    end = inside(lines, at + 1, indent)
    while end < len(lines) and indent_of(lines[end]) == indent and lines[end].strip().startswith(CLOSING):
        end += 1
        if not lines[end - 1].rstrip().endswith(BRACKETS):
            break
        end = inside(lines, end, indent)
    return end


def scripts(lines: Sequence[str]) -> Iterator[range]:
    """The stretches between blank lines, of several lines, that begin as scripts do: pages have them without a mark."""
    at = 0
    for is_blank, run in groupby(lines, key=lambda line: not line.strip()):
        end = at + len(list(run))
        if not is_blank and end - at > 1 and SCRIPT.match(lines[at].lstrip()):
            yield range(at, end)
        at = end


def lines_of_scripts(lines: Sequence[str]) -> set[int]:
    """The indexes of their lines, where it may be Markdown, whose headings look like comments: where text stands below,
    those of the headings alone.
    """
    found: set[int] = set()
    for script in scripts(lines):
        said = [n for n in script if not COMMENT.match(lines[n].lstrip())]
        is_script = not said or COMMAND.match(lines[said[0]].lstrip())
        found.update(script if is_script else {*script} - {*said})
    return found


def lines_of_blocks(lines: Sequence[str]) -> set[int]:
    """The indexes of lines that are such blocks."""
    found: set[int] = set()
    for at in range(len(lines)):
        if at not in found and opens_block(lines, at):
            found.update(range(at, end_of_block(lines, at)))
    return found
