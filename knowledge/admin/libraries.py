"""Libraries, and what opens their sources."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.auth.models import AnonymousUser, User
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.utils.html import format_html
from django.utils.module_loading import import_string
from django.views.decorators.debug import sensitive_post_parameters

from knowledge.above import DIRECTORY
from knowledge.access import Act, NotAllowed, is_administrator, may, may_add_libraries
from knowledge.admin.base import OfReadableLibraries
from knowledge.admin.meanwhile import OnlyChanges, changed_columns
from knowledge.governance.dashboard import with_health
from knowledge.governance.settings import refuse_erasing
from knowledge.models import (
    CredentialError,
    Library,
    Membership,
    Role,
    SourceCredential,
)
from knowledge.models.credential import LONGEST_NAME, checked, checked_user, checked_variable
from knowledge.models.library import Reader, languages
from knowledge.models.tuning import ANSWERS, GATES, RETENTION, RETRIEVAL
from knowledge.pages.fields import PatternsField
from knowledge.pages.settings import SettingsForm
from knowledge.wording import sentence

SOURCE = ("location", "ref", "subdirectory")  # and the kind, which nobody changes
PATTERNS = {
    "include": "Glob patterns with blanks between them, as docs/**/*.md *.rst; empty: every file we can read.",
    "exclude": "Glob patterns with blanks between them.",
}
CHECKS = {"token": checked, "token_user": checked_user, "token_variable": checked_variable}


class LibraryForm(OnlyChanges, SettingsForm):
    """A library and, write-only, what opens its git source."""

    token_user = forms.CharField(
        required=False,
        max_length=LONGEST_NAME,
        widget=forms.TextInput(attrs={"autocomplete": "username"}),
        help_text="The user that the token belongs to, where the host asks.",
    )
    token = forms.CharField(
        required=False,
        strip=True,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        help_text="HTTPS: an access token that may read. It is sealed and never shown again.",
    )
    token_variable = forms.CharField(
        required=False,
        max_length=LONGEST_NAME,
        help_text="HTTPS: instead of a token, the environment variable that holds it.",
    )
    new_deploy_key = forms.BooleanField(
        required=False, help_text="SSH: make a new pair of keys; its public half is shown below afterwards."
    )
    forget_credential = forms.BooleanField(required=False)
    by: Reader = AnonymousUser()  # who fills it in

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if field := self.fields.get("language"):
            offered = dict.fromkeys([*languages(), self.instance.language])
            self.fields["language"] = forms.ChoiceField(
                choices=[(name, name) for name in offered],
                initial=field.initial,
                help_text="Of most files.",
                show_hidden_initial=field.show_hidden_initial,
            )

        for name in self.fields.keys() & {"include", "exclude"}:
            field = self.fields[name]
            self.fields[name] = PatternsField(
                required=False,
                initial=field.initial,
                widget=forms.Textarea(attrs={"rows": 3, "class": "vLargeTextField"}),
                help_text=PATTERNS[name],
                show_hidden_initial=field.show_hidden_initial,
            )

    def clean(self) -> dict[str, Any]:
        values = super().clean()
        ways = ("token", "token_variable", "new_deploy_key", "forget_credential")
        chosen = [way for way in ways if values.get(way)]
        if len(chosen) > 1:
            raise forms.ValidationError("Give a token, a variable or a deploy key: one of them.")
        if chosen and (values.get("kind") or self.instance.kind) != Library.Kind.GIT:
            raise forms.ValidationError("Only a git library has a credential.")
        try:
            refuse_erasing({name: values[name] for name in self.changed_data if name in values}, self.by, self.instance)
        except NotAllowed as error:
            self.add_error("trash_days", sentence(error))
        moved = "location" in self.changed_data and "location" in values
        is_directory = (values.get("kind") or self.instance.kind) == Library.Kind.DIRECTORY
        if moved and is_directory and (why := import_string(DIRECTORY)(values["location"])):
            self.add_error("location", sentence(why))
        for name, check in CHECKS.items():
            try:
                if values.get(name):
                    check(values[name])
            except CredentialError as error:
                self.add_error(name, sentence(error))
        return values

    def set_credential(self, library: Library) -> None:
        values = self.cleaned_data
        if values.get("token"):
            SourceCredential.token(library, values["token"], values["token_user"])
        elif values.get("token_variable"):
            SourceCredential.in_variable(library, values["token_variable"], values["token_user"])
        elif values.get("new_deploy_key"):
            SourceCredential.deploy_key(library)
        elif values.get("forget_credential"):
            SourceCredential.objects.filter(library=library).delete()


GROUPS: dict[str | None, list[str]] = {
    "Who may read it, and who decides": ["access", "groups", "requires_review"],
    "Which files": ["include", "exclude", "unindexed"],
    "Credential of a git repository": ["credential_now", "known_hosts", *LibraryForm.base_fields],
    "Searching": list(RETRIEVAL),
    "Answers": list(ANSWERS),
    "Retention": list(RETENTION),
    "Gates": list(GATES),
}


@admin.register(Library)
class LibraryAdmin(OfReadableLibraries):
    library_path = "pk"
    form = LibraryForm
    # How each fares, within 1,440 pixels; what each is set to, the filters tell.
    list_display = ["slug", "active", "document_count", "drift", "withdrawn", "waits", "gate", "job"]
    list_filter = ["kind", "access", "requires_review"]
    search_fields = ["slug", "name"]  # not the location: it may hold a secret, and a search is a guess confirmed
    filter_horizontal = ["groups"]
    readonly_fields = ["active", "created_at"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Library]:
        of_drift = ("active_snapshot__library", "active_snapshot__profile", "active_snapshot__space")
        return with_health(super().get_queryset(request)).select_related(*of_drift)

    def get_readonly_fields(self, request: HttpRequest, obj: Library | None = None) -> list[str]:
        """A library's name and source in the index don't change under its snapshots. Where it is read from is for who
        may add one: it decides what is read of the server, and who is given the credential."""
        built = ["slug", "kind", "unindexed", "credential_now", "drift"] if obj else []
        decided = SOURCE if obj and not may_add_libraries(request.user) else ()
        return [*self.readonly_fields, "source", *built, *decided]

    def get_fields(self, request: HttpRequest, obj: Library | None = None) -> list[Any]:
        """Who may not change the source sees it without its secret."""
        fields = super().get_fields(request, obj)
        looks_on = obj is not None and not self.has_change_permission(request, obj)
        hidden = {"source", *(LibraryForm.base_fields.keys() - self.model_fields() if looks_on else ())}
        hidden |= set() if is_administrator(request.user) else {"token_variable"}
        if obj is not None and obj.kind == Library.Kind.UPLOADS:
            hidden |= {*SOURCE, "source", *GROUPS["Credential of a git repository"]}
        shown = "source" if "location" in self.get_readonly_fields(request, obj) or looks_on else "location"
        return [shown if field == "location" else field for field in fields if field not in hidden]

    def get_form(self, request: HttpRequest, obj: Library | None = None, change: bool = False, **kwargs: Any) -> Any:
        """Whoever names a variable has the server's environment sent to the git host: that is for administrators."""
        form: Any = super().get_form(request, obj, change, **kwargs)
        form.by = request.user
        if not is_administrator(request.user):
            form.base_fields.pop("token_variable", None)
        return form

    def get_fieldsets(self, request: HttpRequest, obj: Library | None = None) -> Any:
        """By what they are about; a field of no group stands with what the library is."""
        fields = self.get_fields(request, obj)
        grouped = {title: [name for name in names if name in fields] for title, names in GROUPS.items()}
        known = {name for names in grouped.values() for name in names}
        sets = {None: [name for name in fields if name not in known], **grouped}
        return [(title, {"fields": names}) for title, names in sets.items() if names]

    def model_fields(self) -> set[str]:
        return {field.name for field in self.model._meta.get_fields()}

    @method_decorator(sensitive_post_parameters("token"))
    def changeform_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        return super().changeform_view(request, *args, **kwargs)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Of one that stands, only what was changed. Whoever adds one is its librarian."""
        credential = SourceCredential.objects.filter(library=obj.pk)
        had_one = credential.exists() and not form.cleaned_data["forget_credential"]
        if change:
            obj.save(update_fields=changed_columns(form))
        else:
            super().save_model(request, obj, form, change)
            if isinstance(request.user, User) and not is_administrator(request.user):
                Membership.objects.create(library=obj, user=request.user, role=Role.LIBRARIAN)
        form.set_credential(obj)
        if had_one and not credential.exists():
            messages.warning(request, "The credential was for the host that the library had before, and is forgotten.")

    @admin.display(description="credential")
    def credential_now(self, library: Library) -> str:
        """Its kind and, of a pair of keys, the public half."""
        credential = SourceCredential.objects.filter(library=library).first()
        if credential is None:
            return "none"
        since = f"{credential}, since {credential.changed_at:%d %b %Y}"
        return f"{since}: {credential.public_key or credential.variable}".rstrip(": ")

    @admin.display(description="changed since built")
    def drift(self, library: Library) -> str:
        return "; ".join(map(str, library.drift())) or "nothing"

    def has_change_permission(self, request: HttpRequest, obj: Library | None = None) -> bool:
        return super().has_change_permission(request, obj) and (obj is None or may(request.user, Act.MANAGE, obj))

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    @admin.display(description="snapshot", ordering="active_snapshot__number")
    def active(self, library: Library) -> int | None:
        return library.active_number or None

    @admin.display(description="files")
    def document_count(self, library: Any) -> int:
        return library.file_count

    @admin.display(description="withdrawn")
    def withdrawn(self, library: Any) -> int:
        return library.withdrawn or 0

    @admin.display(description="to review")
    def waits(self, library: Any) -> str:
        if library.waiting is None:
            return "–"
        address = reverse("review", args=[library.slug])
        return format_html('<a href="{}?snapshot={}">snapshot {}</a>', address, library.waiting, library.waiting)

    @admin.display(description="gate", boolean=True)
    def gate(self, library: Any) -> bool | None:
        return library.gate_passed

    @admin.display(description="last job")
    def job(self, library: Any) -> str:
        return library.last_job or "–"
