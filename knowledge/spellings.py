"""Names with accents, which machines write differently: letter and accent in one (NFC), or apart (NFD), as a Mac does.

Both look the same. A path is kept as its source has it, and is found however it was typed.
"""

import unicodedata
from typing import TypeVar

from django.contrib.auth.models import User
from django.db.models import Case, Model, Q, QuerySet, Value, When

Row = TypeVar("Row", bound=Model)


def spellings(typed: str) -> list[str]:
    """As it was typed, then otherwise."""
    if typed.isascii():
        return [typed]
    return list(dict.fromkeys([typed, composed(typed), unicodedata.normalize("NFD", typed)]))


def composed(name: str) -> str:
    return unicodedata.normalize("NFC", name)


def of_path(rows: QuerySet[Row], path: str, field: str = "path") -> QuerySet[Row]:
    """The one row of this path, or else of one that looks the same. Not to be narrowed further."""
    as_typed = Case(When(**{field: path}, then=Value(0)), default=Value(1))
    return rows.filter(**{f"{field}__in": spellings(path)}).order_by(as_typed)[:1]


def below(prefix: str, field: str = "path") -> Q:
    """Those whose path begins so; all, where it is empty."""
    return Q(*(Q(**{f"{field}__startswith": one}) for one in spellings(prefix) if one), _connector=Q.OR)


def holding(typed: str) -> Q:
    """Those whose path has each of these words somewhere, in whatever capitals."""
    wanted = Q()
    for word in typed.replace("\0", "").split():
        wanted &= Q(*(Q(path__icontains=one) for one in spellings(word)), _connector=Q.OR)
    return wanted


def account_name(typed: str) -> str:
    """As Django keeps it."""
    return User.normalize_username(typed.replace("\0", "").strip())
