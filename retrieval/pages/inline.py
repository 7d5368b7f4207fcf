"""The marks inside running text of RST and Markdown, taken off. Pure.

Every repetition has a bound, so that no text takes long.
"""

import re

INLINE = re.compile(
    r"``(?P<literal>(?:[^`]|`(?!`)){1,500}?)``"
    r"|(?:(?<!\w):[\w.+-]+(?::[\w.+-]+)*:|(?<!\w)\{[\w:-]+\})`(?P<role>[^`]{1,500})`"
    r"|`(?P<reference>[^`]{1,500})`__?(?!\w)"
    r"|`(?P<ticked>[^`]{1,500})`"
    r"|!?\[(?P<link>(?:[^\[\]]|\[[^\[\]]{0,80}\]){0,300})\](?:\([^()\s]{0,500}(?:\([^()\s]{0,80}\)[^()\s]{0,80})?"
    r"(?:\s+\"[^\"]{0,200}\")?\)|\[[^\[\]\d][^\[\]]{0,100}\])"
    r"|(?<![\w*])\*\*(?=[^\s*])(?P<strong>(?:[^*]|(?<!\*)\*(?!\*)){1,500}?)(?<=[^\s])\*\*(?![\w*])"
    r"|(?<![\w*])\*(?=[^\s*])(?P<emphasis>[^*]{1,500}?)(?<=[^\s])\*(?![\w*])"
    r"|(?<!\w)(?P<bars>__?)(?=[^\s_])(?P<underlined>[^_\s]{1,80}(?: [^_\s]{1,80}){1,20})(?P=bars)(?!\w)"  # not __init__
    r"|<(?P<address>(?:https?://|mailto:)[^<>\s]{1,500}|[\w.+-]{1,80}@[\w.-]{1,80})>"
    r"|(?P<unseen>\\ |\[(?:#\w*|\*)\]_(?!\w)|\[\^\w{1,40}\]:?|<!--[^<>]{0,500}-->)"
    r"|(?P<footnote>\[\d{1,3}\])_(?!\w)"
    r"|\\(?P<escaped>[*_`|\[\]#<>])"
)
TARGET = re.compile(r"(?P<text>.*\S)\s*<[^<>]+>", re.DOTALL)


def inline(text: str) -> str:
    """Running text without its inline marks."""
    return INLINE.sub(unmarked, text)


def unmarked(match: re.Match[str]) -> str:
    kind = match.lastgroup or ""
    said = match[kind]
    match kind:
        case "role" | "reference":
            named = TARGET.fullmatch(said)
            bare = named["text"] if named else said.removeprefix("!")
            return bare.rpartition(".")[2] if bare.startswith("~") else bare
        case "link" | "strong" | "emphasis" | "underlined":
            return inline(said)
        case "unseen":
            return ""
    return said
