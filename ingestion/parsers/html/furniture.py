"""What leads through the pages of a site, and says nothing of its own."""

import re
from collections.abc import Sequence

from selectolax.lexbor import LexborNode

from ingestion.parsers.html.elements import HEADINGS, classes, roles
from ingestion.parsers.writing import words

FURNITURE = words(  # of DocBook, Sphinx, Texinfo, MediaWiki, MkDocs, Docusaurus, …
    """navheader navfooter sphinxsidebar nav-panel navpath headerlink viewcode-link copiable-link mw-editsection
    footnote-backref md-source-file theme-doc-footer theme-doc-version-badge"""
)
CONTENTS = words("toc table-of-contents tableofcontents toc-macro contents")  # classes and ids
CONTENTS_OF_WORD = ("msotoc", "msotableoffigures")
COMMENT, NOTED = re.compile("#(?:_msocom_|cmnt)"), re.compile(r"cmnt\d+")  # what leads to it and back, and its own id
PAGE_BREAKS, WAYS_BACK = words("doc-pagebreak pagebreak"), words("backlink doc-backlink")
PAGE_NUMBER = re.compile(r"[\[(]?(?:(?:page|pg\.?|p\.|seite|s\.)\s*)?(?:\d{1,5}|[ivxlcdm]{1,8})?[\])]?", re.I)
MOSTLY = 0.5
PERHAPS_FURNITURE = words("header footer")  # where it leads to the pages before and after
PASSAGES = "a[accesskey], a[rel=next], a[rel=prev], a[rel=up]"
TITLES = "h1, h2, h3, h4, h5, h6, .title"


def is_furniture(node: LexborNode) -> bool:
    """What leads through the pages, and says nothing of its own."""
    names, role = classes(node), node.attributes.get("role")
    if is_permalink(node) or is_of_rustdoc(node, names) or is_of_a_book(node):
        return True
    if "katex-html" in names and node.parent and node.parent.css_first("math") is not None:
        return True  # KaTeX writes each formula twice
    if role == "navigation" or ("related" in names and node.css_first("a[accesskey]") is not None):
        return True
    if is_contents(node, names) or is_comment(node) or any(name.startswith(CONTENTS_OF_WORD) for name in names):
        return True
    if not PERHAPS_FURNITURE.isdisjoint(names):
        return node.css_first(PASSAGES) is not None and node.css_first(TITLES) is None
    return not FURNITURE.isdisjoint(names)


def is_of_rustdoc(node: LexborNode, names: Sequence[str]) -> bool:
    """Whether it leads to the source of what rustdoc describes, or to itself, or unfolds what is read anyway."""
    if node.tag == "summary":
        return "hideme" in names
    told = "Source" if "src" in names else "§" if "anchor" in names else ""
    return node.tag == "a" and told != "" and node.text().strip() == told


def is_of_a_book(node: LexborNode) -> bool:
    """Whether it is the number of a printed page, which may stand within a sentence, or leads back from a note."""
    told = roles(node)
    if not PAGE_BREAKS.isdisjoint(told):
        holds_others = any(True for _ in node.iter())  # one that was never closed, say, as all is that is no number
        return not holds_others and PAGE_NUMBER.fullmatch(node.text().strip()) is not None
    if node.tag != "a" or "#" not in (node.attributes.get("href") or ""):
        return False
    text = node.text()
    return ("↩" in text or not WAYS_BACK.isdisjoint(told)) and not any(map(str.isalnum, text))


def is_contents(node: LexborNode, names: Sequence[str]) -> bool:
    """Whether it lists the headings of its own page, and hardly anything else."""
    called = (*names, (node.attributes.get("id") or "").lower())
    if node.tag in HEADINGS or CONTENTS.isdisjoint(name.replace("_", "-").strip("-") for name in called):
        return False
    linked = "".join("".join(link.text().split()) for link in node.css("a[href^='#']"))
    return linked != "" and len(linked) > MOSTLY * len("".join(node.text().split()))


def is_comment(node: LexborNode) -> bool:
    """Whether it is what a reader of a text in Word or Google Docs noted, or the mark of such a note."""
    if node.tag == "a":
        return COMMENT.match(node.attributes.get("href") or "") is not None
    if "mso-element:comment" in (node.attributes.get("style") or ""):
        return True
    first = node.child if node.tag in ("p", "div") else None
    if first is not None and first.tag == "p":
        first = first.child
    return first is not None and first.tag == "a" and NOTED.fullmatch(first.attributes.get("id") or "") is not None


def is_title(node: LexborNode) -> bool:
    """Whether it is the title of a text in Word or Google Docs, which is no heading there."""
    names = classes(node)
    in_google = "title" in names and (node.attributes.get("id") or "").startswith("h.")
    return node.tag == "p" and ("msotitle" in names or in_google)


def is_permalink(node: LexborNode) -> bool:
    """Whether it is a heading's mark that leads to the heading itself: #, §, ¶, or nothing to see."""
    around = node.parent
    if around is not None and around.tag == "span":
        around = around.parent
    if node.tag != "a" or around is None or around.tag not in HEADINGS:
        return False
    leads_here = (node.attributes.get("href") or "").startswith("#")
    return leads_here and not any(map(str.isalnum, node.text()))
