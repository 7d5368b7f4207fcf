"""Code in HTML: its lines as they are, and the language that a highlighter names."""

import re

from selectolax.lexbor import LexborNode

from ingestion.parsers.html.elements import BLOCKS, DEEPEST, classes, is_hidden
from ingestion.parsers.html.furniture import is_furniture
from ingestion.parsers.html.nodes import FRAGMENT_LINES, is_line_number, unbroken
from ingestion.parsers.writing import words

SILENT_IN_CODE = words("button script style")
LANGUAGE = re.compile(r"(?:^|\s)(?:language|lang|highlight-source|highlight|brush:?|sourceCode)[-\s]+([\w+#.-]{1,30})")


def verbatim_text(node: LexborNode) -> str:
    parts: list[str] = []
    gather_verbatim(node, parts)
    return unbroken("".join(parts))


def is_fragment(node: LexborNode) -> bool:
    """Whether it is code as Doxygen writes it: a div a line."""
    return "fragment" in classes(node) and node.css_first(FRAGMENT_LINES) is not None


def fragment_text(node: LexborNode) -> str:
    return "\n".join(verbatim_text(line).rstrip("\n") for line in node.css(FRAGMENT_LINES))


def gather_verbatim(node: LexborNode, parts: list[str], depth: int = 0) -> None:
    """Add a node's text to `parts` as it is; a line also ends at a line break and at a block's edge."""
    for child in node.iter(include_text=True):
        tag = child.tag or ""
        if tag == "br":
            parts.append("\n")
        elif tag in SILENT_IN_CODE or is_hidden(child) or is_furniture(child) or is_line_number(child):
            continue
        elif tag == "-text" or depth > DEEPEST:
            parts.append(child.text())
        else:
            end_line(tag, parts)
            if is_variant(child):
                parts.append("\n" if "".join(parts[-1:]).endswith("\n") else "\n\n")
            gather_verbatim(child, parts, depth + 1)
            end_line(tag, parts)


def is_variant(node: LexborNode) -> bool:
    """Whether it says the same as the code right before it in another language, as the pages of Node.js have it."""
    before = node.prev
    if before is None or before.tag != "code" or node.tag != "code":
        return False
    return all(LANGUAGE.search(each.attributes.get("class") or "") for each in (before, node))


def end_line(tag: str, parts: list[str]) -> None:
    if tag in BLOCKS and parts and not parts[-1].endswith("\n"):
        parts.append("\n")


def code_language(node: LexborNode) -> str:
    """As highlighters mark it, on the block, the `code` in it, or what is around it."""
    inner, outer = node.css_first("code"), node.parent
    around = outer.parent if outer is not None else None
    for candidate in (inner, node, outer, around):
        if candidate is None or candidate.tag in ("body", "html"):
            continue
        named = candidate.attributes.get("data-lang") or candidate.attributes.get("data-language")
        match = LANGUAGE.search(candidate.attributes.get("class") or "")
        if named or match:
            language = (named or (match[1] if match else "")).lower()
            return "" if language in ("none", "default", "text", "notranslate") else language[:40]
    return ""
