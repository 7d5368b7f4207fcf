"""Files that say nearly the same."""

from .stage import find_twins

__all__ = ["find_twins"]
