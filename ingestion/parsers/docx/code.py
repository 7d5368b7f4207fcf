"""Which paragraphs of a DOCX are code: those whose style is named so, or has a font with letters of one width."""

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
    for style in root.iterfind(f".//{W}p/{W}pPr/{W}pStyle"):
        identity, paragraph = style.get(f"{W}val", ""), next(style.iterancestors(f"{W}p"))
        if identity in named or (identity in by_font and stands_alone(paragraph)):
            style.set(f"{W}val", CODE_STYLE)
            if not "".join(paragraph.itertext()).strip():
                etree.SubElement(etree.SubElement(paragraph, f"{W}r"), f"{W}t").text = " "


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
