"""The plain text of an RST title: its inline markup resolved to what a reader sees."""

import re

from ingestion.documents import LONGEST_TITLE

ROLE = re.compile(r":(?P<name>[\w:+.-]+):`(?P<text>[^`]+)`")
SUFFIX_ROLE = re.compile(r"`(?P<text>[^`]+)`:[\w:+.-]+:")
LITERAL = re.compile(r"``(.+?)``")
REFERENCE = re.compile(r"`([^`]+)`(?:__?)?")
EXPLICIT_TITLE = re.compile(r"(?s)(?P<title>.+?)\s*(?<!\\)<[^<>]+>$")
STRONG = re.compile(r"(?<![\w*])\*\*(?=\S)(.+?)(?<=\S)\*\*(?![\w*])")
EMPHASIS = re.compile(r"(?<![\w*])\*(?=[^\s*])([^*]+?)(?<=\S)\*(?![\w*])")
FOOTNOTE = re.compile(r"\s*\[(?:#[\w.-]*|\d+|\*)\]_")
SUBSTITUTION = re.compile(r"\|(?=\S)([^|]+?)(?<=\S)\|_{0,2}")
WORD_REFERENCE = re.compile(r"(?<!\w)([^\W_](?:\w*[^\W_])?)__?(?=[\s.,;:!?)\]]|$)")
ESCAPED = re.compile(r"\\(\s|.)")
HELD = re.compile("\ue000(\\d+)\ue001")


def plain(title: str) -> str:
    """``:class:`~app.Kernel` and *more*`` → ``Kernel and more``."""
    held: list[str] = []

    def hold(text: str) -> str:
        held.append(text)
        return f"\ue000{len(held) - 1}\ue001"

    text = re.sub("[\ue000\ue001]", "", title[:LONGEST_TITLE])
    text = LITERAL.sub(lambda match: hold(match[1]), text)
    text = ROLE.sub(lambda match: hold(role_text(match["text"])), text)
    text = SUFFIX_ROLE.sub(lambda match: hold(role_text(match["text"])), text)
    text = REFERENCE.sub(lambda match: hold(unescape(visible(match[1]))), text)
    text = re.sub(r"\\([*`|_\\])", lambda match: hold(match[1]), text)
    for pattern in (STRONG, EMPHASIS, SUBSTITUTION):
        text = pattern.sub(r"\1", text)
    text = unescape(WORD_REFERENCE.sub(r"\1", FOOTNOTE.sub("", text)))
    text = HELD.sub(lambda match: held[int(match[1])], HELD.sub(lambda match: held[int(match[1])], text))
    return " ".join(text.split())


def role_text(content: str) -> str:
    shown = visible(content)
    if shown.startswith("~"):
        return re.split(r"\\\\|\\|\.|::", unescape_pairs(shown[1:]))[-1]
    return unescape_pairs(shown.removeprefix("!"))


def visible(content: str) -> str:
    match = EXPLICIT_TITLE.match(content)
    return match["title"] if match else content


def unescape_pairs(text: str) -> str:
    return text.replace("\\\\", "\\")


def unescape(text: str) -> str:
    return ESCAPED.sub(lambda match: "" if match[1].isspace() else match[1], text)
