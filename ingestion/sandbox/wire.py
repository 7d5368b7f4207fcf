"""What travels between the processes. A parser that was taken over may write anything: nothing here trusts it."""

import json
import struct
from collections.abc import Iterator, Sequence
from itertools import repeat
from typing import Any

from ingestion.documents import (
    LONGEST_PATH,
    Block,
    BlockKind,
    Box,
    FileLink,
    LinkKind,
    ParsedDocument,
    ParseError,
    ReferenceDraft,
    SymbolDraft,
    line_starts,
)
from knowledge.numbers import LARGEST

LENGTH = struct.Struct("!I")
DESCRIBED = ("name", "qualified_name", "signature", "docstring")
SYMBOL, REFERENCE = SymbolDraft.__slots__, ReferenceDraft.__slots__
MOST_OF_NAME = 2_000  # characters of what names or describes a symbol
Input = tuple[bytes, str]  # content, path
Outcome = ParsedDocument | ParseError


class Malformed(ValueError):
    """It is not what a parser would write."""


def pack_inputs(inputs: Sequence[Input]) -> bytes:
    header = json.dumps([[path, len(content)] for content, path in inputs]).encode()
    return b"".join([LENGTH.pack(len(header)), header, *(content for content, _ in inputs)])


def unpack_inputs(packed: bytes) -> Iterator[Input]:
    at = LENGTH.size + LENGTH.unpack_from(packed)[0]
    for path, size in json.loads(packed[LENGTH.size : at]):
        yield packed[at : at + size], path
        at += size


def pack_outcome(outcome: Outcome) -> bytes:
    if isinstance(outcome, ParseError):
        value: dict[str, Any] = {"reason": outcome.reason, "line": outcome.line, "scanned": outcome.scanned}
    else:
        value = {
            "text": outcome.text,
            "title": outcome.title,
            "media_type": outcome.media_type,
            "natural_language": outcome.natural_language,
            "warnings": outcome.warnings,
            "scanned": outcome.scanned,
            "links": [[each.kind, each.line, each.target] for each in outcome.links],
            "blocks": [pack_block(block) for block in outcome.blocks],
        }
        if outcome.symbols or outcome.references:
            value["symbols"] = [[getattr(symbol, name) for name in SYMBOL] for symbol in outcome.symbols]
            value["references"] = [[getattr(one, name) for name in REFERENCE] for one in outcome.references]
    body = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    return LENGTH.pack(len(body)) + body


def pack_block(block: Block) -> list[Any]:
    place = [block.page, block.box] if block.page else []
    lines = (block.line_start, block.line_end)
    return [block.kind, *lines, block.level, block.title, block.labels, block.language, block.header, *place]


def unpack_outcomes(packed: bytes, paths: Sequence[str]) -> list[Outcome]:
    """The outcomes of the first files, as many as were finished."""
    outcomes: list[Outcome] = []
    at = 0
    while at + LENGTH.size <= len(packed) and len(outcomes) < len(paths):
        end = at + LENGTH.size + LENGTH.unpack_from(packed, at)[0]
        if end > len(packed):
            break
        outcomes.append(unpack_outcome(packed[at + LENGTH.size : end], paths[len(outcomes)]))
        at = end
    return outcomes


def unpack_outcome(body: bytes, path: str) -> Outcome:
    try:
        value = json.loads(body)
        if "reason" in value:
            line = value["line"]
            known = line if isinstance(line, int) else None
            return ParseError(path, text_of(value["reason"])[:1000], known, value["scanned"] is True)
        text = text_of(value["text"])
        return ParsedDocument(
            path=path,
            text=text,
            title=text_of(value["title"]),
            media_type=text_of(value["media_type"])[:100],
            blocks=tuple(unpack_blocks(value["blocks"], len(line_starts(text)))),
            warnings=tuple(text_of(warning) for warning in value["warnings"]),
            natural_language=text_of(value["natural_language"])[:16],
            links=tuple(unpack_links(value["links"])),
            scanned=value["scanned"] is True,
            symbols=(symbols := tuple(unpack_symbols(value.get("symbols", ()), len(line_starts(text))))),
            references=tuple(unpack_references(value.get("references", ()), len(symbols))),
        )
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        return ParseError(path, f"its parser gave back what is no document ({error})")


def unpack_links(rows: Any) -> Iterator[FileLink]:
    for kind, line, target in rows:
        if type(line) is not int or not 1 <= line <= LARGEST:
            raise Malformed("a line that is no number")
        yield FileLink(LinkKind(kind), line, text_of(target)[:LONGEST_PATH])


def unpack_blocks(rows: Any, lines: int) -> Iterator[Block]:
    """The blocks, in order, apart, and inside the text."""
    end = 0
    for kind, start, stop, level, title, labels, language, header, *place in rows:
        if not all(type(number) is int for number in (start, stop, level)) or not end < start <= stop <= lines:
            raise Malformed("blocks out of order")
        page, box = unpack_place(place)
        yield Block(
            kind=BlockKind(kind),
            line_start=start,
            line_end=stop,
            level=min(max(level, 0), 1000),
            title=text_of(title),
            labels=tuple(text_of(label) for label in labels),
            language=text_of(language)[:40],
            page=page,
            box=box,
            header=text_of(header),
        )
        end = stop


def unpack_place(place: list[Any]) -> tuple[int | None, Box | None]:
    if not place:
        return None, None
    page, box = place
    if type(page) is not int or not 1 <= page <= LARGEST:
        raise Malformed("a page that is no number")
    if box is None:
        return page, None
    left, top, right, bottom = (float(side) for side in box)
    return page, (left, top, right, bottom)


def unpack_symbols(rows: Any, lines: int) -> Iterator[SymbolDraft]:
    for place, row in enumerate(rows):
        symbol = SymbolDraft(**dict(zip(SYMBOL, row, strict=True)))
        if symbol.ordinal != place or not 1 <= symbol.line_start <= symbol.line_end <= lines:
            raise Malformed("symbols out of order")
        for name, most in (("kind", 20), ("language", 40), *zip(DESCRIBED, repeat(MOST_OF_NAME))):
            text_of(getattr(symbol, name), most)
        yield symbol


def unpack_references(rows: Any, symbols: int) -> Iterator[ReferenceDraft]:
    for row in rows:
        reference = ReferenceDraft(**dict(zip(REFERENCE, row, strict=True)))
        if type(reference.line) is not int or not 1 <= reference.line <= LARGEST:
            raise Malformed("a line that is no number")
        if reference.symbol is not None and not (type(reference.symbol) is int and 0 <= reference.symbol < symbols):
            raise Malformed("a symbol that is not there")
        for name, most in (("kind", 20), *zip(("name", "written", "target"), repeat(MOST_OF_NAME))):
            text_of(getattr(reference, name), most)
        yield reference


def text_of(value: Any, most: int | None = None) -> str:
    if not isinstance(value, str) or "\0" in value or (most is not None and len(value) > most):
        raise Malformed("text expected")
    value.encode()  # halves of surrogate pairs
    return value
