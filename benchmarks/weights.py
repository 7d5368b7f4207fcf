"""What each weight of quoting does: every one of them halved, doubled and left out, quoting alone, on the same hits.

    python benchmarks/weights.py SET=LIBRARY … [--only NAME …]

The sets are those of refusals.py, each with a library that holds its documents already. Searches are made once; cosines
and readings are kept, so that a weight costs what it newly has read. A row tells, of all sets together, how many
answered questions and how many others are refused, how many first quotations that are shown overlap a gold place, and
how many would, were all shown.
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import _django  # noqa: F401
from refusals import Weighed, fault

from knowledge.golden import Question
from knowledge.models import Library
from retrieval.answering import evidence, grounds, reader_scores
from retrieval.answering.ledger import Asking
from retrieval.answering.pipeline import retrieve
from retrieval.answering.quoting import extracts, widening
from retrieval.evaluation.questions import read_questions, read_unanswerable
from retrieval.results import Hit, SearchOptions

WEIGHTS = {
    extracts: (
        "PER_LOGIT",
        "PER_RANK",
        "TOGETHER",
        "EVERYWHERE",
        "NEWS",
        "UNNAMED",
        "IN_CODE",
        "ROW_ASKED_FOR",
        "DEFINED",
        "NEARLY_AS_GOOD",
        "LEFT_OUT",
        "BESIDE",
        "OF_ANOTHER",
        "READ_SURELY",
    ),
    evidence: ("HOPELESS", "UNASKED_PROGRAM", "MISSING", "MISSING_CODE"),
    widening: ("SHORT", "WIDENED"),
}
WITHIN = {"NEARLY_AS_GOOD": 1.0, "HOPELESS": 1.0}  # shares, which no doubling takes beyond one

Kept = list[tuple[Question, tuple[Hit, ...]]]
Models = dict[str, Callable[[str, Sequence[str]], list[float]]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="+", metavar="SET=LIBRARY")
    names = [name for named in WEIGHTS.values() for name in named]
    parser.add_argument("--only", nargs="*", metavar="NAME", choices=names)
    chosen = parser.parse_args()
    if wrong := next(filter(None, map(fault, chosen.sets)), None):
        parser.error(wrong)
    if unknown := {name.partition("=")[2] for name in chosen.sets} - {*Library.objects.values_list("slug", flat=True)}:
        parser.error(f"there is no library “{min(unknown)}”")
    kept = [one for name in chosen.sets for one in searched(*name.split("="))]
    models = {"cosine": remembered(grounds.similarities), "reader": remembered(reader_scores.reader_scores)}
    print("| weight | value | answered refused | others refused | right of shown | right of all |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    report("as they are", "", kept, models)
    for module, name, value in varied(chosen.only):
        before = getattr(module, name)
        setattr(module, name, value)
        report(name, f"{before:g} → {value:g}", kept, models)
        setattr(module, name, before)


def searched(folder: str, slug: str) -> Kept:
    options = SearchOptions(libraries=(slug,))
    files = (Path(folder, "questions.jsonl"), Path(folder, "unanswerable.jsonl"))
    questions = [*read_questions(files[0]), *read_unanswerable(files[1])]
    return [(one, retrieve(None, one.text, options, Asking()).hits) for one in questions]


def remembered(ask: Callable[[str, Sequence[str]], list[float]]) -> Callable[[str, Sequence[str]], list[float]]:
    """Each text is read once beside a question."""
    known: dict[tuple[str, str], float] = {}

    def asked(question: str, texts: Sequence[str]) -> list[float]:
        new = list(dict.fromkeys(text for text in texts if (question, text) not in known))
        told = ask(question, new) if new else []
        if new and not told:  # no reader, or none of this language
            return []
        known.update(((question, text), value) for text, value in zip(new, told, strict=True))
        return [known[question, text] for text in texts]

    return asked


def varied(only: Sequence[str] | None) -> Iterator[tuple[object, str, float]]:
    for module, names in WEIGHTS.items():
        for name in names:
            if only is None or name in only:
                value = getattr(module, name)
                for changed in (0, value / 2, min(value * 2, WITHIN.get(name, value * 2))):
                    yield module, name, type(value)(changed)


def report(name: str, value: str, kept: Kept, models: Models) -> None:
    weighed = [weighed_now(*one, models) for one in kept]
    told, others = [one for one in weighed if one.question.gold], [one for one in weighed if not one.question.gold]
    shown = [one for one in told if is_shown(one)]
    print(
        f"| {name} | {value} | {len(told) - len(shown)} of {len(told)} | {sum(not is_shown(one) for one in others)} of "
        f"{len(others)} | {sum(one.right for one in shown)} of {len(shown)} | {sum(one.right for one in told)} |",
        flush=True,
    )


def weighed_now(question: Question, hits: tuple[Hit, ...], models: Models) -> Weighed:
    asked = question.text
    quotable = extracts.extract(asked, hits, *(partial(model, asked) for model in models.values()))
    return Weighed(question, grounds.Grounds(asked, hits).evidence, quotable)


def is_shown(one: Weighed) -> bool:
    return evidence.margin(one.evidence, one.extracts) >= 0


if __name__ == "__main__":
    main()
