"""Pages as other programs export them, made such as pages are elsewhere. In place."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from html import escape

from selectolax.lexbor import LexborHTMLParser, LexborNode

from ingestion.parsers.html.elements import HEADINGS, LISTS, UNSEEN, classes
from ingestion.parsers.html.furniture import is_title
from ingestion.parsers.html.lists import whole_number
from ingestion.parsers.html.nodes import is_left_out
from ingestion.parsers.html.tabs import outermost
from ingestion.parsers.symbols import sign_font, signs_of
from ingestion.parsers.writing import one_line

WIKI = "#main-content.wiki-content"  # what a page of Confluence says
AROUND_WIKI = "#breadcrumb-section, .page-metadata, .pageSection:has(#attachments), #footer"
STRUCK = "text-decoration: line-through"
OF_CLASS = re.compile(r"\s*(?:span)?\.([\w-]+)\s*")
NAMED = re.compile(r"\.([a-z_-][\w-]*)", re.I)
COMMENT_OF_STYLES = re.compile(r"/\*.*?(?:\*/|\Z)", re.S)
STATE = re.compile(":(?:target|checked|hover|focus|active)", re.I)  # in which something may be seen after all
SHOWS = re.compile(r"style|classlist|classname|hidden|toggle|\bshow|fade|slide")  # of scripts, in small letters
SCRIPTED = "[onclick], [onchange], [onmouseover], [onfocus], [onload], [href^='javascript:' i]"
AT_RULE = re.compile(r"@[^@{};]*+\{(?>(?:[^{}]*+\{[^{}]*+\})*)[^{}]*+\}")  # for some screens only, say
LIST_OF_GOOGLE = re.compile(r"lst-kix_(.+)-(\d)")
LIST_OF_WORD = re.compile(r"mso-list:\s*(l\d+)\s+level(\d)")
OF_A_LIST_OF_WORD = "[style*='mso-list:']"
MARK_OF_WORD = "[style*='mso-list:Ignore']"  # a bullet or a number, before what an item or a heading says
COUNTS = re.compile(r"\d|\w[.)]$")  # what a mark has that is no bullet
SINCE = ", ".join(f"{around} > .since[title^='Stable since']" for around in ("section", ".rightside", ".sub-heading"))

WITH_A_FONT = "font[face], [style*='font-family' i]"
FONT = re.compile(r"font-family:([^;,]+)", re.I)

Item = tuple[LexborNode, str, int]  # what is of a list, the name of that, its level from 0 on


def leave_out_around_wiki(body: LexborNode) -> None:
    """The way to a page of Confluence, who wrote it when, the names of its attachments, its foot."""
    for node in body.css(AROUND_WIKI) if body.css_first(WIKI) is not None else ():
        hide(node)


def strike_by_class(tree: LexborHTMLParser) -> None:
    """Google Docs says in a sheet of styles alone what has a line through it."""
    struck = {name for sheet in tree.css("style") for name in classes_of(sheet.text(), "line-through")}
    for node in tree.css("[class]") if struck else ():
        if not struck.isdisjoint(classes(node)):
            node.attrs["style"] = f"{node.attributes.get('style') or ''};{STRUCK}"


def show_signs(body: LexborNode) -> None:
    """Arrows, ticks and Greek letters that Word, and who wrote pages by hand, set as letters of fonts of signs."""
    for node in body.css(WITH_A_FONT):
        named = FONT.search(node.attributes.get("style") or "")
        face = named[1] if named else (node.attributes.get("face") or "").split(",")[0]
        if font := sign_font(face):
            for text in [child for child in node.iter(include_text=True) if child.tag == "-text"]:
                text.replace_with(signs_of(text.text_content or "", font))


def classes_of(sheet: str, *styles: str) -> Iterator[str]:
    """Those that a rule gives one of the styles, in small letters."""
    for selectors, said in rules(sheet):
        if any(style in said.replace(" ", "").lower() for style in styles):
            yield from (named[1].lower() for one in selectors.split(",") if (named := OF_CLASS.fullmatch(one)))


def rules(sheet: str) -> Iterator[tuple[str, str]]:
    """What each is about, and what it says."""
    for rule in sheet.split("}"):
        selectors, _, said = rule.rpartition("{")
        yield selectors, said


def hide_by_class(tree: LexborHTMLParser) -> None:
    """What the page's own sheets of styles hide for good: no other rule has the class, no link and no box shows what it
    leads to or stands before, and no script has the class or shows anything.
    """
    sheets = [COMMENT_OF_STYLES.sub("", sheet.text()) for sheet in tree.css("style")]
    if not any(unseen in sheet.replace(" ", "") for sheet in sheets for unseen in UNSEEN):
        return
    scripts = tree.css("script")
    scripted = " ".join([*(script.text() for script in scripts), *handlers(tree)]).lower()
    if any(script.attributes.get("src") for script in scripts) or SHOWS.search(scripted):
        return
    if any(shows_in_a_state(sheet) for sheet in sheets):
        return
    told = Counter(name.lower() for sheet in sheets for name in NAMED.findall(sheet))
    hidden = Counter(name for sheet in sheets for name in classes_of(AT_RULE.sub("", sheet), *UNSEEN))
    names = {name for name, count in hidden.items() if count == told[name] and name not in scripted}
    for node in tree.css("[class]") if names else ():
        if not names.isdisjoint(classes(node)) and "display" not in (node.attributes.get("style") or ""):
            hide(node)


def shows_in_a_state(sheet: str) -> bool:
    return any(STATE.search(which) and ("display" in said or "visibility" in said) for which, said in rules(sheet))


def handlers(tree: LexborHTMLParser) -> Iterator[str]:
    """What the page's elements are to do, if somebody clicks on them, say."""
    for node in tree.css(SCRIPTED):
        yield from (told or "" for name, told in node.attributes.items() if name.startswith("on") or name == "href")


def put_versions_of_rustdoc(body: LexborNode) -> None:
    """Since when something is there stands before its heading, below what is above: it is put behind it, in words."""
    for since in body.css(SINCE):
        told = LexborHTMLParser(f"<p>{escape(since.attributes['title'] or '')}</p>").css_first("p")
        aside = since if since.parent is None or since.parent.tag == "section" else since.parent
        heading = aside.next
        if told is not None:
            (heading if heading is not None and heading.tag in HEADINGS else aside).insert_after(told)
            hide(aside)


def make_tables_of_javadoc(body: LexborNode) -> None:
    """Javadoc writes rows as divs one after the other, as many as have the names of columns above them."""
    for heads in body.css("div > .table-header:first-child"):
        grid = heads.parent
        if grid is None:
            continue
        cells = list(grid.iter())
        columns = sum("table-header" in classes(cell) for cell in cells)
        if columns > 1 and len(cells) % columns == 0 and all(cell.tag == "div" for cell in cells):
            rows = [cells[start : start + columns] for start in range(0, len(cells), columns)]
            told = "".join(f"<tr>{''.join(cell_of(cell) for cell in row)}</tr>" for row in rows)
            made = LexborHTMLParser(f"<table>{told}</table>").css_first("table")
            if made is not None:
                grid.insert_before(made)
                hide(grid)


def cell_of(cell: LexborNode) -> str:
    tag = "th" if "table-header" in classes(cell) else "td"
    return f"<{tag}>{cell.inner_html or ''}</{tag}>"


def nest_lists_of_google(body: LexborNode) -> None:
    """Google Docs writes the items of each level as a list by itself, such lists one after the other."""
    lists = [node for node in body.css("[class*=lst-kix_]") if node.tag in LISTS and not is_left_out(node)]
    for run in runs([item for node in outermost(lists) for item in item_of_google(node)]):
        if len(run) > 1:
            put_instead(run, [(opening(node), node.inner_html or "") for node, *_ in run])


def item_of_google(node: LexborNode) -> Iterator[Item]:
    for name in classes(node):
        if told := LIST_OF_GOOGLE.fullmatch(name):
            yield node, told[1], int(told[2])


def opening(node: LexborNode) -> str:
    return f"ol start={whole_number(node, 'start', 1)}" if node.tag == "ol" else "ul"


def make_lists_of_word(body: LexborNode) -> None:
    """Word writes items as paragraphs, with their marks as text, and so the numbers of headings, which are left out."""
    if body.css_first(OF_A_LIST_OF_WORD) is None:
        return
    paragraphs = [node for node in body.css("p") if not (is_left_out(node) or is_title(node))]
    for run in runs([item for node in outermost(paragraphs) for item in item_of_word(node)]):
        put_instead(run, [("ul", listed(node)) for node, *_ in run])
    for mark in body.css(MARK_OF_WORD):
        hide(mark)


def item_of_word(node: LexborNode) -> Iterator[Item]:
    """The style of its class may say of which list it is: then it has a mark alone."""
    if told := LIST_OF_WORD.search(node.attributes.get("style") or ""):
        yield node, told[1], max(int(told[2]) - 1, 0)
    elif node.css_first(MARK_OF_WORD) is not None:
        yield node, "", 0


def listed(paragraph: LexborNode) -> str:
    mark = paragraph.css_first(MARK_OF_WORD)
    said = one_line(mark.text()) if mark is not None else ""
    if mark is not None:
        hide(mark)
    return f'<li data-marker="{escape(said) if COUNTS.search(said) else "-"}">{paragraph.inner_html or ""}</li>'


def runs(items: Sequence[Item]) -> Iterator[list[Item]]:
    """Those that stand one after the other, up to where another list begins. The items are in their order."""
    run: list[Item] = []
    for item in items:
        node, name, level = item
        if run and not (follows(run[-1][0], node) and (level or name == run[0][1])):
            yield run
            run = []
        run.append(item)
    if run:
        yield run


def follows(one: LexborNode, other: LexborNode) -> bool:
    """Whether nothing that is read stands between the two."""
    between = one.next
    while between is not None and (between.tag == "-comment" or between.is_empty_text_node):
        between = between.next
    return between is not None and between.mem_id == other.mem_id


def put_instead(run: Sequence[Item], written: Sequence[tuple[str, str]]) -> None:
    """One list for the run; of each of its items what opens the list that it is of, and what stands in that."""
    html, opened = "", list[str]()
    for (_, _, level), (tag, items) in zip(run, written, strict=True):
        while len(opened) > level + 1:
            html += f"</{opened.pop()[:2]}>"
        while len(opened) <= level:
            opened.append(tag)
            html += f"<{tag}>"
        html += items
    made = LexborHTMLParser(html).css_first("ul, ol")
    if made is not None:
        run[0][0].insert_before(made)
    for node, *_ in run:
        hide(node)


def hide(node: LexborNode) -> None:
    node.attrs["hidden"] = ""
