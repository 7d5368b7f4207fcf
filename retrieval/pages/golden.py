"""“Save as a golden question”: what was asked, and the hit that answers it; “Switch off”; and “Measure now”."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.defaultfilters import pluralize
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from knowledge.access import Act
from knowledge.endpoints import EndpointError
from knowledge.governance import gold
from knowledge.http.methods import require_POST
from knowledge.models import Chunk, GoldenQuestion, Library
from knowledge.numbers import whole_number
from knowledge.pages.common import back
from knowledge.pages.governed import governed, signed_in
from retrieval.evaluation import runs
from retrieval.pages.forms import GoldenForm


@require_POST
@governed(Act.EDIT)
def keep_golden(request: HttpRequest, library: Library, acts: frozenset[Act]) -> HttpResponse:
    form = GoldenForm(request.POST)
    if form.is_valid():
        visible = Chunk.objects.visible_to(request.user, [library.slug])
        chunk = get_object_or_404(
            visible.select_related("section", "file_version__document_file__library"), pk=form.cleaned_data["chunk"]
        )
        question, new = GoldenQuestion.objects.keep(chunk, form.cleaned_data["q"], signed_in(request))
        messages.success(request, said(question, new, library))
    else:
        messages.error(request, "That could not be saved: it needs the words of a question and one of its hits.")
    return back(request, reverse("search"))


@require_POST
@governed(Act.EDIT)
def switch_golden(request: HttpRequest, library: Library, acts: frozenset[Act]) -> HttpResponse:
    """Ask a question from now on, or don't."""
    chosen = library.golden_questions.filter(pk=whole_number(request.POST.get("question", "")) or 0)
    question, on = get_object_or_404(chosen), request.POST.get("do") == "on"
    gold.switch(chosen, signed_in(request), on)
    messages.success(request, f"“{question}” is {'asked again' if on else 'not asked any more'}.")
    return redirect("quality", library.slug)


@require_POST
@governed(Act.EDIT)
def measure_golden(request: HttpRequest, library: Library, acts: frozenset[Act]) -> HttpResponse:
    """Ask the library's questions of what is active, and keep the run."""
    try:
        run = runs.measure(library, signed_in(request))
    except (LookupError, RuntimeError) as error:
        messages.error(request, f"Nothing was measured: {error}.")
    except EndpointError as error:  # its words say where the model should be
        messages.error(request, f"Nothing was measured: the {error.role} model did not answer.")
    else:
        messages.success(request, f"Run {run.pk}: {run.queries} question{pluralize(run.queries)} asked.")
    return redirect("quality", library.slug)


def said(question: GoldenQuestion, new: bool, library: Library) -> SafeString:
    where = format_html('<a href="{}#Questions">golden questions</a>', reverse("quality", args=[library.slug]))
    if not new:
        return format_html("This place already answers “{}” in the {} of {}.", question.text, where, library.name)
    number = len(question.gold)
    places = "1 place answers it" if number == 1 else f"{number} places answer it"
    return format_html("Saved in the {} of {}: “{}”. {}.", where, library.name, question.text, places)
