"""Jupyter notebooks: written down as the Markdown that they mostly are, code and printed output fenced."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from ingestion.documents import Block, ParsedDocument, ParseError, stem
from ingestion.parsers import markdown
from ingestion.parsers.encoding import decode
from ingestion.parsers.writing import clean

MEDIA_TYPE = "application/x-ipynb+json"
COLOURS = re.compile(r"\x1b\[[0-9;?]{0,40}[@-~]")
OBJECT = (  # what stands for a result that is shown otherwise, or not at all
    r"<(?:[\w.]+ (?:object(?: at 0x[0-9a-f]+| of \d+ artists)?|at 0x[0-9a-f]+)"
    r"|Figure size [\d.x]+ with \d+ Axes|Axes\w*:[^<\n]*)>"
)
OBJECTS = re.compile(rf"\[?{OBJECT}(?:,\s*{OBJECT})*\]?")
ERRORS = ("error", "pyerr")  # before version 4: pyerr
LONGEST_OUTPUT = 2_000  # characters: what is printed beyond is data, not documentation


def parse(data: bytes, path: str) -> ParsedDocument:
    try:
        notebook = json.loads(decode(data, path)[0])
        cells = notebook.get("cells") or [cell for sheet in notebook["worksheets"] for cell in sheet["cells"]]
        language = language_of(notebook)
        opens_raw = bool(cells) and cells[0].get("cell_type") == "raw"
        parts = [clean(part) for cell in cells for part in parts_of(cell, language)]
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError) as error:
        why = "it has no cells, or none that can be read"
        if isinstance(error, json.JSONDecodeError):
            why = f"its JSON is broken at line {error.lineno}"
        raise ParseError(path, f"this is not a notebook: {why}") from error
    if not any(part.strip() for part in parts):
        raise ParseError(path, "it has no text: its cells are empty")
    return written(parts, path, opens_raw)


def written(parts: Sequence[str], path: str, opens_raw: bool) -> ParsedDocument:
    """Each part is read by itself: a fence or a comment that one leaves open ends with it."""
    blocks, title, line = list[Block](), "", 0
    for index, part in enumerate(parts):
        document = markdown.parse_text(part, (), path, may_have_front_matter=opens_raw and index == 0)
        blocks += [
            replace(block, line_start=block.line_start + line, line_end=block.line_end + line)
            for block in document.blocks
        ]
        title = title or (document.title if document.title != stem(path) else "")
        line += part.count("\n") + 2
    text = "\n\n".join(parts) + "\n"
    return ParsedDocument(path, text, title or stem(path), MEDIA_TYPE, tuple(blocks))


def language_of(notebook: dict[str, Any]) -> str:
    metadata = notebook.get("metadata") or {}
    named = (metadata.get("kernelspec") or {}).get("language") or (metadata.get("language_info") or {}).get("name")
    return named.lower() if isinstance(named, str) and named.isalnum() else "python"


def parts_of(cell: dict[str, Any], language: str) -> Iterator[str]:
    source = joined(cell.get("source") or cell.get("input") or "")
    kind = cell.get("cell_type")
    if kind == "heading":  # of notebooks before version 4
        yield f"{'#' * int(cell.get('level', 1))} {source}"
    elif kind == "code":
        if source.strip():
            yield fenced(source, language)
        for output in cell.get("outputs") or ():
            if written := joined((output.get("data") or {}).get("text/markdown") or "").strip():
                yield written[:LONGEST_OUTPUT]
            elif text := output_text(output).strip("\n").rstrip():  # the head of a table begins with spaces
                yield fenced(text[:LONGEST_OUTPUT], "text")
    elif source.strip():
        yield source


def output_text(output: dict[str, Any]) -> str:
    """What was printed, the plain form of a result, or what went wrong; no picture, no page, no traceback."""
    if output.get("output_type") in ERRORS:
        return as_seen(": ".join(said for said in (output.get("ename"), output.get("evalue")) if said))
    has_data = output.get("data") and output.get("output_type") != "stream"
    printed = joined((output["data"].get("text/plain") if has_data else output.get("text")) or "")
    return "" if OBJECTS.fullmatch(printed.strip()) else as_seen(printed)


def as_seen(printed: str) -> str:
    """Without colours, and of lines that are written over, as bars of progress are, what they said last."""
    return "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in COLOURS.sub("", printed).split("\n"))


def joined(source: str | list[str]) -> str:
    return source if isinstance(source, str) else "".join(source)


def fenced(text: str, language: str) -> str:
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"
