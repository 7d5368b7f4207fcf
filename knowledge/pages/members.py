"""Who has a role in a library, and invitations to have one."""

from django.contrib import messages
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from knowledge.access import Act, may
from knowledge.accounts.invitations import open_invitations, waiting_invitations
from knowledge.http.methods import require_http_methods
from knowledge.models import Invitation, Library, Membership
from knowledge.models.membership import IN_LIBRARY
from knowledge.numbers import whole_number
from knowledge.pages.governed import carried_out, governed, signed_in
from knowledge.spellings import account_name
from knowledge.wording import sentence


@require_http_methods(["GET", "HEAD", "POST"])
@governed(Act.MANAGE)
def members(request: HttpRequest, library: Library, acts: frozenset[Act]) -> HttpResponse:
    shown_once = f"invitation to {library.pk}"
    if request.method == "POST":
        do = request.POST.get("do")
        if do == "invite":
            request.session[shown_once] = invited(request, library)
            is_done = bool(request.session[shown_once])
        else:
            is_done = carried_out(request, lambda: (withdrawn if do == "withdraw" else membership)(request, library))
        if is_done:
            return redirect(*still_open(request, library))
    invitation = "" if request.method == "HEAD" else request.session.pop(shown_once, "")  # nobody sees it in a HEAD
    context = {
        "library": library,
        "members": library.memberships.select_related("user").order_by("user__username"),
        "groups": library.groups.order_by("name"),
        "invitations": waiting_invitations().filter(library=library).select_related("invited_by"),
        "open": set(open_invitations().filter(library=library).values_list("pk", flat=True)),
        "roles": IN_LIBRARY,
        "sent": request.POST.dict(),  # where it was refused
        "link": request.build_absolute_uri(reverse("invitation", args=[invitation])) if invitation else "",
    }
    response = render(request, "governance/members.html", context)
    response["Cache-Control"] = "no-store"
    return response


def still_open(request: HttpRequest, library: Library) -> tuple[str, ...]:
    """Where somebody goes on who may have taken their own role."""
    if may(request.user, Act.MANAGE, library):
        return "members", library.slug
    return ("library", library.slug) if may(request.user, Act.READ, library) else ("libraries",)


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
    """End an invitation that waits. Whoever accepts it at the same moment comes first, or too late."""
    asked = whole_number(request.POST.get("invitation", "")) or 0
    row = waiting_invitations().select_for_update(of=("self",)).filter(library=library, pk=asked).first()
    if row is None:
        raise ValueError("that invitation is not open any more")
    row.withdraw()
    return f"The invitation for {row.name} is withdrawn"


@transaction.atomic
def membership(request: HttpRequest, library: Library) -> str:
    """Give somebody a role, or take it. Of two that do so at once, one waits for the other."""
    Library.objects.lock(library.pk)
    name = account_name(request.POST.get("user", ""))
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
