"""Source code: symbols as sections where there is a grammar; else definitions as blocks, by blank lines."""

import re
from collections.abc import Iterator, Sequence

from ingestion.code import CONTAINERS, read_code
from ingestion.documents import Block, BlockKind, ParsedDocument, SymbolDraft
from ingestion.parsers.encoding import decode

LANGUAGES = {
    ".bash": "bash", ".c": "c", ".cc": "cpp", ".cfg": "ini", ".conf": "ini", ".cpp": "cpp", ".cs": "csharp",
    ".css": "css", ".go": "go", ".h": "c", ".hpp": "cpp", ".ini": "ini", ".java": "java", ".js": "javascript",
    ".json": "json", ".jsx": "javascript", ".kt": "kotlin", ".lua": "lua", ".mjs": "javascript", ".php": "php",
    ".pl": "perl", ".py": "python", ".pyi": "python", ".rb": "ruby", ".rs": "rust", ".scala": "scala",
    ".scss": "scss", ".sh": "bash", ".sql": "sql", ".swift": "swift", ".toml": "toml", ".ts": "typescript",
    ".tsx": "typescript", ".twig": "twig", ".vue": "vue", ".xml": "xml", ".yaml": "yaml", ".yml": "yaml",
}  # fmt: skip
LONG_CONTAINER = 40  # lines: the methods of a longer class are sections
OPENS = re.compile(r"[^\s})\]]")
CLOSES = re.compile(r"(?:end|else|elif|except|finally|catch|fi|done|esac)\b")
ABOVE = re.compile(r"\s*(?://|/\*|\*|#|@\w|--)")  # comments and annotations that stand right above a definition


def parse(data: bytes, path: str) -> ParsedDocument:
    text, problems = decode(data, path)
    language = LANGUAGES.get("." + path.rsplit(".", 1)[-1].lower(), "")
    lines = text.split("\n")
    code = read_code(text, path, language)
    blocks = (
        symbol_blocks(code.symbols, lines, language) if code.symbols else definitions(lines, 0, len(lines), language)
    )
    return ParsedDocument(
        path=path,
        text=text,
        title=path.rsplit("/", 1)[-1],
        media_type=f"text/x-{language or 'source'}",
        blocks=tuple(blocks),
        warnings=problems,
        symbols=code.symbols,
        references=code.references,
    )


def definitions(lines: list[str], start: int, end: int, language: str) -> Iterator[Block]:
    """The lines start to end (indexes, half-open) in blocks that begin unindented after a blank line."""
    first: int | None = None
    last = start
    for index in range(start, end):
        line = lines[index]
        if not line.strip():
            continue
        if first is not None and last < index - 1 and OPENS.match(line) and not CLOSES.match(line):
            yield Block(BlockKind.CODE, first + 1, last + 1, language=language)
            first = None
        first = index if first is None else first
        last = index
    if first is not None:
        yield Block(BlockKind.CODE, first + 1, last + 1, language=language)


def symbol_blocks(symbols: Sequence[SymbolDraft], lines: list[str], language: str) -> Iterator[Block]:
    """A heading for each symbol of the file (its comments and decorators to its first line), and the code below it."""
    opened = list(openings(symbols, lines))
    yield from definitions(lines, 0, opened[0][0], language)
    for (start, title, level), stop in zip(opened, [*(start for start, *_ in opened[1:]), len(lines)], strict=True):
        yield Block(BlockKind.HEADING, start + 1, start + 1, level=level, title=title, language=language)
        yield from whole(lines, start + 1, stop, language)


def whole(lines: list[str], start: int, end: int, language: str) -> Iterator[Block]:
    filled = [index for index in range(start, end) if lines[index].strip()]
    if filled:
        yield Block(BlockKind.CODE, filled[0] + 1, filled[-1] + 1, language=language)


def openings(symbols: Sequence[SymbolDraft], lines: list[str]) -> Iterator[tuple[int, str, int]]:
    """(index of the first line, title, level) of the outermost symbols, and of those in long ones that contain others.

    Of several on a line the first is taken.
    """
    path: list[SymbolDraft] = []
    last = -1
    for symbol in sorted(symbols, key=lambda one: (one.line_start, -one.line_end, one.ordinal)):
        while path and path[-1].line_end < symbol.line_start:
            path.pop()
        is_open = all(is_long_container(outer) for outer in path)
        start = first_line(symbol.line_start - 1, last + 1, lines)
        if is_open and start > last:
            yield start, ".".join([*(outer.name for outer in path), symbol.name]), len(path) + 1
            last = start
        path.append(symbol)


def is_long_container(symbol: SymbolDraft) -> bool:
    return symbol.kind in CONTAINERS and symbol.line_end - symbol.line_start > LONG_CONTAINER


def first_line(start: int, least: int, lines: list[str]) -> int:
    """With the comments right above it."""
    while start > least and ABOVE.match(lines[start - 1]):
        start -= 1
    return start
