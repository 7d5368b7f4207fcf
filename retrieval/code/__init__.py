"""What code defines, who calls it, and what it calls, in the snapshots that a reader may see."""

from .symbols import DEEPEST, Answered, Call, Found, NoSuchSymbol, find_symbols

__all__ = ["DEEPEST", "Answered", "Call", "Found", "NoSuchSymbol", "find_symbols"]
