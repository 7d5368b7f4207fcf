"""Prose as liteparse writes it, in Markdown, as the page has it; cells, headings and lines of code have no marks."""

import re

from ingestion.parsers.pdf.spoken import Page

EMPHASIS = r"(?P<stars>\*{1,3})(?=\S)(?P<stressed>(?:\\.|[^\\])+?)(?<=\S)(?P=stars)"
MARKED = re.compile(rf"\\(?P<escaped>[\\*_])|{EMPHASIS}", re.S)
CODE_OR_MARKED = re.compile(rf"`(?P<code>[^`]+)`|{MARKED.pattern}", re.S)


def plain(text: str, page: Page) -> str:
    """Backticks stay where the page has them."""
    written = without_marks(text)
    if "`" not in text or page.says(written):
        return written
    without_ticks = without_marks(text, CODE_OR_MARKED)
    return without_ticks if "`" not in page.letters or page.says(without_ticks) else written


def escaped(text: str) -> str:
    """What liteparse writes of a text without emphasis."""
    return re.sub(r"[\\*]", r"\\\g<0>", text)


def without_marks(text: str, marks: re.Pattern[str] = MARKED) -> str:
    return marks.sub(lambda mark: said(mark, marks), text)


def said(mark: re.Match[str], marks: re.Pattern[str]) -> str:
    told = mark.groupdict()
    return told.get("code") or told["escaped"] or without_marks(told["stressed"], marks)
