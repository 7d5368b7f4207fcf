"""Who may do what: every page, API operation, admin page and command asks here. Who may read a library at all is
decided by one queryset, `Library.objects.readable_by`, on which all of this rests.

What somebody may not read does not exist for them: find a library with `libraries_for(user, act)`, and what is not
in it is not found. Four eyes are no matter of roles: Postgres refuses them to everyone.
"""

from enum import StrEnum

from django.contrib.auth.models import User
from django.db.models import F, Q, QuerySet

from knowledge.models import AuditEvent, Job, Library, Membership, Role, Snapshot
from knowledge.models.library import Reader


class Act(StrEnum):
    READ = "read"
    INSPECT = "inspect"  # what is behind the pages: candidates, versions, history, who may see what
    EDIT = "edit"  # bring files (which builds), keep golden questions, set owner, tags and when to look again
    REVIEW = "review"  # approve and reject
    PUBLISH = "publish"  # activate and roll back
    WITHDRAW = "withdraw"  # and restore, and the trash
    MANAGE = "manage"  # settings, members, gates, builds, jobs
    AUDIT = "audit"  # read the audit
    OVERRIDE = "override"  # activate although a gate refuses
    ERASE = "erase"


EVERYWHERE = frozenset(Act)
MAY: dict[str, frozenset[Act]] = {
    Role.READER: frozenset({Act.READ}),
    Role.EDITOR: frozenset({Act.READ, Act.INSPECT, Act.EDIT}),
    Role.REVIEWER: frozenset({Act.READ, Act.INSPECT, Act.REVIEW}),
    Role.LIBRARIAN: EVERYWHERE - {Act.OVERRIDE, Act.ERASE},
    Role.ADMINISTRATOR: EVERYWHERE,
}


class NotAllowed(PermissionError):
    """Somebody tried what their role does not let them do; the message says what."""


def roles_for(act: Act) -> list[str]:
    return [role for role, acts in MAY.items() if act in acts]


def libraries_for(user: Reader, act: Act) -> QuerySet[Library]:
    """The libraries in which `user` may do this."""
    readable = Library.objects.readable_by(user)
    if act == Act.READ or user is None or is_administrator(user):
        return readable
    if not isinstance(user, User) or not user.is_active:
        return readable.none()
    if user.groups.filter(name__in=roles_for(act)).exists():
        return readable
    member = Membership.objects.filter(user=user, role__in=roles_for(act))
    return readable.filter(Q(pk__in=member.values("library")))


def snapshots_for(user: Reader) -> QuerySet[Snapshot]:
    """The ready snapshots that `user` may read: those that are or were active. Others only by whom may inspect them."""
    published = Q(activations__isnull=False) | Q(pk=F("library__active_snapshot"))
    ready = Snapshot.objects.filter(state=Snapshot.State.READY, library__in=Library.objects.readable_by(user))
    if is_administrator(user):
        return ready
    inspected = libraries_for(user, Act.INSPECT).order_by().values("pk")
    return ready.filter(published | Q(library__in=inspected)).distinct()


def snapshots_listed(user: Reader, library: Library, acts: frozenset[Act]) -> QuerySet[Snapshot]:
    """The library's: for who may inspect it, also those that are built or failed, and candidates."""
    if Act.INSPECT in acts:
        return library.snapshots.all()
    return library.snapshots.filter(pk__in=snapshots_for(user).values("pk"))


def jobs_for(user: Reader) -> QuerySet[Job]:
    """Those of the libraries that `user` manages."""
    return Job.objects.filter(library__in=libraries_for(user, Act.MANAGE).order_by().values("pk"))


def audit_of(user: Reader) -> QuerySet[AuditEvent]:
    """Of the libraries whose audit `user` may read, each since it was made; an administrator's is whole: it also holds
    what belongs to none, or to one that is gone."""
    if is_administrator(user):
        return AuditEvent.objects.all()
    libraries = libraries_for(user, Act.AUDIT).order_by()
    return AuditEvent.objects.filter(library__in=libraries.values("slug")).since_creation()


def may(user: Reader, act: Act, library: Library) -> bool:
    return user is None or libraries_for(user, act).filter(pk=library.pk).exists()


def may_add_libraries(user: Reader) -> bool:
    """An administrator, or staff to whom the admin gave this permission."""
    if not isinstance(user, User) or not user.is_active:
        return False
    return is_administrator(user) or (user.is_staff and user.has_perm("knowledge.add_library"))


def may_read_ledger(user: Reader) -> bool:
    """All answers, whoever asked, in the admin: an administrator whom it lets look at them."""
    works_there = isinstance(user, User) and user.is_staff and user.has_perm("knowledge.view_answer")
    return works_there and is_administrator(user)


def may_anywhere(user: Reader, act: Act) -> bool:
    return is_administrator(user) or libraries_for(user, act).exists()


def keeps_questions_in(user: Reader) -> frozenset[str]:
    """The libraries, by slug, whose golden questions `user` may keep: pages of hits ask once for all of them."""
    return frozenset(libraries_for(user, Act.EDIT).values_list("slug", flat=True))


def acts_somewhere(user: Reader) -> frozenset[Act]:
    """What a role of `user`, wherever they hold it, lets them do. For menus: pages ask about a library."""
    if user is None or (user.is_active and getattr(user, "is_superuser", False)):
        return EVERYWHERE
    if not isinstance(user, User) or not user.is_active:
        return MAY[Role.READER]
    return acts_of(user, user.memberships.all())


def acts_in(user: Reader, library: Library) -> frozenset[Act]:
    """Everything that `user` may do there."""
    if is_administrator(user):
        return EVERYWHERE
    if not Library.objects.readable_by(user).filter(pk=library.pk).exists():
        return frozenset()
    if not isinstance(user, User):
        return MAY[Role.READER]
    return acts_of(user, library.memberships.filter(user=user))


def acts_of(user: User, memberships: QuerySet[Membership]) -> frozenset[Act]:
    """What the groups of `user`, and these memberships of theirs, allow."""
    roles = {*user.groups.values_list("name", flat=True), *memberships.values_list("role", flat=True)}
    return MAY[Role.READER].union(*(MAY.get(role, frozenset()) for role in roles))


def those_who_may(act: Act, library: Library) -> QuerySet[User]:
    """The accounts that may do this there, by name: `may`, asked the other way round."""
    roles, is_open = roles_for(act), library.access != Library.Access.GROUPS
    reads = Q() if is_open else Q(groups__libraries=library) | Q(memberships__library=library)
    allowed = (
        Q(pk__in=administrators().values("pk"))
        | Q(pk__in=library.memberships.filter(role__in=roles).values("user"))
        | Q(pk__in=User.objects.filter(groups__name__in=roles).filter(reads).values("pk"))
    )
    return User.objects.filter(allowed, is_active=True).order_by("username")


def demand(user: Reader, act: Act, library: Library) -> None:
    """Raises NotAllowed."""
    if not may(user, act, library):
        raise NotAllowed(f"“{user}” may not {act} in “{library}”")


def administrators() -> QuerySet[User]:
    """The accounts that are one, of those that are on."""
    by_group = User.objects.filter(groups__name=Role.ADMINISTRATOR).values("pk")
    return User.objects.filter(Q(is_superuser=True) | Q(pk__in=by_group), is_active=True)


def is_administrator(user: Reader) -> bool:
    """In every library; on the server's command line, too."""
    if user is None:
        return True
    if not isinstance(user, User) or not user.is_active:
        return False
    return user.is_superuser or user.groups.filter(name=Role.ADMINISTRATOR).exists()
