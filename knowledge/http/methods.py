"""Which methods a page takes. What it does not take is refused for that, and not for the token that no page gave it."""

from collections.abc import Callable, Sequence

from django.http import HttpRequest, HttpResponseBase, HttpResponseNotAllowed
from django.views.decorators import http

View = Callable[..., HttpResponseBase]


def require_http_methods(methods: Sequence[str]) -> Callable[[View], View]:
    """Django's; `methods` of the view says which, behind other decorators too."""

    def narrowed(view: View) -> View:
        guarded: View = http.require_http_methods(methods)(view)
        guarded.methods = tuple(methods)  # type: ignore[attr-defined]
        return guarded

    return narrowed


require_POST, require_safe = require_http_methods(["POST"]), require_http_methods(["GET", "HEAD"])


def not_taken(request: HttpRequest) -> HttpResponseNotAllowed | None:
    """The refusal, if the view takes other methods than the request's."""
    methods = getattr(request.resolver_match.func, "methods", ()) if request.resolver_match else ()
    return HttpResponseNotAllowed(methods) if methods and request.method not in methods else None
