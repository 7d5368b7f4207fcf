"""`_setup`, and Django: for programs that import rows at their heads."""

from _setup import ROOT, set_up_django

__all__ = ["ROOT"]

set_up_django()
