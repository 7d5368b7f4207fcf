"""Markdown, as CommonMark with tables, definition lists, admonitions and front matter."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.admon import admon_plugin
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.front_matter import front_matter_plugin

from ingestion.documents import LONGEST_TITLE, Block, BlockKind, ParsedDocument, stem
from ingestion.parsers.encoding import decode
from ingestion.parsers.markdown.containers import LANGUAGES, containers, noted, without_colons
from ingestion.parsers.markdown.front_matter import title_block, title_in
from ingestion.parsers.markdown.html import headings, is_comment, is_picture, is_silent, table_end, table_header
from ingestion.parsers.markdown.rules import rules_plugin
from ingestion.parsers.rst.grammar import SILENT, TABLES
from knowledge.texts.comments import in_markdown
from knowledge.texts.directives import CODE
from knowledge.texts.front_matter import dashed, has_front_matter
from knowledge.texts.highlights import fenced

KINDS = {
    "paragraph_open": BlockKind.PARAGRAPH,
    "blockquote_open": BlockKind.PARAGRAPH,
    "bullet_list_open": BlockKind.LIST,
    "ordered_list_open": BlockKind.LIST,
    "table_open": BlockKind.TABLE,
    "multiline_table": BlockKind.TABLE,
    "fence": BlockKind.CODE,
    "code_block": BlockKind.CODE,
    "formula": BlockKind.CODE,
    "dl_open": BlockKind.DEFINITION,
    "admonition_open": BlockKind.NOTE,
    "footnote_reference_open": BlockKind.PARAGRAPH,
}
WHOLE = ("fence", "code_block", "formula", "table_open")
ALERT = re.compile(r"(?:> ?)+\[!\w+\]")
ATTRIBUTES = re.compile(r"\s*\{:?\s*(?P<attributes>[#.][^{}]*)\}\s*$")
ATTRIBUTES_OF_BLOCK = re.compile(r" {0,3}\{:(?P<attributes>[^{}]*)\}\s*")  # Kramdown's, below it or above
HTML_ANCHOR = re.compile(r"<a\s[^>]*?(?:id|name)\s*=\s*[\"']?([^\"'\s>]+)[^>]*>\s*(?:</a>)?", re.I)
TAB = re.compile(r"^([ \t]*)===[!+]?(?= +\"[^\"\n]*\"[ \t]*$)", re.M)  # MkDocs', whose content is indented as a note's
ATTRIBUTES_OF_CODE = re.compile(r"\{ ?\.([\w+#-]+)[^{}]*\}?|\{code[\w-]*\} +([\w+#-]+)")  # Pandoc's, MyST's
DIRECTIVE = re.compile(r"\{(?!code)(?P<name>[\w-]+)\}(?:\s|$)")  # MyST's
MODULES = re.compile(  # of MDX
    r"(?:import\s+(?:[\w*{},\s$]{1,2000}\sfrom\s+)?(?:\"[^\"\n]{1,300}\"|'[^'\n]{1,300}');?[ \t]*(?:\n|\Z))+"
)
LONGEST_SETEXT = 250  # characters: what is longer is a paragraph with a rule below it


def parse(data: bytes, path: str) -> ParsedDocument:
    return parse_text(*decode(data, path), path)


def parse_text(text: str, warnings: tuple[str, ...], path: str, may_have_front_matter: bool = True) -> ParsedDocument:
    fronted = may_have_front_matter and has_front_matter(text)
    lines = fenced((dashed(text) if fronted else text).split("\n"))
    source = TAB.sub(r"\1!!!", uncommented("\n".join(lines)))
    found = containers(lines)
    source = without_colons(source, found) + "\n"  # the admonitions' rule looks at the line behind the last one
    tokens = blocks_reader(fronted, path.lower().endswith(".mdx")).parse(source)
    blocks = tuple(noted(find_blocks(tokens, without_colons(text, found).split("\n")), found))
    title = front_matter_title(tokens) or headline(text, blocks) or stem(path)
    return ParsedDocument(path, text, title, "text/markdown", blocks, warnings)


def headline(text: str, blocks: Sequence[Block]) -> str:
    """The first heading, or else Pandoc's title above several of the first level: above one, MyST has a comment."""
    headings = [block for block in blocks if block.kind is BlockKind.HEADING]
    is_one = [block.level for block in headings].count(1) == 1 and headings[0].level == 1
    above = "" if is_one else plain(title_block(text))
    return above or next((block.title for block in headings), "")


def uncommented(text: str) -> str:
    """With blank lines for the comments of MDX, which CommonMark takes for text."""
    pieces, at = [], 0
    for start, end in in_markdown(text):
        if text[start:end].lstrip().startswith("{/*"):
            pieces += [text[at:start], "\n" * text.count("\n", start, end)]
            at = end
    return "".join([*pieces, text[at:]])


@cache
def blocks_reader(fronted: bool, of_mdx: bool) -> MarkdownIt:
    """Finds blocks only: inline markup matters in titles alone. In MDX, what is indented is no code."""
    reader = MarkdownIt("commonmark").enable("table").use(rules_plugin)
    reader.use(admon_plugin).use(deflist_plugin).use(footnote_plugin)
    if fronted:
        reader.use(front_matter_plugin)
    return reader.disable(["inline", "text_join", "footnote_tail", *(["code"] if of_mdx else [])])


@cache
def inline_reader() -> MarkdownIt:
    return MarkdownIt("commonmark")


def find_blocks(tokens: list[Token], lines: list[str]) -> Iterator[Block]:
    end = 0
    targets: list[str] = []  # right above
    for index, token in enumerate(tokens):
        if token.level or not token.map or token.map[0] < end or token.type == "front_matter":
            continue
        start, end = token.map[0], trimmed(lines, *token.map)
        if token.type == "heading_open" and token.markup in "=-" and len(tokens[index + 1].content) > LONGEST_SETEXT:
            yield from block(BlockKind.PARAGRAPH, start, end, lines)
        elif token.type == "heading_open":
            found = heading(token, tokens[index + 1].content, start, end, "".join(lines[end : end + 1]))
            yield replace(found, labels=(*targets, *found.labels))
        elif token.type == "html_block":
            end = table_end(tokens, index, lines)
            yield from html_parts(start, end, lines)
        elif token.type in KINDS and not MODULES.fullmatch("\n".join(lines[start:end])):
            yield from unfold(tokens, index, lines)
        if token.type == "target":
            targets.append(token.content)
        else:
            targets.clear()


def html_parts(start: int, end: int, lines: list[str]) -> Iterator[Block]:
    """A block of HTML, cut at the headings in it; nothing where it is a comment, or tags alone."""
    text = "\n".join(lines[start:end])
    if is_comment(text) or is_silent(text):
        return
    for found in headings(text, start):
        if found.line_start > start:  # the first of several on a line
            yield from block(BlockKind.PARAGRAPH, start, found.line_start - 1, lines)
            yield found
            start = found.line_end
    if (header := table_header("\n".join(lines[start:end]))) is not None:
        yield Block(BlockKind.TABLE, start + 1, trimmed(lines, start, end), header=header)
    else:
        yield from block(BlockKind.PARAGRAPH, start, end, lines)


def unfold(tokens: list[Token], index: int, lines: list[str]) -> Iterator[Block]:
    """A block, or, when it is a list or a quotation with code or tables inside, its parts: those must not be torn."""
    token = tokens[index]
    start, stop = token.map or (0, 0)
    if directive(token) in SILENT:
        return
    kind = block_kind(token, lines[start])
    start, stop = without_attributes(lines, start, stop) if token.nesting else (start, stop)
    if token.nesting == 0 or kind is BlockKind.TABLE:
        yield from block(kind, start, stop, lines, language(token))
        return
    for inner in inside(tokens, index):
        if inner.map and inner.map[0] >= start and inner.type in WHOLE:
            yield from block(kind, start, inner.map[0], lines)
            first, start = inner.map
            yield from block(KINDS[inner.type], first, start, lines, language(inner))
    yield from block(kind, start, stop, lines)


def without_attributes(lines: list[str], start: int, end: int) -> tuple[int, int]:
    end = trimmed(lines, start, end)
    while start < end and ATTRIBUTES_OF_BLOCK.fullmatch(lines[start]):
        start += 1
    while start < end and ATTRIBUTES_OF_BLOCK.fullmatch(lines[end - 1]):
        end -= 1
    return start, end


def inside(tokens: list[Token], index: int) -> Iterator[Token]:
    for place in range(index + 1, len(tokens)):  # a slice would copy the rest of the file for each block
        if tokens[place].level == tokens[index].level:
            return
        yield tokens[place]


def block(kind: BlockKind, start: int, end: int, lines: list[str], language: str = "") -> Iterator[Block]:
    """The lines start to end (half-open) but for blank ones around them; of prose without pictures of a megabyte each,
    which editors write into the text as letters.
    """
    if kind not in (BlockKind.CODE, BlockKind.TABLE):
        for index in range(start, end):
            if is_picture(lines[index]):
                yield from stretch(kind, start, index, lines)
                start = index + 1
    yield from stretch(kind, start, end, lines, language)


def stretch(kind: BlockKind, start: int, end: int, lines: list[str], language: str = "") -> Iterator[Block]:
    while start < end and not lines[start].strip():
        start += 1
    end = trimmed(lines, start, end)
    if start < end:
        yield Block(kind, start + 1, end, language=language if kind is BlockKind.CODE else "")


def language(token: Token) -> str:
    if directive(token):
        return ""
    if match := ATTRIBUTES_OF_CODE.match(token.info.strip()):
        return (match[1] or match[2]).lower()
    return token.info.split()[0].lower().strip("{,}") if token.info.split() else ""


def trimmed(lines: list[str], start: int, end: int) -> int:
    while end > start and not lines[end - 1].strip():
        end -= 1
    return end


def block_kind(token: Token, line: str) -> BlockKind:
    if name := directive(token):
        return BlockKind.TABLE if name in TABLES else BlockKind.CODE if name in CODE else BlockKind.NOTE
    alert = token.type == "blockquote_open" and ALERT.match(line.lstrip())
    return BlockKind.NOTE if alert else KINDS[token.type]


def directive(token: Token) -> str:
    """What a fence of MyST names that holds no code; "" else."""
    named = token.type == "fence" and DIRECTIVE.match(token.info.strip())
    return named["name"] if named and named["name"].lower() not in LANGUAGES else ""


def heading(token: Token, content: str, start: int, end: int, below: str) -> Block:
    """`below` is the next line, which may have attributes of it."""
    content = content[:LONGEST_TITLE]
    labels = tuple(HTML_ANCHOR.findall(content))
    if match := ATTRIBUTES.search(content):
        content = content[: match.start()]
        labels += ids(match["attributes"])
    if match := ATTRIBUTES_OF_BLOCK.fullmatch(below[:LONGEST_TITLE]):
        labels += ids(match["attributes"])
    level = int(token.tag[1:])
    return Block(BlockKind.HEADING, start + 1, end, level=level, title=plain(content), labels=labels)


def ids(attributes: str) -> tuple[str, ...]:
    return tuple(part[1:] for part in attributes.split() if part[:1] == "#" and part[1:])


def plain(content: str) -> str:
    """The text of a title as it is read: `Use *the* [source](x)` → `Use the source`."""
    tokens = inline_reader().parseInline(content)
    return " ".join("".join(shown(tokens[0].children or [])).split()) if tokens else ""


def shown(children: list[Token]) -> Iterator[str]:
    for token in children:
        if token.type in ("softbreak", "hardbreak"):
            yield " "
        elif token.type in ("text", "text_special", "code_inline", "image"):
            yield token.content


def front_matter_title(tokens: list[Token]) -> str:
    fields = next((token.content for token in tokens[:1] if token.type == "front_matter"), "")
    return title_in(fields)
