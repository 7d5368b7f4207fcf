"""Which lines belong together, by their indent or by what they say. Pure."""

from collections.abc import Callable, Sequence


def indent_of(line: str) -> int:
    return len(line) - len(line.lstrip())


def inside(lines: Sequence[str], at: int, indent: int) -> int:
    """Where the block ends that is further in than `indent`, without the blank lines after it."""
    end = at
    for n in range(at, len(lines)):
        if lines[n].strip():
            if indent_of(lines[n]) <= indent:
                break
            end = n + 1
    return end


def after(lines: Sequence[str], at: int, belongs: Callable[[str], bool]) -> int:
    """The first line from `at` on that does not belong."""
    return next((n for n in range(at, len(lines)) if not belongs(lines[n].strip())), len(lines))
