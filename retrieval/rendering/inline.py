"""The marks inside running text of RST and Markdown: taken off, or set apart from the words. Pure but for
Django's `SafeString`.

Every repetition has a bound, so that no text takes long.
"""

import re
from collections.abc import Iterator, Mapping
from html import escape
from types import MappingProxyType

from django.utils.safestring import SafeString

from knowledge.texts.markup import NO_STAR

INLINE = re.compile(
    r"``(?P<literal>(?:[^`]|`(?!`)){1,500}?)``"
    r"|(?:(?<!\w):[\w.+-]{1,60}(?::[\w.+-]{1,60}){0,5}:|(?<!\w)\{[\w:-]{1,60}\})`(?P<role>[^`]{1,500})`"
    r"|`(?P<reference>[^`]{1,500})`__?(?!\w)"
    r"|`(?P<ticked>[^`]{1,500})`"
    r"|(?<![\w\])])!?\[(?P<link>(?:[^\[\]]|\[[^\[\]]{0,80}\]){0,300})\]"
    r"(?:\((?:<[^<>\n]{0,500}>|[^()\s]{0,500}(?:\([^()\s]{0,80}\)[^()\s]{0,80})?)"
    r"(?:\s+\"[^\"]{0,200}\")?\)|\[[^\[\]\d][^\[\]]{0,100}\]|(?<!\[\])\[\])"
    r"|(?<![\w\])!])\[(?P<alone>[^\[\]\d^#*][^\[\]]{0,100})\](?![\w\[(:])"
    rf"|(?<![\w*]){NO_STAR}\*\*(?=[^\s*])(?P<strong>(?:[^*]|(?<!\*)\*(?!\*)){{1,500}}?)(?<=[^\s])\*\*(?![\w*])"
    rf"|(?<![\w*]){NO_STAR}\*(?=[^\s*])(?P<emphasis>[^*]{{1,500}}?)(?<=[^\s])\*(?![\w*])"
    r"|(?<!\w)(?P<bars>__?)(?=[^\s_])(?P<underlined>[^_\s]{1,80}(?: [^_\s]{1,80}){1,20})(?P=bars)(?!\w)"  # not __init__
    r"|<(?P<address>(?:https?://|mailto:)[^<>\s]{1,500}|[\w.+-]{1,80}@[\w.-]{1,80})>"
    r"|(?P<unseen>\\ |\[(?:#\w*|\*)\]_(?!\w)|\[\^\w{1,40}\](?::[ \t]*)?|<!--[^<>]{0,500}-->)"
    r"|(?P<footnote>\[\d{1,3}\])_(?!\w)"
    r"|\\(?P<escaped>[*_`|\[\]#<>])"
)
ELEMENTS = {"literal": "code", "ticked": "code", "strong": "strong", "emphasis": "em", "underlined": "em"}
LEADS = {
    "link": re.compile(r"(\])(\(.*\))()", re.DOTALL),
    "reference": re.compile(r"()(\s*<.*>)(`_*)", re.DOTALL),
    "unseen": re.compile(r"()(\[.*)()", re.DOTALL),
}
TARGET = re.compile(r"(?P<text>.*\S)\s*<(?P<target>[^<>]+)>", re.DOTALL)
ROLES = {"ref": "ref", "std:ref": "ref", "numref": "ref", "doc": "doc", "std:doc": "doc"}  # that lead somewhere

# What a link names: "address" (with what is written), "doc", or what is defined elsewhere: "ref", "name", "label", a
# label that stands "alone" and is no link where nothing is defined so, "note".
Named = tuple[str, str]
NOWHERE: Mapping[Named, str] = MappingProxyType({})


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
        case "alone":
            return f"[{inline(said)}]"
        case "unseen":
            return ""
    return said


def marked_up(text: str, leads: Mapping[Named, str] = NOWHERE) -> SafeString:
    """Running text with every character of it: what is meant in its element, the marks around it in spans `mk`. What
    names something that `leads` has an address for leads there.
    """
    pieces: list[SafeString] = []
    at = 0
    for match in INLINE.finditer(text):
        start, end = meant(match)
        pieces += [escaped(text[at : match.start()]), mark(text[match.start() : start], match)]
        pieces += [leading(text[start:end], match, leads), mark(text[end : match.end()], match)]
        at = match.end()
    return SafeString("".join([*pieces, escaped(text[at:])]))  # every piece is escaped


def leading(text: str, match: re.Match[str], leads: Mapping[Named, str]) -> SafeString:
    address = leads.get(named(match)) if leads else None
    is_mark = match.lastgroup == "unseen"
    said = mark(text, match) if is_mark else element(text, match.lastgroup or "", NOWHERE if address else leads)
    return SafeString(f'<a href="{escape(address)}">{said}</a>') if address else said


def named(match: re.Match[str]) -> Named:
    """What the mark names, if it is a link; ("", "") else."""
    kind = match.lastgroup or ""
    said = match[kind]
    if kind == "link" and not match[0].startswith("!"):
        behind = match.string[match.end(kind) + 2 : match.end() - 1]
        if match[0].endswith("]"):
            return "label", behind or said
        return "address", behind[1:].partition(">")[0] if behind.startswith("<") else "".join(behind.split()[:1])
    if kind == "alone":
        return kind, said
    if kind == "footnote" or (kind == "unseen" and said.startswith("[") and ":" not in said):
        return "note", said.strip("[]_")
    found = TARGET.fullmatch(said)
    target = found["target"] if found else said
    if kind == "role" and (role := ROLES.get(match[0].partition("`")[0].strip(":{}"))):
        return role, target
    if kind == "reference":
        return ("name", target.removesuffix("_")) if not found or target.endswith("_") else ("address", target)
    return "", ""


def named_in(text: str) -> Iterator[Named]:
    """What the links of running text name."""
    for match in INLINE.finditer(text):
        if any(found := named(match)):
            yield found
        yield from named_in(match["strong"] or match["alone"] or "")


def meant(match: re.Match[str]) -> tuple[int, int]:
    """Where the words are that a mark is for."""
    kind = match.lastgroup or ""
    start, end = match.span(kind)
    if kind == "alone":
        return match.span()
    if kind in ("role", "reference") and (named := TARGET.fullmatch(match[kind])):
        end = start + named.end("text")
    return start, end


def element(text: str, kind: str, leads: Mapping[Named, str]) -> SafeString:
    if kind == "strong":
        return SafeString(f"<strong>{marked_up(text, leads)}</strong>")
    if kind == "link":
        return marked_up(text, leads)
    if kind == "alone":
        return SafeString(f"[{marked_up(text[1:-1], leads)}]")
    name = ELEMENTS.get(kind)
    return SafeString(f"<{name}>{escape(text)}</{name}>") if name else escaped(text)


def mark(text: str, match: re.Match[str] | None = None) -> SafeString:
    """The address of a link and the mark of a footnote are of class `to`: a drawn table shows these alone."""
    leads = LEADS.get(match.lastgroup or "") if match and not match[0].startswith("!") else None
    if leads and (found := leads.fullmatch(text)):
        before, to, behind = found.groups()
        return mark(before) + SafeString(f'<span class="mk to">{escape(to)}</span>') + mark(behind)
    return SafeString(f'<span class="mk">{escape(text)}</span>' if text else "")


def escaped(text: str) -> SafeString:
    """As `django.utils.html.escape` has it, which takes seven times as long to see that a string is one."""
    return SafeString(escape(text))
