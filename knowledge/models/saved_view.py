"""A list of the admin with its filters, under a name that one of its readers gave it."""

from django.apps import apps
from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import models
from django.urls import NoReverseMatch, reverse


class SavedView(models.Model):
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="saved_views")
    model = models.CharField(max_length=100, help_text="As knowledge.documentfile.")
    name = models.CharField(max_length=60)
    query = models.CharField(max_length=2000, blank=True, help_text="Filters, search and order, as in the address.")

    class Meta:
        ordering = ["model", "name"]
        constraints = [models.UniqueConstraint(fields=["user", "model", "name"], name="saved_view_name")]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        """Of the list with its filters: always one of the admin's own, whatever the query holds."""
        address = reverse(f"admin:{self.model.replace('.', '_')}_changelist")
        return f"{address}?{self.query}" if self.query else address

    def clean(self) -> None:
        if not self.stands:
            raise ValidationError({"model": "The admin has no such list."})

    @property
    def stands(self) -> bool:
        """Whether the admin has its list, still."""
        try:
            return bool(self.title and self.get_absolute_url())
        except (LookupError, ValueError, NoReverseMatch):
            return False

    @property
    def title(self) -> str:
        return str(apps.get_model(self.model)._meta.verbose_name_plural)
