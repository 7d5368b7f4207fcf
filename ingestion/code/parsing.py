"""The tree of a source. C and C++ have it without the macros and branches that their grammars cannot read."""

from tree_sitter import Parser, Tree

from .conditions import with_even_braces
from .macros import hides_types, without_macros

OF_CONDITIONS = ("c", "cpp")
LEAST_UNREAD = 500  # bytes that are lost without macros: below it, names that are gained count for more


def parsed(source: bytes, parser: Parser, language: str) -> Tree:
    tree = parser.parse(source)
    if language in OF_CONDITIONS and (tree.root_node.has_error or hides_types(source)):
        plain = without_macros(with_even_braces(source))
        if plain != source:
            other = parser.parse(plain)
            return tree if unread(other) > max(LEAST_UNREAD, 2 * unread(tree)) else other
    return tree


def unread(tree: Tree) -> int:
    """The bytes of words that are loose in its errors: what is whole within an error is read."""
    total, left = 0, [tree.root_node]
    while left:
        node = left.pop()
        for child in node.children if node.has_error else ():
            if child.child_count:
                left.append(child)
            elif node.is_error and not child.is_extra:
                total += child.end_byte - child.start_byte
    return total
