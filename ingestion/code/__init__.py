"""What source code defines and refers to, read by tree-sitter."""

from .reading import CONTAINERS, Code, read_code

__all__ = ["CONTAINERS", "Code", "read_code"]
