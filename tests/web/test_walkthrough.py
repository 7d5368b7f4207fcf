"""A documentation team publishes a release, finds a regression by the gate, rolls back, withdraws a page and answers an
auditor: docs/governance.md, played in a real Chromium. With PICTURES=docs/images it makes that page's pictures.
"""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from django.contrib.auth.models import Group, User

from ingestion.jobs import run_build
from knowledge.models import AuditEvent, Job, Library, Membership
from tests.conftest import write
from tests.web.test_browser import CHROMIUM, chromium, playwright  # noqa: F401 - a fixture

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine"),
]
LENDING = (
    "# Lending\n\n## How long\n\nA cargo bike is lent for up to three days.\n\n## Late returns\n\nTen euros a day.\n"
)
STOVE = "# The stove\n\nThe workshop stove is lit from October to April, by whoever opens.\n"
FILES = {
    "lending.md": LENDING,
    "stove.md": STOVE,
    "tools.md": "# Tools\n\nTorque wrenches are kept in the red cabinet.\n",
    "prices.md": "# Prices\n\nA day costs eight euros.\n",
}
NEWS = {
    "lending.md": LENDING.replace("three days", "five days"),
    "tandem.md": "# The tandem\n\nThe tandem is lent to two adults together.\n",
}


@pytest.fixture
def team(transactional_db, indexed) -> Library:
    library = indexed("handbook", FILES, name="The handbook")
    Library.objects.filter(pk=library.pk).update(requires_review=True, gate_may_fall=0)
    library.refresh_from_db()
    for role in ("editor", "reviewer", "librarian"):
        user = User.objects.create_user(role, password=role)
        Membership.objects.create(library=library, user=user, role=role)
    administrator = User.objects.create_user("administrator", password="administrator", is_staff=True)
    administrator.groups.add(Group.objects.get(name="administrator"))
    questions = {
        "long": ("How long is a cargo bike lent?", "lending.md"),
        "stove": ("When is the stove lit?", "stove.md"),
    }
    for identifier, (text, file) in questions.items():
        library.golden_questions.create(identifier=identifier, text=text, gold=[{"file": file}])
    return library


@pytest.fixture
def enter(chromium, live_server) -> Callable[[str], "playwright.Page"]:  # noqa: F811 - the fixture
    contexts = []

    def sign_in(name: str) -> "playwright.Page":
        context = chromium.new_context(viewport={"width": 1200, "height": 900}, base_url=live_server.url)
        contexts.append(context)
        page = context.new_page()
        page.goto("/login")
        page.fill("[name=username]", name)
        page.fill("[name=password]", name)
        page.click("main button")
        page.wait_for_url("**/search")
        return page

    yield sign_in
    for context in contexts:
        context.close()


def picture(page: "playwright.Page", name: str) -> None:
    if folder := os.environ.get("PICTURES"):
        page.screenshot(path=Path(folder) / f"governance-{name}.png", full_page=True)


def build(library: Library, documents: Path, news: dict[str, str], gone: tuple[str, ...] = ()) -> None:
    write(documents / "handbook", news)
    for path in gone:
        (documents / "handbook" / path).unlink()
    library.refresh_from_db()
    run_build(Job.objects.create(library=library, requested_by=User.objects.get(username="editor")))


def press(page: "playwright.Page", text: str) -> str:
    sure = page.locator("details.sure > summary", has_text=text)
    if sure.count():
        sure.first.click()  # what is hard to take back is asked once more
    page.click(f"button:has-text('{text}')")
    page.wait_for_load_state()
    return page.locator("main .notice").first.inner_text()


def test_the_documentation_team(team, documents, enter):
    reviewer, librarian = enter("reviewer"), enter("librarian")

    # 1. A release waits. The reviewer reads what it changes, and approves; the librarian publishes.
    build(team, documents, NEWS)
    editor = enter("editor")
    editor.goto("/libraries/handbook/review/")
    assert "You asked for this snapshot" in editor.inner_text("main")
    reviewer.goto("/libraries/handbook/")
    reviewer.get_by_role("link", name="Review", exact=True).click()
    assert "2 files would change" in reviewer.inner_text("#Changes")
    picture(reviewer, "review")
    reviewer.click("text=lending.md")
    assert (
        reviewer.locator("ins").inner_text().strip() == "five"
        and reviewer.locator("del").inner_text().strip() == "three"
    )
    picture(reviewer, "diff")
    reviewer.go_back()
    reviewer.check("[name=all]")
    reviewer.fill("#Comment", "Agreed at the meeting of 2 May.")
    assert "2 files approved" in press(reviewer, "Approve the chosen files")
    librarian.goto("/libraries/handbook/review/")
    assert "Snapshot 2 is active" in press(librarian, "Activate what is approved")
    librarian.goto("/search?q=cargo+bike+lent")
    assert "five days" in librarian.inner_text("#Results")

    # 2. The next release forgets a page. The gate names the question that nobody would get answered.
    build(team, documents, {"prices.md": "# Prices\n\nA day costs nine euros.\n"}, gone=("stove.md",))
    reviewer.goto("/libraries/handbook/review/")
    reviewer.check("[name=all]")
    press(reviewer, "Approve the chosen files")
    librarian.goto("/libraries/handbook/review/")
    refusal = press(librarian, "Activate what is approved")
    assert "When is the stove lit?" in refusal
    picture(librarian, "gate")
    librarian.goto("/search?q=stove")
    assert "October" in librarian.inner_text("#Results")

    # 3. Only an administrator may override, with a reason; it was a mistake, and is rolled back.
    administrator = enter("administrator")
    administrator.goto("/libraries/handbook/review/")
    administrator.click("text=Override the gate")
    administrator.fill("#Override", "The stove is sold.")
    assert "Snapshot 3 is active" in press(administrator, "Activate what is approved, whatever the gate says")
    assert "Snapshot 2 is active again" in press(librarian_at(librarian), "Roll back to snapshot 2")

    # 4. A page is wrong and has to go now, everywhere.
    librarian.goto("/libraries/handbook/document/tools.md")
    librarian.fill("#Reason", "The cabinet was moved; the wrenches are locked away.")
    assert "is withdrawn" in press(librarian, "Withdraw at once")
    picture(librarian, "withdrawn")
    assert librarian.goto("/read/handbook/tools.md").status == 404

    # 5. An auditor asks: who approved this, who could see it, which answers rest on it?
    librarian.goto("/chat")
    librarian.fill("#Query", "For how many days is a cargo bike lent?")
    librarian.keyboard.press("Enter")
    librarian.wait_for_selector(".answer .chip")
    librarian.goto("/libraries/handbook/document/lending.md?tab=history")
    assert "Agreed at the meeting of 2 May." in librarian.inner_text("main")
    picture(librarian, "history")
    librarian.goto("/libraries/handbook/document/lending.md?tab=permissions")
    assert "auditor" not in librarian.inner_text("main") and "reviewer" in librarian.inner_text("main")
    picture(librarian, "permissions")
    librarian.goto("/libraries/handbook/document/lending.md?tab=answers")
    assert "For how many days" in librarian.inner_text("main")
    librarian.goto("/audit/?library=handbook")
    said = librarian.inner_text("main")
    assert all(
        act in said for act in ("Activation refused by the gate", "Gate overridden", "Rolled back", "File withdrawn")
    )
    picture(librarian, "audit")
    librarian.goto("/dashboard/")
    picture(librarian, "dashboard")
    assert not list(AuditEvent.objects.broken())


def librarian_at(page: "playwright.Page") -> "playwright.Page":
    page.goto("/libraries/handbook/review/")
    return page
