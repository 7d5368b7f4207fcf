"""What the templates of any package say in Muniment's words."""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlencode

from django import template
from django.http import HttpRequest

from knowledge.access import may_add_libraries
from knowledge.models.library import Reader
from knowledge.progress_line import STAGES
from knowledge.wording import let_in, standing

register = template.Library()
register.filter("standing", standing)
register.filter("let_in", let_in)

DIGEST = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
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
def short(digest: str) -> str:
    """A hash as people say it."""
    return digest[:12]


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
def setting(value: Any) -> str:
    """What a setting was set to, in words."""
    if value is None or value == "":
        return "nothing"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


@register.filter
def told(details: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The details of an event of the audit in words, without those that say nothing."""
    worded = ((name.replace("_", " "), detail(value)) for name, value in details.items())
    return [(name, said) for name, said in worded if said]


def detail(value: Any) -> str:
    """Digests by their beginnings."""
    if isinstance(value, Mapping):
        return "; ".join(f"{name.replace('_', ' ')}: {changed(said)}" for name, said in value.items())
    if isinstance(value, list):
        return ", ".join(" ".join(map(detail, one)) if isinstance(one, list) else detail(one) for one in value)
    if value is None or value == "":
        return ""
    said = setting(value)
    return short(said) if DIGEST.fullmatch(said) else said


def changed(value: Any) -> str:
    """A setting before and after, or what it is."""
    return " → ".join(map(setting, value)) if isinstance(value, list) and len(value) == 2 else setting(value)


@register.filter
def percent(share: float) -> str:
    return f"{share * 100:.3g} %"
