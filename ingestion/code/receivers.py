"""What a method of Go belongs to, and the variable by which it calls that: what others call `self`."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence

from tree_sitter import Node

from .naming import dotted, text_of

Places = Mapping[str, Sequence[int]]  # where, in order, functions give a name to something of their own


def places_of(names: Sequence[Node]) -> Places:
    places = defaultdict(list)
    for name in sorted(names, key=lambda one: one.start_byte):
        places[text_of(name)].append(name.start_byte)
    return places


def receiver_of(method: Node) -> str:
    """The type that it belongs to; "" for what is no method of Go."""
    declared = declaration_of(method)
    return dotted(text_of(declared.child_by_field_name("type")).partition("[")[0]) if declared else ""


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
