"""What source code defines and refers to, read by tree-sitter, or by the heads of its declarations."""

from .reading import CONTAINERS, LEAVES, Code, read_code

__all__ = ["CONTAINERS", "LEAVES", "Code", "read_code"]
