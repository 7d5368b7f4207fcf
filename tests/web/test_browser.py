"""A reader's journeys in a real Chromium: nothing but this host is asked, and nothing breaks the page's policy."""

import os
import re
import shutil
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from django.contrib.auth.models import Group, User
from django.contrib.sessions.models import Session
from django.core.management import call_command
from django.template.loader import render_to_string

from ingestion.parsers import suffix, unread
from ingestion.sources import base
from ingestion.uploads import accept, brought_below
from ingestion.uploads.names import Refused, kept_path
from knowledge.models import Answer, ApiToken, Decision, Job, Library, Membership
from retrieval.answering import conclusions, drafting, pipeline
from retrieval.answering.citations import check
from tests.conftest import reindex, write
from tests.ingestion.pdfs import make_pdf
from tests.retrieval.answering_fakes import FakeChat
from tests.retrieval.hostile_documents import PAYLOADS
from tests.web.conftest import HANDBOOK
from tests.web.test_live_answers import PatientChat

playwright = pytest.importorskip("playwright.sync_api")
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine"),
]
SPACE_BEFORE = """(line) => {
    const text = document.createRange();
    text.selectNodeContents(line);
    return text.getBoundingClientRect().left - line.getBoundingClientRect().left;
}"""
ROWS = """(line) => {
    const text = document.createRange();
    text.selectNodeContents(line);
    const rows = Map.groupBy(text.getClientRects(), (one) => Math.round(one.top));
    return [...rows.values()].map((row) => Math.min(...row.map((one) => one.left)));
}"""
SIZES = {"phone": (375, 780), "desk": (1440, 900)}


@pytest.fixture(scope="module")
def chromium() -> Iterator["playwright.Browser"]:
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"  # Playwright's loop runs in this thread; the ORM is used beside it
    quiet = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
    playwright.expect.set_options(timeout=30_000)  # the machine may be busy
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=quiet)
        yield browser
        browser.close()
    del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


@pytest.fixture(params=SIZES)
def page(request, chromium, live_server) -> Iterator["playwright.Page"]:
    """A page that fails its test on any console message, any error, and any request to another host."""
    width, height = SIZES[request.param]
    context = chromium.new_context(viewport={"width": width, "height": height}, base_url=live_server.url)
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: request.url.startswith(live_server.url) or complaints.append(request.url))
    yield page
    wide = page.evaluate("document.documentElement.scrollWidth > innerWidth")
    context.close()
    assert complaints == []
    assert not wide, "the page is wider than its window"


def type_at_once(page, text: str) -> None:
    """Without a click: the box has the focus, from the first frame that is drawn on."""
    playwright.expect(page.locator("[autofocus]")).to_be_focused()
    page.keyboard.type(text)


def test_from_a_search_to_the_marked_lines(page, handbook: Library):
    page.goto("/")
    type_at_once(page, "borrow cargo")
    page.wait_for_selector(".hit")
    page.wait_for_url("**/search?q=borrow%20cargo*")
    assert page.title() == "borrow cargo · Muniment"
    assert page.locator(".hit mark").first.inner_text() == "borrow"
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url("**/read/handbook/lending.rst**")
    assert page.locator(".l.cited").inner_text().endswith("You can borrow a cargo bike for up to three days.")
    assert page.locator(".l.cited").evaluate("it => it.getBoundingClientRect().top < innerHeight")


@pytest.mark.parametrize("page", ["desk"], indirect=True)
def test_a_search_is_remembered_with_where_and_how_it_searched(page, handbook: Library, indexed):
    indexed("other", {"a.md": "# Trams\n\nBorrow a tram.\n"}, name="The other")
    page.goto("/")
    page.evaluate("localStorage.setItem('recent', '[\"from before\"]')")
    page.get_by_text("The other").first.click()
    page.locator("label", has_text=re.compile("^ *Words *$")).click()
    page.locator("#Query").fill("borrow")
    page.keyboard.press("Enter")
    page.wait_for_selector(".hit")
    page.goto("/")
    assert page.locator("#Recent li").all_inner_texts() == ["borrow"]
    page.locator("#Recent a").click()
    page.wait_for_selector(".hit")
    assert "mode=lexical" in page.url and "library=other" in page.url


@pytest.mark.parametrize("page", ["desk"], indirect=True)
def test_what_is_found_takes_the_place_of_the_start_page(page, handbook: Library):
    page.goto("/")
    playwright.expect(page.locator("body")).to_have_class("search home")
    type_at_once(page, "borrow")
    page.wait_for_selector(".hit")
    playwright.expect(page.locator("body")).to_have_class("search")
    playwright.expect(page.locator("#Query")).to_be_focused()
    assert page.locator("h1").bounding_box()["height"] <= 1


def test_the_list_of_sections_follows_the_reader(page, indexed):
    names = [f"Part {number}" for number in range(1, 21)]
    indexed("long", {"long.md": "\n".join(f"# {name}\n\n{'Text.' * 9}\n" + "\nMore.\n" * 40 for name in names)})
    page.goto("/read/long/long.md")
    current = page.locator(".contents [aria-current=location]")
    for name in ("Part 2", "Part 18", "Part 1"):
        page.evaluate("id => document.getElementById(id).scrollIntoView()", name.lower().replace(" ", "-"))
        playwright.expect(current).to_have_text(name)
        if page.viewport_size["width"] > 1000:
            playwright.expect(current).to_be_in_viewport()


def test_the_list_of_sections_follows_whatever_the_address_ends_in(page, indexed):
    indexed("one", {"one.md": "# One\n\nText.\n\n## Two\n\nMore.\n"})
    page.goto("/read/one/one.md#100%")
    playwright.expect(page.locator(".contents [aria-current=location]")).to_have_text("One")


def test_the_list_of_sections_marks_the_one_that_holds_the_cited_line(page, indexed):
    """Also where it is too near to the end to come to the top, where the last one is read."""
    indexed("long", {"long.md": "# One\n" + "\nText.\n" * 60 + "\n## Two\n\nHere.\n\n## Three\n\nEnd.\n"})
    current = page.locator(".contents [aria-current=location]")
    page.goto("/read/long/long.md?lines=125-125#L125")
    playwright.expect(current).to_have_text("Two")
    page.goto("/read/long/long.md")
    playwright.expect(current).to_have_text("One")
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    playwright.expect(current).to_have_text("Three")


def test_a_wrapped_line_of_code_goes_on_further_in_and_tabs_stay_as_wide(page, indexed):
    calls = ", ".join(f"name_{number}" for number in range(60))
    indexed("code", {"a.py": f"call({calls})\ndef f():\n    return 1\n\n\ndef g():\n\treturn 2\n"})
    page.goto("/read/code/a.py")
    first, second, *_ = page.locator("#L1 > span").evaluate(ROWS)
    space, tab = (page.locator(f"#L{line} .k").bounding_box()["x"] for line in (3, 7))
    assert second > first + 20 and abs(space - tab) < 1 and tab > first


def test_long_names_of_libraries_and_accounts_stay_within_the_window(page, indexed, live_server, client):
    indexed(
        "long", HANDBOOK, name="The regulations, circulars and instructions of the municipal works" + "_and_more" * 9
    )
    indexed("short", {"a.md": "# Bikes\n\nBorrow another bike.\n"})
    client.force_login(User.objects.create_user(f"{'a-long-name.' * 6}@example.org"))
    page.context.add_cookies(
        [{"name": "sessionid", "value": client.cookies["sessionid"].value, "url": live_server.url}]
    )
    for path in ("/", "/search?q=bike", "/chat", "/libraries/long/", "/read/long/lending.rst"):
        page.goto(path)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
    page.goto("/search?q=bike&library=long")
    hit, badge = page.locator(".hit").first.bounding_box(), page.locator(".hit .badge").first.bounding_box()
    assert badge["x"] + badge["width"] <= hit["x"] + hit["width"] + 1, "it lies across what stands beside the hits"


@pytest.mark.parametrize("page", ["desk"], indirect=True)
def test_lists_of_long_names_keep_to_every_window_and_paths_can_be_read(page, indexed, live_server, as_superuser):
    path = "org/springframework/boot/ConfigurationPropertiesBindingPostProcessorRegistrar.java"
    indexed("long", {path: "class A {}\n", "a.md": f"# {'Verordnung' * 15}\n"}, name="Verordnung" * 6)
    session = {"name": "sessionid", "value": as_superuser.cookies["sessionid"].value, "url": live_server.url}
    page.context.add_cookies([session])
    for width in (390, 768, 1000, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        for address in ("/libraries/", "/libraries/long/", "/dashboard/", "/jobs/"):
            page.goto(address)
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{address} at {width}"
        page.goto("/libraries/long/")
        assert page.locator("a.file", has_text="a.md").evaluate("it => it.getClientRects().length") == 1


@pytest.mark.parametrize("page", ["desk"], indirect=True)
def test_a_printed_document_is_as_wide_as_its_paper(page, handbook: Library):
    page.goto("/read/handbook/lending.rst")
    page.emulate_media(media="print")
    text, reader = (page.locator(name).bounding_box() for name in (".text", ".reader"))
    assert text["width"] > 0.7 * reader["width"]


@pytest.mark.parametrize("page", ["desk"], indirect=True)
def test_what_is_beside_a_dimmed_picture_of_a_page_is_as_dim(page, indexed, documents: Path):
    library = indexed("plans", {"a.md": "# A\n"})
    (documents / "plans/a.pdf").write_bytes(make_pdf([[(72, 100, 11, "The mill is sold to the miller.")]]))
    reindex(library)
    page.emulate_media(color_scheme="dark")
    page.goto("/read/plans/a.pdf")
    link, picture = (page.locator(name).evaluate("it => getComputedStyle(it)") for name in (".pages a", ".pages img"))
    assert "brightness" in picture["filter"] and picture["backgroundColor"] == "rgb(255, 255, 255)"
    assert link["backgroundColor"] == "rgba(0, 0, 0, 0)"
    page.emulate_media(media="print", color_scheme="dark")
    assert page.locator(".pages img").evaluate("it => getComputedStyle(it).filter") == "none"


@pytest.mark.parametrize("page", ["desk"], indirect=True)
def test_to_open_what_removes_a_file_moves_nothing_else_of_its_row(page, superuser, tmp_path: Path):
    shelf = Library.objects.create(slug="shelf", name="The shelf", kind="uploads", access="public")
    write(tmp_path, {"a.md": "# A\n"})
    accept(shelf, brought_below([tmp_path / "a.md"]), None)
    into_the_admin(page)
    page.goto("/libraries/shelf/files")
    path = page.locator("tbody .file")
    before = path.bounding_box()["y"]
    page.locator("td .sure summary").click()
    assert path.bounding_box()["y"] == before


@pytest.mark.parametrize("page", ["desk"], indirect=True)
def test_the_foot_of_a_page_stands_below_its_text_and_only_where_times_are_named(page, handbook: Library):
    for address in ("/", "/search?q=bike", "/chat", "/libraries/"):
        page.goto(address)
        boxes = [page.locator(name).bounding_box() for name in ("main", ".foot")]
        assert boxes[0]["x"] == boxes[1]["x"], address
    page.goto("/login")
    playwright.expect(page.locator(".foot")).to_be_hidden()


def test_the_line_below_a_files_name_does_not_hide_its_underscores(outside, indexed):
    indexed("code", {"__init__.py": "A = 1\n"})
    outside.goto("/libraries/code/")
    style = outside.locator("a.file").first.evaluate("it => ({...getComputedStyle(it)})")
    assert float(style["textUnderlineOffset"].rstrip("px")) > 0.3 * float(style["fontSize"].rstrip("px"))


def test_the_keyboard_goes_on_at_the_first_passage_of_those_that_were_asked_for(page, indexed):
    indexed("many", {f"{n:02}.md": f"# Bike {n}\n\nThe bike of day {n}.\n" for n in range(14)})
    page.goto("/search?q=bike")
    page.locator(".more a").focus()
    page.keyboard.press("Enter")
    playwright.expect(page.locator("#Hit11 h2 a")).to_be_focused()
    page.keyboard.press("ArrowDown")
    playwright.expect(page.locator("#Hit12 h2 a")).to_be_focused()


def test_what_was_submitted_is_not_searched_again_for_its_last_letters(page, handbook: Library):
    page.clock.install()
    page.goto("/")
    triggers: list[str | None] = []
    page.on("request", lambda request: "/search?" in request.url and triggers.append(request.headers.get("hx-trigger")))
    type_at_once(page, "borrow")
    page.keyboard.press("Enter")
    page.wait_for_selector(".hit")
    page.clock.run_for(300)
    page.evaluate("new Promise(requestAnimationFrame)")
    assert triggers == [None]
    page.keyboard.type(" a bike")
    page.clock.run_for(300)
    page.wait_for_url("**q=borrow%20a%20bike**")
    assert triggers[-1] == "Query"


@pytest.mark.parametrize("page", ["desk"], indirect=True)
def test_back_leads_to_the_search_before_and_to_the_start(page, handbook: Library):
    page.goto("/")
    for words, is_typed_slowly in (("deposit", False), ("late bike", True)):
        page.locator("#Query").fill(words)
        if is_typed_slowly:
            page.wait_for_url("**q=late%20bike*")
        page.keyboard.press("Enter")
        playwright.expect(page.locator(".htmx-request")).to_have_count(0)
        playwright.expect(page).to_have_title(f"{words} · Muniment")
    page.locator("label", has_text=re.compile("^ *Words *$")).click()
    page.wait_for_url("**mode=lexical*")
    for words, mode in (("late bike", "hybrid"), ("deposit", "hybrid"), ("", "hybrid")):
        page.go_back()
        playwright.expect(page.locator("#Query")).to_have_value(words)
        assert page.locator("[name=mode]:checked").input_value() == mode
        assert page.title() == (f"{words} · Muniment" if words else "Muniment")
        assert page.locator(".hit").count() > 0 if words else page.locator(".shelf").is_visible()


def test_from_a_hit_to_its_explanation_and_to_one_that_is_missing(page, handbook: Library):
    page.goto("/search?q=late+bike")
    page.locator("a.why").nth(1).click()
    page.wait_for_url("**explain=2#Hit2")
    opened = page.locator("#Hit2 .explain")
    assert opened.locator("table").first.is_visible() and "Together" in opened.inner_text()
    page.click("text=A document that you expected")
    page.fill("#WhyNot", "nowhere.md")
    page.click("text=Why not?")
    page.wait_for_url("**why_not=nowhere.md**")
    assert "There is no such file" in page.locator(".why-not .notice").inner_text()


def test_the_slash_key_brings_back_the_box(page, handbook: Library):
    page.goto("/search?q=bike")
    page.locator(".hit h2 a").first.focus()
    page.keyboard.press("/")
    page.keyboard.type("late")
    page.wait_for_url("**q=late**")
    playwright.expect(page.locator(".hit h2").first).to_contain_text("late", ignore_case=True)


def test_from_a_question_to_the_cited_line(page, handbook: Library):
    page.goto("/chat")
    type_at_once(page, "For up to how many days can you borrow a cargo bike?")
    page.keyboard.press("Enter")
    page.wait_for_selector(".answer .chip")
    page.wait_for_url("**/chat/*")
    page.locator(".answer .chip").first.hover()
    assert "three days" in page.locator(".card").first.inner_text()
    page.reload()
    page.locator(".answer .chip").first.click()
    page.wait_for_url("**/read/handbook/lending.rst**#L10")
    assert page.locator("#L10.cited").is_visible()


@pytest.fixture
def answered(client, handbook: Library) -> Answer:
    """An answer in a conversation of a visitor, whose session the client has."""
    client.post("/chat", {"q": "For up to how many days can you borrow a cargo bike?"})
    return Answer.objects.get()


@pytest.fixture
def visitor(client, live_server, answered) -> dict[str, str]:
    return {"name": "sessionid", "value": client.cookies["sessionid"].value, "url": live_server.url}


@pytest.mark.parametrize("page", ["desk"], indirect=True)
def test_a_citations_card_closes_on_escape_until_its_chip_is_left(page, visitor, answered):
    page.context.add_cookies([visitor])
    page.goto(f"/chat/{answered.pk}")
    chip, card = page.locator(".answer .chip").first, page.locator(".card").first
    for reach, leave in ((chip.hover, page.locator(".brand").hover), (chip.focus, page.locator("#Query").focus)):
        reach()
        playwright.expect(card).to_be_visible()
        page.keyboard.press("Escape")
        playwright.expect(card).to_be_hidden()
        leave()
        reach()
        playwright.expect(card).to_be_visible()
        leave()


def test_a_finger_opens_the_source_at_once(chromium, live_server, visitor, answered):
    context = chromium.new_context(
        viewport={"width": 390, "height": 780}, has_touch=True, is_mobile=True, base_url=live_server.url
    )
    context.add_cookies([visitor])
    finger = context.new_page()
    finger.goto(f"/chat/{answered.pk}")
    chip = finger.locator(".answer .chip").first
    chip.hover()  # as a tap does first
    assert finger.locator(".card").first.is_hidden()
    chip.tap()
    finger.wait_for_url("**/read/handbook/lending.rst**#L10")
    context.close()


def test_ask_about_this_asks(page, handbook: Library):
    page.goto("/search?q=For+up+to+how+many+days+can+you+borrow+a+cargo+bike")
    page.click("text=Ask about this")
    page.wait_for_selector(".answer .chip")
    page.go_back()
    page.wait_for_selector(".hit")


def test_the_address_of_a_shared_conversation_is_copied_by_a_button(outside, live_server, signed_in, handbook: Library):
    signed_in.post("/chat", {"q": "For up to how many days can you borrow a cargo bike?"})
    row = Answer.objects.get()
    signed_in.post(f"/conversations/{row.conversation_id}/share", {"shared": "yes"})
    session = signed_in.cookies["sessionid"].value
    outside.context.add_cookies([{"name": "sessionid", "value": session, "url": live_server.url}])
    outside.goto(f"/chat/{row.pk}")
    outside.get_by_role("button", name="Copy").click()
    playwright.expect(outside.get_by_role("button", name="Copied")).to_be_visible()
    outside.locator("#Query").press("Control+V")
    playwright.expect(outside.locator("#Query")).to_have_value(f"{live_server.url}/chat/{row.pk}")


def test_a_table_that_is_wider_than_the_window_scrolls_within_the_answer(page, indexed):
    columns = ["Person", *(f"Responsibility{n}" for n in range(9))]
    rows = [f"Weber-{n}," + ",".join(f"Department-{n + m}" for m in range(9)) for n in range(30)]
    indexed("staff", {"staff.csv": "\n".join([",".join(columns), *rows])})
    page.goto("/search?q=What+is+the+responsibility4+of+Weber-21")
    page.click("text=Ask about this")
    table = page.locator(".answer .drawn.quoted").first
    playwright.expect(table).to_contain_text("Department-25")
    playwright.expect(table.locator("thead")).to_contain_text("Responsibility4")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_an_answer_streams_and_survives_a_reload(page, handbook: Library, monkeypatch):
    chat = PatientChat("You can borrow a cargo bike for up to three days [1].")
    monkeypatch.setattr(drafting, "chat_endpoint", lambda: chat)
    page.goto("/chat")
    page.fill("#Query", "For up to how many days can you borrow a cargo bike?")
    page.click("#Ask .line-box button")
    page.wait_for_url("**/chat/*#Answer*")
    what_it_is = page.get_by_text("Draft, not yet compared with the sources.")
    playwright.expect(what_it_is).to_be_hidden()
    chat.write(3)
    playwright.expect(page.locator(".draft")).to_contain_text("You can b")
    playwright.expect(what_it_is).to_be_visible()
    page.reload()
    page.get_by_role("button", name="Stop").focus()
    chat.write(100)
    page.wait_for_selector(".answer .chip")
    playwright.expect(page.locator("article.answer")).to_be_focused()
    assert page.locator(".draft").or_(what_it_is).count() == 0
    assert "three days" in page.locator(".said").inner_text()
    page.fill("#Query", "And what does it cost when it comes back late?")
    page.click("#Ask .line-box button")
    chat.write(100)
    page.wait_for_selector("text=Understood as")
    playwright.expect(page.locator("article.answer .sources")).to_have_count(2)


@pytest.mark.parametrize("page", ["desk"], indirect=True)
def test_code_in_a_draft_is_drawn_as_code_without_its_fences(page, handbook: Library, monkeypatch):
    chat = PatientChat("So:\n```python\ncharge = 1000\n```\nThat is all.")
    monkeypatch.setattr(drafting, "chat_endpoint", lambda: chat)
    page.goto("/chat")
    page.fill("#Query", "What does a bike cost that comes back late?")
    page.click("#Ask .line-box button")
    page.wait_for_url("**/chat/*#Answer*")
    chat.write(8)
    playwright.expect(page.locator(".draft code")).to_have_text("charge = 1")
    page.reload()
    chat.write(4)
    playwright.expect(page.locator(".draft")).to_have_text("So:\ncharge = 1000\nThat", use_inner_text=True)
    chat.write(100)
    page.wait_for_selector(".draft", state="detached")


def test_nothing_in_a_document_or_a_draft_runs_or_calls_out(page, indexed, monkeypatch):
    text = "\n\n".join(f"{payload} A cargo bike is lent for {n} days." for n, payload in enumerate(PAYLOADS))
    indexed("evil", {f"{n}.md": f"# Bike {n}\n\n{part}\n" for n, part in enumerate(text.split("\n\n"))})
    said = "\n\n".join(f"{payload} [1]" for payload in PAYLOADS)
    monkeypatch.setattr(drafting, "chat_endpoint", lambda: FakeChat(f"A cargo bike is lent for 3 days [1]. {said}"))
    monkeypatch.setattr(pipeline, "conclude", lambda grounds, draft, searched=(): everything(draft))
    page.on("dialog", lambda dialog: pytest.fail("a script ran"))
    page.goto("/chat")
    page.fill("#Query", f"For how many days is a cargo bike lent? {PAYLOADS[1]}")
    page.click("#Ask .line-box button")
    page.wait_for_selector("article.answer .legend")
    page.wait_for_load_state("networkidle")
    assert (
        page.locator("article.answer :is(img, iframe, script, object, video, base, style, form[action^=http])").count()
        == 0
    )
    assert page.locator("article.answer a[href^=http], article.answer a[href^=javascript]").count() == 0
    page.locator(".answer .chip").first.click()
    page.wait_for_url("**/read/evil/**")
    assert page.evaluate("window.pwned") is None and "pwned" not in page.title()


def everything(draft: drafting.Draft) -> conclusions.Conclusion:
    """As if all that the model said had been an answer: what is left is how it is shown."""
    checked = check(draft.text, [passage.parts for passage in draft.passages])
    shown = tuple(passage.hit for passage in draft.passages)
    return conclusions.Conclusion(checked.text, False, "liar", checked, shown)


@pytest.mark.parametrize(
    "path",
    [
        "/libraries/",
        "/libraries/handbook/",
        "/libraries/handbook/quality",
        "/login",
        "/api/docs/",
        "/read/handbook/booking/pricing.py",
    ],
)
def test_the_other_pages_keep_to_the_policy(page, handbook: Library, path: str):
    handbook.golden_questions.create(identifier="late", text="Late?", gold=[{"file": "lending.rst"}])
    call_command("evaluate", "--golden", "--library", "handbook", "--json")
    page.goto(path)
    page.wait_for_load_state("networkidle")


@pytest.mark.parametrize(
    "path",
    [
        "",
        "knowledge/library/",
        "knowledge/job/",
        "knowledge/library/add/",
        "knowledge/answer/",
        "knowledge/goldenquestion/import/",
    ],
)
def test_the_admin_keeps_to_the_policy(page, handbook: Library, superuser, path: str):
    into_the_admin(page)
    page.goto(f"/admin/{path}")
    page.wait_for_load_state("networkidle")


def test_enter_decides_nothing_in_a_review(outside, indexed, documents, superuser):
    library = indexed("one", {"a.md": "# A\n\nThree days.\n"})
    Library.objects.update(requires_review=True)
    write(documents / "one", {"a.md": "# A\n\nFive days.\n"})
    reindex(library, activate=False)
    into_the_admin(outside)
    for page in ("/libraries/one/review/", "/libraries/one/review/2/a.md"):
        outside.goto(page)
        boxes = outside.locator("[name=path][type=checkbox]")
        if boxes.count():
            boxes.check()
            boxes.press("Enter")
        outside.fill("#Comment", "It is wrong.")
        outside.press("#Comment", "Enter")
        outside.wait_for_timeout(200)
        assert outside.url.endswith(page) and not Decision.objects.exists()
    outside.get_by_role("button", name="Reject this file").press("Enter")
    playwright.expect(outside.locator(".notice.success, .notice.info").first).to_be_visible()
    assert Decision.objects.get().verdict == "rejected"


def into_the_admin(page) -> None:
    page.goto("/login?next=/admin/")
    page.fill("[name=username]", "root")
    page.fill("[name=password]", "root")
    page.click("main button")
    page.wait_for_url("**/admin/")


@pytest.mark.parametrize("page", ["desk"], indirect=True)
def test_the_admins_libraries_fit_a_desk(page, handbook: Library, superuser):
    Library.objects.create(slug="a-library-of-a-long-name", name="A library of a long name", kind="uploads")
    into_the_admin(page)
    page.goto("/admin/knowledge/library/")
    wide, room = page.evaluate("(list => [list.scrollWidth, list.clientWidth])(document.querySelector('.results'))")
    assert wide <= room


@pytest.mark.parametrize("page", ["desk"], indirect=True)
def test_the_admins_page_of_an_answer_fits_a_desk(page, indexed, superuser):
    rule = f"+{'-' * 120}+"
    indexed("fees", {"fees.rst": f"Insurance\n=========\n\n{rule}\n|{'The excess is 90 euros.':120}|\n{rule}\n"})
    pipeline.answer(None, "What is the excess of the insurance?")
    into_the_admin(page)
    page.goto(f"/admin/knowledge/answer/{Answer.objects.get().pk}/change/")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_question_of_one_long_word_stays_within_the_window(page, handbook: Library):
    page.goto("/chat")
    page.fill("[name=q]", f"https://intranet.example.org/{'AllItems.aspx?RootFolder=' * 8}")
    page.keyboard.press("Enter")
    page.wait_for_selector("article.answer:not([aria-busy])")
    for path in (page.url, "/chat"):
        page.goto(path)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path


@pytest.mark.parametrize("page", ["desk"], indirect=True)
def test_a_long_path_pushes_no_column_out_of_the_admins_list(page, indexed, superuser):
    indexed("deep", {f"{'a_folder_of_a_long_name/' * 6}{'a_module_of_a_long_name_' * 4}.py": "A = 1\n"})
    into_the_admin(page)
    page.goto("/admin/knowledge/documentfile/")
    wide, room = page.evaluate("(list => [list.scrollWidth, list.clientWidth])(document.querySelector('.results'))")
    assert wide <= room


@pytest.mark.parametrize("page", ["desk"], indirect=True)
@pytest.mark.parametrize("path", ["auth/user/", "knowledge/membership/", "knowledge/auditevent/"])
def test_a_long_name_hides_no_column_of_the_admins_list(page, handbook: Library, superuser, path: str):
    Membership.objects.create(library=handbook, user=User.objects.create_user("a" * 150), role="editor")
    into_the_admin(page)
    page.goto(f"/admin/{path}")
    wide, room = page.evaluate("(list => [list.scrollWidth, list.clientWidth])(document.querySelector('.results'))")
    assert wide <= room


@pytest.mark.parametrize("page", ["phone"], indirect=True)
def test_the_pages_of_an_administrator_are_named_on_one_line_of_a_phone(page, superuser):
    into_the_admin(page)
    page.goto("/search")
    tops = page.locator(".top nav a").evaluate_all("links => links.map(link => link.offsetTop)")
    assert len(tops) == 6 and len(set(tops)) == 1


CONTRAST = """() => {
    const light = name => {
        const probe = document.body.appendChild(document.createElement("i"));
        probe.style.color = `var(${name})`;
        const parts = getComputedStyle(probe).color.match(/\\d+/g).map(part => part / 255);
        probe.remove();
        const [r, g, b] = parts.map(part => part <= .04045 ? part / 12.92 : ((part + .055) / 1.055) ** 2.4);
        return .2126 * r + .7152 * g + .0722 * b + .05;
    };
    return ["--paper", "--sheet"].map(name => [light(name), light("--strong-rule")].sort((a, b) => b - a))
        .map(([more, less]) => more / less);
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_edges_of_fields_stand_out(outside, db, scheme: str):
    outside.emulate_media(color_scheme=scheme)
    outside.goto("/login")
    assert min(outside.evaluate(CONTRAST)) >= 3


def test_a_job_page_follows_its_job(page, live_server, as_superuser, handbook: Library):
    job = Job.objects.create(library=handbook)
    job.take()
    job.beat("embed", {"done": 5, "total": 20, "embeddings_per_second": 63.4, "eta_seconds": 62})
    session = {"name": "sessionid", "value": as_superuser.cookies["sessionid"].value, "url": live_server.url}
    page.context.add_cookies([session])
    page.goto(f"/jobs/{job.pk}/")
    assert "5 of 20" in page.locator(".progress").inner_text()
    job.beat("embed", {"done": 15, "total": 20})
    page.get_by_text("15 of 20").wait_for()
    page.get_by_role("button", name="Cancel").click()
    page.get_by_text("cancelled by").first.wait_for()
    page.goto("/jobs/")
    assert page.get_by_role("link", name=str(job.pk), exact=True).is_visible()


@pytest.mark.parametrize("page", ["desk"], indirect=True)
def test_a_page_that_follows_a_job_leaves_focus_text_and_selection_alone(page, shelf: Library):
    for name in ("notes/a.md", "notes/b.md"):
        shelf.uploads.create(path=name, sha256="0" * 64, size=1)
    job = Job.objects.create(library=shelf)
    job.take()
    page.goto("/libraries/shelf/files?path=notes")
    page.evaluate("getSelection().selectAllChildren(document.querySelector('#Live th .file'))")
    page.focus("#Prefix")
    page.keyboard.press("End")
    page.keyboard.type("/b")
    page.keyboard.press("Tab")
    job.beat("embed", {"done": 5, "total": 20})
    playwright.expect(page.locator("#Live .progress")).to_contain_text("5 of 20")
    assert page.input_value("#Prefix") == "notes/b"
    assert page.evaluate("document.activeElement.textContent") == "Show"
    page.keyboard.press("Shift+Tab")
    page.keyboard.type("/c")
    page.evaluate("getSelection().selectAllChildren(document.querySelector('#Live th .file'))")
    job.beat("embed", {"done": 6, "total": 20})
    playwright.expect(page.locator("#Live .progress")).to_contain_text("6 of 20")
    assert page.evaluate("getSelection().toString()") == "notes/a.md"


@pytest.mark.parametrize("page", ["desk"], indirect=True)
def test_a_job_that_has_ended_is_not_asked_for_again(page, shelf: Library):
    job = Job.objects.create(library=shelf)
    page.clock.install()
    page.goto("/libraries/shelf/files")
    asked: list[str] = []
    page.on("response", lambda response: response.url.endswith("/files") and asked.append(response.url))
    job.cancel("enough")
    page.clock.run_for(2100)
    playwright.expect(page.locator("#Live [role=status]")).to_have_count(0)
    before = len(asked)
    page.clock.run_for(10_000)
    page.evaluate("new Promise(requestAnimationFrame)")
    assert len(asked) == before


@pytest.mark.parametrize("page", ["desk"], indirect=True)
def test_a_page_that_follows_a_job_leads_to_the_log_in_once_the_session_has_ended(page, handbook: Library, superuser):
    Job.objects.create(library=handbook)
    into_the_admin(page)
    page.goto("/jobs/")
    Session.objects.all().delete()
    page.wait_for_url("**/login?next=/jobs/")


@pytest.mark.parametrize("page", ["desk"], indirect=True)
def test_who_types_after_the_session_has_ended_is_told_and_keeps_the_words(page, handbook: Library, superuser):
    into_the_admin(page)
    page.goto("/search?q=bike")
    Session.objects.all().delete()
    page.fill("#Query", "late bike")
    playwright.expect(page.locator("main .notice")).to_contain_text("You are not signed in any more")
    playwright.expect(page.locator("#Query")).to_have_value("late bike")
    playwright.expect(page.locator(".account")).to_contain_text("Sign in")


@pytest.fixture
def outside(chromium, live_server) -> Iterator["playwright.Page"]:
    """A page that may complain on the console: of what the server refuses, or of a connection that is lost."""
    context = chromium.new_context(base_url=live_server.url)
    yield context.new_page()
    context.close()


def refuse(status: int, body: str, route: "playwright.Route") -> None:
    route.fulfill(status=status, body=body)


def test_a_refused_search_says_so_and_the_next_one_takes_that_back(outside, handbook: Library):
    outside.goto("/search?q=bike")
    shown = outside.locator("#Results .hit").count()
    for status, body, said in [
        (503, render_to_string("503.html", {"detail": "The database is away."}), "The database is away. Try again"),
        (404, render_to_string("404.html"), "There is nothing here that you may read."),
        (502, "<h1>Bad gateway</h1>", "The server could not answer (502)."),
    ]:
        outside.route("**/search?q=late*", partial(refuse, status, body))
        outside.fill("#Query", "late")
        playwright.expect(outside.locator("[role=alert]")).to_contain_text(said)
        assert outside.locator("#Results .hit").count() == shown and "q=bike" in outside.url
        outside.unroute("**/search?q=late*")
        outside.fill("#Query", "bike")
        playwright.expect(outside.locator("[role=alert]")).to_be_empty()


def test_how_much_was_found_is_said_to_who_hears_the_page_and_not_the_whole_list(outside, handbook: Library):
    outside.goto("/search?q=bike")
    said = outside.locator("#Said[role=status]")
    playwright.expect(said).to_be_empty()
    outside.fill("#Query", "bike file:lending.rst")
    playwright.expect(said).to_have_text(re.compile(r"^\d+ passages$"))
    outside.fill("#Query", "bike file:nowhere")
    playwright.expect(said).to_have_text("No passages")
    assert said.count() == 1 and not outside.locator("#Results[aria-live]").count()


def test_a_lost_connection_and_an_answer_that_does_not_come_are_said(outside, handbook: Library):
    outside.goto("/search?q=bike")
    outside.route("**/search?q=late*", lambda route: route.abort())
    outside.fill("#Query", "late")
    playwright.expect(outside.locator("[role=alert]")).to_contain_text("cannot be reached")
    outside.route("**/search?q=slow*", lambda route: None)
    outside.evaluate("htmx.config.timeout = 100")
    outside.fill("#Query", "slow")
    playwright.expect(outside.locator("[role=alert]")).to_contain_text("did not answer in time")
    assert outside.locator("#Results .hit").count()


def test_what_a_search_cannot_be_stands_where_its_results_would(outside, handbook: Library):
    outside.goto("/search?q=bike")
    outside.locator("form[role=search]").evaluate(
        "it => it.append(Object.assign(document.createElement('input'), {name: 'snapshot', value: '0'}))"
    )
    outside.fill("#Query", "late")
    playwright.expect(outside.locator("#Results .notice.bad")).to_contain_text("That is no number of a snapshot.")
    playwright.expect(outside.locator("[role=alert]")).to_be_empty()


DROP = """async ([names, zone]) => {
    const data = new DataTransfer();
    for (const name of names) data.items.add(new File([`# ${name}\\n\\nText.\\n`], name, {type: "text/markdown"}));
    for (const type of ["dragenter", "dragover", "drop"])
        document.querySelector(zone).dispatchEvent(
            new DragEvent(type, {dataTransfer: data, bubbles: true, cancelable: true}));
}"""


@pytest.fixture
def shelf(page, live_server, db) -> Library:
    """An uploads library, and its keeper signed in on the page."""
    keeper = User.objects.create_user("keeper", password="keeper", is_staff=True)
    keeper.groups.add(Group.objects.get(name="editor"))
    library = Library.objects.create(slug="shelf", name="The shelf", kind="uploads", access="public")
    page.goto("/login")
    page.fill("[name=username]", "keeper")
    page.fill("[name=password]", "keeper")
    page.click("main button")
    page.wait_for_url("**/search")
    return library


def test_what_would_be_read_is_said_as_the_parsers_say_it(page, shelf: Library):
    names = ["README", "LICENSE-MIT", "copying", "docs/Makefile", "Licence.Ö", "x.PDF", "a.b.rst.inc", "tar.zip"]
    names += ["notes", "Makefiles", "readme.foo", "README.DOC", "README-1"]
    page.goto("/libraries/shelf/")
    assert [name for name in names if page.evaluate("(name) => isRead(name)", name)] == [
        name for name in names if suffix(name) or name.endswith(".zip")
    ]
    unreadable = ["notes", "a.exe", "b/OLD.DOC", "a.tar.gz", "end."]
    assert page.evaluate("(names) => names.map(unread)", unreadable) == [unread(name) for name in unreadable]
    page.evaluate(DROP, [["README", "program.exe"], "#Upload"])
    playwright.expect(page.locator("#Upload .said")).to_contain_text("Would be read in: 1 of 2, 16 bytes: README.")


def test_what_is_the_systems_own_is_told_as_the_server_tells_it(page, shelf: Library):
    page.goto("/libraries/shelf/")
    refusals = "(paths) => paths.map((path) => refusal({ path, file: { size: 1 } }))"
    systems = ["__MACOSX/a.md", "mix/Thumbs.db", "desktop.ini", "Desktop.ini", "mix/thumbs.db"]
    names = [*systems, ".git/a.md", "mix/.hidden.md"]
    told = page.evaluate(refusals, names)
    for name, reason in zip(names, told, strict=True):
        with pytest.raises(Refused, match=f"^{re.escape(reason)}$"):
            kept_path(name)
    assert not any(page.evaluate(refusals, ["a.md", "Thumbs.db.md", "a.b/c.md"]))


def test_of_many_files_that_are_left_out_each_reason_is_said_once(page, shelf: Library):
    page.goto("/libraries/shelf/")
    names = [f"{number}.jpg" for number in range(9, -1, -1)]
    page.evaluate(DROP, [["old.doc", *names, "b.md", "a.md"], "#Upload"])
    said = page.locator("#Upload .said")
    playwright.expect(said).to_contain_text("Would be read in: 2 of 13, 28 bytes: a.md, b.md. Left out: 0.jpg, 1.jpg")
    assert "7.jpg and 2 more (files with this suffix are not read); old.doc" in said.inner_text()
    assert "(files with this suffix are not read: save it as DOCX). Nothing has been sent yet." in said.inner_text()


def test_a_name_with_a_quotation_mark_arrives_as_it_is(page, shelf: Library):
    page.goto("/libraries/shelf/")
    page.evaluate(DROP, [['say "hi".md', "100%22.md"], "#Upload"])
    page.click("#Upload .choose button")
    page.wait_for_url("**/libraries/shelf/files")
    assert set(shelf.uploads.values_list("path", flat=True)) == {'say "hi".md', "100%22.md"}


def test_what_the_server_would_refuse_is_said_and_not_sent(page, shelf: Library, monkeypatch):
    monkeypatch.setattr(base, "MAX_FILE_BYTES", 20)
    page.goto("/libraries/shelf/")
    page.evaluate(DROP, [["tides.md", "a-long-name-of-a-file.md", ".hidden.md"], "#Upload"])
    said = page.locator("#Upload .said")
    playwright.expect(said).to_contain_text("Would be read in: 1 of 3, 18 bytes: tides.md.")
    assert ".hidden.md (it is hidden, or the operating system's own); a-long-name-of-a-file.md" in said.inner_text()
    assert "(it has more than 0 MB, the most that a file may have)" in said.inner_text()
    page.click("#Upload button")
    page.wait_for_url("**/libraries/shelf/files")
    assert page.locator(".notice.error").count() == 0 and shelf.uploads.get().path == "tides.md"


def test_where_all_of_what_was_chosen_is_left_out_that_is_said(page, shelf: Library):
    page.goto("/libraries/shelf/")
    page.evaluate(DROP, [[".hidden.md"], "#Upload"])
    page.get_by_role("button", name="Upload", exact=True).click()
    said = "Nothing of what was chosen is sent. Left out: .hidden.md (it is hidden, or the operating system's own)."
    playwright.expect(page.locator("#Upload .said")).to_have_text(said)


def test_files_are_dropped_on_the_librarys_page_and_removed_again(page, shelf: Library):
    page.goto("/libraries/shelf/")
    page.evaluate(DROP, [["tides.md", "program.exe"], "#Upload"])
    playwright.expect(page.locator("#Upload .said")).to_contain_text("Would be read in: 1 of 2, 18 bytes: tides.md.")
    assert "Left out: program.exe (files with this suffix are not read)." in page.locator("#Upload .said").inner_text()
    assert page.evaluate("[1, 1023, 5 * 1024, 3.26 * 1024 ** 2].map(sized)") == [
        "1 byte",
        "1023 bytes",
        "5.0 KB",
        "3.3 MB",
    ]
    assert not shelf.uploads.exists()
    page.get_by_role("button", name="Upload 1 file").click()
    page.wait_for_url("**/libraries/shelf/files")
    assert "1 added" in page.locator(".notice.success").inner_text()
    assert "program.exe: files with this suffix" in page.locator(".notice.error").inner_text()
    reindex(shelf)
    page.goto("/libraries/shelf/files")
    assert page.locator("td .state.ready").inner_text() == "ready"
    page.click("td details.sure > summary")
    page.click("td details.sure button")
    page.wait_for_selector(".notice.success")
    assert "1 file removed" in page.locator(".notice.success").inner_text()


TOPS = """(row) => [...row.querySelectorAll(".state, time, summary")].map((one) => {
    const text = document.createRange();
    text.selectNodeContents(one);
    return Math.round(text.getBoundingClientRect().top);
})"""


@pytest.mark.parametrize("page", ["desk"], indirect=True)
def test_a_row_of_uploaded_files_stands_on_one_line(page, shelf: Library):
    shelf.uploads.create(path="a-long-name-of-a-folder/" * 4 + "tides.md", sha256="0" * 64, size=1)
    page.goto("/libraries/shelf/files")
    row = page.locator("tbody tr")
    assert len(set(row.evaluate(TOPS))) == 1
    assert row.locator("time").evaluate("(time) => time.getClientRects().length") == 1


FOLDER = {
    "notes/tides.md": b"# Tides\n\nThe spring tide floods the lower meadow for six hours.\n",
    "letter.html": b"<html><title>Letter</title><body><h1>Letter</h1><p>Dear Ada, the mill is sold.</p></body></html>",
    "prices.csv": b"what,euros\nflour,3\n",
    "old.doc": b"\xd0\xcf\x11\xe0",
    "holiday.jpg": b"\xff\xd8",
}


def test_from_a_strangers_folder_to_a_cited_answer(page, live_server, db, tmp_path: Path):
    """An empty installation, no documentation: what is to be done next is always on the page."""
    User.objects.create_superuser("newcomer", password="newcomer")
    for name, content in FOLDER.items():
        path = tmp_path / "Attic papers" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    page.goto("/")
    page.locator("main >> text=Sign in").click()
    page.fill("[name=username]", "newcomer")
    page.fill("[name=password]", "newcomer")
    page.click("main button")
    page.locator(".steps >> text=Add a library").last.click()
    page.set_input_files("#Folder-chosen", str(tmp_path / "Attic papers"))
    said = page.locator(".upload .said")
    playwright.expect(said).to_contain_text("Would be read in: 3 of 5")
    assert "are not read" in said.inner_text() and "holiday.jpg" in said.inner_text()
    assert page.input_value("#Name") == "Attic papers" and not Library.objects.exists()
    page.get_by_role("button", name="Add the library with 3 files").click()
    page.wait_for_url("**/libraries/attic-papers/files")
    assert "3 added" in page.locator(".notice.success").inner_text()
    assert "old.doc: files with this suffix are not read: save it as DOCX" in page.locator(".notice").last.inner_text()
    playwright.expect(page.locator("#Live strong")).to_contain_text("Waiting to be read in: no worker is alive")
    library = Library.objects.get()
    job = library.jobs.get()
    job.take()
    job.beat("embed", {"done": 1, "total": 3})
    playwright.expect(page.locator("#Live .progress")).to_contain_text("1 of 3")
    job.delete()
    reindex(library)
    page.get_by_role("link", name="Ask it something").click()
    page.wait_for_load_state()  # Enter is sent by a script
    page.fill("#Query", "How long does the spring tide flood the lower meadow?")
    page.keyboard.press("Enter")
    page.locator(".answer .chip").first.click()
    page.wait_for_url("**/read/attic-papers/**tides.md**")
    assert "six hours" in page.locator(".l.cited").inner_text()


def test_what_is_chosen_before_the_script_has_come_is_shown_as_well(page, shelf: Library, tmp_path: Path):
    (tmp_path / "tides.md").write_text("# Tides\n")
    held: list[playwright.Route] = []
    page.route("**/uploads*.js", lambda route: held.append(route))
    page.goto("/libraries/shelf/", wait_until="commit")
    page.set_input_files("#Upload [name=files]", str(tmp_path / "tides.md"))
    said = page.locator("#Upload .said")
    assert said.inner_text() == ""
    held[0].continue_()
    playwright.expect(said).to_contain_text("Would be read in: 1 of 1, 8 bytes: tides.md.")


@pytest.mark.parametrize("status", [400, 502])
def test_an_upload_that_breaks_off_is_tried_again_for_the_library_that_was_added(outside, superuser, status: int):
    into_the_admin(outside)
    outside.goto("/libraries/add")
    outside.evaluate(DROP, [["tides.md"], ".upload"])
    outside.route("**/upload", lambda route: route.fulfill(status=status))
    outside.get_by_role("button", name="Add the library with 1 file").click()
    told = "The library has been added, without its files" if status < 500 else "Its files may have been taken or not"
    playwright.expect(outside.locator(".upload .said")).to_contain_text(told)
    assert Library.objects.count() == 1 and outside.locator("#Access").is_disabled()
    outside.unroute("**/upload")
    outside.get_by_role("button", name="Upload its files").click()
    outside.wait_for_url("**/libraries/tides/files")
    assert Library.objects.get().uploads.get().path == "tides.md"


def test_what_is_being_sent_can_be_cancelled(page, shelf: Library):
    page.goto("/libraries/shelf/")
    page.evaluate(DROP, [["tides.md"], "#Upload"])
    page.route("**/upload", lambda route: None)
    page.click("#Upload .choose button")
    page.click("#Upload .cancel")
    playwright.expect(page.locator("#Upload .said")).to_contain_text("Cancelled. Nothing was taken")
    playwright.expect(page.locator("#Upload .cancel")).to_be_hidden()
    page.unroute("**/upload")
    page.click("#Upload .choose button")
    page.wait_for_url("**/libraries/shelf/files")
    assert shelf.uploads.get().path == "tides.md"


CUT_OFF = "() => { XMLHttpRequest.prototype.send = function () { this.upload.onload(); this.onerror(); } }"


@pytest.mark.parametrize("page", ["desk"], indirect=True)
@pytest.mark.parametrize("answer", ["the connection goes", "504"])
def test_of_what_was_sent_whole_and_is_not_answered_nobody_says_that_it_was_not_taken(
    outside, superuser, shelf: Library, answer: str
):
    into_the_admin(outside)
    outside.goto("/libraries/shelf/")
    outside.evaluate(DROP, [["tides.md"], "#Upload"])
    if answer == "504":
        outside.route("**/upload", lambda route: (route.fetch(), route.fulfill(status=504)))
    else:
        outside.evaluate(CUT_OFF)
    outside.click("#Upload button")
    playwright.expect(outside.locator("#Upload .said")).to_contain_text("may have been taken or not")
    assert shelf.uploads.exists() == (answer == "504")


def test_an_answer_that_cannot_be_followed_says_so_until_it_can(outside, handbook: Library):
    outside.route("**/events?*", lambda route: route.abort())
    outside.goto("/chat")
    outside.fill("#Query", "How long can I borrow a cargo bike?")
    outside.keyboard.press("Enter")
    playwright.expect(outside.locator("#Trouble")).to_contain_text("cannot be reached")
    outside.unroute("**/events?*")
    playwright.expect(outside.locator(".answer .chip").first).to_be_visible()
    playwright.expect(outside.locator("#Trouble")).to_be_empty()


def test_an_upload_after_a_session_has_ended_says_to_sign_in(outside, superuser, shelf: Library):
    into_the_admin(outside)
    outside.goto("/libraries/shelf/")
    outside.evaluate(DROP, [["tides.md"], "#Upload"])
    Session.objects.all().delete()
    outside.click("#Upload button")
    playwright.expect(outside.locator("#Upload .said")).to_contain_text("load this page again, and sign in")
    assert not shelf.uploads.exists()


def test_a_library_is_added_once_however_often_its_button_is_pressed(outside, superuser):
    into_the_admin(outside)
    outside.goto("/libraries/add")
    outside.evaluate(DROP, [["tides.md"], ".upload"])
    held: list[playwright.Route] = []
    outside.route("**/libraries/add", lambda route: held.append(route))
    button = outside.locator("button.for-uploads")
    button.click()
    playwright.expect(button).to_be_disabled()
    outside.press("#Name", "Enter")
    while not held:
        outside.wait_for_timeout(20)
    assert len(held) == 1
    held[0].abort()
    playwright.expect(button).to_be_enabled()
    playwright.expect(outside.locator(".upload .said")).to_contain_text("look under Libraries")


def test_enter_shows_what_would_be_read_before_a_library_is_added(outside, superuser, documents: Path, settings):
    settings.DIRECTORY_ROOTS = [documents]
    (documents / "a.md").write_text("# A\n")
    into_the_admin(outside)
    outside.goto("/libraries/add")
    outside.fill("#Name", "Meadow")
    outside.get_by_label("A folder on the server").check()
    outside.fill("#Directory", str(documents))
    for _ in range(2):  # once more after what it was shown: something may have been changed
        with outside.expect_navigation():
            outside.press("#Directory", "Enter")
        playwright.expect(outside.locator("#Preview")).to_have_text("1 file would be read in")
        assert not Library.objects.exists()
    outside.get_by_role("button", name="Add it and read it in").click()
    outside.wait_for_url("**/jobs/*/")


def test_a_chosen_folder_keeps_its_paths(page, shelf: Library, tmp_path: Path):
    (tmp_path / "docs/sub").mkdir(parents=True)
    (tmp_path / "docs/sub/a.md").write_text("# A\n")
    page.goto("/libraries/shelf/")
    page.set_input_files("#Folder-chosen", str(tmp_path / "docs"))
    page.click("#Upload button")
    page.wait_for_url("**/libraries/shelf/files")
    assert page.locator("tbody th").inner_text() == "docs/sub/a.md"


def test_what_is_too_much_is_said_before_it_is_sent(page, shelf: Library, settings):
    settings.DATA_UPLOAD_MAX_NUMBER_FILES = 1
    page.goto("/libraries/shelf/")
    page.evaluate(DROP, [["a.md", "b.md"], "#Upload"])
    page.get_by_role("button", name="Upload 2 files").click()
    assert "at most 1 are taken at once" in page.locator("#Upload .said").inner_text()


def test_what_is_written_from_right_to_left_is_shown_so_and_the_rest_is_not(outside, indexed):
    arabic = "# دليل الدراجات\n\nتُعار الدراجة لمدة ثلاثة أيام.\n"
    indexed("shelf", {"arabic.md": arabic, "english.md": "# Bikes\n\nThree days.\n"})
    for path, is_from_right in (("arabic.md", True), ("english.md", False)):
        outside.goto(f"/read/shelf/{path}")
        assert (outside.locator("#L3 > span").evaluate(SPACE_BEFORE) > 50) is is_from_right


def test_a_double_click_sends_a_form_once(outside, superuser):
    into_the_admin(outside)
    outside.goto("/tokens")
    outside.fill("[name=name]", "laptop")
    outside.locator("[name=scopes]").first.check()
    held: list[playwright.Route] = []
    outside.route("**/tokens", lambda route: held.append(route))
    button = outside.locator("button[value=make]")
    button.evaluate("(button) => { button.click(); setTimeout(() => button.click(), 100); }")
    outside.wait_for_timeout(400)
    assert len(held) == 1
    held[0].continue_()
    outside.wait_for_selector(".copied input")
    assert ApiToken.objects.count() == 1
