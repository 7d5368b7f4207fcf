"""One's own API tokens: made, seen and revoked. A token is shown once, in the answer to the form that made it."""

from datetime import timedelta

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone

from knowledge.access import MAY, acts_somewhere
from knowledge.http.methods import require_http_methods
from knowledge.models import ApiToken, Role
from knowledge.models.token import ApiTokenQuerySet
from knowledge.numbers import whole_number
from knowledge.pages.governed import signed_in

DAYS = (7, 30, 90, 365)
MOST = 50  # living tokens of one user
SHOWN = 200  # of those that are dead


class TokenForm(forms.Form):
    name = forms.CharField(
        max_length=100, help_text="What it is for.", error_messages={"required": "Say what it is for: its name."}
    )
    scopes = forms.MultipleChoiceField()  # those that this user may need: see below
    days = forms.TypedChoiceField(
        label="Valid for", choices=[(days, f"{days} days") for days in DAYS], coerce=int, initial=90
    )

    def __init__(self, user: User, data: QueryDict | None = None) -> None:
        super().__init__(data, label_suffix="")
        only_reads = acts_somewhere(user) <= MAY[Role.READER]  # who may manage nothing is not offered it
        offered = [one for one in ApiToken.Scope.choices if not only_reads or one[0] != ApiToken.Scope.MANAGE]
        self.fields["scopes"] = forms.MultipleChoiceField(
            choices=offered,
            initial=[ApiToken.Scope.SEARCH, ApiToken.Scope.ASK],
            widget=forms.CheckboxSelectMultiple,
            error_messages={"required": "Choose at least one thing that it may do."},
        )


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def tokens(request: HttpRequest) -> HttpResponse:
    user, shown = signed_in(request), ""
    form = TokenForm(user)
    own = ApiToken.objects.filter(user=user).order_by("-pk")
    if request.POST.get("do") == "revoke":
        token = get_object_or_404(own.filter(revoked_at=None), pk=whole_number(request.POST.get("token", "")))
        token.revoke()
        messages.success(request, f"{token.name} is revoked.")
        return redirect("tokens")
    if request.method == "POST":
        form = TokenForm(user, request.POST)
        if form.is_valid() and own.alive().count() >= MOST:
            form.add_error(None, f"You have {MOST} tokens already: revoke one first.")
        if form.is_valid():
            values = form.cleaned_data
            shown = ApiToken.issue(user, values["name"], values["scopes"], timedelta(days=values["days"]))[1]
            form = TokenForm(user)
    context = {"form": form, "tokens": listed(own), "shown": shown, "now": timezone.now()}
    response = render(request, "tokens.html", context, status=400 if form.errors else 200)
    response["Cache-Control"] = "no-store"
    return response


def listed(own: ApiTokenQuerySet) -> list[ApiToken]:
    """The living ones, however old, then the newest of the others."""
    living = list(own.alive())
    return [*living, *own.exclude(pk__in=[token.pk for token in living])[:SHOWN]]
