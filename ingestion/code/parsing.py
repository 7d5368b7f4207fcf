"""The tree of a source. Where a grammar cannot read it all, it is read without what the grammar does not know."""

from collections.abc import Callable, Mapping

from tree_sitter import Parser, Tree

from .conditions import with_even_braces
from .macros import hides_types, without_macros
from .newer import without_newer

LEAST_UNREAD = 500  # bytes that are lost without macros: below it, names that are gained count for more


def without_directives(source: bytes) -> bytes:
    return without_macros(with_even_braces(source))


PLAINER: Mapping[str, Callable[[bytes], bytes]] = {
    "c": without_directives,
    "cpp": without_directives,
    "typescript": without_newer,
}


def parsed(source: bytes, parser: Parser, language: str) -> Tree:
    tree = parser.parse(source)
    plainer = PLAINER.get(language)
    if plainer and (tree.root_node.has_error or (plainer is without_directives and hides_types(source))):
        plain = plainer(source)
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
