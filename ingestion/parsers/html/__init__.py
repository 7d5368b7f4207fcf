"""HTML, and what other formats turn into HTML: a walk over the tree that writes its text down block by block."""

import re
from dataclasses import dataclass, field
from html import escape
from textwrap import indent

from selectolax.lexbor import LexborHTMLParser, LexborNode

from ingestion.documents import BlockKind, ParsedDocument, ParseError
from ingestion.parsers import encoding
from ingestion.parsers.encoding import decode, encoding_named
from ingestion.parsers.html.code import code_language, fragment_text, is_fragment, verbatim_text
from ingestion.parsers.html.elements import BLOCKS, HEADINGS, LISTS, classes
from ingestion.parsers.html.exported import (
    hide_by_class,
    leave_out_around_wiki,
    make_lists_of_word,
    make_tables_of_javadoc,
    nest_lists_of_google,
    put_versions_of_rustdoc,
    show_signs,
    strike_by_class,
)
from ingestion.parsers.html.furniture import is_of_title_page, is_title
from ingestion.parsers.html.lists import (
    TERMS,
    entry_lines,
    is_between,
    is_torn,
    list_lines,
    markers,
    pieces,
    told_lines,
)
from ingestion.parsers.html.navigation import leave_out_navigation
from ingestion.parsers.html.nodes import (
    WHOLE,
    arranges,
    described,
    described_name,
    frame_of,
    grid_of,
    holds_more,
    is_shown,
    is_struck,
    lines_of,
    main_of,
    own_caption,
    own_cells,
    title_of,
    told_at_once,
    visible_text,
)
from ingestion.parsers.html.tabs import name_panels
from ingestion.parsers.tables import table_rows
from ingestion.parsers.writing import STRUCK, Writer
from knowledge.texts.indented import CODE_INDENT

LEFT_OF_MEMBER = re.compile("mem(?:templ)?itemleft")  # the type, in a cell of its own, as Doxygen arranges it
SIGNATURE = "memname"  # of a function, in cells, as Doxygen arranges it
VERBATIM = frozenset(("pre", "listing", "plaintext", "xmp"))
NOTE = re.compile(r"\b(?:admonition|alert|callout|note|notice|tip|warning|caution|important|danger)\b", re.I)
META_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.I)
XHTML = re.compile(r"<\?xml\s|xmlns\s*=\s*[\"']http://www\.w3\.org/1999/xhtml")
SELF_CLOSED = re.compile(  # but for what needs no end tag in HTML either
    r"<(?!(?:area|base|br|col|dd|dt|embed|frame|hr|img|input|li|link|meta|p|param|source|t[dhr]|track|wbr)[\s/])"
    r"""([a-z][\w:.-]*+)((?>(?:[^<>"'/]++|/(?!>)|"[^"<]*+"|'[^'<]*+')*))/>""",
    re.I,
)
CDATA = re.compile(r"<!--.*?(?:-->|\Z)|<!\[CDATA\[(.*?)(?:\]\]>|\Z)", re.S)  # outside comments
HEAD = 4096  # characters or bytes
LARGEST = 32 * 1024**2  # bytes


def parse(data: bytes, path: str) -> ParsedDocument:
    if len(data) > LARGEST:
        raise ParseError(path, f"HTML of more than {LARGEST // 1024**2} MiB is not read")
    text, warnings = decode(data, path, declared(data))
    writer = Writer(path, warnings=list(warnings))
    tree = tree_of(text, is_xhtml=path.lower().endswith(".xhtml"))
    write_tree(tree, writer)
    title = tree.css_first("head > title")
    return writer.finish("text/html", title.text() if title else "")


def write_html(html: str, writer: Writer, shift: int = 0, is_xhtml: bool = False) -> None:
    """The body of `html` at the end of what the writer has; `shift` is added to the levels of headings."""
    write_tree(tree_of(html, is_xhtml), writer, shift)


def write_page(content: bytes, writer: Writer, charset: str = "", is_xhtml: bool = False) -> None:
    """As `write_html`, of a page in the encoding that is known of it, or that it names."""
    text, warnings = decode(content, writer.path, charset or declared(content))
    writer.warn(warnings)
    write_html(text, writer, is_xhtml=is_xhtml)


def tree_of(text: str, is_xhtml: bool) -> LexborHTMLParser:
    """Elements that XHTML closes at once, as `<title/>`, get an end tag: in HTML they hold all that follows. Its CDATA
    sections, which HTML does not know, become the text that they are.
    """
    if is_xhtml or XHTML.search(text, 0, HEAD):
        text = CDATA.sub(lambda found: found[0] if found[1] is None else escape(found[1]), text)
        text = SELF_CLOSED.sub(r"<\1\2></\1>", text)
    return LexborHTMLParser(text)


def write_tree(tree: LexborHTMLParser, writer: Writer, shift: int = 0) -> None:
    if tree.body:
        leave_out_around_wiki(tree.body)
        strike_by_class(tree)
        hide_by_class(tree)
        nest_lists_of_google(tree.body)
        make_lists_of_word(tree.body)
        show_signs(tree.body)
        make_tables_of_javadoc(tree.body)
        put_versions_of_rustdoc(tree.body)
        name_panels(tree.body)
        leave_out_navigation(tree.body)
        walk, main = Walk(writer, shift), main_of(tree.body)
        if main is not None and main.css_first("h1") is None:
            for title in filter(is_shown, tree.body.css("h1")[:1]):  # of the page, in its head
                walk.take(title, 0)
        walk.flow(tree.body if main is None else main, 0)
        walk.flush()
    for told in tree.css("frameset noframes"):
        write_tree(LexborHTMLParser(f"<body>{told.text()}"), writer, shift)


def declared(data: bytes) -> str:
    """The encoding that the page names, if it is one that Python knows."""
    match = META_CHARSET.search(data[:HEAD])
    return encoding_named(match[1].decode("ascii", "replace")) if match else encoding.declared(data)


@dataclass(slots=True)
class Walk:
    writer: Writer
    shift: int = 0
    inline: list[str] = field(default_factory=list)  # text waiting for its block to end
    labels: list[str] = field(default_factory=list)  # anchors waiting for a heading: text behind them takes them away
    prefix: str = ""  # the marker of a list item whose first text is still to come
    kind: BlockKind = BlockKind.PARAGRAPH
    level: int = 0  # of the last heading
    is_in_item: bool = False  # of a list, and below none of its headings: lists of sections only arrange

    def flow(self, node: LexborNode, depth: int) -> None:
        """The children of a node, one after the other."""
        for child in node.iter(include_text=True):
            self.take(child, depth)

    def take(self, node: LexborNode, depth: int) -> None:
        tag = node.tag or ""
        if (told := told_at_once(node, self.inline, depth)) is not None:
            self.text(told)
        elif tag in BLOCKS:
            self.flush()
            self.block(node, tag, depth)
            self.flush()
        else:
            if tag == "a" and (name := node.attributes.get("name") or node.attributes.get("id")):
                self.labels.append(name)
            sign = STRUCK if is_struck(node) else ""
            self.inline.append(sign)
            self.flow(node, depth + 1)
            self.inline.append(sign)

    def text(self, text: str) -> None:
        self.inline.append(text)
        if text.strip():
            self.labels.clear()

    def flush(self) -> None:
        """End the paragraph that inline text has made."""
        text = lines_of("".join(self.inline))
        self.inline.clear()
        if text:
            self.writer.paragraph(self.prefix + text, BlockKind.LIST if self.prefix else self.kind)
            self.prefix = ""

    def block(self, node: LexborNode, tag: str, depth: int) -> None:
        if (tag in HEADINGS and not is_of_title_page(node)) or is_title(node):
            self.heading(node, HEADINGS.get(tag, 1))
        elif tag in VERBATIM:
            self.code(verbatim_text(node), code_language(node))
        elif tag == "div" and is_fragment(node):
            self.code(fragment_text(node), code_language(node))
        elif tag in LISTS:
            self.write_list(node, depth)
        elif tag == "table" and SIGNATURE in classes(node):
            self.writer.code(visible_text(node))
        elif tag == "table":
            self.table(node, depth)
        elif (term := described(node)) is not None:
            self.describe(node, term, depth)
        elif tag == "dl":
            self.definitions(node, depth)
        elif tag in ("aside", "div") and NOTE.search(node.attributes.get("class") or ""):
            self.note(node, depth)
        else:
            self.label(node)
            self.flow(node, depth + 1)

    def note(self, node: LexborNode, depth: int) -> None:
        """One block; or, where it holds code, tables or headings other than its title, one after the other."""
        frame = frame_of(node)
        if not holds_more(node if frame is None else frame):
            self.writer.paragraph("\n".join(told_lines(node)), BlockKind.NOTE)
            self.labels.clear()
        elif frame is None:
            self.label(node)
            self.flow(node, depth + 1)
        else:
            outer, self.kind = self.kind, BlockKind.NOTE
            for cell in own_cells(frame):
                self.flow(cell, depth + 1)
                self.flush()
            self.kind = outer

    def label(self, node: LexborNode) -> None:
        """A section's id leads to the heading that comes first in it."""
        if (name := node.attributes.get("id")) and node.tag in ("section", "article", "div", "span"):
            self.labels = [*self.labels[-8:], name]

    def heading(self, node: LexborNode, level: int) -> None:
        own = node.attributes.get("id")
        inner = [anchor.attributes.get("id") or anchor.attributes.get("name") for anchor in node.css("[id], a[name]")]
        names = dict.fromkeys(name for name in (*self.labels, own, *inner) if name)
        write = self.writer.title if is_title(node) else self.writer.heading
        write(level=level + self.shift, title=title_of(node).removesuffix("¶"), labels=names)
        self.level, self.is_in_item = level, False
        self.labels.clear()

    def code(self, text: str, language: str) -> None:
        if self.is_in_item and self.prefix:  # it begins the item
            self.writer.paragraph(self.prefix.rstrip(), BlockKind.LIST)
            self.prefix = ""
        self.writer.code(indent(text, " " * CODE_INDENT), language)  # so no item ends there
        self.labels.clear()

    def write_list(self, node: LexborNode, depth: int) -> None:
        """One block; or, where items hold code, tables or headings, which must not be torn, or something stands between
        them, one after the other.
        """
        if node.css_first(WHOLE) is None and self.kind is BlockKind.PARAGRAPH and not is_torn(node):
            self.writer.items(list_lines(node))
            self.labels.clear()
            return
        outer = self.is_in_item
        for item, marker in markers(node):
            if not marker:
                self.take(item, depth + 1)
                continue
            self.flush()
            self.prefix, self.is_in_item = marker, True
            self.flow(item, depth + 1)
            self.flush()
            self.prefix, self.is_in_item = "", outer
        self.flush()

    def describe(self, node: LexborNode, term: LexborNode, depth: int) -> None:
        """A section, and in it those of a class."""
        outer, self.level = (self.level, self.kind), self.level + 1
        self.writer.heading(self.level + self.shift, described_name(term), [*self.labels, term.attributes["id"] or ""])
        self.labels.clear()
        if any(inner != node and described(inner) is not None for inner in node.css("dl")):
            self.kind = BlockKind.PARAGRAPH
            self.flow(node, depth + 1)
        else:
            self.definitions(node, depth)
        self.level, self.kind = outer

    def definitions(self, node: LexborNode, depth: int) -> None:
        """One block of what stands together; or, where it holds code, tables or headings, one after the other."""
        is_whole = node.css_first(WHOLE) is None
        outer, lines = self.kind, list[str]()
        for entry in pieces(node, TERMS):
            is_own = entry.tag in TERMS or entry.tag in LISTS
            if is_own:
                self.flush()
            if is_own and is_whole:
                lines += entry_lines(entry)
            elif is_own or not lines or is_between(entry, TERMS):
                self.define(lines)
                self.kind = BlockKind.DEFINITION if is_own else outer
                self.take(entry, depth + 1)
                self.kind = outer
        self.flush()
        self.define(lines)

    def define(self, lines: list[str]) -> None:
        """Write them down, if there are any; there are none left."""
        self.writer.paragraph("\n".join(lines), BlockKind.DEFINITION)
        if lines:
            self.labels.clear()
            lines.clear()

    def table(self, node: LexborNode, depth: int) -> None:
        """Data as rows; a table that only arranges text is read as that text."""
        caption = own_caption(node)
        if caption is not None:
            self.writer.paragraph(visible_text(caption))
        if arranges(node):
            for cell in own_cells(node):
                self.flow(cell, depth + 1)
                if not any(map(LEFT_OF_MEMBER.fullmatch, classes(cell))):
                    self.flush()
            return
        rows, header_rows = table_rows(grid_of(node))
        self.writer.table(rows, header_rows)
        self.labels.clear()
