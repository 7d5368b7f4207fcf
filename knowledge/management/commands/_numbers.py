"""Numbers that a command is given. Each raises ValueError, which argparse says as wrong use."""

from knowledge.numbers import LARGEST

CENTURY = 36_500  # days


def at_least_one(text: str) -> int:
    return between(1, text, LARGEST)


def count(text: str) -> int:
    """Of days, or of what is kept: never more than a century's."""
    return between(0, text, CENTURY)


def between(least: int, text: str, most: int) -> int:
    if not least <= int(text) <= most:
        raise ValueError(text)
    return int(text)
