"""Who has a role in a library, and invitations to have one."""

import re
from typing import Any

from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.forms import UserCreationForm
from django.contrib.auth.models import User
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from knowledge.access import Act
from knowledge.models import (
    Invitation,
    Library,
    Membership,
    Role,
)
from knowledge.models.membership import IN_LIBRARY
from knowledge.numbers import whole_number
from knowledge.pages.governed import governed, said, sentence, signed_in

BACKEND = "django.contrib.auth.backends.ModelBackend"  # where single sign-on is set up there are two


@require_http_methods(["GET", "HEAD", "POST"])
@governed(Act.MANAGE)
def members(request: HttpRequest, library: Library, acts: frozenset[Act]) -> HttpResponse:
    invitation = None
    if request.method == "POST":
        do = request.POST.get("do")
        if do == "invite":
            invitation = invited(request, library)
        else:
            said(request, lambda: (withdrawn if do == "withdraw" else membership)(request, library))
            return redirect("members", library.slug)
    context = {
        "library": library,
        "members": library.memberships.select_related("user").order_by("user__username"),
        "groups": library.groups.order_by("name"),
        "invitations": Invitation.objects.open().filter(library=library).select_related("invited_by"),
        "roles": IN_LIBRARY,
        "link": request.build_absolute_uri(reverse("invitation", args=[invitation])) if invitation else "",
    }
    response = render(request, "governance/members.html", context)
    response["Cache-Control"] = "no-store"
    return response


def role_of(request: HttpRequest) -> str:
    role = request.POST.get("role", "")
    if role not in IN_LIBRARY:
        raise ValueError("that is no role in a library")
    return role


def invited(request: HttpRequest, library: Library) -> str:
    """The token of a new invitation, or nothing and a message."""
    try:
        name = request.POST.get("name", "").replace("\0", "").strip()[:200]
        if not name:
            raise ValueError("say whom the invitation is for")
        return Invitation.issue(name, role_of(request), library, signed_in(request))[1]
    except ValueError as error:
        messages.error(request, sentence(error))
        return ""


@transaction.atomic
def withdrawn(request: HttpRequest, library: Library) -> str:
    """End an open invitation. Whoever accepts it at the same moment comes first, or too late."""
    asked = whole_number(request.POST.get("invitation", "")) or 0
    row = Invitation.objects.open().select_for_update(of=("self",)).filter(library=library, pk=asked).first()
    if row is None:
        raise ValueError("that invitation is not open any more")
    row.withdraw()
    return f"The invitation for {row.name} is withdrawn"


@transaction.atomic
def membership(request: HttpRequest, library: Library) -> str:
    """Give somebody a role, or take it. Of two that do so at once, one waits for the other."""
    Library.objects.lock(library.pk)
    name = request.POST.get("user", "").replace("\0", "").strip()
    if request.POST.get("do") == "remove":
        for row in library.memberships.filter(user__username=name):
            row.delete()
        return f"{name} has no role here any more"
    user = User.objects.filter(username=name, is_active=True).first()
    if user is None:
        raise ValueError(f"there is no active account {name}")
    row = library.memberships.filter(user=user).first() or Membership(library=library, user=user)
    row.role = role_of(request)
    row.save()
    return f"{user} is {row.get_role_display().lower()} here"


class AccountForm(UserCreationForm):
    """What is wrong with a password is said of the first of the two, and the first wrong field is typed in again."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["username"].label, self.fields["password2"].label = "User name", "The password again"

    def validate_password_for_user(self, user: User, password_field_name: str = "") -> None:
        super().validate_password_for_user(user, password_field_name or "password1")  # type: ignore[misc]  # not in the stubs

    def full_clean(self) -> None:
        super().full_clean()
        wrong = next((name for name in self.fields if name in self.errors), "username")
        for name, field in self.fields.items():
            field.widget.attrs["autofocus"] = name == wrong


def first_page(accepted: Invitation) -> str:
    """Where somebody begins who has just accepted this."""
    if accepted.library is None:
        return reverse("home")
    return reverse("review" if accepted.role == Role.REVIEWER else "library", args=[accepted.library.slug])


def user_name(name: str) -> str:
    """What somebody is invited as, where an account may be called so and none is; else nothing."""
    may_be = re.fullmatch(UnicodeUsernameValidator.regex, name) and len(name) <= 150
    return name if may_be and not User.objects.filter(username=name).exists() else ""


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """Whoever has the link makes an account, once. What is wrong with a link is not said."""
    found = Invitation.objects.find(token)
    if found is None:
        return render(request, "governance/invitation_over.html", status=404)
    form = AccountForm(request.POST or None, initial={"username": user_name(found.name)})
    if request.method == "POST" and form.is_valid():
        with transaction.atomic():
            taken = Invitation.objects.open().select_for_update(of=("self",)).filter(pk=found.pk).first()
            if taken is None:
                return render(request, "governance/invitation_over.html", status=404)
            user = form.save()
            taken.accept(user)
        login(request, user, BACKEND)
        return redirect(first_page(taken))
    return render(request, "governance/invitation.html", {"invitation": found, "form": form})
