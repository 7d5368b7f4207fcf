"""Accounts of single sign-on: whom the provider means by a subject."""

from django.conf import settings
from django.db import models


class SignOn(models.Model):
    """An account is found by the provider's own key for its user; names and addresses others can get."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="sign_ons")
    issuer = models.CharField(max_length=500, help_text="The provider, as it calls itself.")
    subject = models.CharField(max_length=255, help_text="The provider's key for its user; it is never given again.")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["issuer", "subject"], name="one_account_of_a_subject")]

    def __str__(self) -> str:
        return f"{self.user} as {self.subject}"
