"""Regular expressions mean the same in every Python that may run us."""

import importlib
import pkgutil
import re
from collections.abc import Iterator
from typing import Any

import pytest

PACKAGES = ("config", "knowledge", "ingestion", "retrieval")


def parsed(pattern: str | bytes, flags: int = 0) -> Any:
    return re._parser.parse(pattern, flags)  # type: ignore[attr-defined]


def possessive_groups(tree: Any) -> Iterator[Any]:
    """The bodies of its possessive repeats of more than one character."""
    for operation, argument in tree:
        if str(operation) == "POSSESSIVE_REPEAT" and not re._compiler._simple(argument[2]):  # type: ignore[attr-defined]
            yield argument[2]
        parts = argument if isinstance(argument, (tuple, list)) else [argument]
        for part in parts:
            for inner in part if isinstance(part, (tuple, list)) else [part]:
                if isinstance(inner, type(tree)):
                    yield from possessive_groups(inner)


def patterns_in(value: Any) -> Iterator[re.Pattern[Any]]:
    """A pattern, the one of a method such as `match`, or those in a collection."""
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(getattr(value, "__self__", None), re.Pattern):
        yield value.__self__
    elif isinstance(value, (tuple, list, set, frozenset)):
        for one in value:
            yield from patterns_in(one)
    elif isinstance(value, dict):
        yield from patterns_in([*value, *value.values()])


def patterns() -> Iterator[tuple[str, re.Pattern[Any]]]:
    for package in PACKAGES:
        root = importlib.import_module(package)
        for found in pkgutil.walk_packages(root.__path__, f"{package}."):
            if not found.name.endswith(".__main__"):
                module = importlib.import_module(found.name)
                yield from ((found.name, one) for value in vars(module).values() for one in patterns_in(value))


@pytest.mark.parametrize(
    ("pattern", "found"),
    [("(?:ab)*+", 1), ("(?:a|b(?!c)){1,5}+", 1), ("x(?P<y>(?:ab)?+)", 1), ("[ab]*+a{2}+", 0), ("(?>(?:ab)*)", 0)],
)
def test_a_possessive_group_is_told_from_a_possessive_character(pattern: str, found: int) -> None:
    assert len(list(possessive_groups(parsed(pattern)))) == found


def test_no_group_is_repeated_possessively() -> None:
    """`(?>(?:ab)*)` says it: before Python 3.11.5 `(?:ab)*+` goes on from where the last repeat broke off
    (https://github.com/python/cpython/issues/106052), and Debian 12 has 3.11.2."""
    known = list(patterns())
    assert len(known) > 500
    assert not [(name, one.pattern) for name, one in known if list(possessive_groups(parsed(one.pattern, one.flags)))]
