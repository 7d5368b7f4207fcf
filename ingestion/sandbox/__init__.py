"""Parsers run here, in a process of their own per file: see `confinement` for what it may do, `limits` for how much."""

from .client import SandboxError
from .limits import LIMITS, Limits
from .reading import parse, parse_each

__all__ = ["LIMITS", "Limits", "SandboxError", "parse", "parse_each"]
