"""What the module is for."""

from functools import cache

LIMIT = 3


@cache
def first(
    value: int,
) -> int:
    """Docstring."""

    return value


class Small:
    def method(self) -> None: ...
