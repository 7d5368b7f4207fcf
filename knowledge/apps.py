from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.db.models.signals import post_migrate

from knowledge import failpoints


class KnowledgeConfig(AppConfig):
    name = "knowledge"
    verbose_name = "Knowledge"

    def ready(self) -> None:
        failpoints.arm(settings.FAILPOINTS, allowed=settings.AI_TEST_MODE or settings.DEBUG)
        from knowledge.governance import gold, signals  # noqa: F401 - they listen

        post_migrate.connect(make_roles, sender=self)
        post_migrate.connect(make_schedule, sender=self)


APPS = ("knowledge", "auth")
LOOKED_AT = ("snapshot", "documentfile", "fileversion", "job", "goldenquestion", "evaluationrun", "vectorrecall")
QUESTIONS = ("add_goldenquestion", "change_goldenquestion")
MEMBERS = ("view_membership", "add_membership", "change_membership", "delete_membership")
INSPECTS = (*(f"view_{name}" for name in LOOKED_AT), "view_library", "view_decision", "view_gaterun")
LIBRARIAN = (*INSPECTS, *QUESTIONS, *MEMBERS, "change_library")
EVERYTHING = (*LIBRARIAN, "add_library", "view_answer", "view_auditevent", "view_loggedquery", "view_invitation")
ACCOUNTS = ("view_user", "add_user", "change_user", "view_group")
IN_ADMIN = {
    "reader": (),
    "editor": (*INSPECTS, *QUESTIONS),
    "reviewer": INSPECTS,
    "librarian": LIBRARIAN,
    "administrator": (*EVERYTHING, *ACCOUNTS),
}


def make_roles(**_: Any) -> None:
    """A group for each role, with what its members may look at in the admin; rows are chosen by library.

    Called after every migration, since permissions are made then, and after tests emptied the tables.
    """
    from django.contrib.auth.models import Group, Permission

    for role, names in IN_ADMIN.items():
        group, _created = Group.objects.get_or_create(name=role)
        group.permissions.add(*Permission.objects.filter(codename__in=names, content_type__app_label__in=APPS))


def make_schedule(**_: Any) -> None:
    """Planned activations, reminders and the trash are looked after every minute, by the queue's worker."""
    from django_q.models import Schedule

    from knowledge.upkeep import REMINDERS, UPKEEP

    upkeep = {"func": "knowledge.upkeep.run_due", "schedule_type": Schedule.MINUTES, "minutes": 1, "repeats": -1}
    Schedule.objects.get_or_create(name=UPKEEP, defaults=upkeep)
    daily = {"func": "knowledge.upkeep.write_reminders", "schedule_type": Schedule.DAILY, "repeats": -1}
    Schedule.objects.get_or_create(name=REMINDERS, defaults=daily)
