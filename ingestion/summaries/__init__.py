"""A sentence or two for each section: written by a model where one is configured, else taken from the section."""

from .stage import method_of, summarise_missing

__all__ = ["method_of", "summarise_missing"]
