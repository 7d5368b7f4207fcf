"""People: their roles in libraries, how they come in, and what they keep."""

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models
from django.db.models import Q

from ._tables import table


class Migration(migrations.Migration):
    dependencies = [("knowledge", "0003_snapshots")]
    replaces = [("knowledge", "0020_sign_on")]

    operations = [
        table(
            "Membership",
            library=models.ForeignKey("knowledge.library", models.CASCADE, related_name="memberships"),
            user=models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="memberships"),
            role=models.CharField(
                max_length=20,
                choices=[
                    ("reader", "Reader"),
                    ("editor", "Editor"),
                    ("reviewer", "Reviewer"),
                    ("librarian", "Librarian"),
                ],
            ),
            created_at=models.DateTimeField(auto_now_add=True),
            meta={
                "ordering": ["library", "user"],
                "constraints": [
                    models.UniqueConstraint(fields=["library", "user"], name="one_role_in_a_library"),
                    models.CheckConstraint(
                        condition=Q(role__in=["reader", "editor", "reviewer", "librarian"]), name="role_in_a_library"
                    ),
                ],
            },
        ),
        table(
            "Invitation",
            name=models.CharField(max_length=200, help_text="Whom it is for."),
            library=models.ForeignKey(
                "knowledge.library", models.CASCADE, null=True, blank=True, related_name="invitations"
            ),
            role=models.CharField(
                max_length=20,
                choices=[
                    ("reader", "Reader"),
                    ("editor", "Editor"),
                    ("reviewer", "Reviewer"),
                    ("librarian", "Librarian"),
                    ("administrator", "Administrator"),
                ],
                default="reader",
            ),
            digest=models.CharField(max_length=64, unique=True, editable=False),
            invited_by=models.ForeignKey(
                settings.AUTH_USER_MODEL, models.CASCADE, null=True, editable=False, related_name="+"
            ),
            created_at=models.DateTimeField(auto_now_add=True),
            expires_at=models.DateTimeField(),
            accepted_at=models.DateTimeField(null=True, blank=True, editable=False),
            accepted_by=models.ForeignKey(
                settings.AUTH_USER_MODEL, models.SET_NULL, null=True, editable=False, related_name="+"
            ),
            meta={
                "ordering": ["-pk"],
                "constraints": [
                    models.CheckConstraint(
                        condition=Q(role__in=["reader", "editor", "reviewer", "librarian", "administrator"])
                        & (Q(library=None) | ~Q(role="administrator")),
                        name="invitation_role",
                    )
                ],
            },
        ),
        table(
            "SignOn",
            user=models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="sign_ons"),
            issuer=models.CharField(max_length=500, help_text="The provider, as it calls itself."),
            subject=models.CharField(
                max_length=255, help_text="The provider's key for its user; it is never given again."
            ),
            created_at=models.DateTimeField(auto_now_add=True),
            meta={
                "constraints": [models.UniqueConstraint(fields=["issuer", "subject"], name="one_account_of_a_subject")]
            },
        ),
        table(
            "ApiToken",
            user=models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="api_tokens"),
            name=models.CharField(max_length=100),
            digest=models.CharField(max_length=64, unique=True, editable=False),
            scopes=ArrayField(
                models.CharField(
                    max_length=20,
                    choices=[
                        ("search", "Search and read"),
                        ("ask", "Ask questions"),
                        ("manage", "Bring files, steer jobs, review and publish"),
                    ],
                )
            ),
            created_at=models.DateTimeField(auto_now_add=True),
            expires_at=models.DateTimeField(null=True, blank=True),
            revoked_at=models.DateTimeField(null=True, blank=True),
            used_at=models.DateTimeField(null=True, blank=True, editable=False),
            meta={
                "ordering": ["user", "name"],
                "constraints": [
                    models.CheckConstraint(
                        condition=Q(scopes__contained_by=["search", "ask", "manage"]) & ~Q(scopes=[]),
                        name="token_scopes",
                    )
                ],
            },
        ),
        table(
            "SavedView",
            user=models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="saved_views"),
            model=models.CharField(max_length=100, help_text="As knowledge.documentfile."),
            name=models.CharField(max_length=60),
            query=models.CharField(
                max_length=2000, blank=True, help_text="Filters, search and order, as in the address."
            ),
            meta={
                "ordering": ["model", "name"],
                "constraints": [models.UniqueConstraint(fields=["user", "model", "name"], name="saved_view_name")],
            },
        ),
    ]
