"""Names as they are written, in every language joined by points."""

import re

from tree_sitter import Node

LONGEST = 200  # characters of a name, or of what is written before one
JOINTS = re.compile(r"\?->|->|\?\.|::|\\")
GENERIC = re.compile(r"<[^<>]*>")
NAME = re.compile(r"(?:[^\W\d]|\$)[\w$]*[?!]?$")
PLAIN = re.compile(r"[\w$.?!]+$")
OPERATOR = re.compile(r"\boperator\s+(?!\w)")
NAMED_BY = (
    "identifier", "field_identifier", "qualified_identifier", "destructor_name", "operator_name", "operator_cast",
    "template_function",
)  # fmt: skip
OWNED = ("qualified_identifier", "scope_resolution")  # of C++, of Ruby
AROUND_PROTOTYPES = (
    "template_declaration",
    "linkage_specification",
    "declaration_list",
    "namespace_definition",
    "ERROR",
)
HOLDERS_OF_PROTOTYPES = ("translation_unit", "field_declaration_list")
METHOD_MAKERS = ("define_method", "define_singleton_method")
RUBY_METHOD = re.compile(r"[^\W\d]\w{0,198}[?!=]?")
NOISE = str.maketrans("", "", "&*@ \t\r\n")
SIGILS = {
    language: str.maketrans("", "", marks)  # of variables, of private members, of what is not null
    for language, marks in {"php": "$", "javascript": "#", "typescript": "#!"}.items()
}


def text_of(node: Node | None) -> str:
    return (node.text or b"").decode(errors="replace") if node else ""


def dotted(written: str) -> str:
    """`$this->a`, `A::b` and `A\\B` as this.a, A.b and A.B; "" for what is no name."""
    if len(written) > 4 * LONGEST:
        return ""
    while (plain := GENERIC.sub("", written)) != written:  # one within another
        written = plain
    return JOINTS.sub(".", written).translate(NOISE).strip(".")[:LONGEST]


def own_name(named: Node | None) -> str:
    """What a declaration calls itself, as it is written there, its owners joined by points: `A<T>::operator !=`."""
    owners: list[str] = []
    while named and named.type in OWNED:
        owners.append(dotted(text_of(named.child_by_field_name("scope"))))
        named = named.child_by_field_name("name")
    if named and named.type.startswith("template_"):
        named = named.child_by_field_name("name")
    written = text_of(named)
    if named and named.type == "operator_cast":
        written = written.partition("(")[0]
    if named and named.type == "computed_property_name":
        written = written.strip("[]")
    own = OPERATOR.sub("operator", " ".join(written.split())).strip("#'\"")  # `#a` is private, `"a"` quoted in scripts
    return ".".join(filter(None, [*owners, own]))[:LONGEST]


def split_callee(written: str) -> tuple[str, str]:
    """(name, the whole); what stands before the name is `…` where it is more than names. ("", "") if it has no name."""
    if len(written) > 4 * LONGEST:
        written = written[-LONGEST:]
    plain = dotted(written)
    found = NAME.search(plain)
    if not found or len(found.group()) > LONGEST:
        return "", ""
    name = found.group()
    return name, plain if PLAIN.match(plain) else f"….{name}"


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
    """The name that a call of Ruby's `define_method` spells out; "" for any other call."""
    arguments = call.child_by_field_name("arguments")
    first = arguments.named_children[0] if arguments and arguments.named_children else None
    if (
        first is None
        or first.type not in ("simple_symbol", "string")
        or text_of(call.child_by_field_name("method")) not in METHOD_MAKERS
    ):
        return ""
    name = text_of(first).strip(":\"'")
    return name if RUBY_METHOD.fullmatch(name) else ""


def declared_name(node: Node) -> Node | None:
    """The node that names a symbol: its `name`, or what its declarator declares, as in C."""
    named = node.child_by_field_name("name") or node.child_by_field_name("property")
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
