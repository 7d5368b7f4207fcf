"""The title that stands above the text of a page: in its front matter, or as Pandoc's behind a `%`."""

import re

TITLE = re.compile(
    r"^(?P<quote>[\"']?)title(?P=quote)[ \t]*[:=](?P<first>.*)(?P<below>(?>(?:\n(?:[ \t]+\S.*|[ \t]*$))*))", re.M
)
BLOCK = re.compile(r"[>|](?:[+-]?\d?|\d[+-])(?:\s+#.*)?")  # of text on the lines below
QUOTED = re.compile(r"(?:\"(?P<double>(?>(?:[^\"\\]++|\\.)*))\"|'(?P<single>(?>(?:[^']++|'')*))')(?:\s+#.*)?", re.S)
ESCAPED = re.compile(r"\\([\"\\/])")
COMMENT = re.compile(r"(?:^|\s)#.*")
KEY = re.compile(r"[\"']?[\w-]+[\"']?[ \t]*[:=](?:\s|$)|- ")  # of fields, of an item: what is below is no text
TITLE_BLOCK = re.compile(  # with the authors and the date; each may go on on indented lines
    r"%[ \t]+(?P<title>[^\n]*(?>(?:\n[ \t]+\S[^\n]*)*))"
    r"(?:\n%[^\n]*(?>(?:\n[ \t]+\S[^\n]*)*)){0,2}(?:\n[ \t]*(?:[\n#]|\Z)|\Z)"
)
LONGEST = 4_000  # characters


def title_in(fields: str) -> str:
    """The page's title, on one line; "" where no field says it."""
    match = TITLE.search(fields[:LONGEST])
    return " ".join(said(match["first"].strip(), match["below"].split("\n")).split()) if match else ""


def title_block(text: str) -> str:
    """The title in Pandoc's lines at the top, on one line; "" without them."""
    match = TITLE_BLOCK.match(text[:LONGEST])
    return " ".join(match["title"].split()) if match else ""


def said(first: str, below: list[str]) -> str:
    """What a field says that begins so, and goes on on indented lines."""
    lines = [line.strip() for line in below if line.strip()]
    if BLOCK.fullmatch(first):
        return " ".join(lines)
    if any(map(KEY.match, lines)):
        lines = []
    if quoted := QUOTED.fullmatch(" ".join([first, *lines]).strip()):
        double, single = quoted["double"], quoted["single"]
        return single.replace("''", "'") if double is None else ESCAPED.sub(r"\1", double)
    return " ".join(COMMENT.sub("", line) for line in [first, *lines])
