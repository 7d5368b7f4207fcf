"""“Save as a test question”: what was asked, and the hit that answers it; “Switch off”; and “Measure now”."""

from django.contrib import messages
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.defaultfilters import pluralize
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.views.decorators.http import require_POST

from knowledge.access import Act, may
from knowledge.endpoints import EndpointError
from knowledge.governance import gold
from knowledge.models import Chunk, EvaluationRun, GoldenQuestion, Library
from knowledge.numbers import whole_number
from knowledge.pages.common import back
from knowledge.pages.governed import signed_in
from knowledge.storage import locks
from retrieval.evaluation import runs
from retrieval.evaluation.branches import BRANCHES, searching
from retrieval.evaluation.questions import evaluate_questions
from retrieval.pages.forms import GoldenForm

MOST_MEASURED = 200  # questions that are asked while somebody waits for the page


@require_POST
def keep_golden(request: HttpRequest, slug: str) -> HttpResponse:
    library = get_object_or_404(Library.objects.readable_by(request.user), slug=slug)
    if not may(request.user, Act.EDIT, library):
        raise PermissionDenied
    form = GoldenForm(request.POST)
    if form.is_valid():
        visible = Chunk.objects.visible_to(request.user, [slug])
        chunk = get_object_or_404(
            visible.select_related("section", "file_version__document_file__library"), pk=form.cleaned_data["chunk"]
        )
        user = request.user if request.user.is_authenticated else None
        question, new = GoldenQuestion.objects.keep(chunk, form.cleaned_data["q"], user)
        messages.success(request, said(question, new, library))
    else:
        messages.error(request, "That could not be saved: it needs the words of a question and one of its hits.")
    return back(request, reverse("search"))


@require_POST
def switch_golden(request: HttpRequest, slug: str) -> HttpResponse:
    """Ask a question from now on, or don't."""
    library = get_object_or_404(Library.objects.readable_by(request.user), slug=slug)
    if not may(request.user, Act.EDIT, library):
        raise PermissionDenied
    chosen = library.golden_questions.filter(pk=whole_number(request.POST.get("question", "")) or 0)
    question, on = get_object_or_404(chosen), request.POST.get("do") == "on"
    gold.switch(chosen, signed_in(request), on)
    messages.success(request, f"“{question}” is {'asked again' if on else 'not asked any more'}.")
    return redirect("quality", slug)


@require_POST
def measure_golden(request: HttpRequest, slug: str) -> HttpResponse:
    """Ask the library's questions of what is active, and keep the run."""
    library = get_object_or_404(Library.objects.readable_by(request.user), slug=slug)
    if not may(request.user, Act.EDIT, library):
        raise PermissionDenied
    try:
        run = measured(library, signed_in(request))
    except (LookupError, RuntimeError) as error:
        messages.error(request, f"Nothing was measured: {error}.")
    except EndpointError as error:  # its words say where the model should be
        messages.error(request, f"Nothing was measured: the {error.role} model did not answer.")
    else:
        messages.success(request, f"Run {run.pk}: {run.queries} question{pluralize(run.queries)} asked.")
    return redirect("quality", slug)


def measured(library: Library, user: User) -> EvaluationRun:
    """Raises LookupError where there is nothing or too much to ask, RuntimeError and EndpointError as searches do."""
    questions = library.golden_questions.active().questions()
    if not questions:
        raise LookupError("there is no golden question to ask")
    if len(questions) > MOST_MEASURED:
        raise LookupError(f"more than {MOST_MEASURED} questions are measured on the server, by manage.py evaluate")
    snapshot = runs.ready_snapshot(library, None)
    options = searching(snapshot)
    with locks.tried(locks.MEASUREMENT, library.pk) as free:
        if not free:
            raise LookupError("they are being asked just now")
        outcomes = evaluate_questions(questions, BRANCHES, options, lambda: None)
    return runs.save(snapshot, runs.GOLDEN, outcomes, options, user)


def said(question: GoldenQuestion, new: bool, library: Library) -> SafeString:
    where = format_html('<a href="{}#Questions">golden questions</a>', reverse("quality", args=[library.slug]))
    if not new:
        return format_html("This place already answers “{}” in the {} of {}.", question.text, where, library.name)
    number = len(question.gold)
    places = "1 place answers it" if number == 1 else f"{number} places answer it"
    return format_html("Saved in the {} of {}: “{}”. {}.", where, library.name, question.text, places)
