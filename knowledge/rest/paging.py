"""How long lists are handed out."""

from typing import Any

from rest_framework.exceptions import ValidationError
from rest_framework.pagination import LimitOffsetPagination
from rest_framework.request import Request

from knowledge.numbers import LARGEST

from .errors import only

DIGITS = 20  # of a number that are read: it is far too large by then


class Pages(LimitOffsetPagination):
    """`?limit=` and `?offset=`; what is no such number is refused, not taken for the default.

    So is what is neither one of these nor in the view's `narrowed_by`: passed over, a misspelt one would be all rows.
    """

    default_limit = 50
    max_limit = 1000

    def paginate_queryset(self, queryset: Any, request: Request, view: Any = None) -> list[Any] | None:
        only(request.query_params, (*getattr(view, "narrowed_by", ()), "limit", "offset"))
        return super().paginate_queryset(queryset, request, view)

    def get_limit(self, request: Request) -> int:
        return min(number(request, "limit", self.default_limit, least=1, most=None), self.max_limit)

    def get_offset(self, request: Request) -> int:
        return number(request, "offset", 0, least=0, most=LARGEST)

    def get_schema_operation_parameters(self, view: Any) -> list[dict[str, Any]]:
        bounds = {"limit": {"type": "integer", "minimum": 1}, "offset": whole(0)}
        return [{**each, "schema": bounds[each["name"]]} for each in super().get_schema_operation_parameters(view)]


def whole(least: int) -> dict[str, Any]:
    """As the schema says it of a number that is refused outside of these."""
    return {"type": "integer", "minimum": least, "maximum": LARGEST}


def number(request: Request, name: str, default: int, least: int, most: int | None) -> int:
    """Raises ValidationError."""
    written = request.query_params.get(name, "") or str(default)
    digits = written[:DIGITS] if written.isascii() and written.isdigit() else "-1"
    if not least <= int(digits) <= (int(digits) if most is None else most):
        problem = f"must be a whole number from {least}{'' if most is None else f' to {most:,}'}"
        raise ValidationError({"detail": f"{name}: {problem}", "errors": {name: [problem]}})
    return int(digits)
