"""What the styles of an ODT say: which are of code, being based on one that is named so, or with a font whose letters
are of one width; which raise text, or strike it out; and which show signs instead of letters.
"""

import re
from collections.abc import Iterator, Mapping

from lxml import etree

from ingestion.parsers.docx.code import MONOSPACED
from ingestion.parsers.symbols import sign_font

OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
STYLE = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
FORMAT = "{urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0}"
NAMES = ("Preformatted", "Source_20_Code", "Source Code", "Code")
TITLES = ("Title", "Subtitle")
USUAL = "Standard"  # the style of paragraphs that name none
RAISED = re.compile(r"super|[1-9]")  # how a position begins, which is "sub" or negative below the line
LONGEST_CHAIN = 20  # of styles based on styles

Styles = Mapping[str, etree._Element]


def code_styles(content: etree._Element, named: etree._Element) -> frozenset[str]:
    """The names of such styles, of the document's own ones and of those that it varies in its content."""
    styles = styles_of("paragraph", content, named)
    tells_by_font = not MONOSPACED.search(font_of(USUAL, styles))
    return frozenset(name for name in styles if is_code(name, styles, tells_by_font))


def raising_styles(content: etree._Element, named: etree._Element) -> frozenset[str]:
    styles = styles_of("text", content, named)
    return frozenset(name for name in styles if RAISED.match(property_of(name, styles, f"{STYLE}text-position")))


def striking_styles(content: etree._Element, named: etree._Element) -> frozenset[str]:
    """The names of those that draw a line through text."""
    styles = styles_of("text", content, named)
    through = (f"{STYLE}text-line-through-style", f"{STYLE}text-line-through-type")
    return frozenset(name for name in styles if property_of(name, styles, *through) not in ("", "none"))


def sign_styles(content: etree._Element, named: etree._Element) -> Mapping[str, str]:
    """style → its font of signs, as `symbols` knows it."""
    styles = styles_of("text", content, named)
    return {name: font for name in styles if (font := sign_font(font_of(name, styles)))}


def styles_of(family: str, content: etree._Element, named: etree._Element) -> Styles:
    holders = (named.find(f"{OFFICE}styles"), content.find(f"{OFFICE}automatic-styles"))
    every = [style for holder in holders if holder is not None for style in holder.iterfind(f"{STYLE}style")]
    return {style.get(f"{STYLE}name", ""): style for style in every if style.get(f"{STYLE}family") == family}


def is_code(name: str, styles: Styles, tells_by_font: bool) -> bool:
    names = list(ancestry(name, styles))
    if any(each in TITLES for each in names):
        return False
    is_named = any(each.startswith(NAMES) for each in names)
    return is_named or (tells_by_font and MONOSPACED.search(font_of(name, styles)) is not None)


def ancestry(name: str, styles: Styles) -> Iterator[str]:
    """The name of a style, of the style it is based on, and so on."""
    for _ in range(LONGEST_CHAIN):
        if not name:
            return
        yield name
        name = styles[name].get(f"{STYLE}parent-style-name", "") if name in styles else ""


def font_of(name: str, styles: Styles) -> str:
    return property_of(name, styles, f"{STYLE}font-name", f"{FORMAT}font-family")


def property_of(name: str, styles: Styles, *attributes: str) -> str:
    """What the style, or else the one it is based on, says of its text in one of these; "" where none does."""
    for each in ancestry(name, styles):
        text = styles[each].find(f"{STYLE}text-properties") if each in styles else None
        found = (text.get(attribute) for attribute in attributes) if text is not None else ()
        if said := next(filter(None, found), ""):
            return said
    return ""
