"""The search page; what htmx asks for as you type is a part of it."""

from dataclasses import replace

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.vary import vary_on_headers
from django_htmx.http import HttpResponseClientRedirect
from django_htmx.middleware import HtmxDetails

from knowledge.access import keeps_questions_in
from knowledge.http.methods import require_safe
from knowledge.listing import visible
from knowledge.models import Library
from knowledge.models.library import Reader
from retrieval import search as searching
from retrieval.pages.forms import SearchForm
from retrieval.query_logging import note_search
from retrieval.results import MOST_SHOWN, SearchOptions, SearchResult
from retrieval.retrieval_settings import RetrievalSettings, resolved_options
from retrieval.stretches import joined
from retrieval.view import UnknownLibrary

SIGNED_OUT = "You are not signed in any more: only what is open to everyone is searched."
STEP = 10  # hits that “More” adds


class PageRequest(HttpRequest):
    htmx: HtmxDetails


@require_safe
@vary_on_headers("HX-Request", "HX-History-Restore-Request")
def search(request: PageRequest) -> HttpResponse:
    if request.htmx and request.headers.get("Reader") and not request.user.is_authenticated:
        messages.warning(request, SIGNED_OUT)
        return HttpResponseClientRedirect(request.get_full_path())
    form = SearchForm(request.user, request.GET)
    result = typed(request, form) if form.is_valid() and form.cleaned_data["q"].strip() else None
    stretches = joined(result.hits) if result else ()
    whole = not request.htmx or request.htmx.boosted or request.htmx.history_restore_request
    template = "search.html" if whole else "search.html#results"
    keeps = keeps_questions_in(request.user) if result and not form.cleaned_data["snapshot"] else ()
    context = {
        "form": form,
        "shelves": Library.objects.readable_by(request.user)
        .active()
        .select_related("active_snapshot")
        .annotate(**visible()),
        "result": result,
        "stretches": stretches,
        "more": more(form, result) if result else 0,
        "is_most": result is not None and len(result.hits) >= MOST_SHOWN,
        "keeps": keeps,
        "is_part": not whole,
    }
    return render(request, template, context, status=400 if form.errors else 200)


def more(form: SearchForm, result: SearchResult) -> int:
    """How many hits the same search shows next; 0: there are no more, or it shows as many as a search may."""
    searched = {library.slug for library in result.libraries}
    retrieval_settings = [RetrievalSettings.of(library) for library in form.libraries if library.slug in searched]
    shown = resolved_options(form.options(), retrieval_settings).top_k
    return min(shown + STEP, MOST_SHOWN) if shown < MOST_SHOWN and len(result.hits) >= shown else 0


def typed(request: PageRequest, form: SearchForm) -> SearchResult:
    """No reranker is asked at every pause in the typing."""
    options = replace(form.options(), facets=True)
    if request.htmx.trigger == "Query":
        options = replace(options, rerank=False)
    result = found(request.user, form.cleaned_data["q"], options)
    if request.htmx.trigger != "Query":
        note_search(request.user, result)
    return result


def found(user: Reader, query: str, options: SearchOptions) -> SearchResult:
    """Raises Http404 for a library, or a snapshot of it, that is not there for this reader."""
    try:
        return searching.search(user, query, options)
    except UnknownLibrary as error:
        raise Http404 from error
