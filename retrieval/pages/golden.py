"""“Save as a test question”: what was asked, and the hit that answers it."""

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from knowledge.access import Act, may
from knowledge.models import Chunk, GoldenQuestion, Library
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
    there = request.POST.get("next", "")
    if not url_has_allowed_host_and_scheme(
        there, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    ):
        there = reverse("search")
    return HttpResponseRedirect(there)  # `redirect` would take other words for a page's name


def said(question: GoldenQuestion, new: bool, library: Library) -> str:
    if not new:
        return f"This place already answers “{question.text}” in the golden questions of {library.name}."
    number = len(question.gold)
    places = "1 place answers it" if number == 1 else f"{number} places answer it"
    return f"Saved in the golden questions of {library.name}: “{question.text}”. {places}."
