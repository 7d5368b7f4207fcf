"""Roles: what somebody may do, in one library by a membership, or in all that they may read by a group of its name."""

import secrets
from datetime import timedelta

from django.conf import settings
from django.contrib.auth.models import Group, User
from django.db import models
from django.utils import timezone

from .token import digest


class Role(models.TextChoices):
    READER = "reader", "Reader"
    EDITOR = "editor", "Editor"
    REVIEWER = "reviewer", "Reviewer"
    LIBRARIAN = "librarian", "Librarian"
    ADMINISTRATOR = "administrator", "Administrator"


INVITATION_STANDS = timedelta(days=7)
IN_LIBRARY = [role for role in Role if role != Role.ADMINISTRATOR]  # an administrator is one everywhere


class Membership(models.Model):
    """Somebody's role in one library. It lets them read it, too."""

    library = models.ForeignKey("knowledge.Library", on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=20, choices=[(role.value, role.label) for role in IN_LIBRARY])
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["library", "user"]
        constraints = [
            models.UniqueConstraint(fields=["library", "user"], name="one_role_in_a_library"),
            models.CheckConstraint(
                condition=models.Q(role__in=["reader", "editor", "reviewer", "librarian"]), name="role_in_a_library"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user}: {self.role} of {self.library}"


class Invitation(models.Model):
    """Somebody may make an account, once, and gets a role with it. Only a hash of the link's token is kept."""

    name = models.CharField(max_length=200, help_text="Whom it is for.")
    library = models.ForeignKey(
        "knowledge.Library", null=True, blank=True, on_delete=models.CASCADE, related_name="invitations"
    )
    role = models.CharField(max_length=20, choices=Role, default=Role.READER)
    digest = models.CharField(max_length=64, unique=True, editable=False)
    invited_by = models.ForeignKey(  # goes with who made it: without anybody, it would be the operator's
        settings.AUTH_USER_MODEL, null=True, editable=False, on_delete=models.CASCADE, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    accepted_at = models.DateTimeField(null=True, blank=True, editable=False)
    accepted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, editable=False, on_delete=models.SET_NULL, related_name="+"
    )

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(role__in=[role.value for role in Role])
                & (models.Q(library=None) | ~models.Q(role=Role.ADMINISTRATOR)),
                name="invitation_role",
            )
        ]

    def __str__(self) -> str:
        return f"{self.name}: {self.role}"

    @classmethod
    def issue(cls, name: str, role: str, library: "models.Model | None", by: User | None) -> tuple["Invitation", str]:
        """A new invitation, and the token of its link, which is shown once."""
        token = secrets.token_urlsafe(32)
        expires_at = timezone.now() + INVITATION_STANDS
        row = cls.objects.create(
            name=name, role=role, library=library, digest=digest(token), invited_by=by, expires_at=expires_at
        )
        return row, token

    def accept(self, user: User) -> None:
        """The account that was made with it gets its role."""
        if self.library_id:
            Membership.objects.create(library_id=self.library_id, user=user, role=self.role)
        else:
            user.groups.add(Group.objects.get(name=self.role))
        self.accepted_at, self.accepted_by = timezone.now(), user
        self.save(update_fields=["accepted_at", "accepted_by"])

    def withdraw(self) -> None:
        """Its link works no more, as if its time were up."""
        self.expires_at = timezone.now()
        self.save(update_fields=["expires_at"])

    @property
    def is_over(self) -> bool:
        return self.expires_at <= timezone.now()
