"""Golden questions decide what a gate lets through: what is done to them is in the audit."""

from collections.abc import Iterable, Sequence
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.db.models.signals import post_delete, post_save, pre_save
from django.dispatch import receiver
from django.utils import timezone
from django.utils.module_loading import import_string

from knowledge.above import MISSING_GOLD
from knowledge.golden import Gold, Question
from knowledge.governance import audit
from knowledge.governance.signals import about_to_be_written, changed
from knowledge.models import GoldenQuestion, Library

GOVERNED = ("text", "kind", "gold", "active")
NAMED = 100  # questions of a kind in one event, the others are counted
WARNED_OF = 5  # places that are not there, in one warning


@transaction.atomic
def take(library: Library, questions: Iterable[Question], user: User | None, replace: bool = False) -> dict[str, int]:
    """As `GoldenQuestion.objects.take`, and one event where anything changed. Returns how many of each kind."""
    Library.objects.lock(library.pk)
    told = GoldenQuestion.objects.take(library, questions, user, replace)
    counts = {what: len(names) for what, names in told.items()}
    if named := {what: names[:NAMED] for what, names in told.items() if names and what != "unchanged"}:
        audit.record("golden.import", library=library, by=user, replace=replace, counts=counts, questions=named)
    return counts


def missing(library: Library, questions: Sequence[Question]) -> list[tuple[Question, Gold]]:
    """Places that nothing can find as things stand: a gate would refuse for them."""
    if library.active_snapshot is None:
        return []
    found: list[tuple[Question, Gold]] = import_string(MISSING_GOLD)(questions, library.active_snapshot)
    return found


def said_missing(library: Library, found: Sequence[tuple[Question, Gold]]) -> str:
    more = f" and {len(found) - WARNED_OF} more" if len(found) > WARNED_OF else ""
    named = ", ".join(str(place) for _, place in found[:WARNED_OF])
    return f"Not in the active snapshot of {library}, so no search finds it: {named}{more}."


@transaction.atomic
def switch(questions: QuerySet[GoldenQuestion], user: User, on: bool) -> None:
    """Ask these from now on, or don't; one event for each library where that is news."""
    chosen = list(questions.order_by().values_list("pk", "library"))
    for library in Library.objects.lock_all({library for _, library in chosen}):
        rows = GoldenQuestion.objects.filter(pk__in=[pk for pk, of in chosen if of == library.pk], active=not on)
        names = sorted(rows.values_list("identifier", flat=True))
        if rows.update(active=on, changed_by=user, changed_at=timezone.now()):
            said: dict[str, Any] = {"count": len(names), "questions": names[:NAMED]}
            audit.record(f"golden.switch_{'on' if on else 'off'}", library=library, by=user, **said)


@receiver(pre_save, sender=GoldenQuestion)
def question_changed(instance: GoldenQuestion, update_fields: Any = None, raw: bool = False, **_: Any) -> None:
    """The library's row comes before the audit, as everywhere."""
    if instance._state.adding or raw:
        return
    with transaction.atomic():
        library = Library.objects.lock(instance.library_id)
        if differences := changed(instance, about_to_be_written(GOVERNED, update_fields)):
            audit.record("golden.change", library=library, question=instance.identifier, changes=differences)


@receiver(post_save, sender=GoldenQuestion)
def question_made(instance: GoldenQuestion, created: bool, raw: bool = False, **_: Any) -> None:
    if created and not raw:
        audit.record("golden.add", library=instance.library, question=instance.identifier, active=instance.active)


@receiver(post_delete, sender=GoldenQuestion)
def question_gone(instance: GoldenQuestion, origin: Any = None, **_: Any) -> None:
    """Those that go with their library are told by its removal."""
    if getattr(origin, "model", type(origin)) is GoldenQuestion:
        audit.record("golden.remove", library=instance.library, question=instance.identifier, active=instance.active)
