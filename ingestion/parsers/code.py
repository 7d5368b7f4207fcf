"""Source code: symbols as sections where there is a grammar; else definitions as blocks, by blank lines."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from ingestion.code import CONTAINERS, LEAVES, read_code
from ingestion.code.statements import below_its_comment
from ingestion.documents import Block, BlockKind, ParsedDocument, ParseError, SymbolDraft
from ingestion.parsers.encoding import declared, decode

LANGUAGES = {
    ".awk": "awk", ".bash": "bash", ".bat": "batch", ".bzl": "python", ".c": "c", ".cc": "cpp", ".cfg": "ini",
    ".cjs": "javascript", ".clj": "clojure", ".cljc": "clojure", ".cljs": "clojure", ".cmake": "cmake",
    ".cmd": "batch", ".conf": "ini", ".cpp": "cpp", ".cr": "crystal", ".cs": "csharp", ".csproj": "xml",
    ".css": "css", ".cts": "typescript", ".cxx": "cpp", ".dart": "dart", ".dockerfile": "dockerfile", ".el": "elisp",
    ".elm": "elm", ".erl": "erlang", ".ex": "elixir", ".exs": "elixir", ".f90": "fortran", ".fish": "fish",
    ".fs": "fsharp", ".fsi": "fsharp", ".fsproj": "xml", ".fsx": "fsharp", ".gemspec": "ruby", ".go": "go",
    ".gql": "graphql", ".gradle": "groovy", ".graphql": "graphql", ".groovy": "groovy", ".h": "c", ".hcl": "hcl",
    ".hh": "cpp", ".hpp": "cpp", ".hrl": "erlang", ".hs": "haskell", ".hxx": "cpp", ".ini": "ini", ".inl": "cpp",
    ".ino": "cpp", ".ipp": "cpp", ".java": "java", ".jl": "julia", ".js": "javascript", ".json": "json",
    ".json5": "json", ".jsonc": "json", ".jsx": "javascript", ".kt": "kotlin", ".kts": "kotlin", ".less": "less",
    ".lisp": "lisp", ".lua": "lua", ".mjs": "javascript", ".mk": "makefile", ".ml": "ocaml", ".mli": "ocaml",
    ".mts": "typescript", ".nim": "nim", ".nix": "nix", ".pas": "pascal", ".php": "php", ".phtml": "php",
    ".pl": "perl", ".pm": "perl", ".properties": "properties", ".proto": "protobuf", ".ps1": "powershell",
    ".psd1": "powershell", ".psm1": "powershell", ".pxd": "cython", ".py": "python", ".pyi": "python",
    ".pyw": "python", ".pyx": "cython", ".r": "r", ".rake": "ruby", ".rb": "ruby", ".rkt": "racket", ".rs": "rust",
    ".ru": "ruby", ".sbt": "scala", ".scala": "scala", ".scm": "scheme", ".scss": "scss", ".sh": "bash",
    ".sol": "solidity", ".sql": "sql", ".svelte": "svelte", ".swift": "swift", ".tcl": "tcl", ".tf": "hcl",
    ".thrift": "thrift", ".toml": "toml", ".ts": "typescript", ".tsx": "typescript", ".twig": "twig", ".vb": "vb",
    ".vbproj": "xml", ".vue": "vue", ".xml": "xml", ".xsd": "xml", ".xsl": "xml", ".xslt": "xml", ".yaml": "yaml",
    ".yml": "yaml", ".zig": "zig", ".zsh": "bash",
}  # fmt: skip
LONG_CONTAINER = 40  # lines: the methods of a longer class are sections
OF_BROWSERS = ("css", "javascript", "typescript")
MINIFIED = re.compile(r"\.min\.\w{1,4}$", re.I)
LONGEST_LINE = 5_000  # characters that somebody may have written
LONGEST_COMMENT = 200  # lines, above a definition
OF_CPP = re.compile(
    r"^[ \t]*+(?:(?:inline )?namespace(?: [\w:]{1,200})?\s{0,9}\{|class \w[^;(){]{0,300}\{|template ?<"
    r"|using (?:namespace )?[\w:]{1,200} ?[=;]|(?:public|private) ?:)",
    re.M,
)
OPENS = re.compile(r"[^\s})\]]")
OWNED = re.compile(r"[^(=]*?[\w>]::(?:operator\b[^(]*|~?\w+) ?\(|[^(=]*\.prototype\.\w+ *=")  # of C++, of JavaScript
LONGEST_OWNER = 300  # characters of a signature
DEFINED = re.compile(r"(?:class|(?:async +)?def) +(\w{1,200})")
MOST_LOST = 5  # definitions that a warning names
LISTED = ("macro", "prototype", "property")
CLOSES = re.compile(r"(?:end|else|elif|except|finally|catch|fi|done|esac)\b")
CLOSING = re.compile(  # also with a comment on what is closed
    r"[\s})\];,?>]*(?:(?:end|#\s*endif)\b(?!\s*[=:\[(]).*)?|\s*[})\]][\s})\];,]*(?://|/\*).*"
)
NOTE = re.compile(r"\s*(?://|/\*|\*|--|#(?!(?:define|undef|if|ifdef|ifndef|el\w+|include|pragma|line|error)\b))")
ABOVE = re.compile(r"\s*(?://|/\*|\*|#|@\w|--)")  # comments and annotations that stand right above a definition


@dataclass(frozen=True, slots=True)
class Part:
    """The lines start to end (indexes, half-open) of a symbol, with its comments, or of what is around symbols."""

    start: int
    end: int
    title: str
    level: int  # 0: the file


def parse(data: bytes, path: str) -> ParsedDocument:
    """Raises ParseError for what was minified."""
    text, problems = decode(data, path, declared(data))
    language = language_of(path, text)
    if language in OF_BROWSERS and is_minified(path, text):
        raise ParseError(path, "it is minified: made from code that can be read instead")
    lines, title = text.split("\n"), path.rsplit("/", 1)[-1]
    code = read_code(text, path, language)
    if language == "python" and code.has_errors and (lost := unread_definitions(lines, code.symbols)):
        problems = (*problems, f"behind an error in its syntax these are no symbols: {lost}")
    if opened := list(openings(code.symbols, lines)):
        blocks = symbol_blocks(opened, lines, language, title)
    else:
        blocks = definitions(lines, 0, len(lines), language)
    return ParsedDocument(
        path=path,
        text=text,
        title=title,
        media_type=f"text/x-{language or 'source'}",
        blocks=tuple(blocks),
        warnings=problems,
        symbols=code.symbols,
        references=code.references,
    )


def is_minified(path: str, text: str) -> bool:
    """By its name, or by what is most of it."""
    long = sum(len(line) for line in text.split("\n") if len(line) > LONGEST_LINE)
    return MINIFIED.search(path) is not None or long > len(text) // 2


def language_of(path: str, text: str) -> str:
    """By the suffix; a header of C may be one of C++."""
    language = LANGUAGES.get("." + path.rsplit(".", 1)[-1].lower(), "")
    return "cpp" if path.lower().endswith(".h") and OF_CPP.search(text) else language


def unread_definitions(lines: list[str], symbols: Sequence[SymbolDraft]) -> str:
    """The unindented definitions of Python that no symbol has, with their lines; after five an ellipsis."""
    read = {symbol.name for symbol in symbols}
    defined = [(found[1], number) for number, line in enumerate(lines, 1) if (found := DEFINED.match(line))]
    lost = [f"{name} (line {number})" for name, number in defined if name not in read]
    return ", ".join([*lost[:MOST_LOST], *(["…"] if lost[MOST_LOST:] else [])])


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


def symbol_blocks(opened: Sequence[Part], lines: list[str], language: str, file: str) -> Iterator[Block]:
    """A heading for each of the opened symbols (its comments and decorators to its first line), and the code below it.

    Code that stands in no symbol, or between the methods of a class, has a heading that names the file or the class.
    """
    yield from definitions(lines, 0, opened[0].start, language)
    parts = list(in_order(opened, lines, file))
    for part, stop in zip(parts, [*(part.start for part in parts[1:]), len(lines)], strict=True):
        start, title = part.start, part.title
        yield Block(BlockKind.HEADING, start + 1, start + 1, level=part.level, title=title, language=language)
        yield from whole(lines, start + 1, stop, language)


def in_order(opened: Sequence[Part], lines: list[str], file: str) -> Iterator[Part]:
    """The parts, and after each what follows until the next begins: as one more part of what both stand in, below it.

    Lines that only close something, and comments without code, stay with what is before them.
    """
    owners: list[Part | None] = [None] * len(lines)
    for part in opened:
        owners[part.start : part.end] = [part] * (part.end - part.start)
    index = opened[0].start
    for owner, run in groupby(owners[index:]):
        end = index + len(list(run))
        said = [line for line in range(index, end) if not CLOSING.fullmatch(lines[line])]
        if owner and owner.start == index:
            yield owner
        elif any(not NOTE.match(lines[line]) for line in said):
            yield replace(owner, start=said[0], level=owner.level + 1) if owner else Part(said[0], end, file, 0)
        index = end


def whole(lines: list[str], start: int, end: int, language: str) -> Iterator[Block]:
    filled = [index for index in range(start, end) if lines[index].strip()]
    if filled:
        yield Block(BlockKind.CODE, filled[0] + 1, filled[-1] + 1, language=language)


def openings(symbols: Sequence[SymbolDraft], lines: list[str]) -> Iterator[Part]:
    """The outermost symbols, and those in long ones that contain others. Of several on a line the first is taken.

    Constants, other names of types, and what a header lists line by line without a comment open nothing.
    """
    path: list[SymbolDraft] = []
    last = -1
    open_to = (symbol for symbol in symbols if symbol.kind not in LEAVES)
    for symbol in sorted(open_to, key=lambda one: (one.line_start, -one.line_end, one.ordinal)):
        while path and path[-1].line_end < symbol.line_start:
            path.pop()
        is_open = all(is_long_container(outer) for outer in path)
        start = first_line(symbol.line_start - 1, last + 1, lines, symbol.language)
        is_listed = symbol.kind in LISTED and symbol.line_start == symbol.line_end and not symbol.docstring
        if is_open and start > last and not is_listed:
            yield Part(start, symbol.line_end, title_of(symbol, path), len(path) + 1)
            last = start
        path.append(symbol)


def title_of(symbol: SymbolDraft, path: Sequence[SymbolDraft]) -> str:
    """Below the names of what it stands in, and of the type that it is for: `Cat.new` in `impl Cat`."""
    outer = [each.name for each in path]
    owner = symbol.qualified_name.rpartition(".")[0].rpartition(".")[2]
    of_type = symbol.kind == "method" or OWNED.match(symbol.signature, 0, LONGEST_OWNER)
    return ".".join([*outer, *([owner] if owner and of_type and outer[-1:] != [owner] else []), symbol.name])


def is_long_container(symbol: SymbolDraft) -> bool:
    return symbol.kind in CONTAINERS and symbol.line_end - symbol.line_start > LONG_CONTAINER


def first_line(start: int, least: int, lines: list[str], language: str) -> int:
    """With the comments right above it, or the one that documents it above a blank line; so are all of SQL's dumps."""
    if language == "sql" and start - 2 >= least:
        start = below_its_comment(lines, start)
    if (opened := documented_from(start, least, lines)) is not None:
        return opened
    while start > least:
        above = lines[start - 1]
        opened = comment_start(start - 1, least, lines) if above.rstrip().endswith("*/") else None
        if opened is None and not ABOVE.match(above):
            break
        start = start - 1 if opened is None else opened
    return start


def documented_from(start: int, least: int, lines: list[str]) -> int | None:
    """Where a comment `/**` begins that ends above the one blank line before `start`; None for one below another
    comment, or at the file's top.
    """
    if start - 2 < least or lines[start - 1].strip() or not lines[start - 2].rstrip().endswith("*/"):
        return None
    opened = comment_start(start - 2, least, lines)
    if not opened or not lines[opened].lstrip().startswith("/**") or ABOVE.match(lines[opened - 1]):
        return None
    return opened


def comment_start(end: int, least: int, lines: list[str]) -> int | None:
    """The first line of the comment that ends there, whatever its lines begin with; None where code stands before."""
    for index in range(end, max(least, end - LONGEST_COMMENT) - 1, -1):
        if index < end and "*/" in lines[index]:
            return None
        if lines[index].lstrip().startswith("/*"):
            return index
    return None
