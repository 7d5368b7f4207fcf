"""What a person sees of a quotation: its words without the marks of RST and Markdown. Pure but for Django's
`SafeString`.

The quotation itself stays word for word; this is for looking at. It knows no file type, as a model's answer has none:
marks that only one of the two languages has are taken for that language's.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from textwrap import dedent

from knowledge.texts.announcements import OPTION, announced
from knowledge.texts.comments import COMMENT, end_of_comment
from knowledge.texts.directives import ADMONITIONS, CODE, LEADING, OBJECTS, SETTING_UP
from knowledge.texts.fences import Standing, code_lines, end_of_code, opens_code, standings
from knowledge.texts.formats import HOLDING_HTML, Notation
from knowledge.texts.highlights import fenced
from knowledge.texts.html_markup import without_html
from knowledge.texts.indented import indented_code
from knowledge.texts.items import BULLET, NUMBER
from knowledge.texts.lines import (
    ADORNMENT,
    DEFINITION,
    after,
    defines,
    end_of_block,
    indent_of,
    inside,
    opens_block,
    scripts,
)
from knowledge.texts.literals import text_column
from knowledge.texts.tables.readers import readers_of, table_at, tables_in
from knowledge.texts.tables.table import Table
from retrieval.preview import STEM
from retrieval.rendering.inline import inline

DIRECTIVE = re.compile(r"\.\. (?:\|(?P<named>[^|]+)\| +)?(?P<name>[\w:+.-]+?):: ?(?P<argument>.*)")
ADMONITION = re.compile(r"(?:!!!|\?\?\?\+?) (?P<name>\w+)(?: \"(?P<title>[^\"]*)\")?$")  # of MkDocs
ALERT = re.compile(r"\[!(?P<name>[A-Z]+)\]$")  # of GitHub
FOOTNOTE = re.compile(r"\.\. (\[[^\]]+\] )")
TITLE = r"(?:\"[^\"]*\"|'[^']*'|\([^()]*\))"
ADDRESS = r"(?![\d.,]+(?:\s|$))(?:<[^<>]*>|(?=\.|\S*[/#]|\S+\.\w)\S++)"  # but for `[Optional]: yes`, `[Sum]: 3.5`
LINK_DEFINITION = rf"\[(?!\^)[^\]]+\]:\s+{ADDRESS}(?:\s+{TITLE})?$"
UNSEEN = re.compile(rf"\.\. _|__ |{LINK_DEFINITION}|<!--.*-->$")  # targets, comments
FIELD = re.compile(r":(?P<name>[^:`]+(?::[^:`\s]+)*):(?:\s+(?P<text>.*)|$)")
HEADING = re.compile(r"#{1,6}\s++(?P<text>.*)$")
BOLD = re.compile(r"\*\*(?P<text>[^*]+)\*\*$")
ITEM = re.compile(rf"(?:{BULLET}|#[.)])\s+(?P<text>.*)")
NUMBERED = re.compile(rf"(?P<number>{NUMBER})\s+(?P<text>.*)")
MARKED = re.compile(r"• |\d{1,3}[.)] ")
QUOTED = re.compile(r"(?:>\s+)+(?P<text>.*)|>$")
HARD_BREAK = "\\"  # of Markdown, at a line's end; what follows it is joined here
FENCE = "`" * 9  # longer than those that a listing may hold
SHORTEST_RULE = 3  # characters
NAME = re.compile(r"[^\W\d_]+")
ROW = "\2"  # before a row of a table of HTML
BETWEEN_ROWS, AFTER_HEADING = "; ", " – "
TEXT_BEHIND = frozenset({"math", "parsed-literal"})  # whose text may begin on their line
HIDDEN = LEADING | SETTING_UP | {"plantuml"}
NAMING = OBJECTS | {"card", "dropdown", "group-tab", "tab", "tab-item"}
LABELS = {name: f"{name.capitalize()}: " for name in ADMONITIONS} | {
    "seealso": "See also: ", "todo": "To do: ", "example": "Example: ",
}  # fmt: skip
SINCE = {
    "versionadded": "Since", "versionchanged": "Changed in", "versionremoved": "Removed in",
    "deprecated": "Deprecated since",
}  # fmt: skip

Shown = tuple[str, str]  # how a line stands, and the line
FLOW, ITEMS, ALONE, CODED, BLANK, BREAK = "flow", "item", "alone", "code", "", "break"


def as_plain_text(text: str, notation: Notation | None = None) -> str:
    """`text` as one would read it aloud: paragraphs on one line each, a line per item and row, code as it stands.

    `notation` is what it is written in, None where that is not known: in Markdown HTML is markup, and what a parser
    wrote out has no marks in its lines.
    """
    lines = paragraphs(text, notation)
    return re.sub(r"\n{3,}", "\n\n", "\n".join(line for _, line in lines)).strip()


def pieces(text: str, notation: Notation | None = None) -> Iterator[tuple[str, bool]]:
    """Paragraphs, list items, rows and listings, each as `as_plain_text` shows it, and whether it is a listing."""
    for is_code, lines in groupby(paragraphs(text, notation), key=lambda line: line[0] == CODED):
        shown = [line for _, line in lines]
        for piece in ["\n".join(shown)] if is_code else shown:
            if piece.strip():
                yield piece.strip("\n"), is_code


def tables_apart(text: str, notation: Notation | None = None) -> Iterator[tuple[str, Table | None]]:
    """The text in pieces: what is drawn as a table, with its cells as they are shown, and what stands between."""
    lines = text.expandtabs().split("\n")
    start = 0
    for table in tables_in(lines, readers_of(notation), code_lines(lines)):
        if is_drawn(table, notation):
            if before := "\n".join(lines[start : table.lines.start]).strip("\n"):
                yield before, None
            start = table.lines.stop
            yield "\n".join(lines[table.lines.start : start]), shown_table(table, notation)
    if rest := "\n".join(lines[start:]).strip("\n"):
        yield rest, None


def is_drawn(table: Table, notation: Notation | None) -> bool:
    """With its heads; without them one that a parser wrote out, where bars are between cells and nowhere else."""
    is_written_out = notation is Notation.WRITTEN_OUT
    return len(table.names) > 1 or (is_written_out and min((len(row.cells) for row in table.rows), default=0) > 1)


def shown_table(table: Table, notation: Notation | None) -> Table:
    def shown(cells: Iterable[str]) -> list[str]:
        return [without_marks(without_html(cell) if notation in HOLDING_HTML else cell, notation) for cell in cells]

    rows = [replace(row, cells=shown(row.cells)) for row in table.rows]
    title = "".join(shown([table.title]))
    return replace(table, names=shown(table.names), rows=rows, title=title)


def one_line(text: str, without: str = "", notation: Notation | None = None) -> str:
    """`text` on one line, for an excerpt; `without` is a heading that stands above it already."""
    shown, before = "", BLANK
    lines = [(how, line.strip()) for how, line in paragraphs(text, notation) if line.strip() or how == BLANK]
    while lines and (not lines[0][1] or lines[0][1].casefold() == without.casefold()):
        del lines[0]
    for how, line in lines:
        if not line:
            before = BLANK if before != ALONE else before
            continue
        shown += between(shown, before, how, line) + line
        before = how
    return shown


def listing(text: str, is_match: Callable[[str], bool], height: int = 5) -> str:
    """The lines of a program that hold most different words that match, then most lines that do, without the indent
    that they share. Forms of a word are one.
    """
    lines = text.expandtabs().strip("\n").split("\n")
    matches = [{word[:STEM].casefold() for word in NAME.findall(line) if is_match(word)} for line in lines]

    def worth(start: int) -> tuple[int, int, int]:
        held = matches[start : start + height]
        return len(set().union(*held)), sum(map(bool, held)), -start

    first = max(range(max(1, len(lines) - height + 1)), key=worth)
    return dedent("\n".join(lines[first : first + height])).strip("\n")


def between(shown: str, before: str, how: str, line: str) -> str:
    if not shown or shown[-1] in ".!?:;,…" or CODED in (before, how):
        return " " if shown else ""
    if before == how and (how == ALONE or not MARKED.match(line)):
        return BETWEEN_ROWS
    return " " if how == ITEMS else AFTER_HEADING if before in (BLANK, ALONE) else " "


def paragraphs(text: str, notation: Notation | None) -> list[Shown]:
    """The lines as they are shown: what was wrapped is one line, and has no inline marks any more."""
    joined: list[Shown] = []
    flowing = False
    lines = (without_html(text, ROW) if notation in HOLDING_HTML else text).expandtabs().split("\n")
    lines = apart(lines, scripts) if notation is Notation.WRITTEN_OUT else [*unfenced(lines)]
    if notation in (*HOLDING_HTML, Notation.WRITTEN_OUT):
        lines = apart(lines, indented_code)
    for how, line in shown_lines(lines):
        if how == FLOW and flowing:
            before, said = joined[-1]
            broken = said.endswith(HARD_BREAK) and not said.endswith(HARD_BREAK * 2)
            joined[-1] = (before, f"{said[:-1] if broken else said} {line}")
        elif how != BREAK:
            joined.append((how, line))
        flowing = how in (FLOW, ITEMS)
    return [(how, line if how == CODED else without_marks(line, notation)) for how, line in joined]


def without_marks(line: str, notation: Notation | None) -> str:
    return line if notation is Notation.WRITTEN_OUT else inline(line)


def apart(lines: Sequence[str], listings: Callable[[Sequence[str]], Iterable[range]]) -> list[str]:
    """With these stretches in fences, as listings are in Markdown."""
    fenced_in = list(lines)
    for stretch in reversed([*listings(lines)]):
        fenced_in[stretch.start : stretch.stop] = [
            FENCE,
            *dedent("\n".join(lines[stretch.start : stretch.stop])).split("\n"),
            FENCE,
        ]
    return fenced_in


def unfenced(lines: Sequence[str]) -> Iterator[str]:
    """With the fences of MyST's directives as colons: what they hold is text, and no listing. What generators of pages
    highlight is one.
    """
    lines = fenced(lines)
    for line, standing in zip(lines, standings(lines), strict=True):
        framed = standing in (Standing.OPENS, Standing.CLOSES)
        yield f":::{line.strip(' >').lstrip('`~')}" if framed else line


def shown_lines(lines: Sequence[str]) -> Iterator[Shown]:
    """A label stands before the line that it is for, and by itself where there is none."""
    at, label = 0, ""
    while at < len(lines):
        found, at = block(lines, at)
        for how, line in found:
            if how == BLANK and label:
                continue
            if label and how in ("label", BREAK):
                yield alone(label)
                label = ""
            if how == "label":
                label = line
            else:
                yield how if how != FLOW or not label else ITEMS, label + line
                label = ""
    if label:
        yield alone(label)


def alone(label: str) -> Shown:
    return ALONE, label.removesuffix(": ")


def block(lines: Sequence[str], at: int) -> tuple[list[Shown], int]:
    """What the lines from `at` show, and where the next block begins."""
    line = lines[at].strip()
    if line.startswith(":::") and (told := announced(line)):
        return [announcement(*told)], after(lines, at + 1, lambda one: bool(OPTION.match(one)))
    if not line.startswith(">") and opens_code(lines, at):
        end = end_of_code(lines, at)
        return as_it_stands(lines[at + 1 : end]), end + 1
    if table := table_at(lines, at):
        return [(ALONE, said) for said in table.told()], table.lines.stop
    if (directive := DIRECTIVE.match(line)) or COMMENT.match(line):
        return directed(lines, at, directive)
    if line.endswith("::") and not is_rule(line):
        end = inside(lines, at + 1, text_column(lines[at]))
        said = line.removesuffix(":") if line.removesuffix("::").strip() else ""
        return [*([simple(said)] if said else []), *as_it_stands(lines[at + 1 : end])], end
    how, shown = simple(line)
    if how == FLOW and opens_block(lines, at):
        end = end_of_block(lines, at)
        return as_it_stands(lines[at:end]), end
    if how == FLOW and defines(lines, at):
        definition = DEFINITION.match(lines[at + 1])
        said = lines[at + 1][definition.end() :].strip() if definition else ""
        return [(ITEMS, f"{shown.removesuffix(':')}: {said}".rstrip())], at + 1 + bool(definition)
    return [(how, shown)], at + 1


def announcement(name: str, title: str) -> Shown:
    if name in (*HIDDEN, "only") or not (title or name in LABELS):
        return BREAK, ""
    return "label", f"{title}: " if title else LABELS[name]


def is_rule(line: str) -> bool:
    return len(line) >= SHORTEST_RULE and ADORNMENT.match(line) is not None


def simple(line: str) -> Shown:
    if not line:
        return BLANK, ""
    if is_rule(line) or UNSEEN.match(line):
        return BREAK, ""
    if line.startswith(ROW):
        return ALONE, line.removeprefix(ROW)
    if match := HEADING.match(line):
        return ALONE, without_closing(match["text"])
    if match := BOLD.match(line):
        label = LABELS.get(match["text"].rstrip(":").lower())
        return ("label", label) if label else (ALONE, match["text"])
    if match := FIELD.match(line):
        return ITEMS, f"{match['name']}: {match['text'] or ''}".rstrip()
    if match := ITEM.match(line):
        return ITEMS, f"• {match['text']}"
    if match := NUMBERED.match(line):
        return ITEMS, f"{match['number']} {match['text']}"
    if match := QUOTED.match(line):
        return simple(match["text"] or "")
    if match := ADMONITION.match(line):
        return "label", f"{match['title']}: " if match["title"] else LABELS.get(match["name"].lower(), "")
    if match := ALERT.match(line):
        return "label", LABELS.get(match["name"].lower(), "")
    return FLOW, line.removeprefix("| ").removeprefix(":  ").strip()


def without_closing(heading: str) -> str:
    """A heading of Markdown without the hashes that may close it."""
    bare = heading.rstrip().rstrip("#")
    return bare.rstrip() if not bare or bare[-1].isspace() else heading.rstrip()


def directed(lines: Sequence[str], at: int, directive: re.Match[str] | None) -> tuple[list[Shown], int]:
    """A directive, a target, a footnote or a comment of RST."""
    line, indent = lines[at].strip(), indent_of(lines[at])
    if footnote := FOOTNOTE.match(line):
        return [(ITEMS, footnote[1] + line[footnote.end() :])], at + 1
    if UNSEEN.match(line):
        return [(BREAK, "")], at + 1
    if not directive:
        return [(BREAK, "")], max(end_of_comment(lines, at), at + 1)
    name = directive["name"].lower()
    if name in HIDDEN:
        return [(BREAK, "")], inside(lines, at + 1, indent)
    body = after(lines, at + 1, lambda one: bool(FIELD.match(one)))
    argument = directive["argument"].strip()
    if name in CODE:
        end = inside(lines, body, indent)
        first = [argument] if argument and name in TEXT_BEHIND else []
        return as_it_stands([*first, *dedent("\n".join(lines[body:end])).split("\n")]), end
    if name == "centered":
        return [(ALONE, argument)], body
    if name == "replace" and directive["named"]:
        return [(ITEMS, f"{directive['named']}: {argument}")], at + 1
    if label := LABELS.get(name):
        return [("label", label), *([(FLOW, argument)] if argument else [])], body
    if version := SINCE.get(name):
        return [("label", f"{version} {argument}: ")], body
    if name in ("admonition", "topic", "sidebar") and argument:
        return [("label", f"{argument}: ")], body
    return [(ITEMS, f"{argument}:") if argument and names_it(name) else (BREAK, "")], body


def names_it(directive: str) -> bool:
    """Whether what stands behind the directive names what is below it."""
    domain, _, kind = directive.rpartition(":")
    return kind in NAMING or bool(domain) or directive.endswith(("table", "rubric"))


def as_it_stands(lines: Sequence[str]) -> list[Shown]:
    return [(CODED, line) for line in dedent("\n".join(lines)).strip("\n").split("\n")] + [(BLANK, "")]
