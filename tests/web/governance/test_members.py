"""Members and their roles."""

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client

from knowledge.models import AuditEvent, Library, Membership
from tests.conftest import begun_elsewhere
from tests.web.governance.conftest import REVIEW, api, text


def test_members_are_given_roles_and_lose_them(library, people):
    where = "/libraries/one/members"
    people["librarian"].post(where, {"do": "set", "user": "outsider", "role": "editor"})
    assert people["outsider"].get(REVIEW).status_code == 200
    people["librarian"].post(where, {"do": "remove", "user": "outsider"})
    assert people["outsider"].get(REVIEW).status_code == 403
    people["librarian"].post(where, {"do": "set", "user": "outsider", "role": "editor"})
    User.objects.filter(username="outsider").update(is_active=False)
    people["librarian"].post(where, {"do": "remove", "user": "outsider"})
    assert not Membership.objects.filter(user__username="outsider").exists()
    assert "no role" in text(
        people["librarian"].post(where, {"user": "outsider", "role": "administrator"}, follow=True)
    )


@pytest.mark.parametrize(
    ("access", "says", "there"),
    [("groups", "You won’t see this library", "/libraries/"), ("public", "You won’t manage", "/libraries/one/")],
)
def test_who_takes_their_own_role_is_asked_and_told(library, people, access, says, there):
    Library.objects.update(access=access)
    where = "/libraries/one/members"
    shown = text(people["librarian"].get(where))
    assert says in shown and 'aria-label="Remove librarian"' in shown and shown.count('<details class="sure">') == 3
    assert ("no group is chosen" in shown) == (access == "groups")
    gone = people["librarian"].post(where, {"do": "remove", "user": "librarian"}, follow=True)
    assert gone.status_code == 200 and gone.request["PATH_INFO"] == there
    assert "librarian has no role here any more." in text(gone)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("name", "do", "left"), [("outsider", "give", ["editor"]), ("editor", "remove", [])])
def test_of_two_that_change_the_roles_of_somebody_one_waits(library, people, monkeypatch, name, do, left):
    """As after a double click; without waiting, one of both was an error."""
    save, others, answers = Membership.save, [], []
    other = Client()
    other.force_login(User.objects.get(username="librarian"))

    def do_the_same() -> None:
        answers.append(other.post("/libraries/one/members", {"do": do, "user": name, "role": "editor"}).status_code)

    def meanwhile(row: Membership, **options: object) -> None:
        if not others:
            others.append(begun_elsewhere(do_the_same))
        save(row, **options)

    monkeypatch.setattr(Membership, "save", meanwhile)
    people["librarian"].post("/libraries/one/members", {"do": "give", "user": name, "role": "reader"})
    others[0].join()
    assert answers == [302]
    assert list(library.memberships.filter(user__username=name).values_list("role", flat=True)) == left


def test_a_global_role_acts_in_every_library_that_one_may_read(library, people):
    user = User.objects.get(username="outsider")
    user.groups.add(Group.objects.get(name="reviewer"))
    assert api(people["outsider"], "review", snapshot=2, verdict="approved").status_code == 200
    Library.objects.update(access="groups")
    assert people["outsider"].get(REVIEW).status_code == 404
    assert AuditEvent.objects.filter(action="group.join", details__group="reviewer").exists()


def test_a_refused_form_keeps_what_was_typed(library, people):
    for form in ({"do": "set", "user": "nobody"}, {"do": "invite", "name": ""}):
        shown = text(people["librarian"].post("/libraries/one/members", form | {"role": "editor"}))
        assert shown.count('<option value="editor" selected>') == 1
    shown = text(people["librarian"].post("/libraries/one/members", {"do": "set", "user": "no<b>", "role": "reader"}))
    assert 'name="user" value="no&lt;b&gt;"' in shown
