"""Runs as rows: measured, kept, loaded again, and compared."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Length

import retrieval
from knowledge import parts, spaces
from knowledge.golden import Gold, Question
from knowledge.models import Chunk, EvaluationResult, EvaluationRun, LearntFusion, Library, Snapshot, SnapshotFile
from knowledge.storage import locks
from knowledge.texts import analysis
from retrieval.results import SearchOptions
from retrieval.retrieval_settings import RetrievalSettings, resolved_options

from .branches import BRANCHES, searching
from .comparison import BranchComparison, compare
from .outcomes import BranchMeasurement, FoundPassage, Outcome
from .questions import evaluate_questions

GOLDEN = "golden"  # the set name of a library's own questions
LONGEST_NAME = 200  # of a set
MOST_MEASURED = 200  # questions that are asked while somebody waits
ASKED_ANEW = ("libraries", "snapshot", "mode", "top_k")  # what a run says of itself elsewhere


def name_of_file(path: Path) -> str:
    """The set name of a file of questions: never that of a library's own."""
    stem = os.fsencode(path.stem).decode(errors="replace")  # a name on the disk may be no UTF-8
    return (stem if stem != GOLDEN else f"{GOLDEN}, from a file")[:LONGEST_NAME]


class NotComparable(Exception):
    """The two runs don't ask the same questions of the same library; the message says why."""


def measure(library: Library, user: User) -> EvaluationRun:
    """Ask its golden questions of what is active, while somebody waits, and keep the run.

    Raises LookupError where there is nothing or too much to ask, RuntimeError and EndpointError as searches do.
    """
    questions = library.golden_questions.active().questions()
    if not questions:
        raise LookupError("there is no golden question to ask")
    if len(questions) > MOST_MEASURED:
        raise LookupError(f"more than {MOST_MEASURED} questions are measured on the server, by manage.py evaluate")
    snapshot = ready_snapshot(library, None)
    options = searching(snapshot)
    with locks.tried(locks.MEASUREMENT, library.pk) as free:
        if not free:
            raise LookupError("they are being asked just now")
        measured = evaluate_questions(questions, BRANCHES, options, lambda: None)
    return save(snapshot, GOLDEN, measured, options, user)


@transaction.atomic
def save(
    snapshot: Snapshot,
    set_name: str,
    measured: Mapping[str, BranchMeasurement],
    options: SearchOptions,
    user: User | None = None,
) -> EvaluationRun:
    """One run with the outcome of every question in every branch."""
    own = RetrievalSettings.of(snapshot.library)
    weight = own.lexical_weight if options.lexical_weight is None else options.lexical_weight
    options = resolved_options(replace(options, lexical_weight=weight), [own])
    learnt = LearntFusion.objects.used_by(snapshot)
    run = EvaluationRun.objects.create(
        library=snapshot.library,
        snapshot_number=snapshot.number,
        manifest_hash=snapshot.manifest_hash,
        profile_hash=snapshot.profile.hash,
        set_name=set_name,
        branches=list(measured),
        options={
            **{name: value for name, value in asdict(options).items() if name not in ASKED_ANEW},
            "learnt_weight": learnt.lexical_weight if learnt else 1.0,
        },
        code=code_version(),
        documents=snapshot.files.count(),
        chunks=snapshot.chunk_count,
        queries=max((len(one.outcomes) for one in measured.values()), default=0),
        measures={branch: one.summary for branch, one in measured.items()},
        run_by=user,
    )
    EvaluationResult.objects.bulk_create(
        (as_row(run, branch, outcome) for branch, one in measured.items() for outcome in one.outcomes), batch_size=500
    )
    return run


def as_row(run: EvaluationRun, branch: str, outcome: Outcome) -> EvaluationResult:
    return EvaluationResult(
        run=run,
        branch=branch,
        question_id=outcome.question_id,
        text=outcome.text,
        gold=list(outcome.gold),
        ranks=list(outcome.ranks),
        measures=dict(outcome.measures),
        hits=[list(hit) for hit in outcome.hits],
    )


def outcomes(run: EvaluationRun) -> dict[str, list[Outcome]]:
    """By branch, in the run's order of branches."""
    found: dict[str, list[Outcome]] = {branch: [] for branch in run.branches}
    for row in run.results.order_by("question_id"):
        hits = tuple(FoundPassage(*hit) for hit in row.hits)
        found[row.branch].append(
            Outcome(row.question_id, row.text, tuple(row.gold), tuple(row.ranks), row.measures, hits)
        )
    return found


def compare_runs(before: EvaluationRun, after: EvaluationRun) -> dict[str, BranchComparison]:
    """Raises NotComparable."""
    if (before.library_id, before.set_name) != (after.library_id, after.set_name):
        raise NotComparable(f"run {before.pk} is {before}, run {after.pk} is {after}: not the same questions")
    compared = compare(outcomes(before), outcomes(after))
    if not compared:
        raise NotComparable(f"runs {before.pk} and {after.pk} have no branch in common")
    return compared


def ready_snapshot(library: Library, number: int | None) -> Snapshot:
    """The one with this number, or the active one. Raises LookupError."""
    if number is None:
        if library.active_snapshot is None:
            raise LookupError(f"{library} has no active snapshot")
        return library.active_snapshot
    snapshot = library.snapshots.filter(number=number, state=Snapshot.State.READY).first()
    if snapshot is None:
        raise LookupError(f"{library} has no ready snapshot {number}")
    return snapshot


def missing_gold(questions: Sequence[Question], snapshot: Snapshot) -> list[tuple[Question, Gold]]:
    """Places that nothing can find in this snapshot: its file is not there or withdrawn, or what is named in it, or it
    is a section without a passage of its own."""
    places = [place for question in questions for place in question.gold]
    members = snapshot.files.filter(document_file__withdrawn_at__isnull=True)
    path = "file_version__document_file__path"

    def among(wanted: Sequence[Gold]) -> QuerySet[SnapshotFile]:
        return members.filter(document_file__path__in={place.file for place in wanted})

    def versions(wanted: Sequence[Gold]) -> QuerySet[SnapshotFile, Any]:
        return among(wanted).values("file_version")

    lines = dict(among(places).values_list("document_file__path", "file_version__line_count"))
    in_sections = Chunk.objects.filter(file_version__in=versions([one for one in places if one.anchor is not None]))
    anchors = set(in_sections.order_by().values_list(path, "section__anchor").distinct())
    on_pages = Chunk.objects.filter(file_version__in=versions([one for one in places if one.page is not None]))
    pages = set(on_pages.order_by().values_list(path, "page").distinct())
    told = among([one for one in places if one.characters])
    characters = dict(told.values_list("document_file__path", Length("file_version__text")))

    def is_missing(place: Gold) -> bool:
        if place.file not in lines:
            return True
        if place.lines:
            return place.lines[0] > lines[place.file]
        if place.page is not None:
            return (place.file, place.page) not in pages
        if place.characters:
            return place.characters[0] >= characters[place.file]
        return place.anchor is not None and (place.file, place.anchor) not in anchors

    return [(question, place) for question in questions for place in question.gold if is_missing(place)]


@cache
def code_version() -> str:
    """Hash of the modules that analyse, rank and fuse: equal hashes mean that equal snapshots rank alike."""
    digest = sha256()
    for path in ranking_modules():
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def ranking_modules() -> list[Path]:
    modules = sorted(Path(retrieval.__path__[0]).glob("*.py"))
    return [*map(Path, (analysis.__file__, parts.__file__, spaces.__file__)), *modules]


def described(set_name: str, snapshot: Snapshot, measured: Mapping[str, BranchMeasurement]) -> dict[str, Any]:
    """What `evaluate --json` prints."""
    return {
        "set": set_name,
        "library": snapshot.library.slug,
        "snapshot": snapshot.number,
        "corpus": {"documents": snapshot.files.count(), "chunks": snapshot.chunk_count},
        "profile": snapshot.profile.hash,
        "code": code_version(),
        "queries": max((len(one.outcomes) for one in measured.values()), default=0),
        "branches": {branch: one.summary for branch, one in measured.items()},
    }
