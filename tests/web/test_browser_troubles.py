"""Slow networks, the browser's own keys and windows of every width, in a real Chromium."""

from knowledge.models import Library
from retrieval.answering import drafting
from tests.conftest import reindex, write
from tests.web.test_browser import (  # noqa: F401 - fixtures
    answered,
    chromium,
    into_the_admin,
    outside,
    playwright,
    pytestmark,
    visitor,
)
from tests.web.test_live_answers import PatientChat

CARD_WITHIN = """(chip) => {
    chip.focus();
    const { left, right, top, bottom, width } = chip.nextElementSibling.getBoundingClientRect();
    chip.blur();
    return width > 0 && left >= 0 && right <= innerWidth;
}"""

IS_SEEN = """(box) => {
    const { left, top } = box.getBoundingClientRect();
    return document.elementFromPoint(left + 3, top + 3) === box;
}"""


def hold(page, address: str) -> list["playwright.Route"]:
    """What is asked of this address, and not let through."""
    held: list[playwright.Route] = []
    page.route(address, lambda route: held.append(route))
    return held


def test_a_question_is_asked_once_however_often_enter_is_pressed(outside, handbook: Library):  # noqa: F811
    outside.goto("/chat")
    held = hold(outside, "**/chat")
    outside.fill("#Query", "How long can I borrow a cargo bike?")
    outside.keyboard.press("Enter")
    outside.wait_for_timeout(1100)  # longer than a double click
    outside.keyboard.press("Enter")
    outside.wait_for_timeout(300)
    assert len(held) == 1


def test_who_stopped_the_browser_can_ask_again_after_a_while(outside, handbook: Library):  # noqa: F811
    outside.clock.install()
    outside.goto("/chat")
    outside.route("**/chat", lambda route: route.abort("aborted"))  # as “Stop” does
    outside.fill("#Query", "How long can I borrow a cargo bike?")
    with outside.expect_request("**/chat"):
        outside.keyboard.press("Enter")
    button = outside.locator("#Ask .line-box button")
    outside.clock.run_for(1100)
    playwright.expect(button).to_be_disabled()
    outside.clock.run_for(20_000)
    playwright.expect(button).to_be_enabled()
    with outside.expect_request("**/chat") as again:
        outside.keyboard.press("Enter")
    assert again.value.post_data.count("live=yes") == 1


def test_a_page_that_was_left_for_its_facets_and_come_back_to_still_says_what_is_wrong(
    outside,  # noqa: F811
    handbook: Library,
):
    outside.set_viewport_size({"width": 900, "height": 700})
    outside.goto("/search?q=late")
    outside.fill("#Query", "bike")
    outside.wait_for_url("**q=bike**")
    outside.click("a.to-facets")
    with outside.expect_event("load"):
        outside.evaluate("history.back()")
    outside.route("**/search?*", lambda route: route.abort())
    outside.fill("#Query", "cargo")
    playwright.expect(outside.locator("#Trouble")).to_contain_text("cannot be reached")


def test_more_passages_give_way_to_a_new_search(outside, indexed):  # noqa: F811
    indexed("many", {f"{n:02}.md": f"# Bike {n}\n\nThe bike of day {n}.\n" for n in range(14)})
    outside.goto("/search?q=bike")
    held = hold(outside, "**top_k=20**")
    outside.click(".more a")
    outside.fill("#Query", "day")
    outside.wait_for_url("**q=day**")
    for route in held:
        route.continue_()
    outside.wait_for_timeout(500)
    assert "q=day" in outside.url and outside.title().startswith("day")


def test_enter_that_ends_a_word_of_an_input_method_sends_nothing(outside, handbook: Library):  # noqa: F811
    outside.goto("/chat")
    outside.fill("#Query", "自転車")
    was_left = outside.locator("#Query").evaluate(
        "it => it.dispatchEvent(new KeyboardEvent('keydown',"
        " {key: 'Enter', keyCode: 229, bubbles: true, cancelable: true}))"
    )
    assert was_left, "the key belongs to the input method"


def test_a_citations_card_stays_within_windows_of_every_width(outside, visitor, answered):  # noqa: F811
    outside.context.add_cookies([visitor])
    for width in (390, 720, 1080, 1100, 1280):
        outside.set_viewport_size({"width": width, "height": 700})
        outside.goto(f"/chat/{answered.pk}")
        outside.locator(".said > p").first.evaluate(  # chips all along a line
            "p => { for (let n = 0; n < 30; n++) p.append(p.querySelector('.cite').cloneNode(true), ' '); }"
        )
        for chip in outside.locator(".cite .chip").all():
            assert chip.evaluate(CARD_WITHIN), (width, chip.bounding_box())


def test_a_restart_behind_a_proxy_leaves_the_conversation_on_the_page(outside, handbook: Library, monkeypatch):  # noqa: F811
    chat = PatientChat("You can borrow a cargo bike for up to three days [1].")
    monkeypatch.setattr(drafting, "chat_endpoint", lambda: chat)
    outside.goto("/chat")
    outside.route("**/events?*", lambda route: route.fulfill(status=502, body="<h1>Bad gateway</h1>"))
    outside.fill("#Query", "How long can I borrow a cargo bike?")
    outside.keyboard.press("Enter")
    outside.wait_for_url("**/chat/*#Answer*")
    outside.route("**/chat/*", lambda route: route.fulfill(status=502, body="<h1>Bad gateway</h1>"))
    playwright.expect(outside.locator("#Trouble")).to_contain_text("cannot be reached")
    assert outside.locator(".question").inner_text() == "How long can I borrow a cargo bike?"
    outside.unroute("**/chat/*")
    outside.unroute("**/events?*")
    chat.write(100)
    playwright.expect(outside.locator(".answer .chip").first).to_be_visible()


def test_the_decision_is_in_sight_beside_every_row_of_a_long_review(outside, indexed, documents, superuser):  # noqa: F811
    library = indexed("one", {f"{n:02}.md": f"# N\n\n{n} days.\n" for n in range(30)})
    Library.objects.update(requires_review=True)
    write(documents / "one", {f"{n:02}.md": f"# N\n\n{n} weeks.\n" for n in range(30)})
    reindex(library, activate=False)
    into_the_admin(outside)
    outside.goto("/libraries/one/review/")
    reject = outside.get_by_role("button", name="Reject the chosen files")
    playwright.expect(reject).to_be_in_viewport(ratio=1)
    for box in outside.locator("[name=path]").all():
        box.focus()
        assert box.evaluate(IS_SEEN)  # nothing covers the one that has the focus
    for width, comment in ((1280, 320), (360, 200)):
        outside.set_viewport_size({"width": width, "height": 640})
        assert outside.locator("#Comment").bounding_box()["width"] > comment


def test_no_cell_of_a_wide_table_is_as_narrow_as_its_longest_word(outside, indexed):  # noqa: F811
    columns, remark = 20, "surveyed in April and found with worn bearings that are to be renewed before the summer"
    rows = ["|".join(["", *cells, ""]) for cells in (["Boat"] * columns, ["---"] * columns, ["x"] * 19 + [remark])]
    indexed("one", {"fleet.md": "# Fleet\n\n" + "\n".join(rows) + "\n"})
    outside.goto("/read/one/fleet.md")
    assert outside.locator("#L5").bounding_box()["height"] < 130
    assert outside.evaluate("document.documentElement.scrollWidth <= innerWidth")
