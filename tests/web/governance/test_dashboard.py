"""What waits, on the dashboard; what is due."""

from datetime import timedelta

from django.contrib.auth.models import User
from django.utils import timezone

from knowledge.models import GateRun, Library, Membership
from tests.web.governance.conftest import REVIEW, text


def test_the_dashboard_shows_what_waits(library, people):
    assert "0 searches and 0 questions in 14 days, at most 0 a day" in text(people["librarian"].get("/dashboard/"))
    people["outsider"].get("/search", {"q": "bike"})
    shown = text(people["librarian"].get("/dashboard/"))
    assert "snapshot 2" in shown and "1 search and" in shown and "at most 1 a day" in shown
    assert "counted in each" not in shown
    assert people["outsider"].get("/dashboard/").status_code == 403


def test_the_dashboard_leads_to_what_it_tells_of(library, people):
    GateRun.objects.create(snapshot=library.snapshots.get(number=2), questions=1, may_fall=0, passed=False)
    job = library.jobs.first()
    for who, manages in (("librarian", True), ("editor", False)):
        shown = text(people[who].get("/dashboard/"))
        assert 'href="/libraries/one/snapshots/1"' in shown
        assert f'<a href="{REVIEW}?snapshot=2"><span class="state failed">not passed' in shown
        assert (f'href="/jobs/{job.pk}/"' in shown) == manages
    for page in (f"/jobs/{job.pk}/", "/jobs/", "/libraries/one/"):
        assert 'href="/libraries/one/snapshots/2"' in text(people["librarian"].get(page)), page


def test_the_dashboard_of_several_libraries_says_how_searches_are_counted(library, people):
    two = Library.objects.create(slug="two", name="Two", kind="uploads", access="public")
    Membership.objects.create(library=two, user=User.objects.get(username="librarian"), role="librarian")
    shown = text(people["librarian"].get("/dashboard/"))
    assert "at most 0 a day; a search of several libraries is counted in each." in shown


def test_what_is_due_or_soon_is_shown_of_ones_own_libraries(library, people, indexed):
    other = indexed("two", {"z.md": "# Z\n\nText.\n"}, access="groups")
    today = timezone.localdate()
    library.document_files.filter(path="lending.md").update(review_by=today)
    library.document_files.filter(path="old.md").update(review_by=today + timedelta(days=5))
    library.document_files.filter(path="new.md").update(review_by=today + timedelta(days=50))
    other.document_files.update(review_by=today)
    page = text(people["editor"].get("/due/"))
    assert [page.count(f">{name}.md<") for name in ("lending", "old", "new", "z")] == [1, 1, 0, 0]
    assert page.count(">due<") == 1 and "/due/" in text(people["editor"].get("/dashboard/"))
    assert people["outsider"].get("/due/").status_code == 403


def test_an_owner_who_may_only_read_sees_what_of_theirs_is_due(library, people):
    reader = User.objects.get(username="outsider")
    Membership.objects.create(library=library, user=reader, role="reader")
    library.document_files.update(review_by=timezone.localdate())
    assert people["outsider"].get("/due/").status_code == 403
    library.document_files.filter(path="lending.md").update(owner=reader)
    page = text(people["outsider"].get("/due/"))
    assert '"/read/one/lending.md"' in page and "old.md" not in page and "/dashboard/" not in page
    assert people["outsider"].get("/read/one/lending.md").status_code == 200
