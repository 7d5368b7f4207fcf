"""From a file's text to its symbols and references. A tree with errors in it still names what it can."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice

from tree_sitter import Node, QueryCursor

from ingestion.documents import ReferenceDraft, SymbolDraft

from .declarations import read_declarations
from .elements import HELD, scripts_of
from .grammars import JSX_CALLS, TSX, Grammar, grammar_of, parser_of
from .imports import IMPORTS
from .naming import (
    LONGEST,
    SIGILS,
    SUPERS,
    body_of,
    dotted,
    end_of,
    function_of,
    holder_name,
    members_of,
    split_callee,
    text_of,
)
from .parsing import parsed, unread
from .receivers import Places, own_variable, places_of, receiver_of
from .symbol_names import TYPES_OF_GO, is_value, symbol_name, value_of

MOST_SYMBOLS = 20_000
MOST_REFERENCES = 100_000
MOST_ERRORS = 5_000  # pieces of a file that is not of its language
DEEPEST_OBJECT = 50  # objects in each other, and what they are in: names take the square of that
LONGEST_SIGNATURE = 500  # characters
LONGEST_DOCSTRING = 2_000
MOST_ABOVE = 100  # comments and attributes that may belong to a definition
CONTAINERS = ("class", "interface", "trait", "struct", "enum", "module", "type", "union", "message", "service")
LEAVES = ("constant", "alias", "index", "sequence")  # nothing stands in them
ADDING = ("impl_item", "class_declaration")  # what adds to a type that may be defined elsewhere
CALLED = ("constructor_invocation", "primary_constructor_base_type", "explicit_delegation")  # `: Base(a)`
KINDS = ("interface", "enum", "struct")  # that a class may be instead
PROTOTYPES = ("declaration", "field_declaration")
BODILESS = (  # what may be all of a signature; of macros and types the first line says enough
    *PROTOTYPES, "function_definition", "function_declaration", "function_signature", "function_signature_item",
    "protocol_function_declaration", "method_declaration", "method_elem", "method_signature",
    "abstract_method_signature",
)  # fmt: skip
MACROS = ("preproc_def", "preproc_function_def")
DECLARED = ("variable_declarator", "assignment_expression", "const_element")  # what is around it counts
LISTED = ("const_spec", *TYPES_OF_GO)  # what is around it counts where it is the only one there
AROUND = ("decorated_definition", "template_declaration", "type_definition", "variable_declaration")
MAGIC = re.compile(  # comments of Ruby's that tell the interpreter or a tool something
    r"#(?:!|\s*(?:-\*-|frozen[_-]string[_-]literal:|(?:en)?coding:|warn_indent:|shareable_constant_value:|typed:|rubocop:))",
    re.I,
)
REFERRED = re.compile(r"&\s*(?:'\w+\s*)?(?:mut\s+)?|\*\s*(?:const|mut)\s+|\bdyn\s+")  # to a type of Rust
COMMENTS = ("comment", "block_comment", "line_comment", "multiline_comment")
COMMENT_MARKS = {"lua": "-[]"}  # elsewhere the same


@dataclass(frozen=True, slots=True)
class Code:
    symbols: tuple[SymbolDraft, ...] = ()
    references: tuple[ReferenceDraft, ...] = ()
    has_errors: bool = False  # in its syntax


@dataclass(frozen=True, slots=True)
class Scope:
    """A stretch of bytes whose symbols belong to `name`; `symbol` is the ordinal of the one that it is."""

    start: int
    end: int
    name: str
    symbol: int | None
    is_container: bool
    own: str = ""  # the variable that it calls itself by


def read_code(text: str, path: str, language: str) -> Code:
    """Of a language without a grammar what it declares at the head of a line, if that is known of it."""
    if language in HELD:
        text, language = scripts_of(text), HELD[language]
    grammar = grammar_of(language, path)
    if grammar is None:
        return Code(read_declarations(text, language))
    source = text.encode()
    parser, query = parser_of(id(grammar))
    tree = parsed(source, parser, language)
    if language == "javascript" and tree.root_node.has_error:  # its types may be those of Flow
        typed_parser, typed_query = parser_of(id(TSX))
        typed = parsed(source, typed_parser, "typescript")
        if unread(typed) < unread(tree):
            grammar, query, tree = TSX, typed_query, typed
    root = tree.root_node
    if root.type == "ERROR" and root.child_count > MOST_ERRORS:  # a query takes its square, and it is no code
        return Code()
    captured = QueryCursor(query).captures(root)  # in any order
    found = {what: sorted(nodes, key=outer_first) for what, nodes in captured.items()}
    named = [*((node, True) for node in found.get("symbol", ())), *((node, False) for node in found.get("scope", ()))]
    in_order = sorted(named, key=lambda one: outer_first(one[0]))
    scopes, symbols = read_symbols(in_order, grammar, language, places_of(found.get("local", ())))
    finder = Finder(scopes)
    references = chain(
        read_imports(found.get("import", ()), path, language),
        read_bases(found.get("base", ()), finder),
        read_calls(found.get("call", ()), grammar, finder, language),
    )
    ordered = sorted(islice(references, MOST_REFERENCES), key=lambda one: (one.line, one.kind, one.written))
    return Code(tuple(symbols), tuple(ordered), root.has_error)


def outer_first(node: Node) -> tuple[int, int]:
    return node.start_byte, -node.end_byte


def read_symbols(
    nodes: Sequence[tuple[Node, bool]], grammar: Grammar, language: str, local: Places
) -> tuple[list[Scope], list[SymbolDraft]]:
    """Scopes in order of where they begin, and the symbols. `nodes` are in that order, the outer before the inner."""
    scopes: list[Scope] = []
    symbols: list[SymbolDraft] = []
    open_scopes: list[Scope] = []
    held: set[int] = set()  # the members of objects that have a name: those of others have none
    for node, may_be_symbol in nodes:
        if len(symbols) >= MOST_SYMBOLS:
            break
        if node.type == "pair" and node.id not in held:
            continue
        is_symbol = may_be_symbol and not is_extension(node)
        while open_scopes and open_scopes[-1].end <= node.start_byte:
            open_scopes.pop()
        prefix = [scope.name for scope in open_scopes if scope.name and node.type not in MACROS]
        name = symbol_name(node) if is_symbol else scope_name(node, grammar)
        if node.type == "assignment_expression" and open_scopes:
            name = ""  # a step of a function, such as `request.onload = () => …`
        if len(open_scopes) < DEEPEST_OBJECT and (members := members_of(node)):
            held.update(member.id for member in members)
            open_scopes.append(Scope(node.start_byte, node.end_byte, holder_name(node), None, False))
            scopes.append(open_scopes[-1])
        if not name:
            continue
        ordinal = None
        if is_symbol:
            kind = "constant" if is_value(node) else own_kind(node) or grammar.symbols[node.type]
            inside = bool(open_scopes) and open_scopes[-1].is_container
            receiver = receiver_of(node)
            kind = "method" if kind == "function" and (inside or receiver) else kind
            ordinal = len(symbols)
            qualified = ".".join([*prefix, *([receiver] if receiver else []), name])
            symbols.append(draft(node, ordinal, kind, name.rsplit(".", 1)[-1], qualified, language))
            if kind in LEAVES:
                continue
        end = node.end_byte
        if not is_symbol and node.child_by_field_name("body") is None:  # `namespace A;`, `package a;`: to the end
            end = node.parent.end_byte if node.parent else node.end_byte
        is_container = symbols[-1].kind in CONTAINERS if is_symbol else node.type in ADDING
        scope = Scope(node.start_byte, end, name, ordinal, is_container, own_variable(node, local))
        scopes.append(scope)
        open_scopes.append(scope)
    return scopes, symbols


def is_extension(node: Node) -> bool:
    """Of Swift: as in `impl` of Rust, what is in it belongs to a type that is defined elsewhere."""
    return node.type == "class_declaration" and any(child.type == "extension" for child in node.children)


def own_kind(node: Node) -> str:
    """Where a grammar has one type of node for several: `enum class` of Kotlin, `struct` of Swift."""
    if node.type != "class_declaration":
        return ""
    named = node.child_by_field_name("name")
    head = (node.text or b"")[: named.start_byte - node.start_byte] if named else b""
    return next((word for word in head.decode(errors="replace").split() if word in KINDS), "")


def scope_name(node: Node, grammar: Grammar) -> str:
    if node.type == "export_statement":
        return ""  # its object has members
    if node.type == "mod_item" and node.child_by_field_name("body") is None:
        return ""  # `mod a;`: it is in another file
    field = grammar.scopes.get(node.type, "name")
    named = node.child_by_field_name(field) if field else next(iter(node.named_children), None)
    written = text_of(named)
    return dotted(REFERRED.sub("", written)).partition("+")[0] if node.type == "impl_item" else dotted(written)


def draft(node: Node, ordinal: int, kind: str, name: str, qualified: str, language: str) -> SymbolDraft:
    outer = node.parent if node.parent and node.parent.type in AROUND else node
    is_alone = node.type in LISTED and node.parent and node.parent.named_child_count == 1
    if (node.type in DECLARED or is_alone) and node.parent:
        outer = node.parent
    if outer.parent and outer.type == "variable_declaration" and outer.parent.type == "field_declaration":  # of C#
        outer = outer.parent
    if outer.parent and outer.parent.type == "export_statement":
        outer = outer.parent
    said = signature(node)
    return SymbolDraft(
        ordinal=ordinal,
        kind=kind,
        name=name[:LONGEST],
        qualified_name=qualified[: 3 * LONGEST],
        language=language,
        line_start=outer.start_point.row + 1,
        line_end=last_line(outer),
        signature=f"{said} {name}"[:LONGEST_SIGNATURE]
        if outer.type == "type_definition" and name not in said
        else said,
        docstring=docstring(node, outer, language),
    )


def last_line(node: Node) -> int:
    """Without the line that only the node's last line end opens."""
    end = node.end_point
    return max(end.row + (1 if end.column else 0), node.start_point.row + 1)


def signature(node: Node) -> str:
    """Its beginning, up to its body, on one line and without comments."""
    body = body_of(node)
    if body is None and (value := function_of(value_of(node))):
        body = value.child_by_field_name("body")
    whole = node.text or b""
    if body:
        whole = whole[: body.start_byte - node.start_byte]
    head = whole if body or node.type in BODILESS else whole.split(b"\n", 1)[0]
    plain = b"type " * (node.type in TYPES_OF_GO) + without_comments(head, node)
    return " ".join(plain.decode(errors="replace").split()).rstrip("{:= ")[:LONGEST_SIGNATURE]


def without_comments(head: bytes, node: Node) -> bytes:
    """The bytes with which a node begins, with spaces for the comments in them."""
    plain = bytearray(head)
    left = [node] if any(mark in head for mark in (b"#", b"//", b"/*")) else []
    while left:
        for each in left.pop().children:
            start, end = each.start_byte - node.start_byte, min(each.end_byte - node.start_byte, len(head))
            if start >= len(head):
                break
            if each.type in COMMENTS:
                plain[start:end] = b" " * (end - start)
            else:
                left.append(each)
    return bytes(plain)


def docstring(node: Node, outer: Node, language: str) -> str:
    if language == "python":
        body = node.child_by_field_name("body")
        first = body.named_children[0] if body and body.named_children else None
        string = (
            first.named_children[0]
            if first and first.type == "expression_statement" and first.named_children
            else first
        )
        if string is None or string.type != "string":
            return ""
        content = [text_of(child) for child in string.named_children if child.type == "string_content"]
        return tidy("".join(content))
    comments = [text_of(each).rstrip() for each in comments_above(outer)]
    said = [text for text in reversed(comments) if not MAGIC.match(text)]
    marks = COMMENT_MARKS.get(language, "/*#!")
    return tidy("\n".join(line.strip().lstrip(marks).rstrip("*/") for text in said for line in text.split("\n")))


def comments_above(node: Node) -> Iterator[Node]:
    """Those without an empty line before it, the nearest first, or the one that documents it above one such line.
    Attributes of Rust may stand between.

    Rust's `//!`, the grammar's "inner", is about what is around it, and ends where the next line begins, as `///` does.
    """
    before, row = node.prev_sibling, node.start_point.row
    if before is not None and row == last_line(before) + 1 and is_documentation(before):
        yield before
        return
    for _ in range(MOST_ABOVE):
        if before is None or before.type not in (*COMMENTS, "attribute_item") or row > last_line(before):
            return
        if before.child_by_field_name("inner") is not None:
            return
        if before.type in COMMENTS:
            yield before
        row, before = before.start_point.row, before.prev_sibling


def is_documentation(comment: Node) -> bool:
    """Whether it is one `/**` that stands below no other comment, nor at the file's top."""
    above, row = comment.prev_sibling, comment.start_point.row
    is_below_another = above is not None and above.type in COMMENTS and last_line(above) == row
    return comment.type in COMMENTS and bool(row) and not is_below_another and (comment.text or b"").startswith(b"/**")


def tidy(text: str) -> str:
    lines = [line.strip() for line in text.replace("\0", "").strip().split("\n")]
    return "\n".join(lines).strip()[:LONGEST_DOCSTRING]


class Finder:
    """Finds what is innermost around a byte."""

    def __init__(self, scopes: Sequence[Scope]) -> None:
        self.scopes = scopes
        self.starts = [scope.start for scope in scopes]
        self.parents: list[int] = []
        path: list[int] = []
        for place, scope in enumerate(scopes):
            while path and scopes[path[-1]].end <= scope.start:
                path.pop()
            self.parents.append(path[-1] if path else -1)
            path.append(place)

    def symbol_at(self, byte: int) -> int | None:
        scope = self.scope_at(byte)
        return scope.symbol if scope else None

    def scope_at(self, byte: int) -> Scope | None:
        """Of a symbol."""
        place = bisect_right(self.starts, byte) - 1
        while place >= 0:
            scope = self.scopes[place]
            if byte < scope.end and scope.symbol is not None:
                return scope
            place = self.parents[place]
        return None


def read_imports(nodes: Sequence[Node], path: str, language: str) -> Iterator[ReferenceDraft]:
    for node in nodes:
        for name, target in IMPORTS[language](node, path):
            if name and target and len(name) <= LONGEST:
                yield ReferenceDraft("import", name, name, target[: 3 * LONGEST], None, node.start_point.row + 1)


def read_bases(nodes: Sequence[Node], finder: Finder) -> Iterator[ReferenceDraft]:
    for node in nodes:
        inside: Node | None = node
        if node.type == "class_definition":
            inside = node.child_by_field_name("superclasses")
        for base in inside.named_children if inside else ():
            child = base.named_children[0] if base.type in CALLED and base.named_children else base
            name, written = split_callee(text_of(child).partition("[")[0])  # `Generic[T]`
            if name and child.type not in (
                "keyword_argument",
                "access_specifier",
                "extends_clause",
                "implements_clause",
            ):
                owner = finder.symbol_at(node.start_byte)
                yield ReferenceDraft("base", name, written, "", owner, child.start_point.row + 1)


def read_calls(nodes: Sequence[Node], grammar: Grammar, finder: Finder, language: str) -> Iterator[ReferenceDraft]:
    marks = SIGILS.get(language, {})
    for node in nodes:
        if node.type in grammar.symbols and symbol_name(node):
            continue  # `define_method :a`
        before, named = grammar.calls[node.type]
        callee = node.child_by_field_name(named) if named else next(iter(node.named_children), None)
        owner = node.child_by_field_name(before) if before else None
        written = f"{end_of(owner)[-2 * LONGEST :]}." if owner else ""
        said = (written + end_of(callee)).translate(marks)
        name, whole = split_callee(SUPERS[language].sub("super", said) if language in SUPERS else said)
        is_html = node.type in JSX_CALLS and not whole[:1].isupper()
        if name and not is_html:
            end = callee.end_byte if callee else node.start_byte
            row = callee.end_point.row if callee else node.start_point.row
            around = finder.scope_at(end - 1)
            if around and around.own and whole.startswith(f"{around.own}."):
                whole = f"self{whole.removeprefix(around.own)}"
            yield ReferenceDraft("call", name, whole, "", around.symbol if around else None, row + 1)
