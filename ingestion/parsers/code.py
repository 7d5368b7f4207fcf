"""Source code: symbols as sections for Python, else definitions as blocks, by blank lines and indentation."""

import ast
import re
import warnings
from collections.abc import Iterator
from itertools import pairwise

from ingestion.documents import Block, BlockKind, ParsedDocument
from ingestion.parsers.encoding import decode

LANGUAGES = {
    ".bash": "bash", ".c": "c", ".cc": "cpp", ".cfg": "ini", ".conf": "ini", ".cpp": "cpp", ".cs": "csharp",
    ".css": "css", ".go": "go", ".h": "c", ".hpp": "cpp", ".ini": "ini", ".java": "java", ".js": "javascript",
    ".json": "json", ".jsx": "javascript", ".kt": "kotlin", ".lua": "lua", ".mjs": "javascript", ".php": "php",
    ".pl": "perl", ".py": "python", ".pyi": "python", ".rb": "ruby", ".rs": "rust", ".scala": "scala",
    ".scss": "scss", ".sh": "bash", ".sql": "sql", ".swift": "swift", ".toml": "toml", ".ts": "typescript",
    ".tsx": "typescript", ".twig": "twig", ".vue": "vue", ".xml": "xml", ".yaml": "yaml", ".yml": "yaml",
}  # fmt: skip
LONG_CLASS = 40  # lines: the methods of a longer one are sections
OPENS = re.compile(r"[^\s})\]]")
CLOSES = re.compile(r"(?:end|else|elif|except|finally|catch|fi|done|esac)\b")
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def parse(data: bytes, path: str) -> ParsedDocument:
    text, problems = decode(data, path)
    language = LANGUAGES.get("." + path.rsplit(".", 1)[-1].lower(), "")
    lines = text.split("\n")
    blocks = python_blocks(text, lines) if language == "python" else None
    if blocks is None and language == "python":
        problems = (*problems, "not Python that can be read here: split at blank lines")
    name = path.rsplit("/", 1)[-1]
    blocks = tuple(definitions(lines, 0, len(lines), language)) if blocks is None else blocks
    return ParsedDocument(path, text, name, f"text/x-{language or 'source'}", blocks, problems)


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


def python_blocks(text: str, lines: list[str]) -> tuple[Block, ...] | None:
    """A heading for each function and class (its decorators to its first line), and the code below it."""
    try:
        with warnings.catch_warnings(action="ignore"):
            module = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    symbols = list(find_symbols(module))
    blocks: list[Block] = []
    edges = [(0, ""), *((line, title) for line, title, _ in symbols), (len(lines), "")]
    levels = [0, *(level for _, _, level in symbols)]
    for ((start, title), (stop, _)), level in zip(pairwise(edges), levels, strict=True):
        body = start
        if title:
            blocks.append(Block(BlockKind.HEADING, start + 1, start + 1, level=level, title=title, language="python"))
            body = start + 1
        blocks += definitions(lines, body, stop, "python") if not title else whole(lines, body, stop)
    return tuple(blocks)


def whole(lines: list[str], start: int, end: int) -> Iterator[Block]:
    filled = [index for index in range(start, end) if lines[index].strip()]
    if filled:
        yield Block(BlockKind.CODE, filled[0] + 1, filled[-1] + 1, language="python")


def find_symbols(module: ast.Module) -> Iterator[tuple[int, str, int]]:
    """(index of the first line, title, level) of the functions and classes, and of the methods of long classes."""
    for node in module.body:
        if isinstance(node, Definition):
            yield first_line(node), node.name, 1
        if isinstance(node, ast.ClassDef) and (node.end_lineno or 0) - node.lineno > LONG_CLASS:
            for method in node.body:
                if isinstance(method, Definition):
                    yield first_line(method), f"{node.name}.{method.name}", 2


def first_line(node: Definition) -> int:
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)]) - 1
