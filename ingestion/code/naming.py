"""Names as they are written, in every language joined by points."""

import re

from tree_sitter import Node

from .grammars import FUNCTIONS

LONGEST = 200  # characters of a name, or of what is written before one
JOINTS = re.compile(r"\?->|->|\?\.|::|\\")
GENERIC = re.compile(r"<[^<>]*>")
NAME = re.compile(r"(?:[^\W\d]|\$)[\w$]*[?!]?$")
PLAIN = re.compile(r"[\w$.?!]+$")
SUPERS = {
    "python": re.compile(r"^super\s*\([^()]*\)(?=\s*\.)"),  # in Ruby this is what the method above gives back
    "csharp": re.compile(r"^base(?=\.)"),
}
OPERATOR = re.compile(r"\boperator\s+(?!\w)")
NAMED_BY = (
    "identifier", "field_identifier", "qualified_identifier", "destructor_name", "operator_name", "operator_cast",
    "template_function",
)  # fmt: skip
NAMED_IN_KOTLIN = ("variable_declaration", "identifier")
IN_TABLES = {"dot_index_expression": "field", "method_index_expression": "method"}  # of Lua
OWNED = ("qualified_identifier", "scope_resolution")  # of C++, of Ruby
AROUND_PROTOTYPES = (
    "template_declaration",
    "linkage_specification",
    "declaration_list",
    "namespace_definition",
    "ERROR",
)
HOLDERS_OF_PROTOTYPES = ("translation_unit", "field_declaration_list")
FUNCTION_MAKERS = (
    "memo", "forwardRef", "observer", "useCallback", "debounce", "throttle", "once", "memoize", "asyncHandler",
)  # fmt: skip
OBJECT_MAKERS = ("extend", "freeze", "defineComponent")
AROUND_OBJECTS = ("as_expression", "satisfies_expression", "parenthesized_expression")
OWN_MODULE = re.compile(r"^(?:(?:module\.)?exports|this|window|globalThis)\.")
EVENT = re.compile(r"(?:^|\.)on[a-z]+$")  # `button.onclick`
OFFERED = re.compile(r"\.prototype\.|^(?:module\.)?exports\.")  # `Emitter.prototype.once` is no event
ASSIGNABLE = re.compile(r"[\w.$]+")
CONSTANT = re.compile(r"[A-Z][A-Z0-9_]*")
NAMES_OF_CONSTANTS = ("constant", "identifier", "property_identifier")
AROUND_CONSTANTS = (
    "expression_statement", "lexical_declaration", "variable_declaration", "ambient_declaration", "export_statement",
    "field_declaration", "constant_declaration", "declaration_list",
    "block", "body_statement", "class_body", "interface_body", "enum_body", "enum_body_declarations",
)  # fmt: skip
HOLDERS_OF_CONSTANTS = (
    "module", "program", "class", "class_definition", "class_declaration", "abstract_class_declaration",
    "interface_declaration", "enum_declaration", "record_declaration", "struct_declaration",
)  # fmt: skip
METHOD_MAKERS = ("define_method", "define_singleton_method", "alias_method")
RUBY_METHOD = re.compile(r"[^\W\d]\w{0,198}[?!=]?")
NOISE = str.maketrans("", "", "&*@ \t\r\n")
SIGILS = {
    language: str.maketrans("", "", marks)  # of variables, of private members, of what is not null
    for language, marks in {"php": "$", "javascript": "#", "typescript": "#!", "csharp": "!"}.items()
} | {"lua": str.maketrans(":", "."), "scala": str.maketrans("[]", "<>")}  # `a:b()`, `a[Int]()`
BODIES = ("class_body", "enum_class_body", "function_body")  # of Kotlin, where they are no fields


def text_of(node: Node | None) -> str:
    return (node.text or b"").decode(errors="replace") if node else ""


def end_of(node: Node | None) -> str:
    """As much of its text as `split_callee` may read: each call of a chain holds all that are before it."""
    return (node.text or b"")[-16 * LONGEST - 1 :].decode(errors="replace") if node else ""


def dotted(written: str) -> str:
    """`$this->a`, `A::b` and `A\\B` as this.a, A.b and A.B; "" for what is no name."""
    return joined(written)[:LONGEST] if len(written) <= 4 * LONGEST else ""


def joined(written: str) -> str:
    """With dots between its parts, and without what is generic."""
    while (plain := GENERIC.sub("", written)) != written:  # one within another
        written = plain
    return JOINTS.sub(".", written).translate(NOISE).strip(".")


def own_name(named: Node | None) -> str:
    """What a declaration calls itself, as it is written there, its owners joined by points: `A<T>::operator !=`."""
    owners: list[str] = []
    while named and named.type in OWNED:
        owners.append(dotted(text_of(named.child_by_field_name("scope"))))
        named = named.child_by_field_name("name")
    if named and named.type.startswith("template_"):
        named = named.child_by_field_name("name")
    if named and named.type in IN_TABLES:
        named = named.child_by_field_name(IN_TABLES[named.type])
    written = text_of(named)
    if named and named.type == "operator_cast":
        written = written.partition("(")[0]
    if named and named.type == "computed_property_name":
        written = written.strip("[]")
    own = OPERATOR.sub("operator", " ".join(written.split())).strip("#'\"")  # `#a` is private, `"a"` quoted in scripts
    return ".".join(filter(None, [*owners, own]))[:LONGEST]


def split_callee(written: str) -> tuple[str, str]:
    """(name, the whole); what stands before the name is `…` where it is more than names. ("", "") if it has no name."""
    plain = joined(written[-4 * LONGEST :])[-LONGEST:]
    found = NAME.search(plain)
    if not found or len(found.group()) > LONGEST:
        return "", ""
    name = found.group()
    return name, plain if PLAIN.match(plain) else f"….{name}"


def function_of(value: Node | None) -> Node | None:
    """The function that a value is, or that a call makes another one of: `React.memo(() => …)`, `debounce(…)`."""
    while value and value.type == "call_expression":
        maker = dotted(text_of(value.child_by_field_name("function"))).rpartition(".")[2]
        arguments = value.child_by_field_name("arguments")
        first = next(iter(arguments.named_children), None) if arguments else None
        value = first if maker in FUNCTION_MAKERS else None
    return value if value and value.type in FUNCTIONS else None


def members_of(node: Node) -> list[Node]:
    """Of the object that a name, or what a module exports, is given: `{get() {}}`, or `Model.extend({get() {}})`."""
    value = node.child_by_field_name("value") or node.child_by_field_name("right")
    while value and (value.type in AROUND_OBJECTS or is_made_of_object(value)):
        arguments = value.child_by_field_name("arguments")
        value = arguments.named_children[-1] if arguments else next(iter(value.named_children), None)
    return value.named_children if value and value.type == "object" else []


def is_made_of_object(value: Node) -> bool:
    arguments = value.child_by_field_name("arguments") if value.type == "call_expression" else None
    maker = dotted(text_of(value.child_by_field_name("function"))).rpartition(".")[2] if arguments else ""
    return maker in OBJECT_MAKERS and arguments is not None and arguments.named_child_count > 0


def holder_name(node: Node) -> str:
    return assigned_name(node) if node.type == "assignment_expression" else own_name(declared_name(node))


def assigned_name(node: Node) -> str:
    """`exports.f = …` and `A.prototype.f = …` as f and A.f; "" for what has no name of its own."""
    left = node.child_by_field_name("left")
    written = dotted(text_of(left)) if left and left.type == "member_expression" else ""
    name = OWN_MODULE.sub("", written).replace(".prototype.", ".")
    is_event = EVENT.search(name) and not OFFERED.search(written)
    return name if ASSIGNABLE.fullmatch(name) and name != "module.exports" and not is_event else ""


def constant_name(node: Node) -> str:
    """Of what is assigned at the top of a file or of a class to a name in capitals (in Ruby to any constant), or to any
    that a script exports, or that C# calls `const`.
    """
    named = node.child_by_field_name("left") or declared_name(node)
    if named is None or named.type not in NAMES_OF_CONSTANTS:
        return ""
    if text_of(node.child_by_field_name("value")).startswith(("require(", "await import(")):
        return ""
    is_offered = named.type == "constant" or CONSTANT.fullmatch(text_of(named)) is not None
    around = node.parent
    while around and around.type in AROUND_CONSTANTS:
        is_offered = is_offered or around.type == "export_statement" or is_const(around)
        around = around.parent
    return text_of(named) if is_offered and around and around.type in HOLDERS_OF_CONSTANTS else ""


def is_const(node: Node) -> bool:
    """Of C#. Only a declaration has modifiers: a body's children are not looked through for each of its fields."""
    children = node.children if node.type == "field_declaration" else ()
    return any(child.type == "modifier" and text_of(child) == "const" for child in children)


def property_name(node: Node) -> str:
    """Of what is asked for as a value and worked out, and of constants: a variable that a class holds is no symbol."""
    named = declared_name(node)
    name = text_of(named)
    if node.type == "property_declaration" and named and named.type in ("pattern", "variable_declaration"):
        is_computed = any(child.type in ("getter", "setter", "computed_property") for child in node.children)
        name = name.partition(":")[0].strip()
        return name if name.isidentifier() and (is_computed or CONSTANT.fullmatch(name)) else ""
    return name


def body_of(node: Node) -> Node | None:
    found = node.child_by_field_name("body")
    return found or next((child for child in node.children if child.type in BODIES), None)


def function_of_lua(assignment: Node) -> str:
    """What a function is assigned to: `M.lend = function() end`; "" for other values."""
    values = next((child for child in assignment.named_children if child.type == "expression_list"), None)
    first = next(iter(values.named_children), None) if values else None
    return own_name(declared_name(assignment)) if first and first.type == "function_definition" else ""


def alias_name(typedef: Node) -> str:
    """Of C's other names for types; "" where the type itself has this name, and for pointers and functions."""
    named, of = typedef.child_by_field_name("declarator"), typedef.child_by_field_name("type")
    if named is None or of is None or named.type != "type_identifier":
        return ""
    tag = text_of(of.child_by_field_name("name"))
    is_named_here = of.child_by_field_name("body") is not None and tag in ("", text_of(named))
    return "" if is_named_here else text_of(named)


def prototype_name(node: Node) -> str:
    """What a declaration outside of functions says that a function is called; "" where it declares another thing."""
    around = node.parent
    while around and (around.type in AROUND_PROTOTYPES or around.type.startswith("preproc_")):
        around = around.parent
    named = declared_name(node)
    if named is None or (around and around.type not in HOLDERS_OF_PROTOTYPES):
        return ""
    above = named.parent
    if above and above.type == "parenthesized_declarator":
        above = above.parent
    is_function = named.type == "operator_cast" or (above and above.type == "function_declarator")
    return own_name(named) if is_function else ""


def defined_method(call: Node) -> str:
    """The name that a call of Ruby's `define_method` or `alias_method` spells out; "" for any other call."""
    arguments = call.child_by_field_name("arguments")
    first = arguments.named_children[0] if arguments and arguments.named_children else None
    if (
        first is None
        or first.type not in ("simple_symbol", "string")
        or text_of(call.child_by_field_name("method")) not in METHOD_MAKERS
    ):
        return ""
    return method_name(first)


def method_name(named: Node | None) -> str:
    """As Ruby spells it where it is given to something: `:lend`, `"lend"`."""
    name = text_of(named).strip(":\"'")
    return name if RUBY_METHOD.fullmatch(name) else ""


def declared_name(node: Node) -> Node | None:
    """The node that names a symbol: its `name`, or what its declarator declares, as in C."""
    named = next(filter(None, map(node.child_by_field_name, ("name", "property", "key"))), None)
    if node.type in ("const_element", "variable_list"):  # of PHP, of Lua
        return next(iter(node.named_children), None)
    if node.type == "assignment_statement":  # of Lua
        return declared_name(node.named_children[0])
    if named is None and node.type in ("property_declaration", "type_alias"):  # of Kotlin
        return next((child for child in node.named_children if child.type in NAMED_IN_KOTLIN), None)
    while named is None and (inner := node.child_by_field_name("declarator")):
        if inner.type in NAMED_BY:
            return inner
        node = inner
        if inner.type == "parenthesized_declarator" and inner.named_children:  # `int (f)(void)`, `int (*f(void))(int)`
            node = inner.named_children[0]
            named = node if node.child_count == 0 else None
    if named is None and node.type == "reference_declarator":
        inner_most = node.named_children[0] if node.named_children else None
        return declared_name(inner_most) if inner_most else None
    return named
