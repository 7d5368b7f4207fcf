"""A library is added on one page: what would be read is shown before anything is written. For staff who may add one."""

from itertools import chain, count
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.text import slugify
from django.views.decorators.cache import never_cache

from ingestion.adding import LOOK_SECONDS, NameTaken, Preview, keep, preview_of, taken
from ingestion.sources import SourceError, SourceRefused, SourceSlow
from ingestion.sources.directory import allowed_directory
from ingestion.sources.git import allowed_url
from ingestion.uploads.limits import upload_limits
from knowledge.access import may_add_libraries
from knowledge.http.methods import require_http_methods
from knowledge.models import Job, Library
from knowledge.models.library import languages
from knowledge.pages.fields import PatternsField
from knowledge.wording import sentence

KINDS = {
    Library.Kind.UPLOADS: "Files that I bring here",
    Library.Kind.GIT: "A git repository",
    Library.Kind.DIRECTORY: "A folder on the server",
}
OTHER = "Other (no word forms)"  # what Postgres calls `simple`
SLOW = f"The repository did not come within {LOOK_SECONDS} seconds. Add it without looking: a job may take longer."


class LibraryForm(forms.Form):
    """What a new library is. `library()` is the row, not yet saved."""

    name = forms.CharField(max_length=200, error_messages={"required": "Give it a name."})
    kind = forms.ChoiceField(choices=list(KINDS.items()), initial=Library.Kind.UPLOADS)
    url = forms.CharField(max_length=1000, required=False)
    ref = forms.CharField(max_length=255, required=False)
    subdirectory = forms.CharField(max_length=1000, required=False)
    directory = forms.CharField(max_length=1000, required=False)
    include = PatternsField(max_length=2000, required=False)
    exclude = PatternsField(max_length=2000, required=False)
    language = forms.ChoiceField(initial="english")
    access = forms.ChoiceField(choices=Library.Access.choices, initial=Library.Access.SIGNED_IN)
    requires_review = forms.BooleanField(required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["language"]
        assert isinstance(field, forms.ChoiceField)  # noqa: S101
        named = [(name, name.capitalize()) for name in languages() if name != "simple"]
        field.choices = [*named, ("simple", OTHER)]

    def clean_name(self) -> str:
        name = str(self.cleaned_data["name"]).strip()
        if not any(map(str.isalnum, name)):
            raise forms.ValidationError("The name needs a letter or a digit.")
        slug = slug_of(name)
        if Library.objects.filter(slug=slug).exists():
            raise forms.ValidationError(f"{taken(slug)}.")
        return name

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        try:
            if values.get("kind") == Library.Kind.GIT:
                if not values.get("url"):
                    raise SourceError("give the address of the repository")
                allowed_url(values["url"])
            elif values.get("kind") == Library.Kind.DIRECTORY:
                if not values.get("directory"):
                    raise SourceError("give the path of a folder on the server")
                allowed_directory(values["directory"])
        except SourceError as error:
            self.add_error("url" if values["kind"] == Library.Kind.GIT else "directory", sentence(error))
        if not self.errors:
            try:
                self.library().full_clean()
            except forms.ValidationError as error:
                self.add_error(None, error.messages)
        return values

    def library(self) -> Library:
        values, kind = self.cleaned_data, self.cleaned_data["kind"]
        is_git = kind == Library.Kind.GIT
        location = values["url"] if is_git else ""
        if kind == Library.Kind.DIRECTORY:
            location = str(allowed_directory(values["directory"]))
        return Library(
            slug=slug_of(values["name"]),
            name=values["name"],
            kind=kind,
            location=location,
            ref=values["ref"] if is_git else "",
            subdirectory=values["subdirectory"] if is_git else "",
            include=values["include"],
            exclude=values["exclude"],
            language=values["language"],
            access=values["access"],
            requires_review=values["requires_review"],
        )


def slug_of(name: str) -> str:
    """Of its letters of a to z and digits; a name in another script has no such letter, and gets a number where its
    digits alone are none or not free."""
    slug = slugify(name)[:50]
    if not has_lost_letters(name):
        return slug
    numbered = (f"{slug[:40]}-{number}" if slug else f"library-{number}" for number in count(2 if slug else 1))
    free = (one for one in chain([slug] if slug else [], numbered) if not Library.objects.filter(slug=one).exists())
    return next(free)


def has_lost_letters(name: str) -> bool:
    """Whether its slug has none of its letters: others have the same, and nobody knows it by that."""
    return any(map(str.isalpha, name)) and not any(map(str.isalpha, slugify(name)))


def keep_numbered(library: Library, user: Any) -> None:
    """Where somebody else took its number meanwhile, it has the next. Raises NameTaken where it was named so."""
    while True:
        try:
            return keep(library, user)
        except NameTaken:
            if not has_lost_letters(library.name):
                raise
            library.slug = slug_of(library.name)


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def add_library(request: HttpRequest) -> HttpResponse:
    if not may_add_libraries(request.user):
        raise PermissionDenied
    form = LibraryForm(request.POST or None)
    is_script = "application/json" in request.headers.get("Accept", "")  # it has files to bring next
    preview, unseen = None, False
    if request.method == "POST" and form.is_valid():
        if request.POST.get("do") == "add" or form.cleaned_data["kind"] == Library.Kind.UPLOADS:
            library = form.library()
            try:
                with transaction.atomic():
                    keep_numbered(library, request.user)
                    if is_script:
                        return JsonResponse({"upload": reverse("upload", args=[library.slug])})
                    return begun(request, request.user, library)
            except NameTaken as error:
                form.add_error("name", sentence(error))
        else:
            preview, unseen = looked_at(form)
    if is_script:
        return JsonResponse({"errors": [error for errors in form.errors.values() for error in errors]}, status=400)
    roots = list(dict.fromkeys(map(str, settings.DIRECTORY_ROOTS)))
    context = {"form": form, "preview": preview, "unseen": unseen, "kinds": KINDS, "roots": roots}
    return render(
        request, "add_library.html", context | {"limits": upload_limits()}, status=400 if form.errors else 200
    )


def looked_at(form: LibraryForm) -> tuple[Preview | None, bool]:
    """What would be read, and whether it may be added though it could not be seen; errors are added to the form.

    A repository may come later, or want a token, which is given once the library is there.
    """
    try:
        return preview_of(form.library()), False
    except SourceSlow:
        form.add_error(None, SLOW)
        return None, True
    except SourceError as error:
        form.add_error(None, sentence(error))
        return None, isinstance(error, SourceRefused)


def begun(request: HttpRequest, user: Any, library: Library) -> HttpResponse:
    """Files are brought next, or the first build is followed."""
    if library.kind == Library.Kind.UPLOADS:
        messages.success(request, f"{library.name} has been added. Bring it files now: they are read in by themselves.")
        return redirect("library", library.slug)
    job = Job.objects.ask_for(library, user)
    messages.success(request, f"{library.name} has been added.")
    return redirect("job", job.pk)
