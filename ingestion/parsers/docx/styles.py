"""The styles of a DOCX: which are headings, and how mammoth is told."""

import re
from collections.abc import Iterator

from lxml import etree

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
OUTLINE = tuple("012345678")
OUTLINE_STYLE = "MunimentOutline"
SAFE_STYLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,59}")  # an id that mammoth's map can name
NAMED_HEADINGS = "\n".join(
    f"p{named} => h{min(number, 6)}:fresh"
    for number in range(1, 10)
    for named in (f".Heading{number}", f"[style-name='Heading {number}']", f"[style-name='heading {number}']")
)
DEEP_LISTS = "\n".join(  # mammoth's own rules end at the fifth level
    f"p:{kind}-list({level}) => {'ul|ol > li > ' * (level - 1)}{tag} > li:fresh"
    for level in range(6, 10)
    for kind, tag in (("unordered", "ul"), ("ordered", "ol"))
)
NAMED_LISTS = "\n".join(  # the levels of Word's own styles, each of which is the first level of a list of its own
    f"p[style-name='List {name} {level}']:{kind}-list(1) => {'ul|ol > li > ' * (level - 1)}{tag} > li:fresh"
    for name in ("Bullet", "Number")
    for level in range(2, 6)
    for kind, tag in (("unordered", "ul"), ("ordered", "ol"))
)
HIDDEN = f"{W}rPr/{W}vanish"
LONGEST_CHAIN = 20  # of styles based on styles

Styles = dict[str, etree._Element]


def paragraph_styles(root: etree._Element) -> Styles:
    """By their ids."""
    return {style.get(f"{W}styleId", ""): style for style in root.iterfind(f"{W}style[@{W}type='paragraph']")}


def value(element: etree._Element | None, path: str) -> str:
    """The `val` of a child, "" without one."""
    found = element.find(path) if element is not None else None
    return found.get(f"{W}val", "") if found is not None else ""


def is_on(element: etree._Element | None) -> bool:
    """Whether a property that is either on or off is there and on."""
    return element is not None and element.get(f"{W}val") not in ("0", "false", "off")


def ancestry(identity: str, styles: Styles) -> Iterator[etree._Element]:
    """A style, the style it is based on, and so on."""
    for _ in range(LONGEST_CHAIN):
        style = styles.get(identity)
        if style is None:
            return
        yield style
        identity = value(style, f"{W}basedOn")


def hiding_styles(root: etree._Element) -> frozenset[str]:
    """The ids of styles, of paragraphs and of letters, that hide text, or are based on one that does."""
    styles = {style.get(f"{W}styleId", ""): style for style in root.iterfind(f"{W}style")}
    return frozenset(identity for identity in styles if is_on(nearest(HIDDEN, identity, styles)))


def nearest(path: str, identity: str, styles: Styles) -> etree._Element | None:
    """A style's own property, or that of the style it is based on."""
    found = (style.find(path) for style in ancestry(identity, styles))
    return next((each for each in found if each is not None), None)


def outline_level(identity: str, styles: Styles) -> int | None:
    """A style's own level, or that of the style it is based on."""
    level = nearest(f"{W}pPr/{W}outlineLvl", identity, styles)
    number = level.get(f"{W}val", "") if level is not None else ""
    return int(number) if number in OUTLINE else None


def heading_rules(styles: Styles) -> str:
    """mammoth's map for the styles that a document's author based on headings, or gave an outline level."""
    rules = [f"p.{OUTLINE_STYLE}{number} => h{min(int(number) + 1, 6)}:fresh" for number in OUTLINE]
    levels = ((identity, outline_level(identity, styles)) for identity in styles if SAFE_STYLE.fullmatch(identity))
    rules += [f"p.{identity} => h{min(level + 1, 6)}:fresh" for identity, level in levels if level is not None]
    return "\n".join(rules)


def rename_unsafe(root: etree._Element, styles: Styles) -> None:
    """In place: headings whose style mammoth's map can't name have the style of their level."""
    levels = {name: outline_level(name, styles) for name in styles if not SAFE_STYLE.fullmatch(name)}
    for style in root.iterfind(f".//{W}p/{W}pPr/{W}pStyle"):
        level = levels.get(style.get(f"{W}val", ""))
        if level is not None:
            style.set(f"{W}val", f"{OUTLINE_STYLE}{level}")


def style_by_level(level: etree._Element) -> None:
    """A paragraph's own outline level, 0 to 8, as a style; 9 is body text."""
    properties, number = level.getparent(), level.get(f"{W}val", "")
    if properties is None or number not in OUTLINE or properties.find(f"{W}pStyle") is not None:
        return
    style = etree.Element(f"{W}pStyle")
    style.set(f"{W}val", f"{OUTLINE_STYLE}{number}")
    properties.insert(0, style)
