"""Files that people bring: received, checked, unpacked, kept by their hash, and then read in like any other source."""

from .accept import Receipt, accept, remove, request_build, wants_build
from .brought import Brought, brought_below

__all__ = ["Brought", "Receipt", "accept", "brought_below", "remove", "request_build", "wants_build"]
