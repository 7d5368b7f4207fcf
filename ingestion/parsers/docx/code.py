"""Which paragraphs of a DOCX are code: those whose style is named so, or that have a font with letters of one width."""

import re

from lxml import etree

from ingestion.parsers.docx.styles import Styles, W, ancestry, outline_level, value

CODE_STYLE = "MunimentCode"
CODE_RULE = rf"p.{CODE_STYLE} => pre:separator('\n')"
NAMES = frozenset(("source code", "html preformatted", "preformatted text", "code", "macro"))
PROSE = frozenset(("plain text",))  # text that was pasted or sent as a mail, whatever its font
MONOSPACED = re.compile(
    r"courier|consolas|inconsolata|menlo|monaco|mono(?![a-z])|lucida console|cascadia|(source|fira) code", re.I
)


def mark_code(root: etree._Element, styles: Styles) -> None:
    """In place: code has one style, which mammoth is told of; its empty lines have a space, for else they were lost."""
    named = {identity for identity, style in styles.items() if name_of(style) in NAMES}
    by_font = monospaced_styles(styles)
    for paragraph in set_by_hand(root, styles):
        style_of(paragraph).set(f"{W}val", CODE_STYLE)
    for style in root.iterfind(f".//{W}p/{W}pPr/{W}pStyle"):
        identity, paragraph = style.get(f"{W}val", ""), next(style.iterancestors(f"{W}p"))
        if identity in named or (identity in by_font and stands_alone(paragraph)):
            style.set(f"{W}val", CODE_STYLE)
            if not "".join(paragraph.itertext()).strip():
                etree.SubElement(etree.SubElement(paragraph, f"{W}r"), f"{W}t").text = " "


def set_by_hand(root: etree._Element, styles: Styles) -> list[etree._Element]:
    """The paragraphs, but for headings, all runs of which have such a font. None where that is most of the text."""
    told = [paragraph for paragraph in root.iter(f"{W}p") if "".join(paragraph.itertext(f"{W}t")).strip()]
    found = [paragraph for paragraph in told if all(map(is_monospaced, paragraph.iter(f"{W}r")))]
    if 2 * len(found) > len(told):
        return []
    return [paragraph for paragraph in found if stands_alone(paragraph) and not is_heading(paragraph, styles)]


def is_monospaced(run: etree._Element) -> bool:
    """By itself; one without text is as the others."""
    font = run.find(f"{W}rPr/{W}rFonts")
    named = font.get(f"{W}ascii", "") if font is not None else ""
    return bool(MONOSPACED.search(named)) or not "".join(run.itertext(f"{W}t")).strip()


def is_heading(paragraph: etree._Element, styles: Styles) -> bool:
    own, identity = paragraph.find(f"{W}pPr/{W}outlineLvl"), value(paragraph, f"{W}pPr/{W}pStyle")
    named = name_of(styles[identity]) if identity in styles else ""
    return own is not None or outline_level(identity, styles) is not None or named == "title"


def style_of(paragraph: etree._Element) -> etree._Element:
    """The element that names its style, made where there is none."""
    properties = paragraph.find(f"{W}pPr")
    if properties is None:
        properties = etree.Element(f"{W}pPr")
        paragraph.insert(0, properties)
    style = properties.find(f"{W}pStyle")
    if style is None:
        style = etree.Element(f"{W}pStyle")
        properties.insert(0, style)
    return style


def name_of(style: etree._Element) -> str:
    return value(style, f"{W}name").lower()


def monospaced_styles(styles: Styles) -> set[str]:
    """The styles, but for headings, that have such a font. None where all text has it."""
    found = {identity for identity in styles if MONOSPACED.search(font_of(identity, styles))}
    if any(styles[identity].get(f"{W}default") in ("1", "true") for identity in found):
        return set()
    prose = {identity for identity in found if name_of(styles[identity]) in PROSE}
    return {identity for identity in found - prose if outline_level(identity, styles) is None}


def font_of(identity: str, styles: Styles) -> str:
    """A style's own font, or that of the style it is based on; "" for one of the document's theme."""
    for style in ancestry(identity, styles):
        font = style.find(f"{W}rPr/{W}rFonts")
        if font is not None and (font.get(f"{W}ascii") or font.get(f"{W}asciiTheme")):
            return font.get(f"{W}ascii") or ""
    return ""


def stands_alone(paragraph: etree._Element) -> bool:
    """Whether it is neither an item of a list nor a value in a table: those stay what they are, in any font."""
    table = next(paragraph.iterancestors(f"{W}tbl"), None)
    is_value = table is not None and sum(1 for _ in table.iter(f"{W}tc")) > 1
    return not is_value and paragraph.find(f"{W}pPr/{W}numPr") is None
