"""How well a library's questions are answered: its runs, what changed last, and what is not found."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from knowledge.access import Act, may
from knowledge.golden import read_gold
from knowledge.http.methods import require_safe
from knowledge.models import DocumentFile, EvaluationRun, GoldenQuestion, Library, Snapshot, VectorRecall
from knowledge.numbers import whole_number
from retrieval.evaluation import runs
from retrieval.evaluation.comparison import COMPARED, FOUND, BranchComparison, QueryChange
from retrieval.evaluation.outcomes import Outcome
from retrieval.pages.chart import line_chart

MEASURES = ("hit@1", "hit@5", "hit@10", "recall@10", "mrr@10", "ndcg@10")
CHARTED = "hit@5"
HISTORY = 40  # runs that are drawn and listed
MOST = 50  # rows of a table
LISTED = 20  # questions in a list, until all are asked for
KEPT = 50  # golden questions on a page
HIDDEN = "a file that is {}"

Hidden = Mapping[str, str]  # path → what became of it


@require_safe
def quality(request: HttpRequest, slug: str) -> HttpResponse:
    library = get_object_or_404(
        Library.objects.readable_by(request.user).select_related("active_snapshot__profile"), slug=slug
    )
    sets = library.evaluation_runs.order_by("set_name").values_list("set_name", flat=True).distinct()
    names = sorted(sets, key=lambda name: (name != runs.GOLDEN, name))
    chosen = request.GET.get("set") or (names[0] if names else runs.GOLDEN)
    measure = request.GET.get("measure", CHARTED)
    if chosen not in (names or [runs.GOLDEN]) or measure not in MEASURES:
        raise Http404
    all_runs = library.evaluation_runs.filter(set_name=chosen)
    history = list(all_runs[:HISTORY])
    latest = picked(history, all_runs, request.GET.get("run", ""))
    questions, hidden = library.golden_questions.all(), hidden_files(library)
    context = {
        "library": library,
        "sets": names,
        "set": chosen,
        "measures": MEASURES,
        "measure": measure,
        "chart": drawn(history[::-1], measure),
        "runs": all_runs.count(),
        "history": [(run, value_of(run, main_branch(run), measure)) for run in history],
        "latest": latest and described(latest, hidden),
        "listed": ":" if "all" in request.GET else f":{LISTED}",
        "questions": {"active": questions.active().count(), "off": questions.filter(active=False).count()},
        "missing": Cut(missing(library, hidden)),
        "recalls": newest_recalls(library.vector_recalls.all()[:20]),
        "may_keep": (may_keep := may(request.user, Act.EDIT, library)),
        "kept": kept(library, request.GET.get("page"), hidden) if may_keep else None,
        "ready": library.snapshots.filter(state=Snapshot.State.READY).newest_built(),
        "job": library.jobs.order_by("-created_at").first(),
    }
    return render(request, "quality.html", context)


def kept(library: Library, number: str | None, hidden: Hidden) -> "Page[Any]":
    """A page of its golden questions, those that are asked first, each with its places as they are `shown`."""
    page: Page[Any] = Paginator(library.golden_questions.order_by("-active", "identifier"), KEPT).get_page(number)
    for question in page:
        question.shown = [shown_place(place.as_json(), hidden) for place in question.places]
    return page


def picked(history: list[EvaluationRun], rows: QuerySet[EvaluationRun], number: str) -> EvaluationRun | None:
    """The run with this number, or the newest; what is no number of one of these is not found."""
    if not number:
        return history[0] if history else None
    if (asked := whole_number(number)) is None:
        raise Http404
    return get_object_or_404(rows, pk=asked)


def main_branch(run: EvaluationRun) -> str:
    return "hybrid" if "hybrid" in run.branches else run.branches[-1]


def value_of(run: EvaluationRun, branch: str, measure: str) -> float | None:
    return run.measures.get(branch, {}).get(measure)


def drawn(history: list[EvaluationRun], measure: str) -> Any:
    branches = dict.fromkeys(branch for run in history for branch in run.branches)
    labels = [f"run {run.pk}, {run.run_at:%-d %b %Y}, snapshot {run.snapshot_number}" for run in history]
    series = {branch: [value_of(run, branch, measure) for run in history] for branch in branches}
    return line_chart(series, labels) if history else None


@dataclass(frozen=True, slots=True)
class Cut:
    """The rows of a table, of which the first are listed."""

    rows: Sequence[Any]

    @property
    def listed(self) -> Sequence[Any]:
        return self.rows[:MOST]

    @property
    def more(self) -> int:
        return len(self.rows[MOST:])


@dataclass(frozen=True, slots=True)
class Row:
    """A branch's measures, each with its difference from the run before."""

    branch: str
    cells: list[tuple[str, float | None, float | None]]
    latency: tuple[float | None, float | None]


@dataclass(frozen=True, slots=True)
class Failing:
    id: str
    text: str
    gold: list[str]
    ranks: list[int | None]  # the best in each branch
    question: int | None  # the golden question that it was, if it is still there


def described(run: EvaluationRun, hidden: Hidden) -> dict[str, Any]:
    """A run beside the one before it."""
    before = run.before()
    outcomes = runs.outcomes(run)
    compared = runs.compare(runs.outcomes(before), outcomes) if before else {}
    main = main_branch(run)
    return {
        "run": run,
        "before": before,
        "branch": main,
        "rows": [row(run, branch, compared.get(branch)) for branch in run.branches],
        "compared": compared,
        "changes": Cut(listed_changes(compared.get(main))),
        "failing": failing(run, outcomes, main, hidden),
    }


def row(run: EvaluationRun, branch: str, compared: BranchComparison | None) -> Row:
    differences = compared.differences if compared else {}
    cells = [(name, value_of(run, branch, name), differences.get(name)) for name in MEASURES]
    return Row(branch, cells, (value_of(run, branch, "p50_ms"), value_of(run, branch, "p95_ms")))


def listed_changes(compared: BranchComparison | None) -> list[QueryChange]:
    return [change for change in compared.changes if change.change in COMPARED[:-1]] if compared else []


def failing(run: EvaluationRun, outcomes: dict[str, list[Outcome]], main: str, hidden: Hidden) -> list[Failing]:
    """The questions of which no gold place is among the first ten hits."""
    ranks = {
        (branch, found.question_id): found.best_rank for branch, all_found in outcomes.items() for found in all_found
    }
    ids = dict(
        GoldenQuestion.objects.filter(library=run.library_id).values_list("identifier", "pk")
        if run.set_name == runs.GOLDEN
        else ()
    )
    failed = [found for found in outcomes[main] if not found.best_rank or found.best_rank > FOUND]
    return [
        Failing(
            found.question_id,
            found.text,
            [shown_place(place, hidden) for place in found.gold],
            [ranks.get((branch, found.question_id)) for branch in run.branches],
            ids.get(found.question_id),
        )
        for found in failed
    ]


def shown_place(place: Any, hidden: Hidden) -> str:
    return HIDDEN.format(hidden[place["file"]]) if place["file"] in hidden else str(read_gold(place))


def hidden_files(library: Library) -> Hidden:
    """Those that are withdrawn, erased or in the trash: who reads this page need not know their names."""
    files = DocumentFile.objects.filter(library=library, withdrawn_at__isnull=False)
    return {file.path: file.state.label for file in files}


def missing(library: Library, hidden: Hidden) -> list[tuple[str, str]]:
    """Active golden questions that nothing can answer as they are judged: text and place."""
    if library.active_snapshot is None:
        return []
    places = runs.missing_gold(library.golden_questions.active().questions(), library.active_snapshot)
    return [(question.text, shown_place(place.as_json(), hidden)) for question, place in places]


def newest_recalls(rows: Iterable[VectorRecall]) -> list[VectorRecall]:
    """The newest of each kind of sample, with and without a filter."""
    newest: dict[tuple[str, bool], VectorRecall] = {}
    for found in rows:
        newest.setdefault((found.asked, found.share < 1), found)
    return [newest[key] for key in sorted(newest, key=lambda key: (key[0] != VectorRecall.Asked.VECTORS, key[1]))]
