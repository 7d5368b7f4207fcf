"""What was typed and ticked in a form is still there on the next page of a list, and once a session has ended."""

import pytest
from django.contrib.sessions.models import Session

from knowledge.models import Decision, Library
from knowledge.pages import review as review_pages
from tests.conftest import reindex, write
from tests.web.test_browser import (  # noqa: F401 - fixtures
    chromium,
    into_the_admin,
    outside,
    playwright,
    pytestmark,
)

REVIEW = "/libraries/one/review/"
ENDED = "You are not signed in any more, and nothing was done."


@pytest.fixture
def waiting(indexed, documents, superuser, monkeypatch) -> Library:
    """Of its two changed files each stands on a page of its own."""
    library = indexed("one", {"a.md": "# A\n\nThree days.\n", "b.md": "# B\n\nA bell.\n"})
    Library.objects.update(requires_review=True)
    write(documents / "one", {"a.md": "# A\n\nFive days.\n", "b.md": "# B\n\nTwo bells.\n"})
    reindex(library, activate=False)
    monkeypatch.setattr(review_pages, "PAGE", 1)
    return library


def sign_in_again(page) -> None:
    """With the log-in that a form came to."""
    playwright.expect(page.locator(".notice")).to_contain_text(ENDED)
    page.fill("[name=username]", "root")
    page.fill("[name=password]", "root")
    page.click("main button")


def test_what_was_chosen_is_decided_together_over_pages_and_a_session(outside, waiting):  # noqa: F811
    into_the_admin(outside)
    outside.goto(REVIEW)
    outside.check("[name=path][value='a.md']")
    outside.fill("#Comment", "The days are wrong.")
    outside.get_by_role("link", name="Next").click()
    outside.check("[name=path][value='b.md']")
    chosen = outside.locator("details.elsewhere")
    playwright.expect(chosen.locator("summary")).to_have_text("1 chosen on other pages")
    playwright.expect(outside.locator("#Comment")).to_have_value("The days are wrong.")
    Session.objects.all().delete()
    outside.get_by_role("button", name="Reject the chosen files").click()
    sign_in_again(outside)
    playwright.expect(outside.locator("[value='b.md']")).to_be_checked()
    assert outside.url.endswith("page=2") and not Decision.objects.exists()
    outside.get_by_role("button", name="Reject the chosen files").click()
    playwright.expect(outside.locator(".notice.success")).to_contain_text("2 files rejected")
    assert {one.comment for one in Decision.objects.all()} == {"The days are wrong."}
    playwright.expect(outside.locator("#Comment")).to_have_value("")
    playwright.expect(chosen).to_be_hidden()
    assert not outside.locator("[name=path]:checked").count()


def test_a_file_is_decided_on_its_own_page_where_the_session_ended_there(outside, waiting):  # noqa: F811
    into_the_admin(outside)
    outside.goto(f"{REVIEW}2/a.md")
    outside.fill("#Comment", "The days are wrong.")
    Session.objects.all().delete()
    outside.get_by_role("button", name="Reject this file").click()
    sign_in_again(outside)
    outside.wait_for_url(f"**{REVIEW}2/a.md")
    playwright.expect(outside.locator("#Comment")).to_have_value("The days are wrong.")


def test_what_one_reader_typed_is_not_shown_to_the_next(outside, waiting):  # noqa: F811
    into_the_admin(outside)
    outside.goto(REVIEW)
    outside.fill("#Comment", "The days are wrong.")
    outside.get_by_role("button", name="Sign out").click()
    into_the_admin(outside)
    outside.goto(REVIEW)
    playwright.expect(outside.locator("#Comment")).to_have_value("")
