"""A git URL may hold a secret: who may not change the library does not see it. Closed libraries are closed in admin."""

import logging

import pytest
from django.contrib.auth.models import Permission, User

from ingestion.sources import SourceError
from ingestion.sources.git import allowed_url
from knowledge.models import AuditEvent, Library, Membership, SourceCredential

URL = "https://deploy:s3cr3t@git.example.org/manual.git"


@pytest.fixture
def library(db) -> Library:
    return Library.objects.create(slug="manual", name="Manual", kind="git", location=URL, access="public")


def test_the_source_is_shown_without_its_secret(library):
    assert library.source == "https://git.example.org/manual.git"
    library.location = "https://deploy:s3/cr3t@git.example.org/manual.git"
    assert "cr3t" not in library.source
    with pytest.raises(SourceError) as caught:
        allowed_url(library.location)
    assert "s3" not in str(caught.value)


@pytest.mark.parametrize("password", ["12/cr3t", "12?cr3t", "12#cr3t", "0/cr3t", "/cr3t", "s3/cr3t", "99999/cr3t"])
def test_what_follows_a_slash_in_a_password_is_not_shown_as_a_path(password):
    assert "cr3t" not in Library(location=f"https://deploy:{password}@git.example.org/manual.git").source


@pytest.mark.parametrize("url", ["ssh://git@example.org:22/x.git", "https://example.org/@team/x", "git@example.org:x"])
def test_a_source_without_a_password_is_shown(url):
    assert Library(location=url).source == url.replace("ssh://git@", "ssh://")


def test_staff_who_may_only_look_do_not_see_it_in_the_admin(library, client):
    watcher = User.objects.create_user("watcher", password="x", is_staff=True)
    watcher.user_permissions.add(Permission.objects.get(codename="view_library"))
    client.force_login(watcher)
    page = client.get(f"/admin/knowledge/library/{library.pk}/change/").content.decode()

    assert "git.example.org" in page and "s3cr3t" not in page


def test_a_search_in_the_admin_does_not_confirm_a_guess_of_it(library, admin_client):
    assert "0 libraries" in admin_client.get("/admin/knowledge/library/?q=s3cr3t").content.decode()


def test_who_may_change_a_library_can_change_its_source(library, admin_client):
    assert 'name="location"' in admin_client.get(f"/admin/knowledge/library/{library.pk}/change/").content.decode()
    assert 'name="location"' in admin_client.get("/admin/knowledge/library/add/").content.decode()


def test_a_librarian_does_not_decide_where_a_library_is_read_from(library, client):
    """Else the next build would read another's folder, or send the credential to a host of their choice."""
    SourceCredential.token(library, "t0ken")
    librarian = User.objects.create_user("librarian", is_staff=True)
    librarian.user_permissions.add(Permission.objects.get(codename="change_library"))
    Membership.objects.create(library=library, user=librarian, role="librarian")
    client.force_login(librarian)
    place = f"/admin/knowledge/library/{library.pk}/change/"

    def saved(name: str):
        form = client.get(place).context["adminform"].form
        values = {name: form[name].value() for name in form.fields}
        values = {name: value for name, value in values.items() if value is not None and value is not False}
        moved = {"location": "https://evil.example/x.git", "ref": "evil", "subdirectory": "evil", "kind": "directory"}
        moved["token_variable"] = "SECRET_KEY"
        return client.post(place, values | moved | {"name": name}, follow=True).content.decode()

    page = saved("Refused")
    assert "Location: Leave the user and secret out of the URL" in page and "git.example.org" in page
    assert "s3cr3t" not in page and 'name="location"' not in page and 'name="token_variable"' not in page
    Library.objects.update(location="https://git.example.org/manual.git")
    saved("Other")
    library.refresh_from_db()
    assert (library.name, library.location) == ("Other", "https://git.example.org/manual.git")
    assert not library.ref and not library.subdirectory and SourceCredential.objects.get().kind == "token"

    librarian.user_permissions.add(Permission.objects.get(codename="add_library"))
    page = saved("Moved")
    library.refresh_from_db()
    assert (library.location, library.ref, library.kind) == ("https://evil.example/x.git", "evil", "git")
    assert "is forgotten" in page and not SourceCredential.objects.exists()
    assert AuditEvent.objects.filter(action="credential.forget", actor="librarian").count() == 1


def test_the_admin_shows_rows_of_libraries_that_one_may_read(indexed, client):
    indexed("open", {"open.md": "# Open\n"})
    indexed("closed", {"closed.md": "# Closed\n"}, access="groups")
    watcher = User.objects.create_user("watcher", password="x", is_staff=True)
    kinds = ("snapshot", "documentfile", "fileversion", "job")
    watcher.user_permissions.set(Permission.objects.filter(codename__in=[f"view_{kind}" for kind in kinds]))
    client.force_login(watcher)

    for kind in kinds:
        assert client.get(f"/admin/knowledge/{kind}/").context["cl"].queryset.count() == 1, kind


@pytest.mark.parametrize("path", ["/invitation/t0ken", "//invitation/t0ken"])
def test_an_invitation_that_is_refused_is_logged_without_its_token(path):
    handler = next(one for one in logging.getLogger().handlers if one.name == "console")
    refused = logging.makeLogRecord({"name": "x", "msg": "Forbidden (%s): %s", "args": ("no cookie", path)})
    assert handler.filter(refused)
    assert handler.format(refused).endswith("Forbidden (no cookie): /invitation/…")
