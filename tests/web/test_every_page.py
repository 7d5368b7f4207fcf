"""Every page in a real Chromium: large and small, light and dark, with and without JavaScript, judged by axe-core."""

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from knowledge.models import GateRun, Library
from tests.conftest import reindex, write
from tests.web.test_browser import SIZES, chromium, playwright, pytestmark  # noqa: F401

AXE = (Path(__file__).parent / "axe/axe.min.js").read_text()
RUN = """async () => (await axe.run(document, {preload: false, resultTypes: ["violations"]})).violations
    .filter(found => ["serious", "critical"].includes(found.impact))
    .map(found => `${found.id}: ${found.nodes.map(node => node.html + node.failureSummary).slice(0, 3).join(" | ")}`)"""
SHIFTS = """window.shifted = 0; new PerformanceObserver(list => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifted += entry.value;
}).observe({type: "layout-shift", buffered: true});"""
PAGES = {
    "home": "/",
    "results": "/search?q=borrow+cargo+bike",
    "code": "/search?q=late_charge&mode=code",
    "explained": "/search?q=borrow+bike&explain=1",
    "misspelt": "/search?q=carggo",
    "nothing": "/search?q=cargo+file:nowhere.md",
    "refused": "/search?q=bike&snapshot=0",
    "playground": "/playground?q=late+bike&b_fusion=rrf",
    "chat": "/chat",
    "answer": "/chat/{answer}",
    "replay": "/chat/{answer}/replay",
    "read": "/read/handbook/lending.rst?lines=10",
    "older": "/read/handbook/lending.rst?snapshot=1",
    "compared": "/read/handbook/lending.rst?compare=1",
    "read-table": "/read/handbook/prices.md",
    "read-code": "/read/handbook/booking/pricing.py",
    "libraries": "/libraries/",
    "library": "/libraries/handbook/",
    "snapshot": "/libraries/handbook/snapshots/2",
    "add": "/libraries/add",
    "review": "/libraries/handbook/review/",
    "document": "/libraries/handbook/document/lending.rst",
    "withdrawn": "/libraries/handbook/withdrawn",
    "members": "/libraries/handbook/members",
    "settings": "/libraries/handbook/settings",
    "dashboard": "/dashboard/",
    "due": "/due/",
    "health": "/dashboard/health?now=yes",
    "audit": "/audit/",
    "quality": "/libraries/handbook/quality",
    "uploads": "/libraries/shelf/files",
    "jobs": "/jobs/",
    "job": "/jobs/{job}/",
    "account": "/tokens",
    "password": "/password",
    "not-found": "/nowhere",
}


@pytest.fixture
def site(handbook: Library, documents: Path, superuser) -> dict[str, str]:
    """A site with something on every page; the addresses of the pages by name."""
    changed = (documents / "handbook/lending.rst").read_text().replace("three days", "four days")
    prices = "# Prices\n\n| What | Euros |\n|---|---|\n| A cargo bike | 12 |\n| A trailer | 6 |\n"
    write(documents / "handbook", {"lending.rst": changed, "prices.md": prices})
    reindex(handbook)
    Library.objects.create(slug="shelf", name="The shelf", kind="uploads", access="public")
    handbook.golden_questions.create(identifier="late", text="Late?", gold=[{"file": "lending.rst"}])
    call_command("evaluate", "--golden", "--library", "handbook", "--json")
    client = Client()
    client.force_login(superuser)
    asked = client.post("/chat", {"q": "For up to how many days can you borrow a cargo bike?"})
    answer, job = asked["Location"].split("#")[0].split("/")[-1], handbook.jobs.latest("pk").pk
    return {name: path.format(answer=answer, job=job) for name, path in PAGES.items()}


@pytest.fixture
def visit(request, chromium, live_server, superuser) -> Iterator[Any]:  # noqa: F811
    """Opens pages as the superuser in one window, and fails on what the browser complains of."""
    client = Client()
    client.force_login(superuser)
    size, scheme, script = request.param
    width, height = SIZES[size]
    context = chromium.new_context(
        viewport={"width": width, "height": height},
        color_scheme=scheme,
        base_url=live_server.url,
        java_script_enabled=script,
    )
    context.add_cookies([{"name": "sessionid", "value": client.cookies["sessionid"].value, "url": live_server.url}])
    page, complaints = context.new_page(), []
    page.add_init_script(SHIFTS)
    page.on("console", lambda message: complaints.append(f"{page.url} {message.type}: {message.text}"))
    page.on("pageerror", lambda error: complaints.append(f"{page.url} {error}"))
    page.on("request", lambda asked: asked.url.startswith(live_server.url) or complaints.append(asked.url))
    yield page
    context.close()
    assert [said for said in complaints if not any(expected in said for expected in EXPECTED)] == []


def opened(page: Any, name: str, path: str) -> None:
    answered = page.goto(path)
    page.wait_for_load_state("load")
    expected = {"not-found": 404, "refused": 400}.get(name, 200)
    assert answered.status == expected, f"{name}: {answered.status}"
    fits(page, name)
    assert page.locator("h1, h2").count() and page.locator("main").count() == 1, name
    assert page.locator("header [aria-current=page]").count() == (name != "not-found"), name


def fits(page: Any, name: str) -> None:
    wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert wide <= 0, f"{name} is {wide} px wider than its window"


# What Chromium says of a page that is not found, or that asks for what cannot be.
EXPECTED = ("404 (Not Found)", "400 (Bad Request)")
EXTREMES = {"phone": (320, 640), "desk": (3840, 2160)}
LONGEST_LINE = """() => Math.max(0, ...[...document.querySelectorAll(".l.prose > span, .said p, .excerpt:not(pre)")]
    .map(prose => prose.getBoundingClientRect().width / parseFloat(getComputedStyle(prose).fontSize) / 0.45))"""
COMBINATIONS = [("desk", "light", True), ("phone", "dark", True)]


@pytest.mark.parametrize("visit", COMBINATIONS, indirect=True, ids="-".join(map(str, ("desk", "phone"))).split("-"))
def test_every_page_is_accessible_and_still(visit, site):
    found = []
    for name, path in site.items():
        opened(visit, name, path)
        visit.evaluate(AXE)
        found += [f"{name}: {said}" for said in visit.evaluate(RUN)]
        moved = visit.evaluate("window.shifted")
        if moved > 0.01:
            found.append(f"{name}: the layout shifted by {moved}")
    assert found == []


@pytest.mark.parametrize(
    "visit", [("desk", "dark", True), ("phone", "light", True)], indirect=True, ids=["desk", "phone"]
)
def test_every_page_keeps_to_its_window_in_the_other_colours(visit, site):
    """And to the smallest or the largest that it is made for; no line is too long to be read."""
    usual = visit.viewport_size
    width, height = EXTREMES["phone" if usual["width"] < 1000 else "desk"]
    for name, path in site.items():
        opened(visit, name, path)
        visit.set_viewport_size({"width": width, "height": height})
        fits(visit, f"{name} at {width}")
        assert visit.evaluate(LONGEST_LINE) <= 110, f"{name} has long lines"
        visit.set_viewport_size(usual)


@pytest.mark.parametrize("visit", [("phone", "light", True)], indirect=True, ids=["phone"])
def test_what_a_gate_found_says_on_a_phone_what_each_number_is(visit, site, handbook, superuser):
    write(Path(handbook.location), {"late.md": "# Late\n\nA late bike is fetched.\n"})
    reindex(handbook, activate=False)
    one = {"id": "late", "text": "Late?", "before": 1, "after": 2, "gained": ["late.md"], "lost": ["lending.rst"]}
    GateRun.objects.create(snapshot=handbook.snapshots.latest("number"), questions=1, passed=True, changed=[one])
    opened(visit, "review", site["review"])
    visit.click("text=1 question finds other passages")
    cells = visit.locator("#Gate ~ details td")
    labels = cells.evaluate_all("all => all.map(it => getComputedStyle(it, '::before').content)")
    assert [label.strip('": ') for label in labels] == ["Before", "After", "Gained", "Lost"]


@pytest.mark.parametrize(
    "visit", [("desk", "light", False), ("phone", "dark", False)], indirect=True, ids=["desk", "phone"]
)
def test_every_page_works_without_javascript(visit, site):
    for name, path in site.items():
        opened(visit, name, path)
    visit.goto("/")
    visit.fill("#Query", "cargo bike")
    visit.click("form[role=search] button")
    visit.wait_for_selector(".hit")
    visit.click(".facets a >> nth=0")
    visit.wait_for_selector(".understood")
    visit.click(".hit h2 a >> nth=0")
    visit.wait_for_url("**/read/handbook/**")
    visit.goto("/chat")
    assert (
        "<noscript>" in visit.locator("#Ask").inner_html()
    )  # Chromium shows none of it where only a test switches scripts off
    visit.fill("#Query", "For up to how many days can you borrow a cargo bike?")
    visit.click("#Ask .line-box button")
    visit.wait_for_selector(".answer .chip")


@pytest.mark.parametrize("visit", [("desk", "light", True)], indirect=True, ids=["desk"])
def test_a_first_visit_brings_at_most_100_kilobytes(visit, site):
    """As they are sent: scripts, styles and pages are compressed, fonts are already."""
    sizes: dict[str, int] = {}

    def weigh(response: Any) -> None:
        body = response.body()
        sizes[response.url] = len(body) if body[:4] == b"wOF2" else len(gzip.compress(body))

    visit.on("response", weigh)
    visit.goto("/search?q=borrow+cargo+bike")
    visit.wait_for_load_state("networkidle")
    assert len(sizes) > 4 and sum(sizes.values()) <= 100_000, sizes


@pytest.mark.parametrize("visit", [("desk", "light", True)], indirect=True, ids=["desk"])
def test_by_keyboard_alone_from_the_log_in_to_an_opened_citation(visit, site):
    visit.context.clear_cookies()
    keyboard = visit.keyboard
    visit.goto("/login?next=/chat")
    keyboard.type("root")
    keyboard.press("Tab")
    keyboard.type("root")
    keyboard.press("Enter")
    visit.wait_for_url(lambda url: url.endswith("/chat") and "login" not in url)
    keyboard.type("For up to how many days can you borrow a cargo bike?")
    keyboard.press("Enter")
    visit.wait_for_selector(".answer .chip")
    for _ in range(40):
        keyboard.press("Tab")
        if visit.evaluate("document.activeElement.matches('.chip')"):
            break
    outline = visit.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline != "none" and visit.locator(".card").first.is_visible()
    keyboard.press("Enter")
    visit.wait_for_url("**/read/handbook/lending.rst**")
    assert visit.locator(".l.cited").first.is_visible()


@pytest.mark.parametrize("visit", [("desk", "light", True)], indirect=True, ids=["desk"])
def test_an_answer_that_comes_late_does_not_replace_a_newer_one(visit, site):
    visit.goto("/")
    held: list[Any] = []
    given_up: list[str] = []
    visit.on("requestfailed", lambda asked: given_up.append(asked.url))
    visit.route("**/search?q=worksh*", lambda route: held.append(route))
    visit.keyboard.type("worksh")
    while not held:
        visit.wait_for_timeout(20)
    visit.fill("#Query", "late")
    visit.wait_for_url("**q=late**")
    playwright.expect(visit.locator(".hit h2").first).to_contain_text("late")
    assert len(given_up) == 1 and "worksh" in given_up[0]
    assert "q=late" in visit.url and visit.locator("#Query").input_value() == "late"
