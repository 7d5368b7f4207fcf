"""Whether the server is well: for people, load balancers and Prometheus."""

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.crypto import constant_time_compare
from django.views.decorators.cache import never_cache

from knowledge.access import is_administrator
from knowledge.health import State, examine, readiness
from knowledge.http.methods import require_safe
from knowledge.metrics import CONTENT_TYPE, exposition


@never_cache
@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    return HttpResponse("ok", content_type="text/plain")


@never_cache
@require_safe
def readyz(request: HttpRequest) -> JsonResponse:
    ready, told = readiness()
    return JsonResponse(told, status=200 if ready else 503)


@never_cache
@login_required
@require_safe
def health(request: HttpRequest) -> HttpResponse:
    """What `doctor` says, for administrators: what is poorer or broken first. Every model is asked something.

    That takes seconds, so the page comes first, and asks for itself with `now=yes`.
    """
    if not is_administrator(request.user):
        raise PermissionDenied
    if not request.GET.get("now"):
        return render(request, "governance/health.html", {"looking": True})
    found = list(examine())
    amiss = [one for one in found if one.state in (State.DEGRADED, State.BROKEN)]
    context = {"amiss": amiss, "examinations": [one for one in found if one not in amiss]}
    return render(request, "governance/health.html", context)


@never_cache
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """For Prometheus: who has the token, administrators, and whoever asks from this machine itself."""
    if not may_read_metrics(request):
        return HttpResponse("METRICS_TOKEN is needed\n", status=403, content_type="text/plain")
    return HttpResponse(exposition(), content_type=CONTENT_TYPE)


def may_read_metrics(request: HttpRequest) -> bool:
    """A proxy on this machine passes others' requests on; those say so in a header, and are no local ones."""
    sent = request.headers.get("Authorization", "").removeprefix("Bearer ")
    if settings.METRICS_TOKEN and constant_time_compare(sent, settings.METRICS_TOKEN):
        return True
    if is_administrator(request.user):
        return True
    passed_on = any(name in request.headers for name in ("X-Forwarded-For", "Forwarded", "X-Real-IP", "Via"))
    return request.META.get("REMOTE_ADDR") in ("127.0.0.1", "::1") and not passed_on
