"""Headings that a PDF's bookmarks name: told whatever number, line breaks or false columns the page has them in."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

MOST_LINES = 4  # of a heading
LONGEST = 300  # characters of one
SHORTEST_CUT = 8  # letters of a title that a running head cuts short
CHAPTER = "chapter|part|appendix|kapitel|teil|anhang|chapitre|partie|annexe|cap[ií]tulo|parte|ap[eé]ndice|capitolo"
ROMAN = r"(?=[ivxlc])c{0,3}(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})"  # as pages before the first have
NUMBER = re.compile(rf"(?:(?i:{CHAPTER})\s+)?(?:\d{{1,3}}|[A-Z]|[IVXLC]{{1,6}})(?:\.\d{{1,3}})*[.):]?\s+(?=\S)")
CHAPTER_LINE = re.compile(rf"(?:{CHAPTER})\s+\w{{1,12}}[.:]?", re.I)
WITH_PAGE = re.compile(r"(?P<recto>.+?)\s+\d{1,4}|\d{1,4}\s+(?P<verso>.+)", re.S)
CUT_SHORT = re.compile(r"…|\.\.\.")


@dataclass(frozen=True, slots=True)
class Bookmark:
    level: int
    title: str


Outline = Mapping[str, Bookmark]  # by the titles' letters and digits


def key(text: str) -> str:
    """Letters and digits: bookmarks have other quotation marks, dashes and cases than pages."""
    return "".join(letter for letter in unicodedata.normalize("NFKC", text).casefold() if letter.isalnum())


def unnumbered(text: str) -> str:
    return NUMBER.sub("", text, count=1) if NUMBER.match(text) else text


def bookmarked(text: str, outline: Outline) -> Bookmark | None:
    """The bookmark whose title it is, with or without the number of its section."""
    if not outline or len(text) > LONGEST:
        return None
    return outline.get(key(text)) or outline.get(key(unnumbered(text)))


def heading_at(lines: Sequence[str], start: int, outline: Outline) -> tuple[int, Bookmark] | None:
    """How many of the lines from there on are a bookmark's title, and which; the title may run over some."""
    if not outline or not any(line.strip() for line in lines[start : start + 1]):
        return None
    for end in range(start + 1, min(start + MOST_LINES, len(lines)) + 1):
        text = " ".join(lines[start:end])
        if found := bookmarked(text, outline):
            return end - start, found
        begun = {begin for begin in (key(text), key(unnumbered(text))) if begin}
        if key(lines[end - 1]) and not any(title.startswith(begin) for title in outline for begin in begun):
            return None
    return None


def headings_among(texts: Sequence[str], outline: Outline) -> Iterator[tuple[Bookmark | None, range]]:
    """Where headings are among lines, with their bookmarks, and what stands between."""
    start = at = 0
    while at < len(texts):
        if heading := heading_at(texts, at, outline):
            count, bookmark = heading
            yield None, range(start, at)
            yield bookmark, range(at, at + count)
            start = at + count
        at = max(start, at + 1)
    yield None, range(start, len(texts))


def joined(lines: Sequence[str], title: str) -> str:
    """A heading's lines as one, its words whole where a hyphen tears one that the bookmark does not."""
    text, plain = lines[0].strip(), "".join(title.split()).casefold()
    for line in map(str.strip, lines[1:]):
        if re.search(r"\w-$", text):
            around = f"{text.split()[-1]}{line.split()[0] if line else ''}".casefold()
            text = f"{text if around in plain else text[:-1]}{line}"
        else:
            text = f"{text} {line}"
    return text


def without(outline: Outline, taken: Iterable[Bookmark]) -> Outline:
    gone = set(taken)
    return {name: each for name, each in outline.items() if each not in gone}


def is_running_title(text: str, titles: frozenset[str]) -> bool:
    """Whether it is the title of a section beside the page's number, or titles cut short, as heads and feet have them.

    `titles` are keys of the document's bookmarks.
    """
    text = " ".join(text.split()).strip("* ")
    if not titles or key(text) in titles:
        return False
    beside = WITH_PAGE.fullmatch(text)
    title = (beside["recto"] or beside["verso"]) if beside else ""
    numbered = unnumbered(title) != title
    if beside and (beside["recto"] or numbered) and not titles.isdisjoint((key(title), key(unnumbered(title)))):
        return True
    parts = [key(unnumbered(part.strip())) for part in CUT_SHORT.split(text)]
    return len(parts) > 1 and all(begins_title(part, titles) for part in parts if part)


def begins_title(begin: str, titles: frozenset[str]) -> bool:
    return len(begin) >= SHORTEST_CUT and any(title.startswith(begin) for title in titles)
