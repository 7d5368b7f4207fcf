from typing import Any

from django import template
from django.db.models import QuerySet

from knowledge.models import SavedView

register = template.Library()


@register.simple_tag
def saved_views(user: Any, model: str = "") -> QuerySet[SavedView]:
    """Of this list, or of all."""
    own = SavedView.objects.filter(user=user)
    return own.filter(model=model) if model else own
