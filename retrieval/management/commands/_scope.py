"""What `search`, `tree` and `ask` share: the words to look for, and where."""

import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from io import TextIOWrapper
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from knowledge.endpoints import EndpointError
from knowledge.models import Library
from retrieval.results import MOST, SearchOptions, SearchResult
from retrieval.search import MODES, search
from retrieval.view import UnknownLibrary

PROMPT = "an interactive prompt, which an empty line or Ctrl-D ends; out of a pipe, each line"
LEAVING = ("exit", "quit", ":q")  # typed out of habit; in a pipe they are what is asked
AS_JSON = "one document; at the prompt and out of a pipe one for each line (JSON Lines)"


def add_scope_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--library", nargs="+", action="extend", default=[], metavar="SLUG", help="default: all")
    parser.add_argument("--mode", choices=MODES, default="hybrid", help="default: hybrid")


def words_and_libraries(words: str | None, options: dict[str, Any]) -> tuple[str | None, tuple[str, ...]]:
    """argparse gives `--library handbook "How long?"` both words; the last is no library, so it is what was asked."""
    libraries = options["library"]
    words = words if words is None else readable(words)
    if words is None and len(libraries) > 1 and not Library.objects.filter(slug=libraries[-1]).exists():
        return readable(libraries[-1]), tuple(libraries[:-1])
    return words, tuple(libraries)


def readable(words: str) -> str:
    """Bytes on the command line that are not UTF-8 come as surrogates, which neither JSON nor Postgres takes."""
    return words.encode(errors="surrogateescape").decode(errors="replace")


def found(query: str, options: SearchOptions) -> SearchResult:
    """Raises CommandError."""
    if options.top_k is not None and not 1 <= options.top_k <= MOST:
        raise CommandError(f"--top-k is from 1 to {MOST}", returncode=2)
    if options.snapshot is not None and len(options.libraries) != 1:
        raise CommandError("--snapshot is a number in one --library", returncode=2)
    try:
        return search(None, query, options)
    except (UnknownLibrary, EndpointError) as error:
        raise CommandError(str(error)) from error


def said(result: SearchResult) -> list[str]:
    """How the query was understood, where it was more than words."""
    lines = [f"{'not ' if one.excluded else ''}{one.field}: {one.value}" for one in result.understood.filters]
    lines += [f"word for word: “{phrase}”" for phrase in result.understood.phrases]
    lines += [f"without: {exclusion}" for exclusion in result.understood.exclusions]
    lines += [f"nothing says “{word}”; searched for “{found}”, too" for word, found in result.corrected.items()]
    return [*lines, f"did you mean: {result.did_you_mean}"] if result.did_you_mean else lines


def asked(command: BaseCommand, name: str, given: str | None) -> Iterator[str]:
    """What was given; without that, line by line what is piped or typed. Raises CommandError for blanks."""
    if given is not None:
        if not given.strip():
            raise CommandError("nothing is asked; without an argument there is a prompt", returncode=2)
        yield given
        return
    take_any_bytes()
    yield from typed(command, name) if sys.stdin.isatty() else piped(command)


def typed(command: BaseCommand, name: str) -> Iterator[str]:
    command.stderr.write(command.style.NOTICE("An empty line or Ctrl-D ends it."))
    while (line := prompt(command, name)) and line.lower() not in LEAVING:
        yield line


def piped(command: BaseCommand) -> Iterator[str]:
    """Blank lines are passed over: what follows them was asked, too."""
    for line in sys.stdin:
        if asks := readable(line.strip()):
            yield asks
            command.stdout.flush()  # whoever waits for the answer may write the next line only then


def take_any_bytes() -> None:
    """What is typed, or piped, comes as what stands on the command line does: see `readable`."""
    if isinstance(sys.stdin, TextIOWrapper) and sys.stdin.errors != "surrogateescape":
        sys.stdin.reconfigure(errors="surrogateescape")


def prompt(command: BaseCommand, name: str) -> str:
    """A line from whoever types; the empty one ends it. The prompt is no part of the output."""
    command.stderr.write(command.style.NOTICE(f"{name}> "), ending="")
    command.stderr.flush()
    try:
        return readable(input().strip())
    except (EOFError, KeyboardInterrupt):
        return ""
