"""Parse one file, or many in order: small text files several to a process, the next batch while the last is used."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from ingestion.documents import ParsedDocument, ParseError

from .client import Sandbox, borrowed
from .wire import Input, Outcome

SMALL = 128 * 1024  # bytes: several of these share a process
BATCH_BYTES = 512 * 1024
BATCH_FILES = 24
SHARING = (".md", ".markdown", ".rst", ".rst.inc", ".txt", ".text", ".beir", ".py", ".php", ".yaml", ".yml", ".json")


def parse(data: bytes, path: str, languages: str = "") -> ParsedDocument:
    """Raises ParseError, also for a file that breaks its parser or its limits."""
    [outcome] = parse_each([(data, path)], languages)
    if isinstance(outcome, ParseError):
        raise outcome
    return outcome


def parse_each(inputs: Iterable[Input], languages: str = "") -> Iterator[Outcome]:
    """One outcome per input, in order. Inputs are taken one batch ahead of the outcomes that are given.

    Pages that are images are read where text recognition has `languages`, as `tesseract -l` takes them.
    """
    with borrowed() as sandbox:
        yield from read_ahead(sandbox, batches(inputs), languages)


def read_ahead(sandbox: Sandbox, waiting: Iterator[list[Input]], languages: str = "") -> Iterator[Outcome]:
    batch = next(waiting, None)
    if batch:
        sandbox.submit(batch)
    while batch:
        outcomes = sandbox.collect(batch)
        if languages:
            outcomes = [recognised(*each, languages) for each in zip(batch, outcomes, strict=True)]
        batch = next(waiting, None)
        if batch:
            sandbox.submit(batch)
        yield from outcomes


def recognised(given: Input, outcome: Outcome, languages: str) -> Outcome:
    """A scan read again, with text recognition; what was read before where that fails."""
    if not outcome.scanned:
        return outcome
    with borrowed(languages) as sandbox:
        sandbox.submit([given])
        [again] = sandbox.collect([given])
    if isinstance(again, ParseError) and isinstance(outcome, ParsedDocument):
        return replace(outcome, warnings=(*outcome.warnings, f"text recognition failed: {again.reason}"))
    return again


def batches(inputs: Iterable[Input]) -> Iterator[list[Input]]:
    """What may share a process does so: text that our own scanners read. Everything else is alone in its own."""
    batch: list[Input] = []
    size = 0
    for content, path in inputs:
        shares = len(content) <= SMALL and path.lower().endswith(SHARING)
        if batch and (not shares or size + len(content) > BATCH_BYTES or len(batch) == BATCH_FILES):
            yield batch
            batch, size = [], 0
        if not shares:
            yield [(content, path)]
            continue
        batch.append((content, path))
        size += len(content)
    if batch:
        yield batch
