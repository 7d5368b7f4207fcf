"""What a method belongs to that stands outside of it, and the variable by which Go calls that: others say `self`."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence

from tree_sitter import Node

from .naming import IN_TABLES, declared_name, dotted, text_of

Places = Mapping[str, Sequence[int]]  # where, in order, functions give a name to something of their own


def places_of(names: Sequence[Node]) -> Places:
    places = defaultdict(list)
    for name in sorted(names, key=lambda one: one.start_byte):
        places[text_of(name)].append(name.start_byte)
    return places


def receiver_of(method: Node) -> str:
    """The type of Go that it belongs to, the one that it extends in Kotlin, the table of Lua that holds it; or ""."""
    if declared := declaration_of(method):
        return dotted(text_of(declared.child_by_field_name("type")).partition("[")[0])
    if method.type not in ("function_declaration", "assignment_statement"):
        return ""
    named = declared_name(method)
    if named and named.type in IN_TABLES:
        return dotted(text_of(named.child_by_field_name("table")))
    before = named.prev_sibling if named else None
    return dotted(text_of(before.prev_sibling)).rstrip("?") if before and before.type == "." else ""


def own_variable(method: Node, local: Places) -> str:
    """ "" where it has none, or where something else in it has the same name."""
    declared = declaration_of(method)
    name = text_of(declared.child_by_field_name("name")) if declared else ""
    places = local.get(name, ())
    first = bisect_left(places, method.start_byte)
    return "" if name == "_" or any(place < method.end_byte for place in places[first : first + 1]) else name


def declaration_of(method: Node) -> Node | None:
    receiver = method.child_by_field_name("receiver")
    if receiver is None or receiver.type != "parameter_list":  # in Ruby it is what a call is sent to
        return None
    return next(iter(receiver.named_children), None)
