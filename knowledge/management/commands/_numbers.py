"""Numbers that a command is given. Each raises ArgumentTypeError, which argparse says as wrong use."""

from argparse import ArgumentTypeError

from knowledge.numbers import LARGEST

CENTURY = 36_500  # days


def at_least_one(text: str) -> int:
    return between(1, text, LARGEST)


def count(text: str) -> int:
    """Of days, or of what is kept: never more than a century's."""
    return between(0, text, CENTURY)


def between(least: int, text: str, most: int) -> int:
    try:
        number = int(text)
    except ValueError:
        number = least - 1
    if not least <= number <= most:
        raise ArgumentTypeError(f"“{text[:20]}” is no whole number from {least} to {most:,}")
    return number
