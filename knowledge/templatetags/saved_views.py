from typing import Any

from django import template

from knowledge.models import SavedView

register = template.Library()


@register.simple_tag
def saved_views(user: Any, model: str = "") -> list[SavedView]:
    """Of this list, or of all. One whose list is gone leads nowhere."""
    own = SavedView.objects.filter(user=user)
    return [view for view in (own.filter(model=model) if model else own) if view.stands]
