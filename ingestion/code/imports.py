"""What a file imports: the name that it uses, and where that comes from. One function for each language."""

import posixpath
import re
from collections.abc import Callable, Iterator

from tree_sitter import Node

from .elements import HELD
from .naming import dotted, text_of

Import = tuple[str, str]  # the name in this file ("*": all names), and what it stands for, joined by points
OF_SCRIPTS = re.compile(rf"\.(?:[cm]?[jt]sx?|{'|'.join(HELD)})$")


def python(node: Node, path: str) -> Iterator[Import]:
    module = node.child_by_field_name("module_name")
    prefix = relative(text_of(module), path) if module else ""
    for child in node.children_by_field_name("name"):
        named, alias = child, None
        if child.type == "aliased_import":
            named, alias = child.child_by_field_name("name") or child, child.child_by_field_name("alias")
        name = text_of(named)
        if module:
            yield text_of(alias) or name, f"{prefix}.{name}".strip(".")
        else:
            yield (text_of(alias), name) if alias else (name.split(".", 1)[0],) * 2
    if module and any(child.type == "wildcard_import" for child in node.children):
        yield "*", prefix


def relative(module: str, path: str) -> str:
    """A module named from a file: `..a` in x/y/z.py is x.a."""
    level = len(module) - len(module.lstrip("."))
    if not level:
        return module
    above = path.split("/")[:-level]
    return ".".join([*above, *filter(None, module.lstrip(".").split("."))])


def php(node: Node, _: str) -> Iterator[Import]:
    group = next((child for child in node.named_children if child.type == "namespace_name"), None)
    prefix = f"{dotted(text_of(group))}." if group else ""
    body = node.child_by_field_name("body") or node
    for clause in body.named_children:
        if clause.type != "namespace_use_clause":
            continue
        alias = text_of(clause.child_by_field_name("alias"))
        named = clause.named_children[0]
        target = prefix + dotted(text_of(named))
        yield alias or target.rsplit(".", 1)[-1], target


def script(node: Node, path: str) -> Iterator[Import]:
    if node.type == "variable_declarator":
        yield from required(node, path)
        return
    clause = next((child for child in node.named_children if child.type == "import_require_clause"), None)
    if clause:  # `import a = require("b")`
        yield text_of(clause.named_children[0]), script_module(clause.child_by_field_name("source"), path)
        return
    module = script_module(node.child_by_field_name("source"), path)
    clause = next((child for child in node.named_children if child.type == "import_clause"), None)
    for child in clause.named_children if clause else ():
        if child.type == "identifier":
            yield text_of(child), f"{module}.default"
        elif child.type == "namespace_import":
            yield text_of(child.named_children[-1]), module
        else:
            for one in child.named_children:
                name = text_of(one.child_by_field_name("name"))
                yield text_of(one.child_by_field_name("alias")) or name, f"{module}.{name}"


def required(node: Node, path: str) -> Iterator[Import]:
    """`const a = require("b")`, `const {a, b: c} = require("d")`, `const a = await import("b").c`."""
    members: list[str] = []
    value = node.child_by_field_name("value")
    while value and value.type in ("member_expression", "await_expression", "parenthesized_expression"):
        members[:0] = filter(None, [text_of(value.child_by_field_name("property"))])
        value = value.child_by_field_name("object") or next(iter(value.named_children), None)
    called = text_of(value.child_by_field_name("function")) if value and value.type == "call_expression" else ""
    arguments = value.child_by_field_name("arguments") if value else None
    source = arguments.named_children[0] if arguments and arguments.named_children else None
    named = node.child_by_field_name("name")
    if called not in ("require", "import") or source is None or source.type != "string" or named is None:
        return
    module = ".".join([script_module(source, path), *members])
    if named.type == "identifier":
        yield text_of(named), module
    for child in named.named_children:
        left = child.child_by_field_name("left") or child  # `{a = 1}`
        if left.type == "shorthand_property_identifier_pattern":
            yield text_of(left), f"{module}.{text_of(left)}"
        elif child.type == "pair_pattern":
            yield text_of(child.child_by_field_name("value")), f"{module}.{text_of(child.child_by_field_name('key'))}"


def script_module(source: Node | None, path: str) -> str:
    """What is imported from, joined by points; one that begins with a point is named from the file."""
    named = text_of(source).strip("'\"`")
    if named.startswith("."):
        named = posixpath.normpath(posixpath.join(posixpath.dirname(path), named))
    return OF_SCRIPTS.sub("", named).removesuffix("/index").replace("/", ".").strip(".")


def java(node: Node, _: str) -> Iterator[Import]:
    named = next((child for child in node.named_children if child.type in ("scoped_identifier", "identifier")), None)
    target = dotted(text_of(named))
    wild = any(child.type == "asterisk" for child in node.named_children)
    yield "*" if wild else target.rsplit(".", 1)[-1], target


def go(node: Node, _: str) -> Iterator[Import]:
    target = text_of(node.child_by_field_name("path")).strip('"`').replace("/", ".")
    alias = text_of(node.child_by_field_name("name"))
    yield ("*" if alias == "." else alias) or target.rsplit(".", 1)[-1], target


def rust(node: Node, _: str) -> Iterator[Import]:
    """`use a::{b, c::{d as e}};` without recursion: prefixes are kept on a stack while the text is read."""
    yield from listed(text_of(node.child_by_field_name("argument")))


def listed(argument: str) -> Iterator[Import]:
    prefixes, current = [""], ""
    for token in re.findall(r"[{},]|[^{},]+", argument[:10_000]):
        match token:
            case "{":
                prefixes.append(prefixes[-1] + current.strip())
                current = ""
            case "}" | ",":
                yield from used(prefixes[-1] + current.strip()) if current.strip() else ()
                current = ""
                if token == "}" and len(prefixes) > 1:  # noqa: S105 - no password
                    prefixes.pop()
            case _:
                current += token
    if current.strip():
        yield from used(prefixes[-1] + current.strip())


def used(written: str) -> Iterator[Import]:
    target, _, alias = written.partition(" as ")
    path = [part for part in dotted(re.sub(r"\s", "", target.replace("*", "__all__"))).split(".") if part]
    path = [part for part in path if part not in ("crate", "self", "super")]
    if path and path[-1] == "__all__":
        yield "*", ".".join(path[:-1])
    elif path:
        yield alias.strip() or path[-1], ".".join(path)


def include(node: Node, _: str) -> Iterator[Import]:
    """All names of a header."""
    written = text_of(node.child_by_field_name("path")).strip('<>"')
    yield "*", re.sub(r"\.\w+$", "", written).replace("/", ".").strip(".")


def csharp(node: Node, _: str) -> Iterator[Import]:
    """All names of a namespace, or one under another name."""
    alias = text_of(node.child_by_field_name("name"))
    target = dotted(text_of(node.named_children[-1])) if node.named_children else ""
    yield alias or "*", target


def kotlin(node: Node, _: str) -> Iterator[Import]:
    target = dotted(text_of(next(iter(node.named_children), None)))
    alias = text_of(node.named_children[-1]) if node.named_child_count > 1 else ""
    wild = any(child.type == "*" for child in node.children)
    yield "*" if wild else alias or target.rpartition(".")[2], target


def scala(node: Node, _: str) -> Iterator[Import]:
    """`import a.{b, c => d}, e._`, as Rust writes it."""
    written = re.sub(r"\s*=>\s*", " as ", text_of(node).removeprefix("import"))
    yield from listed(re.sub(r"(?<=[.{,\s])_(?!\w)", "*", written))


def lua(node: Node, _: str) -> Iterator[Import]:
    """`local a = require("b.c")`."""
    named, values = node.named_children[0], node.named_children[-1]
    call = next(iter(values.named_children), None)
    if call and call.type == "function_call" and text_of(call.child_by_field_name("name")) == "require":
        yield text_of(named), text_of(call.child_by_field_name("arguments")).strip("()'\" ").replace("/", ".")


def bash(node: Node, _: str) -> Iterator[Import]:
    """All names of a script that is sourced. Where it lies is often worked out; what it is called is written."""
    sourced = node.child_by_field_name("argument")
    if text_of(node.child_by_field_name("name")) in ("source", ".") and sourced:
        yield "*", re.sub(r"\.\w+$", "", posixpath.basename(text_of(sourced).strip("'\"")))


IMPORTS: dict[str, Callable[[Node, str], Iterator[Import]]] = {
    "bash": bash, "c": include, "cpp": include, "csharp": csharp, "go": go, "java": java, "javascript": script,
    "kotlin": kotlin, "lua": lua, "php": php, "python": python, "rust": rust, "scala": scala, "typescript": script,
}  # fmt: skip
