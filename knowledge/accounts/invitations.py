"""Invitations that can be accepted still, and what becomes of one that is."""

from django.contrib.auth.models import User
from django.db.models import Q, QuerySet
from django.utils import timezone

from knowledge.access import Act, is_administrator, libraries_for
from knowledge.models import Invitation
from knowledge.models.token import digest


def waiting_invitations() -> QuerySet[Invitation]:
    """Not accepted, withdrawn or over. Those that are not open are asleep: they open when who made them is back."""
    return Invitation.objects.filter(accepted_at=None, expires_at__gt=timezone.now())


def open_invitations() -> QuerySet[Invitation]:
    """Whoever made one has an active account still, and manages its library still.

    One without a library needs an administrator; one that nobody's account made is the operator's.
    """
    waiting = waiting_invitations()
    backed = Q(invited_by=None)
    for issuer in User.objects.filter(is_active=True, pk__in=waiting.order_by().values("invited_by")):
        managed = Q(library__in=libraries_for(issuer, Act.MANAGE).order_by().values("pk"))
        anywhere = managed | Q(library=None) if is_administrator(issuer) else managed
        backed |= Q(invited_by=issuer) & anywhere
    return waiting.filter(backed)


def find(token: str) -> Invitation | None:
    """The open invitation that this token is for."""
    return open_invitations().filter(digest=digest(token)).select_related("library").first()
