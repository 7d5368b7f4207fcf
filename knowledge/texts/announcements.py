"""The lines on which dialects of Markdown announce a note, a warning or something to unfold. Pure."""

import re

from . import directives

SPOKEN = directives.ADMONITIONS | {"deprecated"}  # what says something by its name
_LANGUAGES = "bash c cpp css dot go java javascript js julia ojs perl php python r rust ruby sas scala sh sql stata"
LANGUAGES = frozenset(_LANGUAGES.split())  # in braces, what R Markdown and Quarto run
CODE = directives.CODE | LANGUAGES | {"code-cell"}
SILENT = directives.LEADING | {"figure", "figure-md"}  # what stands behind their names is no text
COLONS = re.compile(  # of Docusaurus, VitePress, Pandoc and MyST
    r"[ \t>]*:{3,}[ \t]*(?:\{(?P<braced>[^{}]{0,200})\}|(?P<name>[\w-]{1,40}))?(?:\[(?P<held>[^\[\]]{0,200})\])?"
    r"(?P<title>[^{}]{0,200})(?:\{[^{}]{0,200}\})?[ \t:]*"
)
FENCE = re.compile(r"[ \t>]*(?:`{3,}|~{3,})[ \t]*\{(?P<name>[a-zA-Z][\w:.-]{0,39})\}(?P<title>[^`]{0,200})")  # of MyST
ALERT = re.compile(r"[ \t>]*\[!(?P<name>[a-zA-Z]{1,40})\][-+]?(?P<title>(?:[ \t].{0,200})?)")  # of GitHub and Obsidian
ADMONITION = re.compile(  # of MkDocs; `===` is a tab
    r"[ \t]*(?:(?:!!!|\?\?\?\+?)[ \t]+(?P<name>[\w-]{1,40})[^\"]{0,100}|===[!+]?[ \t]+)"
    r"(?:\"(?P<title>[^\"]{0,200})\")?[ \t]*"
)
OPTION = re.compile(r"[ \t>]*:[\w-]+:(?:[ \t]|$)")
NAMED = re.compile(r"[.#]?(?:callout-|admonition-)?(?P<name>[\w-]+)")
TITLED = re.compile(r"\b(?:title|alt-text)=\"([^\"]*)\"")
PATH = re.compile(r"\S+")
ATTRIBUTES = re.compile(r"[\w-]+=\"")

Announced = tuple[str, str]  # its name in small letters and its title, either may be ""


def announced(line: str) -> Announced | None:
    """("", "") for a line that only closes. None for a line that announces nothing, and for one that opens code."""
    if match := COLONS.fullmatch(line):
        braced = (match["braced"] or "").strip()
        name = match["name"] or (named["name"] if (named := NAMED.match(braced)) else "")
        title = match["title"].strip(" \t:")
        titled = [said for said in TITLED.findall(f"{braced} {title}") if said]
        titles = match["held"], "" if ATTRIBUTES.match(title) else title, *titled
        return name.lower(), next(filter(None, titles), "").strip()
    if match := FENCE.fullmatch(line) or ALERT.fullmatch(line) or ADMONITION.fullmatch(line):
        name = (match["name"] or "").lower()
        return None if name in CODE else (name, (match["title"] or "").strip())
    return None


def said_of(name: str, title: str) -> str:
    """`Warning: Hot`; "" where neither says anything."""
    if name in SILENT or (name == "image" and PATH.fullmatch(title)):
        return ""
    return f"{name.capitalize()}: {title}".rstrip() if name in SPOKEN else title
