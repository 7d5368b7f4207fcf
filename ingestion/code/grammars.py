"""How each language names what it defines and calls: node types and fields of its tree-sitter grammar."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import tree_sitter_bash
import tree_sitter_c
import tree_sitter_c_sharp
import tree_sitter_cpp
import tree_sitter_go
import tree_sitter_java
import tree_sitter_javascript
import tree_sitter_kotlin
import tree_sitter_lua
import tree_sitter_php
import tree_sitter_python
import tree_sitter_ruby
import tree_sitter_rust
import tree_sitter_scala
import tree_sitter_swift
import tree_sitter_typescript
from tree_sitter import Language, Parser, Query

Callee = tuple[str, str]  # fields of what stands before the name, and of the name


@dataclass(frozen=True)
class Grammar:
    """`symbols` maps node types to kinds, `scopes` to the field that names what their symbols belong to."""

    pointer: Any
    symbols: Mapping[str, str]
    calls: Mapping[str, Callee]
    imports: tuple[str, ...]
    bases: tuple[str, ...] = ()
    scopes: Mapping[str, str] = field(default_factory=dict)  # they are no symbols: namespaces, `impl` of a type
    local: str = ""  # a query for the names that functions give to something of their own

    def language(self) -> Language:
        return Language(self.pointer)


FUNCTIONS = ("arrow_function", "function_expression", "function", "generator_function", "lambda")
NARROWED = {  # data has very many
    "pair": " value: [(arrow_function) (function_expression) (generator_function) (call_expression) (object)]",
}
SCRIPT_SYMBOLS = {
    "class_declaration": "class", "function_declaration": "function", "generator_function_declaration": "function",
    "method_definition": "method", "variable_declarator": "function", "assignment_expression": "function",
    "pair": "method",
}  # fmt: skip
SCRIPT_CALLS = {"call_expression": ("", "function"), "new_expression": ("", "constructor")}
JSX_CALLS = {"jsx_opening_element": ("", "name"), "jsx_self_closing_element": ("", "name")}  # of what is no HTML
SCRIPT_IMPORTS = ("import_statement", "variable_declarator")  # `const a = require("b")`
C_SYMBOLS = {
    "function_definition": "function", "struct_specifier": "struct", "union_specifier": "union",
    "enum_specifier": "enum", "declaration": "prototype", "preproc_function_def": "macro", "preproc_def": "constant",
    "type_definition": "alias",
}  # fmt: skip
GO_LOCAL = """
(short_var_declaration left: (expression_list (identifier) @local))
(range_clause left: (expression_list (identifier) @local))
(receive_statement left: (expression_list (identifier) @local))
(type_switch_statement alias: (expression_list (identifier) @local))
(func_literal (parameter_list (_ name: (identifier) @local)))
(var_spec name: (identifier) @local)
(const_spec name: (identifier) @local)
"""

GRAMMARS = {
    "python": Grammar(
        tree_sitter_python.language(),
        {"function_definition": "function", "class_definition": "class", "assignment": "function"},
        {"call": ("", "function")},
        ("import_statement", "import_from_statement"),
        ("class_definition",),
    ),
    "php": Grammar(
        tree_sitter_php.language_php(),
        {
            "class_declaration": "class", "interface_declaration": "interface", "trait_declaration": "trait",
            "enum_declaration": "enum", "function_definition": "function", "method_declaration": "method",
            "const_element": "constant",
        },
        {
            "function_call_expression": ("", "function"), "member_call_expression": ("object", "name"),
            "nullsafe_member_call_expression": ("object", "name"), "scoped_call_expression": ("scope", "name"),
            "object_creation_expression": ("", ""),
        },
        ("namespace_use_declaration",),
        ("base_clause", "class_interface_clause", "use_declaration"),
        {"namespace_definition": "name"},
    ),
    "javascript": Grammar(
        tree_sitter_javascript.language(),
        SCRIPT_SYMBOLS | {"field_definition": "method"},
        SCRIPT_CALLS | JSX_CALLS,
        SCRIPT_IMPORTS,
        ("class_heritage",),
        {"export_statement": ""},
    ),
    "typescript": Grammar(
        tree_sitter_typescript.language_typescript(),
        SCRIPT_SYMBOLS
        | {
            "abstract_class_declaration": "class", "interface_declaration": "interface", "enum_declaration": "enum",
            "type_alias_declaration": "type", "public_field_definition": "method", "function_signature": "function",
            "method_signature": "method", "abstract_method_signature": "method",
        },
        SCRIPT_CALLS,
        SCRIPT_IMPORTS,
        ("extends_clause", "implements_clause", "extends_type_clause"),
        {"internal_module": "name", "export_statement": ""},
    ),
    "java": Grammar(
        tree_sitter_java.language(),
        {
            "class_declaration": "class", "interface_declaration": "interface", "enum_declaration": "enum",
            "record_declaration": "class", "annotation_type_declaration": "interface",
            "method_declaration": "method", "constructor_declaration": "constructor",
            "variable_declarator": "constant",
        },
        {"method_invocation": ("object", "name"), "object_creation_expression": ("", "type")},
        ("import_declaration",),
        ("superclass", "type_list"),
        {"package_declaration": ""},
    ),
    "go": Grammar(
        tree_sitter_go.language(),
        {
            "function_declaration": "function", "method_declaration": "method", "type_spec": "type",
            "type_alias": "alias", "const_spec": "constant", "method_elem": "prototype",
        },
        {"call_expression": ("", "function")},
        ("import_spec",),
        local=GO_LOCAL,
    ),
    "rust": Grammar(
        tree_sitter_rust.language(),
        {
            "function_item": "function", "function_signature_item": "function", "struct_item": "struct",
            "enum_item": "enum", "trait_item": "trait", "union_item": "union", "macro_definition": "macro",
            "const_item": "constant", "static_item": "constant", "type_item": "alias",
        },
        {"call_expression": ("", "function"), "macro_invocation": ("", "macro")},
        ("use_declaration",),
        (),
        {"impl_item": "type", "mod_item": "name"},
    ),
    "c": Grammar(tree_sitter_c.language(), C_SYMBOLS, {"call_expression": ("", "function")}, ("preproc_include",)),
    "cpp": Grammar(
        tree_sitter_cpp.language(),
        C_SYMBOLS | {"class_specifier": "class", "field_declaration": "prototype", "alias_declaration": "alias"},
        {"call_expression": ("", "function"), "new_expression": ("", "type")},
        ("preproc_include",),
        ("base_class_clause",),
        {"namespace_definition": "name"},
    ),
    "ruby": Grammar(
        tree_sitter_ruby.language(),
        {
            "class": "class", "module": "module", "method": "method", "singleton_method": "method", "call": "method",
            "alias": "method", "assignment": "constant",
        },
        {"call": ("receiver", "method")},
        (),
        ("superclass",),
    ),
    "csharp": Grammar(
        tree_sitter_c_sharp.language(),
        {
            "class_declaration": "class", "interface_declaration": "interface", "struct_declaration": "struct",
            "record_declaration": "class", "enum_declaration": "enum", "delegate_declaration": "alias",
            "method_declaration": "method", "constructor_declaration": "constructor",
            "local_function_statement": "function", "property_declaration": "property",
            "variable_declarator": "constant",
        },
        {"invocation_expression": ("", "function"), "object_creation_expression": ("", "type")},
        ("using_directive",),
        ("base_list",),
        {"namespace_declaration": "name", "file_scoped_namespace_declaration": "name"},
    ),
    "kotlin": Grammar(
        tree_sitter_kotlin.language(),
        {
            "class_declaration": "class", "object_declaration": "class", "function_declaration": "function",
            "property_declaration": "property", "type_alias": "alias",
        },
        {"call_expression": ("", "")},
        ("import",),
        ("delegation_specifier",),
        {"package_header": ""},
    ),
    "swift": Grammar(
        tree_sitter_swift.language(),
        {
            "class_declaration": "class", "protocol_declaration": "interface", "function_declaration": "function",
            "protocol_function_declaration": "method", "init_declaration": "constructor",
            "property_declaration": "property", "typealias_declaration": "alias",
        },
        {"call_expression": ("", "")},
        (),
        ("inheritance_specifier",),
    ),
    "scala": Grammar(
        tree_sitter_scala.language(),
        {
            "class_definition": "class", "trait_definition": "trait", "object_definition": "module",
            "enum_definition": "enum", "function_definition": "function", "function_declaration": "function",
        },
        {"call_expression": ("", "function"), "instance_expression": ("", "")},
        ("import_declaration",),
        ("extends_clause",),
        {"package_clause": "name", "package_object": "name"},
    ),
    "lua": Grammar(
        tree_sitter_lua.language(),
        {"function_declaration": "function", "assignment_statement": "function"},
        {"function_call": ("", "name")},
        ("assignment_statement",),
    ),
    "bash": Grammar(
        tree_sitter_bash.language(), {"function_definition": "function"}, {"command": ("", "name")}, ("command",)
    ),
}  # fmt: skip
TSX = Grammar(
    tree_sitter_typescript.language_tsx(),
    GRAMMARS["typescript"].symbols,
    SCRIPT_CALLS | JSX_CALLS,
    SCRIPT_IMPORTS,
    GRAMMARS["typescript"].bases,
    {"internal_module": "name", "export_statement": ""},
)


def grammar_of(language: str, path: str) -> Grammar | None:
    return TSX if path.lower().endswith(".tsx") else GRAMMARS.get(language)


@cache
def parser_of(grammar_id: int) -> tuple[Parser, Query]:
    """By the grammar's `id`: parsers and queries are made once in a process, and before it is confined."""
    grammar = next(one for one in (*GRAMMARS.values(), TSX) if id(one) == grammar_id)
    language = grammar.language()
    wanted = {
        "symbol": grammar.symbols, "scope": grammar.scopes, "call": grammar.calls, "import": grammar.imports,
        "base": grammar.bases,
    }  # fmt: skip
    patterns = [f"({kind}{NARROWED.get(kind, '')}) @{name}" for name, kinds in wanted.items() for kind in kinds]
    return Parser(language), Query(language, "\n".join([*patterns, grammar.local]))
