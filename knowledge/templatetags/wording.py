"""What the templates of any package say in Muniment's words."""

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any
from urllib.parse import quote, urlencode

from django import template
from django.http import HttpRequest
from django.utils.html import format_html

from knowledge.access import may_add_libraries
from knowledge.governance.audit_words import act, told
from knowledge.models.library import Reader
from knowledge.progress_line import STAGES
from knowledge.wording import day, let_in, moment, setting, short, standing

register = template.Library()
register.filter("standing", standing)
register.filter("let_in", let_in)
register.filter("short", short)
register.filter("setting", setting)
register.filter("act", act)
register.filter("told", told)

TIME = '<time datetime="{}" title="{}">{}</time>'
LONGEST_BACK = 8_000  # characters


@register.filter
def of(key: object, rows: Mapping[object, Any]) -> Any:
    return rows.get(key)


@register.filter
def stage_words(stage: str) -> str:
    return STAGES.get(stage, stage or "Starting")


@register.filter
def lines(place: Any) -> str:
    """`120–148`, or `120`."""
    return f"{place.line_start}–{place.line_end}" if place.line_end != place.line_start else str(place.line_start)


@register.filter
def at_most(value: int, most: int) -> int:
    return min(value, most)


@register.filter
def grouped(number: int) -> str:
    """`200,200`."""
    return f"{number:,}"


@register.filter
def path_query(path: str | None) -> str:
    """What a pager keeps of the address."""
    return f"{urlencode({'path': path})}&" if path else ""


@register.filter
def back_here(request: HttpRequest) -> str:
    """This page's address within another one: without its query where that is too long for a server's 8,190 bytes."""
    here = quote(request.get_full_path())
    return here if len(here) <= LONGEST_BACK else quote(request.path)


@register.filter
def may_add(user: Reader) -> bool:
    """Whether the page for adding a library is theirs."""
    return may_add_libraries(user)


@register.filter
def when(at: datetime | None) -> str:
    """A moment, to the second where the mouse rests on it; nothing of none."""
    return format_html(TIME, at.isoformat(), f"{at:%-d %b %Y, %H:%M:%S} UTC", moment(at)) if at else ""


@register.filter
def on(at: date | None) -> str:
    """A day, or that of a moment; nothing of none."""
    return (
        format_html(TIME, at.isoformat(), at.isoformat(" ") if isinstance(at, datetime) else day(at), day(at))
        if at
        else ""
    )


@register.filter
def percent(share: float) -> str:
    return f"{share * 100:.3g} %"
