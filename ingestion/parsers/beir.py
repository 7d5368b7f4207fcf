"""One document of an evaluation corpus, as a JSON object {"title", "text"}."""

import json
import re

from ingestion.documents import Block, BlockKind, ParsedDocument, ParseError
from ingestion.parsers.encoding import decode
from ingestion.parsers.text import paragraphs


def parse(data: bytes, path: str) -> ParsedDocument:
    """The title on line 1, a blank line, the text; without a title only the text, for an id is no title."""
    title, body = read(data, path)
    text = f"{title}\n\n{body}" if title else body
    heading = [Block(BlockKind.HEADING, 1, 1, level=1, title=title)] if title else []
    blocks = (*heading, *paragraphs(text.split("\n"), first=len(heading)))
    return ParsedDocument(path, text, title, "text/plain", blocks)


def read(data: bytes, path: str) -> tuple[str, str]:
    try:
        record = json.loads(decode(data, path)[0])
    except (ValueError, RecursionError) as error:
        raise ParseError(path, f"this is not JSON: {error}") from error
    if not isinstance(record, dict):
        raise ParseError(path, 'expected a JSON object {"title", "text"}')
    title, text = record.get("title") or "", record.get("text") or ""
    if not isinstance(title, str) or not isinstance(text, str):
        raise ParseError(path, '"title" and "text" must be strings')
    if re.search("[\0\ud800-\udfff]", title + text):
        raise ParseError(path, "the text has NUL characters or halves of surrogate pairs")
    return " ".join(title.split()), text.replace("\r\n", "\n").replace("\r", "\n").strip("\n")
