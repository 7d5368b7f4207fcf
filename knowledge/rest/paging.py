"""How long lists are handed out."""

from rest_framework.exceptions import ValidationError
from rest_framework.pagination import LimitOffsetPagination
from rest_framework.request import Request

MOST = 2**31 - 1


class Pages(LimitOffsetPagination):
    """`?limit=` and `?offset=`; what is no such number is refused, not taken for the default."""

    default_limit = 50
    max_limit = 1000

    def get_limit(self, request: Request) -> int:
        return min(number(request, "limit", self.default_limit, least=1), self.max_limit)

    def get_offset(self, request: Request) -> int:
        return number(request, "offset", 0)


def number(request: Request, name: str, default: int, least: int = 0) -> int:
    """Raises ValidationError."""
    written = request.query_params.get(name, "") or str(default)
    if not (written.isascii() and written.isdigit() and least <= int(written[:20]) <= MOST):
        problem = f"must be a whole number from {least} to {MOST:,}"
        raise ValidationError({"detail": f"{name}: {problem}", "errors": {name: [problem]}})
    return int(written)
