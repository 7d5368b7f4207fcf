"""Governance, not editing: libraries are decided here; what was built from them can be looked at."""

from django.apps import apps
from django.contrib import admin

from knowledge.admin import accounts, documents, evaluation, governance, libraries, work

__all__ = ["accounts", "documents", "evaluation", "governance", "libraries", "work"]

admin.site.site_header = admin.site.site_title = "Muniment"
admin.site.index_title = "Governance"

# django-q2's own pages can run any dotted path.
for model in apps.get_app_config("django_q").get_models():
    if admin.site.is_registered(model):
        admin.site.unregister(model)
