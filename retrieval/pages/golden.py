"""“Save as a test question”: what was asked, and the hit that answers it; and “Switch off”."""

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.views.decorators.http import require_POST

from knowledge.access import Act, may
from knowledge.governance import gold
from knowledge.models import Chunk, GoldenQuestion, Library
from knowledge.numbers import whole_number
from knowledge.pages.common import back
from knowledge.pages.governed import signed_in
from retrieval.pages.forms import GoldenForm


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


def said(question: GoldenQuestion, new: bool, library: Library) -> SafeString:
    where = format_html('<a href="{}#Questions">golden questions</a>', reverse("quality", args=[library.slug]))
    if not new:
        return format_html("This place already answers “{}” in the {} of {}.", question.text, where, library.name)
    number = len(question.gold)
    places = "1 place answers it" if number == 1 else f"{number} places answer it"
    return format_html("Saved in the {} of {}: “{}”. {}.", where, library.name, question.text, places)
