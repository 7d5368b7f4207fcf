"""Accounts, memberships and settings are audited wherever they are changed: by a form, the admin, or the shell."""

from typing import Any

from django.contrib.auth.models import Group, Permission, User
from django.contrib.auth.signals import user_logged_in, user_login_failed
from django.db import connection
from django.db.models import Model
from django.db.models.signals import m2m_changed, post_delete, post_save, pre_delete, pre_save
from django.dispatch import receiver
from django.http import HttpRequest

from knowledge.accounts import log_ins
from knowledge.governance import audit
from knowledge.models import (
    ApiToken,
    DocumentFile,
    Invitation,
    Library,
    Membership,
    Schedule,
    SettingChange,
    SourceCredential,
)

ACCOUNT = ("username", "is_active", "is_staff", "is_superuser")
PASSWORD = "password"  # noqa: S105 - the name of a column: that it changed is said, not what to
UNSAID = {"id", "active_snapshot", "created_at", "last_number", "location", "slug"}
OF_FILE = ("owner", "review_by", "tags")


def changed(row: Model, names: Any) -> dict[str, list[Any]]:
    """What is about to be saved differs from what is stored: by field, the old and the new value."""
    stored = type(row)._base_manager.filter(pk=row.pk).first() if row.pk else None
    fields = {field.name: field.attname for field in row._meta.concrete_fields if field.name in names}
    if stored is None:
        return {}
    other = [name for name, key in fields.items() if getattr(stored, key) != getattr(row, key)]
    return {name: [plain(getattr(stored, name)), plain(getattr(row, name))] for name in other}


def plain(value: Any) -> Any:
    return value if isinstance(value, bool | int | float | str | list | dict | None) else str(value)


def about_to_be_written(names: Any, update_fields: Any) -> list[str]:
    return [name for name in names if update_fields is None or name in update_fields]


@receiver(pre_save, sender=User)
def account(instance: User, update_fields: Any = None, raw: bool = False, **_: Any) -> None:
    names = about_to_be_written([*ACCOUNT, PASSWORD], update_fields)
    differences = changed(instance, names) if names and not raw else {}
    if differences.pop(PASSWORD, None):
        audit.record("user.password", user=instance.get_username())
    if differences:
        audit.record("user.change", user=instance.get_username(), changes=differences)


@receiver(post_save, sender=User)
def new_account(instance: User, created: bool, raw: bool = False, **_: Any) -> None:
    if created and not raw:
        rights = {name: getattr(instance, name) for name in ACCOUNT[1:]}
        audit.record("user.create", user=instance.get_username(), **rights)


@receiver(post_delete, sender=User)
def account_gone(instance: User, **_: Any) -> None:
    audit.record("user.delete", user=instance.get_username())


@receiver(m2m_changed, sender=User.groups.through)
def groups_of_user(instance: Any, action: str, reverse: bool, pk_set: set[int] | None, **_: Any) -> None:
    verb = {"post_add": "join", "post_remove": "leave", "pre_clear": "leave"}.get(action)
    if verb is None or (pk_set is not None and not pk_set):
        return
    if reverse:
        users, names = User.objects.filter(pk__in=pk_set) if pk_set else instance.user_set.all(), [instance.name]
    else:
        groups = Group.objects.filter(pk__in=pk_set) if pk_set else instance.groups.all()
        users, names = [instance], list(groups.values_list("name", flat=True))
    for user in users:
        for name in names:
            audit.record(f"group.{verb}", user=user.get_username(), group=name)


@receiver(m2m_changed, sender=Library.groups.through)
def groups_of_library(instance: Any, action: str, reverse: bool, pk_set: set[int] | None, **_: Any) -> None:
    verb = {"post_add": "admit", "post_remove": "exclude", "pre_clear": "exclude"}.get(action)
    if verb is None or (pk_set is not None and not pk_set):
        return
    if reverse:
        libraries = Library.objects.filter(pk__in=pk_set) if pk_set else instance.libraries.all()
        pairs = [(library, instance.name) for library in libraries]
    else:
        groups = Group.objects.filter(pk__in=pk_set) if pk_set else instance.groups.all()
        pairs = [(instance, group.name) for group in groups]
    for library, name in pairs:
        audit.record(f"library.{verb}", library=library, group=name)


@receiver(m2m_changed, sender=User.user_permissions.through)
@receiver(m2m_changed, sender=Group.permissions.through)
def permissions(instance: Any, action: str, reverse: bool, model: Any, pk_set: set[int] | None, **_: Any) -> None:
    """Of accounts and of groups; in `reverse`, `model` is which of them a permission was given to."""
    verb = {"post_add": "grant", "post_remove": "revoke", "pre_clear": "revoke"}.get(action)
    if verb is None or (pk_set is not None and not pk_set):
        return
    if reverse:
        held_by = instance.user_set if model is User else instance.group_set
        holders, given = model.objects.filter(pk__in=pk_set) if pk_set else held_by.all(), [instance]
    else:
        held = instance.user_permissions if isinstance(instance, User) else instance.permissions
        chosen = Permission.objects.filter(pk__in=pk_set) if pk_set else held.all()
        holders, given = [instance], list(chosen.select_related("content_type"))
    for holder in holders:
        who = {"user": holder.get_username()} if isinstance(holder, User) else {"group": holder.name}
        for permission in given:
            audit.record(f"permission.{verb}", **who, permission=named(permission))


def named(permission: Permission) -> str:
    return f"{permission.content_type.app_label}.{permission.codename}"


@receiver(pre_save, sender=Membership)
@receiver(pre_delete, sender=Membership)
def its_library_first(instance: Membership, **_: Any) -> None:
    """As `row_first`: whoever gives or takes a role, waits before the audit, not behind it."""
    if connection.in_atomic_block:
        before = Membership.objects.filter(pk=instance.pk).values_list("library", flat=True)
        Library.objects.lock_all({instance.library_id, *before})


@receiver(pre_save, sender=Membership)
def role_changed(instance: Membership, **_: Any) -> None:
    """One that is moved to somebody else, or to another library, is taken there and given here."""
    if moved(instance):
        role_taken(Membership.objects.select_related("library", "user").get(pk=instance.pk))
        role_given(instance, created=True)
    elif differences := changed(instance, ["role"]):
        user = instance.user.get_username()
        audit.record("membership.change", library=instance.library, user=user, changes=differences)


def moved(row: Membership) -> bool:
    return bool(changed(row, ["user", "library"]))


@receiver(post_save, sender=Membership)
def role_given(instance: Membership, created: bool, **_: Any) -> None:
    if created:
        user = instance.user.get_username()
        audit.record("membership.add", library=instance.library, user=user, role=instance.role)


@receiver(post_delete, sender=Membership)
def role_taken(instance: Membership, **_: Any) -> None:
    user = instance.user.get_username()
    audit.record("membership.remove", library=instance.library, user=user, role=instance.role)


@receiver(post_save, sender=Invitation)
def invited(instance: Invitation, created: bool, **_: Any) -> None:
    later = "accept" if instance.accepted_at else "withdraw" if instance.is_over else "change"
    verb = "create" if created else later
    library = instance.library or ""
    audit.record(f"invitation.{verb}", library=library, name=instance.name, role=instance.role)


@receiver(pre_save, sender=ApiToken)
def token_changed(instance: ApiToken, update_fields: Any = None, **_: Any) -> None:
    names = about_to_be_written(("revoked_at", "expires_at", "scopes"), update_fields)
    if differences := changed(instance, names):
        audit.record("token.change", user=instance.user.get_username(), name=instance.name, changes=differences)


@receiver(post_save, sender=ApiToken)
def token_issued(instance: ApiToken, created: bool, **_: Any) -> None:
    if created:
        expires = instance.expires_at.isoformat() if instance.expires_at else None
        details: dict[str, Any] = {"name": instance.name, "scopes": list(instance.scopes), "expires_at": expires}
        audit.record("token.issue", user=instance.user.get_username(), **details)


@receiver(post_delete, sender=ApiToken)
def token_gone(instance: ApiToken, **_: Any) -> None:
    audit.record("token.delete", user=instance.user.get_username(), name=instance.name)


@receiver(pre_save, sender=Library)
def row_first(instance: Library, raw: bool = False, **_: Any) -> None:
    """The library's row is locked before the audit, as everywhere: whoever waits for it must not hold up the audit."""
    if connection.in_atomic_block and not (instance._state.adding or raw):
        Library.objects.lock(instance.pk)


@receiver(pre_save, sender=Library)
def settings_changed(instance: Library, update_fields: Any = None, raw: bool = False, **_: Any) -> None:
    governed = [field.name for field in Library._meta.concrete_fields if field.name not in UNSAID]
    names = about_to_be_written(governed, update_fields)
    differences = changed(instance, names) if names and not raw else {}
    if differences:
        audit.record("library.settings", library=instance, changes=differences)
        user = audit.actor()
        name = user.get_username() if user else audit.operator()
        SettingChange.objects.record(instance, differences, user and user.pk, name)


@receiver(pre_save, sender=Library)
def source_changed(instance: Library, update_fields: Any = None, raw: bool = False, **_: Any) -> None:
    """Where it is read from, without the secret that an old location may hold. Another host is given no credential
    that was not meant for it: it is forgotten before the new location is stored."""
    is_written = about_to_be_written(["location"], update_fields) and not raw
    before = Library.objects.filter(pk=instance.pk).first() if is_written else None
    if before is not None and before.location != instance.location:
        audit.record("library.source", library=instance, changes={"source": [before.source, instance.source]})
        if before.origin != instance.origin:
            SourceCredential.objects.filter(library=instance).delete()


@receiver(post_delete, sender=Library)
def library_gone(instance: Library, **_: Any) -> None:
    audit.record("library.remove", library=instance)


@receiver(post_save, sender=SourceCredential)
def credential_set(instance: SourceCredential, **_: Any) -> None:
    said: dict[str, Any] = {"kind": instance.kind, "user": instance.username, "variable": instance.variable}
    audit.record("credential.set", library=instance.library, **said)


@receiver(post_delete, sender=SourceCredential)
def credential_forgotten(instance: SourceCredential, **_: Any) -> None:
    audit.record("credential.forget", library=instance.library, kind=instance.kind)


@receiver(pre_save, sender=Schedule)
def schedule_set(instance: Schedule, raw: bool = False, **_: Any) -> None:
    """When a library is read in, and published, without anybody; that it was asked for changes nothing of it."""
    stored = Schedule.objects.filter(pk=instance.pk).first() if instance.pk else None
    before = stored.cron if stored else None
    if before != instance.cron and not raw:
        audit.record("schedule.set", library=instance.library, changes={"cron": [before, instance.cron]})


@receiver(post_delete, sender=Schedule)
def schedule_gone(instance: Schedule, origin: Any = None, **_: Any) -> None:
    """One that goes with its library is told by its removal."""
    if getattr(origin, "model", type(origin)) is Schedule:
        audit.record("schedule.remove", library=instance.library, cron=instance.cron)


@receiver(pre_save, sender=Group)
def group_renamed(instance: Group, update_fields: Any = None, raw: bool = False, **_: Any) -> None:
    differences = changed(instance, about_to_be_written(["name"], update_fields)) if not raw else {}
    if differences:
        audit.record("group.change", group=instance.name, changes=differences)


@receiver(post_delete, sender=Group)
def group_gone(instance: Group, **_: Any) -> None:
    audit.record("group.delete", group=instance.name)


@receiver(post_save, sender=Library)
def new_library(instance: Library, created: bool, raw: bool = False, **_: Any) -> None:
    if created and not raw:
        audit.record("library.create", library=instance, kind=instance.kind, access=instance.access)


@receiver(pre_save, sender=DocumentFile)
def file_kept(instance: DocumentFile, update_fields: Any = None, raw: bool = False, **_: Any) -> None:
    names = about_to_be_written(OF_FILE, update_fields)
    differences = changed(instance, names) if names and not raw else {}
    if differences:
        audit.record("document.settings", library=instance.library, document=instance, changes=differences)


@receiver(user_logged_in)
def signed_in(user: User, request: HttpRequest | None = None, **_: Any) -> None:
    log_ins.succeeded(request, user.get_username())
    audit.record("session.open", by=user)


@receiver(user_login_failed)
def refused(credentials: dict[str, Any], request: HttpRequest | None = None, **_: Any) -> None:
    """The first failure with a name, and the one after which others are not tried: each event holds up every act."""
    name = str(credentials.get("username", ""))
    is_first, reached = log_ins.failed(request, name)
    user = name[:150].replace("\0", "")
    if is_first:
        audit.record("session.refuse", user=user)
    if reached:
        audit.record("session.throttle", user=user, failures=reached)
