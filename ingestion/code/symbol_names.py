"""What the nodes that may be symbols are called: each type of node in its way, whatever the language."""

from collections.abc import Callable, Mapping

from tree_sitter import Node

from .naming import (
    alias_name,
    assigned_name,
    constant_name,
    declared_name,
    defined_method,
    dotted,
    function_of,
    function_of_lua,
    method_name,
    own_name,
    property_name,
    prototype_name,
    text_of,
)

ASSIGNED = (
    "variable_declarator", "field_definition", "public_field_definition", "assignment_expression", "assignment", "pair",
)  # fmt: skip
TYPES_OF_GO = ("type_spec", "type_alias")


def symbol_name(node: Node) -> str:
    """Joined by points where it names its owner, too (`int n::A::z()`); "" for what is no symbol after all."""
    return NAMES.get(node.type, plain_name)(node)


def is_value(node: Node) -> bool:
    return node.type in ASSIGNED and function_of(value_of(node)) is None


def value_of(node: Node) -> Node | None:
    return node.child_by_field_name("value") or node.child_by_field_name("right")


def plain_name(node: Node) -> str:
    return printable(own_name(declared_name(node)))


def printable(name: str) -> str:
    return name if all(part.isprintable() and part for part in name.split(".")) and name != "_" else ""


def field_name(field: Node) -> str:
    return constant_name(field) if is_value(field) else plain_name(field)


def member_name(pair: Node) -> str:
    return "" if is_value(pair) else plain_name(pair)


def set_name(assignment: Node) -> str:
    return constant_name(assignment) if is_value(assignment) else printable(assigned_name(assignment))


def variable_name(assignment: Node) -> str:
    """Of Python and Ruby, where it is one name."""
    if is_value(assignment):
        return constant_name(assignment)
    left = assignment.child_by_field_name("left")
    return text_of(left) if left and left.type == "identifier" else ""


def renamed_method(alias: Node) -> str:
    return method_name(alias.child_by_field_name("name"))


def type_name(specifier: Node) -> str:
    """ "" for a use, such as `struct S *s`; that of its typedef where it has none itself: `typedef struct {…} S;`."""
    if specifier.child_by_field_name("body") is None:
        return ""
    around = specifier.parent
    if not (name := own_name(declared_name(specifier))) and around and around.type == "type_definition":
        name = dotted(text_of(around.child_by_field_name("declarator")).partition("[")[0])
    return printable(name)


def macro_name(definition: Node) -> str:
    """ "" for one without a value: it guards a header, or switches something on."""
    return "" if definition.child_by_field_name("value") is None else plain_name(definition)


def listed_constant(spec: Node) -> str:
    """Of Go, at the top of a file."""
    is_at_top = spec.parent and spec.parent.parent and spec.parent.parent.type == "source_file"
    return plain_name(spec) if is_at_top else ""


def listed_method(method: Node) -> str:
    """Of an interface of Go that has a name."""
    is_of_named_type = method.parent and method.parent.parent and method.parent.parent.type in TYPES_OF_GO
    return plain_name(method) if is_of_named_type else ""


NAMES: Mapping[str, Callable[[Node], str]] = {
    "alias": renamed_method,
    "assignment": variable_name,
    "assignment_expression": set_name,
    "assignment_statement": function_of_lua,
    "call": defined_method,
    "class_specifier": type_name,
    "const_spec": listed_constant,
    "declaration": prototype_name,
    "enum_specifier": type_name,
    "field_declaration": prototype_name,
    "field_definition": field_name,
    "method_elem": listed_method,
    "pair": member_name,
    "preproc_def": macro_name,
    "property_declaration": property_name,
    "public_field_definition": field_name,
    "struct_specifier": type_name,
    "type_definition": alias_name,
    "union_specifier": type_name,
    "variable_declarator": field_name,
}
