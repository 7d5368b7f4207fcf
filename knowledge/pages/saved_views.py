"""Keeping a list of the admin with its filters under a name, and forgetting it."""

from django.contrib import messages
from django.contrib.admin.views.decorators import staff_member_required
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import get_object_or_404, redirect

from knowledge.http.methods import require_POST
from knowledge.models import SavedView
from knowledge.numbers import whole_number
from knowledge.pages.governed import signed_in

MOST = 100  # of one user


@staff_member_required
@require_POST
def saved_view(request: HttpRequest) -> HttpResponse:
    own = SavedView.objects.filter(user=signed_in(request))
    if request.POST.get("do") == "forget":
        view = get_object_or_404(own, pk=whole_number(request.POST.get("view", "")))
        view.delete()
        messages.success(request, f"{view.name} is forgotten.")
        return redirect(SavedView(model=view.model).get_absolute_url() if view.stands else "admin:index")
    given = {name: request.POST.get(name, "").replace("\0", "").strip() for name in ("model", "name", "query")}
    view = own.filter(model=given["model"], name=given["name"]).first() or SavedView(user=signed_in(request), **given)
    view.query = given["query"]
    try:
        with transaction.atomic():
            if view.pk is None and own.count() >= MOST:
                raise ValidationError(f"There are {MOST} views already.")
            view.full_clean()
            view.save()
    except ValidationError as error:
        return HttpResponseBadRequest(" ".join(error.messages), content_type="text/plain; charset=utf-8")
    return redirect(view.get_absolute_url())
