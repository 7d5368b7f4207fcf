"""What the audit holds, in words: which act it was, and what is told of it."""

import re
from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

from knowledge.models import Library
from knowledge.models.membership import Role
from knowledge.wording import day, label, moment, setting, short

DIGEST = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
DAY = re.compile(r"\d{4}-\d\d-\d\d")
MOMENT = re.compile(rf"{DAY.pattern}T\d\d:\d\d\S*")

ACTS = {
    "credential.forget": "source’s credential forgotten",
    "credential.rotate": "credentials sealed with a new key",
    "credential.set": "source’s credential set",
    "document.erase": "file erased",
    "document.remind": "owner reminded of a file",
    "document.remind_failed": "owner could not be reminded of a file",
    "document.restore": "file restored",
    "document.review_due": "file due to be looked at again",
    "document.settings": "file’s owner, tags or date changed",
    "document.trash": "file put into the trash",
    "document.withdraw": "file withdrawn",
    "files.remove": "files removed",
    "files.upload": "files brought",
    "fusion.forget": "learnt weight of words forgotten",
    "fusion.learn": "weight of words learnt",
    "gate.override": "gate overridden",
    "gate.refuse": "activation refused by the gate",
    "golden.add": "golden question added",
    "golden.change": "golden question changed",
    "golden.import": "golden questions imported",
    "golden.remove": "golden question removed",
    "golden.switch_off": "golden question switched off",
    "golden.switch_on": "golden question switched on",
    "group.change": "group renamed",
    "group.delete": "group deleted",
    "group.join": "account put into a group",
    "group.leave": "account taken out of a group",
    "invitation.accept": "invitation accepted",
    "invitation.change": "invitation changed",
    "invitation.create": "somebody invited",
    "invitation.withdraw": "invitation withdrawn",
    "library.admit": "library opened to a group",
    "library.create": "library added",
    "library.exclude": "library closed to a group",
    "library.remove": "library removed",
    "library.settings": "library’s settings changed",
    "library.source": "library’s source changed",
    "membership.add": "role given",
    "membership.change": "role changed",
    "membership.remove": "role taken away",
    "permission.grant": "permission given",
    "permission.revoke": "permission taken away",
    "review.approve": "changes approved",
    "review.reject": "changes rejected",
    "schedule.remove": "schedule removed",
    "schedule.set": "schedule set",
    "session.open": "signed in",
    "session.refuse": "log-in failed",
    "session.throttle": "log-ins failed too often",
    "snapshot.activate": "snapshot activated",
    "snapshot.cancel_plan": "planned activation cancelled",
    "snapshot.derive": "snapshot made of what was approved",
    "snapshot.pin": "snapshot kept for good",
    "snapshot.plan": "activation planned",
    "snapshot.plan_failed": "planned activation did nothing",
    "snapshot.rollback": "rolled back",
    "snapshot.unpin": "snapshot kept for good no more",
    "token.change": "token changed",
    "token.delete": "token deleted",
    "token.issue": "token made",
    "user.change": "account changed",
    "user.create": "account made",
    "user.delete": "account deleted",
    "user.password": "password changed",
}
NAMES = {  # of what is told, where its own is not a word of the pages
    "cron": "when",
    "is_active": "may sign in",
    "is_staff": "opens the admin",
    "is_superuser": "may do everything",
    "left": "left as they were",
    "user": "account",
}
FIELDS = {field.name: field for field in Library._meta.concrete_fields}


def act(action: str) -> str:
    """What was done; an act without words by its name."""
    return ACTS.get(action, action)


def told(details: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The details of an event, each with what it is called, without those that say nothing."""
    changes = [(called(name), before_and_after(name, value)) for name, value in details.get("changes", {}).items()]
    worded = [(called(name), detail(value, name)) for name, value in details.items() if name != "changes"]
    return [(name, said) for name, said in changes + worded if said]


def called(name: str) -> str:
    return label(NAMES.get(name, name))


def detail(value: Any, name: str = "") -> str:
    """Of several, all; digests by their beginnings."""
    if isinstance(value, Mapping):
        return "; ".join(f"{called(key)}: {detail(said, key)}" for key, said in value.items())
    if isinstance(value, list):
        return ", ".join(" ".join(map(detail, one)) if isinstance(one, list) else detail(one) for one in value)
    return "" if value is None or value == "" else said_of(name, value)


def before_and_after(name: str, value: Any) -> str:
    """A setting before and after, or what it is."""
    is_change = isinstance(value, list) and len(value) == 2
    return " → ".join(said_of(name, one) for one in value) if is_change else said_of(name, value)


def said_of(name: str, value: Any) -> str:
    """One value as the pages say it."""
    if name == "role" and value in Role.values:
        return Role(value).label.lower()
    if name in FIELDS and FIELDS[name].choices:
        return str(dict(FIELDS[name].flatchoices).get(value, value))
    said = setting(value)
    if DIGEST.fullmatch(said):
        return short(said)
    try:
        if MOMENT.fullmatch(said):
            return moment(datetime.fromisoformat(said))
        return day(date.fromisoformat(said)) if DAY.fullmatch(said) else said
    except ValueError:
        return said
