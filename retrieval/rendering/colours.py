"""Programs, and fences in running text, in the colours of their language; every character stays in its line. Pure
but for Django's `SafeString`."""

import re
import time
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import PurePosixPath

from django.utils.html import format_html
from django.utils.safestring import SafeString
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Generic, Keyword, Name, Number, String, Token
from pygments.util import ClassNotFound

from retrieval.notations import lexer_of
from retrieval.rendering.inline import escaped
from retrieval.rendering.kinds import Stretch

LARGEST_COLOURED = 200_000  # characters
MAY_TAKE = 1.0  # seconds: a grammar's regular expressions may be slow on what is no code
OVERLONG = re.compile(r"\s{2000}|[^\n]{2000}")  # blanks, or a line, in which a single token may take as long
CLASSES = {
    Comment: "c", Keyword: "k", String: "s", Number: "m", Name.Function: "n", Name.Class: "n", Name.Decorator: "n",
    Name.Tag: "n", Generic.Heading: "h", Generic.Subheading: "h", Generic.Emph: "e", Generic.Strong: "b",
}  # fmt: skip
LANGUAGE = re.compile(r"^[`~]*\s*(?:\{[\w-]+\}|\{\s*\.?)?|\}.*$")  # what of an info string is no language's name


def coloured(text: str, lexer: Lexer | None, shown: range | None = None) -> list[SafeString]:
    """The lines of `text`, each escaped, with the spans of its tokens: as many as `text.split("\\n")` has.

    `shown` are the indexes of the lines that somebody looks at: the others are empty, and what follows is not lexed.
    """
    raw = text.split("\n")
    shown = shown or range(len(raw))
    wanted = min(len(text), sum(len(line) + 1 for line in raw[: shown.stop]))
    lines: list[list[str]] = [[] for _ in raw]
    at = line = 0
    until = time.monotonic() + MAY_TAKE
    for _, token, value in lexer.get_tokens_unprocessed(text) if lexer and can_be_coloured(text) else ():
        # a console's grammar leaves out a last line without an end
        if at >= wanted or not text.startswith(value, at) or time.monotonic() > until:
            break
        at += len(value)
        name = css_class(token)
        for index, piece in enumerate(value.split("\n")):
            line += index > 0
            if piece and line in shown:
                lines[line].append(spanned(piece, name))
    if at < wanted:
        return as_they_are(raw, shown)
    return [SafeString("".join(pieces)) for pieces in lines]  # every piece is escaped


def fenced(raw: Sequence[str], walked: Iterable[Stretch], shown: range) -> list[SafeString]:
    """The lines of a Markdown file, escaped; those inside a fence in the colours of the language that it names."""
    html = as_they_are(raw, shown)
    for found in walked:
        inner = found.lines
        is_seen = inner.start < shown.stop and shown.start < inner.stop
        if found.info is not None and is_seen and (lexer := lexer_of_fence(found.info)):
            html[inner.start : inner.stop] = coloured("".join(f"{raw[n]}\n" for n in inner), lexer)[:-1]
    return html


def can_be_coloured(text: str) -> bool:
    return len(text) <= LARGEST_COLOURED and not OVERLONG.search(text)


def as_they_are(raw: Sequence[str], shown: range) -> list[SafeString]:
    return [escaped(line if at in shown else "") for at, line in enumerate(raw)]


@lru_cache(maxsize=256)
def lexer_of_fence(info: str) -> Lexer | None:
    """By what stands behind the mark: `python`, `{code-block} python` or `{.python}`."""
    try:
        return get_lexer_by_name(LANGUAGE.sub("", info).split()[0])
    except (ClassNotFound, IndexError):
        return None


def coloured_piece(text: str, path: str, marks: Sequence[tuple[int, int]]) -> SafeString:
    """A few lines of a program, escaped, coloured, with `<mark>` around these spans; what is marked keeps its ink."""
    pieces: list[SafeString] = []
    marked_until = 0
    for start, token, value in tokens(text, PurePosixPath(path).name):
        name, end, at = css_class(token), start + len(value), max(start, marked_until)
        for first, last in marks:
            if at < end and start <= first < end:
                pieces += [spanned(text[at:first], name), format_html("<mark>{}</mark>", text[first:last])]
                at = marked_until = last
        if at < end:
            pieces.append(spanned(text[at:end], name))
    return SafeString("".join(pieces))  # every piece is escaped


def spanned(text: str, name: str) -> SafeString:
    return SafeString(f'<span class="{name}">{escaped(text)}</span>') if name and text else escaped(text)


def tokens(text: str, name: str) -> Iterable[tuple[int, type[Token], str]]:
    """That of the line end which is put behind the text is empty in it: without one, a console's grammar leaves out the
    last line."""
    lexer = lexer_of_piece(name)
    return lexer.get_tokens_unprocessed(f"{text}\n") if lexer and can_be_coloured(text) else [(0, Token, text)]


@lru_cache(maxsize=1024)
def lexer_of_piece(name: str) -> Lexer | None:
    return lexer_of(name, startinline=True)  # PHP without its opening tag


def css_class(token: type[Token]) -> str:
    while token.parent is not None:
        if token in CLASSES:
            return CLASSES[token]
        token = token.parent
    return ""
