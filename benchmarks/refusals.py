"""What is answered and what is refused, quoting alone, on questions that documents answer and others beside them.

    python benchmarks/refusals.py SET[=LIBRARY] … [--enough -.5 0 …]

A SET is a folder with `questions.jsonl` and `unanswerable.jsonl` (those in `asked/`, Northwind). Its `documents/`
are indexed as a library of the set's name; other sets name a LIBRARY that has their documents (those in
`asked/newcomers` are about the documents of the sets of their names, and the sample). `asked/django` is
about the folders howto, topics, faq and intro of Django 4.2's documentation, `asked/varnish` about the HTML manuals of
Debian's varnish-doc 7.1 (reference, users-guide, tutorial, installation) and privoxy 3.0.34 (in a folder `privoxy`).

"Enough" is the reader's logit from which a quotation is shown; the one in force comes first. "Right" counts, of the
answered questions that get a quotation, those whose first one overlaps a gold place; AUC tells answered from others, by
the strength of the hits alone and by the logit alone.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import mean

import _django  # noqa: F401
from django.conf import settings
from django.core.management import call_command

from knowledge.golden import Question
from knowledge.models import Library
from retrieval.answering.evidence import READ_ENOUGH, Evidence, margin
from retrieval.answering.grounds import Grounds
from retrieval.answering.ledger import Asking
from retrieval.answering.pipeline import retrieve
from retrieval.answering.quoting.extracts import Extract
from retrieval.evaluation.questions import finds, read_questions, read_unanswerable
from retrieval.results import Hit, SearchOptions

UNREAD = -5.0  # no reader, or nothing to read


@dataclass(frozen=True, slots=True)
class Weighed:
    """A question, and what decides about it."""

    question: Question
    evidence: Evidence
    extracts: tuple[Extract, ...]

    @property
    def logit(self) -> float:
        best = self.extracts[0].logit if self.extracts else None
        return UNREAD if best is None else best

    @property
    def right(self) -> bool:
        return bool(self.extracts) and any(finds(quoted(self.extracts[0]), place) for place in self.question.gold)


def quoted(extract: Extract) -> Hit:
    """The part of the hit that is shown."""
    lines = extract.quote.lines
    return replace(extract.quote.hit, line_start=lines[0], line_end=lines[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="+", metavar="SET[=LIBRARY]")
    parser.add_argument("--enough", nargs="*", type=float, default=[], metavar="LOGIT")
    chosen = parser.parse_args()
    if wrong := next(filter(None, map(fault, chosen.sets)), None):
        parser.error(wrong)
    enough = [READ_ENOUGH, *chosen.enough]
    print("| set | AUC strength | logit | enough | answered refused | others refused | right of shown |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    every: list[Weighed] = []
    for name in chosen.sets:
        folder, _, slug = name.partition("=")
        weighed = list(weigh(Path(folder).resolve(), slug))
        every += weighed
        report(Path(folder).name, weighed, enough)
    if len(chosen.sets) > 1:
        report("all", every, enough)


def fault(name: str) -> str | None:
    """What a set lacks; looked for before a library is made."""
    folder, _, slug = name.partition("=")
    needed = [Path(folder, "questions.jsonl"), Path(folder, "unanswerable.jsonl")]
    if not slug:
        needed.append(Path(folder, "documents"))
    lacking = next((path for path in needed if not path.exists()), None)
    return f"{lacking} is not there" if lacking else None


def weigh(folder: Path, slug: str) -> Iterator[Weighed]:
    options = SearchOptions(libraries=(slug or indexed(folder),))
    for question in (
        *read_questions(folder / "questions.jsonl"),
        *read_unanswerable(folder / "unanswerable.jsonl"),
    ):
        grounds = Grounds(question.text, retrieve(None, question.text, options, Asking()).hits)
        yield Weighed(question, grounds.evidence, grounds.extracts)


def indexed(folder: Path) -> str:
    """The library of the set's own documents."""
    slug = f"asked-{folder.name}"
    settings.DIRECTORY_ROOTS.append(folder)
    Library.objects.get_or_create(
        slug=slug,
        defaults={
            "name": f"Asked: {folder.name}",
            "kind": Library.Kind.DIRECTORY,
            "location": str(folder / "documents"),
            "access": Library.Access.PUBLIC,
        },
    )
    call_command("reindex", slug, stdout=sys.stderr)
    return slug


def report(name: str, weighed: Sequence[Weighed], enough: Sequence[float]) -> None:
    told = [one for one in weighed if one.question.gold]
    others = [one for one in weighed if not one.question.gold]
    areas = [
        area([by(one) for one in told], [by(one) for one in others])
        for by in (lambda one: one.evidence.strength, lambda one: one.logit)
    ]
    for number, least in enumerate(enough):
        shown = [one for one in told if margin(one.evidence, one.extracts, least) >= 0]
        refused = sum(margin(one.evidence, one.extracts, least) < 0 for one in others)
        first = [f"{one:.2f}" for one in areas] if number == 0 else [""] * 2
        print(
            f"| {name} | {' | '.join(first)} | {least:g} | {len(told) - len(shown)} of {len(told)} "
            f"| {refused} of {len(others)} | {sum(one.right for one in shown)} of {len(shown)} |",
            flush=True,
        )


def area(high: Sequence[float], low: Sequence[float]) -> float:
    """Under the ROC curve: how often one of the first is above one of the second."""
    return mean((a > b) + (a == b) / 2 for a in high for b in low)


if __name__ == "__main__":
    main()
