"""Accounts of people: made by who was invited, and one's own password."""

import re
from datetime import timedelta
from typing import Any

from django.contrib import messages
from django.contrib.auth import login, update_session_auth_hash
from django.contrib.auth.decorators import login_required
from django.contrib.auth.forms import PasswordChangeForm, UserCreationForm
from django.contrib.auth.models import User
from django.contrib.auth.signals import user_login_failed
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.db import IntegrityError, transaction
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache

from knowledge.accounts import log_ins
from knowledge.accounts.invitations import find, open_invitations
from knowledge.http.methods import require_http_methods
from knowledge.models import Invitation, Role
from knowledge.models.token import digest
from knowledge.pages.governed import signed_in

BACKEND = "django.contrib.auth.backends.ModelBackend"  # where single sign-on is set up there are two
TWICE = timedelta(minutes=1)  # between the first time that a form is sent and the second, at most


class Focused(Form):
    """The first wrong field is typed in again."""

    def full_clean(self) -> None:
        super().full_clean()
        wrong = next((name for name in self.fields if name in self.errors), next(iter(self.fields)))
        for name, field in self.fields.items():
            field.widget.attrs["autofocus"] = name == wrong


class AccountForm(Focused, UserCreationForm):
    """What is wrong with a password is said of the first of the two."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["password2"].label = "The password again"

    def validate_password_for_user(self, user: User, password_field_name: str = "") -> None:
        super().validate_password_for_user(user, password_field_name or "password1")  # type: ignore[misc]  # not in the stubs


class PasswordForm(Focused, PasswordChangeForm):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["new_password2"].label = "The new password again"

    def validate_password_for_user(self, user: User, password_field_name: str = "") -> None:
        super().validate_password_for_user(user, password_field_name or "new_password1")


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """Whoever has the link makes an account, once. What is wrong with a link is not said."""
    found = find(token)
    if found is None:
        return over(request, token)
    form = AccountForm(request.POST or None, initial={"username": user_name(found.name)})
    if request.method == "POST":
        if user := made(found, form):
            login(request, user, BACKEND)
            return redirect(first_page(found))
        if find(token) is None:
            return over(request, token)
    return render(request, "accounts/invitation.html", {"invitation": found, "form": form})


def made(found: Invitation, form: AccountForm) -> User | None:
    """The account, if the invitation is open still and the form is right; else the form says what is wrong."""
    if not form.is_valid():
        return None
    try:
        with transaction.atomic():
            taken = open_invitations().select_for_update(of=("self",)).filter(pk=found.pk).first()
            if taken is None:
                return None
            user: User = form.save()
            taken.accept(user)
    except IntegrityError:  # the name was taken meanwhile
        form.full_clean()
        return None
    return user


def over(request: HttpRequest, token: str) -> HttpResponse:
    """Who sent the form twice, as a double click does, made the account with the first one and is let in."""
    just_now = Invitation.objects.filter(digest=digest(token), accepted_at__gt=timezone.now() - TWICE)
    accepted, sent = just_now.select_related("library", "accepted_by").first(), request.POST
    user = accepted.accepted_by if accepted else None
    is_same = user is not None and user.is_active and user.username == sent.get("username")
    if accepted and user and is_same and user.check_password(sent.get("password1", "")):
        login(request, user, BACKEND)
        return redirect(first_page(accepted))
    return render(request, "accounts/invitation_over.html", status=404)


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
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def password(request: HttpRequest) -> HttpResponse:
    """One's own, changed by who knows it. Every other session of the account ends; tokens are revoked one by one.

    Who signs in elsewhere has none here. Guesses of the old one are counted with those of the log-in.
    """
    user, template = signed_in(request), "accounts/password.html"
    name, is_sent = user.get_username(), request.method == "POST" and user.has_usable_password()
    if is_sent and log_ins.must_wait(request, name):
        return log_ins.wait(request, template, {"form": PasswordForm(user)})
    form = PasswordForm(user, request.POST or None) if user.has_usable_password() else None
    if form and is_sent and form.is_valid():
        log_ins.succeeded(request, name)
        update_session_auth_hash(request, form.save())
        messages.success(request, "Your password is changed. Where else you were signed in, you are no more.")
        return redirect("tokens")
    if form and "old_password" in form.errors:
        user_login_failed.send(__name__, credentials={"username": name}, request=request)
    return render(request, template, {"form": form})
