"""How long lists are handed out."""

from rest_framework.exceptions import ValidationError
from rest_framework.pagination import LimitOffsetPagination
from rest_framework.request import Request

MOST = 2**31 - 1
DIGITS = 20  # of a number that are read: it is far too large by then


class Pages(LimitOffsetPagination):
    """`?limit=` and `?offset=`; what is no such number is refused, not taken for the default."""

    default_limit = 50
    max_limit = 1000

    def get_limit(self, request: Request) -> int:
        return min(number(request, "limit", self.default_limit, least=1, most=None), self.max_limit)

    def get_offset(self, request: Request) -> int:
        return number(request, "offset", 0, least=0, most=MOST)


def number(request: Request, name: str, default: int, least: int, most: int | None) -> int:
    """Raises ValidationError."""
    written = request.query_params.get(name, "") or str(default)
    digits = written[:DIGITS] if written.isascii() and written.isdigit() else "-1"
    if not least <= int(digits) <= (int(digits) if most is None else most):
        problem = f"must be a whole number from {least}{'' if most is None else f' to {most:,}'}"
        raise ValidationError({"detail": f"{name}: {problem}", "errors": {name: [problem]}})
    return int(digits)
