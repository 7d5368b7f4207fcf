"""What is told by colours is told without them, too: where the reader's own are forced, and on paper."""

from knowledge.models import Answer, Library
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

STYLE = "(element, [name]) => getComputedStyle(element)[name]"


def looks(page, selector: str, name: str) -> list[str]:
    return [one.evaluate(STYLE, [name]) for one in page.locator(selector).all()]


def test_where_colours_are_forced_the_page_one_is_on_is_marked_and_no_other(outside, handbook: Library, superuser):  # noqa: F811
    into_the_admin(outside)
    outside.emulate_media(forced_colors="active")
    for address, marked in (("/libraries/", ".top nav a"), ("/libraries/handbook/document/lending.rst", ".tabs a")):
        outside.goto(address)
        ground = looks(outside, "html", "backgroundColor")[0]
        here = looks(outside, f"{marked}[aria-current]", "borderBottomColor")
        elsewhere = looks(outside, f"{marked}:not([aria-current])", "borderBottomColor")
        assert ground not in here and set(elsewhere) == {ground}
    outside.goto("/read/handbook/lending.rst")
    assert set(looks(outside, ".l:not(.cited)", "borderLeftColor")) == {ground}
    outside.goto("/search")
    outside.focus("#Query")
    assert looks(outside, ".line-box", "outlineStyle") == ["solid"]


def test_where_colours_are_forced_a_pressed_button_looks_pressed(outside, visitor, answered: Answer):  # noqa: F811
    outside.context.add_cookies([visitor])
    outside.emulate_media(forced_colors="active")
    outside.goto(f"/chat/{answered.pk}")
    outside.get_by_role("button", name="Not helpful").click()
    pressed = looks(outside, "[aria-pressed=true]", "backgroundColor")
    assert len(pressed) == 1 and pressed != looks(outside, "html", "backgroundColor")


def test_what_a_review_adds_is_underlined(outside, indexed, documents, superuser):  # noqa: F811
    library = indexed("one", {"a.md": "# A\n\nIt takes three days.\n"})
    Library.objects.update(requires_review=True)
    write(documents / "one", {"a.md": "# A\n\nIt takes five days.\n"})
    reindex(library, activate=False)
    into_the_admin(outside)
    outside.goto("/libraries/one/review/2/a.md")
    assert looks(outside, ".diff ins", "textDecorationLine") == ["underline"]
    assert looks(outside, ".diff del", "textDecorationLine") == ["line-through"]


def test_paper_is_light_whatever_the_screen_is(outside, handbook: Library):  # noqa: F811
    drawn = {}
    for scheme in ("light", "dark"):
        outside.emulate_media(media="print", color_scheme=scheme)
        outside.goto("/read/handbook/booking/pricing.py")
        drawn[scheme] = looks(outside, ".text .k", "color")
    assert drawn["light"] and drawn["dark"] == drawn["light"]


def test_what_can_only_be_pressed_is_not_printed(outside, handbook: Library, superuser):  # noqa: F811
    into_the_admin(outside)
    outside.emulate_media(media="print")
    for address in ("", "review/", "members", "document/lending.rst", "document/lending.rst?tab=permissions"):
        outside.goto(f"/libraries/handbook/{address}")
        assert outside.locator("main :is(h1, h2)").first.is_visible()
        assert outside.locator("main :is(button, summary.button):visible").count() == 0, address
