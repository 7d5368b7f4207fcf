"""What `search` and `ask` share: the words to look for, and where."""

from argparse import ArgumentParser
from typing import Any

from knowledge.models import Library
from retrieval.search import MODES


def add_scope_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--library", nargs="+", default=[], metavar="SLUG")
    parser.add_argument("--mode", choices=MODES, default="hybrid")


def words_and_libraries(words: str | None, options: dict[str, Any]) -> tuple[str | None, tuple[str, ...]]:
    """argparse gives `--library handbook "How long?"` both words; the last is no library, so it is what was asked."""
    libraries = options["library"]
    if words is None and len(libraries) > 1 and not Library.objects.filter(slug=libraries[-1]).exists():
        return libraries[-1], tuple(libraries[:-1])
    return words, tuple(libraries)
