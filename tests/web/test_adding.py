"""A library is added on one page, by staff who may; what would be read is shown before anything is kept."""

import pytest
from django.contrib.auth.models import Permission, User
from django.core.management import CommandError, call_command
from django.test import Client

from ingestion import adding
from ingestion.pages import add_library
from ingestion.pages.add_library import LibraryForm
from ingestion.sources import SourceRefused
from knowledge.models import Job, Library
from tests.conftest import commit, reindex, write

PAGE = "/libraries/add"
GIVEN = {"name": "Staff Handbook", "language": "english", "access": "signed-in"}


@pytest.fixture
def adder(db) -> Client:
    user = User.objects.create_user("adder", password="x", is_staff=True)
    user.user_permissions.add(Permission.objects.get(codename="add_library"))
    client = Client()
    client.force_login(user)
    return client


def test_whoever_ticks_review_is_told_that_one_does_not_review_alone(adder):
    assert "a reviewer (somebody other than whoever uploads)" in adder.get(PAGE).content.decode()


def test_languages_are_offered_by_their_names(adder):
    page = adder.get(PAGE).content.decode()
    assert '<option value="english" selected>English</option>' in page
    assert '<option value="simple">Other (no word forms)</option></select>' in page  # after all that have a name


def test_what_would_be_read_is_shown_and_nothing_is_kept(adder, documents):
    write(documents / "new", {"a.md": "# A\n", "sub/b.rst": "B\n=\n", "c.exe": "no"})
    given = GIVEN | {"kind": "directory", "directory": str(documents / "new"), "do": "check"}
    page = adder.post(PAGE, given).content.decode()
    assert "2 files would be read in" in page and "sub/b.rst" in page and "c.exe" not in page
    assert not Library.objects.exists() and not Job.objects.exists()
    page = adder.post(PAGE, given | {"exclude": "sub/**"}).content.decode()
    assert "1 file would be read in" in page

    added = adder.post(PAGE, given | {"do": "add"})
    library, job = Library.objects.get(), Job.objects.get()
    assert added["Location"] == f"/jobs/{job.pk}/" and job.requested_by.username == "adder"
    assert (library.slug, library.name, library.access) == ("staff-handbook", "Staff Handbook", "signed-in")
    reindex(library)
    assert library.active_snapshot.files.count() == 2


def test_the_folders_that_may_be_read_are_named_once(adder, documents, settings):
    settings.DIRECTORY_ROOTS = [documents, documents]
    assert adder.get(PAGE).content.decode().count(f"<code>{documents}</code>") == 1
    given = GIVEN | {"kind": "directory", "do": "check"}
    assert adder.post(PAGE, given | {"directory": "/etc"}).content.decode().count(f"{documents})") == 1
    assert "a path of Windows" in adder.post(PAGE, given | {"directory": r"C:\Users\me"}).content.decode()


def test_a_repository_is_looked_into_without_keeping_it(adder, repository, settings):
    commit(repository, {"docs/a.md": "# A\n", "b.md": "# B\n"})
    given = GIVEN | {"kind": "git", "url": f"file://{repository}", "subdirectory": "docs", "do": "check"}
    page = adder.post(PAGE, given).content.decode()
    assert "1 file would be read in" in page and not Library.objects.exists()
    assert not list(settings.HOME.glob("clones/*"))


def test_a_library_for_uploads_leads_to_where_files_are_dropped(adder):
    page = adder.post(PAGE, GIVEN | {"kind": "uploads", "do": "add"}, follow=True)
    assert page.redirect_chain == [("/libraries/staff-handbook/", 302)]
    assert 'id="Upload"' in page.content.decode()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"kind": "directory", "directory": "/etc"}, "/etc"),
        ({"kind": "directory", "directory": ""}, "Give the path"),
        ({"kind": "git", "url": "ftp://example.org/x"}, "Git URLs must begin with"),
        ({"kind": "git", "url": ""}, "Give the address of the repository."),
        ({"kind": "git", "url": "https://me:secret@example.org/x.git"}, "secret out of the URL"),
        ({"kind": "uploads", "name": ""}, "Give it a name"),
        ({"kind": "uploads", "name": "???"}, "needs a letter or a digit"),
        ({"kind": "uploads", "name": "Taken"}, "already"),
        ({"kind": "corpus"}, "corpus"),
        ({"kind": "uploads", "language": "klingon"}, "klingon"),
        ({"kind": "directory", "directory": "/\0"}, "notice bad"),
        ({"kind": "git", "url": "https://localhost/x", "do": "check"}, "The host localhost resolves to"),
        ({"kind": "git", "url": "https://localhost/x", "do": "check"}, 'value="check">Show what would be read in'),
    ],
)
def test_bad_input_is_said_and_nothing_is_kept(adder, given, said):
    Library.objects.create(slug="taken", name="Taken", kind="uploads")
    page = adder.post(PAGE, GIVEN | {"do": "add"} | given)
    assert page.status_code == 400 and said in page.content.decode()
    assert Library.objects.count() == 1


def test_a_name_in_another_script_gets_an_address_with_a_number(adder):
    for name in ("جمعية النحل", "養蜂協会"):
        assert adder.post(PAGE, GIVEN | {"kind": "uploads", "name": name}).status_code == 302
    assert dict(Library.objects.values_list("slug", "name")) == {"library-1": "جمعية النحل", "library-2": "養蜂協会"}


def test_a_slow_repository_does_not_keep_its_adder_waiting(adder, repository, monkeypatch):
    monkeypatch.setattr(adding, "LOOK_SECONDS", 0)
    given = GIVEN | {"kind": "git", "url": f"file://{repository}"}
    page = adder.post(PAGE, given | {"do": "check"}).content.decode()
    assert "did not come within" in page and 'value="add"' in page and not Library.objects.exists()
    assert adder.post(PAGE, given | {"do": "add"}).status_code == 302


def test_a_repository_that_wants_a_token_is_added_without_looking(adder, monkeypatch):
    def refused(*_: object, **__: object) -> None:
        raise SourceRefused("the server wants a user and a password")

    monkeypatch.setattr(adding, "open_git", refused)
    given = GIVEN | {"kind": "git", "url": "https://example.org/x.git", "do": "check"}
    monkeypatch.setattr(add_library, "allowed_url", lambda url: None)
    page = adder.post(PAGE, given).content.decode()
    assert "wants a user" in page and 'value="add"' in page and "give its token" in page
    assert adder.post(PAGE, given | {"do": "add"}).status_code == 302


def test_of_two_who_take_a_name_in_one_moment_the_second_is_told(adder, monkeypatch):
    rows = LibraryForm.library

    def behind_another(form: LibraryForm) -> Library:
        Library.objects.create(slug="staff-handbook", name="Theirs", kind="uploads")
        return rows(form)

    monkeypatch.setattr(LibraryForm, "clean", lambda form: form.cleaned_data)  # it had looked before the other came
    monkeypatch.setattr(LibraryForm, "library", behind_another)
    response = adder.post(PAGE, GIVEN | {"kind": "uploads"})
    assert response.status_code == 400 and "There is a library “staff-handbook” already" in response.content.decode()
    assert Library.objects.get().name == "Theirs"


def test_who_is_second_with_the_command_is_told_the_same(db, monkeypatch):
    Library.objects.create(slug="staff-handbook", name="Theirs", kind="uploads")
    monkeypatch.setattr(Library, "full_clean", lambda library: None)  # it had looked before the other came
    with pytest.raises(CommandError, match="There is a library “staff-handbook” already"):
        call_command("add_library", "staff-handbook", "--uploads")


def test_a_script_is_told_where_the_files_go_or_what_is_wrong(adder):
    json = {"headers": {"Accept": "application/json"}}
    assert adder.post(PAGE, GIVEN | {"kind": "uploads", "do": "add"}, **json).json() == {
        "upload": "/libraries/staff-handbook/files/upload"
    }
    again = adder.post(PAGE, GIVEN | {"kind": "uploads", "do": "add"}, **json)
    assert again.status_code == 400 and "already" in again.json()["errors"][0]


def test_nobody_else_may(client, signed_in, db):
    assert client.get(PAGE).status_code == 302
    assert signed_in.get(PAGE).status_code == 403
    keeper = Client()
    keeper.force_login(User.objects.create_user("keeper", is_staff=True))
    assert keeper.post(PAGE, GIVEN | {"kind": "uploads"}).status_code == 403
    assert not Library.objects.exists()


def test_an_empty_installation_says_the_three_steps_to_who_may_take_them(adder, client, db):
    page = adder.get("/").content.decode()
    assert page.count("<li><strong>") == 3 and f'href="{PAGE}"' in page
    assert PAGE not in client.get("/").content.decode()


def test_who_brings_files_by_a_script_is_their_librarian_as_on_the_page(db):
    keeper = User.objects.create_user("keeper", is_staff=True)
    keeper.user_permissions.add(Permission.objects.get(codename="add_library"))
    browser = Client()
    browser.force_login(keeper)
    given = GIVEN | {"kind": "uploads", "do": "add"}
    assert browser.post(PAGE, given, headers={"Accept": "application/json"}).status_code == 200
    assert [row.role for row in keeper.memberships.all()] == ["librarian"]


def test_names_in_other_scripts_that_share_a_number_are_both_libraries(adder):
    for name in ("手冊 2026", "規程 2026", "規則 2026"):
        adder.post(PAGE, GIVEN | {"kind": "uploads", "name": name})
    named = {"2026": "手冊 2026", "2026-2": "規程 2026", "2026-3": "規則 2026"}
    assert dict(Library.objects.values_list("slug", "name")) == named
    assert "“2026” already" in adder.post(PAGE, GIVEN | {"kind": "uploads", "name": "2026"}).content.decode()


def test_a_number_that_somebody_took_meanwhile_is_not_told_as_a_name(adder, monkeypatch):
    def meanwhile(library, user):
        if not Library.objects.exists():
            Library.objects.create(slug=library.slug, name="養蜂協会", kind="uploads")
        adding.keep(library, user)

    monkeypatch.setattr("ingestion.pages.add_library.keep", meanwhile)
    adder.post(PAGE, GIVEN | {"kind": "uploads", "name": "جمعية النحل"})
    assert dict(Library.objects.values_list("slug", "name")) == {"library-1": "養蜂協会", "library-2": "جمعية النحل"}
