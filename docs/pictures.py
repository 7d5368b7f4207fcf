"""Takes the pictures of README and docs/answers.md, of a `bin/demo` whose home was empty:

    .venv/bin/python docs/pictures.py http://localhost:8000 PASSWORD

`PICTURES=docs/images bin/test tests/web/test_walkthrough.py` takes those of docs/governance.md, made small here. Each
rests on words that are waited for before it is taken, so that none shows a page that is not there any more.
"""

import shutil
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, expect, sync_playwright

IMAGES = Path(__file__).parent / "images"
README, DESK, PHONE = ({"width": w, "height": h} for w, h in ((1360, 860), (1440, 900), (375, 780)))
QUESTION, FOLLOW_UP = "How long can I borrow a cargo bike?", "And can it be extended?"
ANSWER = "You can borrow a cargo bike for up to three days."
COLOURS = 128
PATIENCE = 120_000  # milliseconds, for answers


def main(site: str, password: str) -> None:
    with sync_playwright() as driver:
        chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport=README, base_url=site)
        sign_in(page, password)
        search(page)
        answer = ask(page)
        follow_up(page, answer)
        replay(page, answer)
        read(browser.new_page(viewport=DESK, base_url=site))
        browser.close()
    for picture in IMAGES.glob("*.png"):
        make_small(picture)


def sign_in(page: Page, password: str) -> None:
    page.goto("/login")
    page.fill("[name=username]", "admin")
    page.fill("[name=password]", password)
    page.click("main button")
    page.wait_for_url("**/search")


def search(page: Page) -> None:
    page.goto("/search?q=cargo+bike")  # the first one waits until the vectors are in memory
    page.goto("/search?q=late+bike+deposit")
    take(page, "search", "Ask about this", "Narrow down", "Save as a golden question", "words #")


def ask(page: Page) -> str:
    """Returns the answer's address."""
    page.set_viewport_size(DESK)
    page.goto("/chat")
    take(page, "chat-begin", "For instance", "Only some files")
    page.fill("#Query", QUESTION)
    page.keyboard.press("Enter")
    expect(page.locator(".answer .chip").first).to_be_visible(timeout=PATIENCE)
    page.set_viewport_size(README)
    page.goto(page.url.partition("#")[0])
    said = (ANSWER, "From the documents:", "word for word in the file", "Would it still say that?")
    take(page, "chat", *said)
    page.set_viewport_size(PHONE)
    page.locator(".question").evaluate("it => scrollTo(0, it.getBoundingClientRect().top + scrollY - 32)")
    take(page, "chat-phone", *said)
    return page.url


def follow_up(page: Page, answer: str) -> None:
    page.set_viewport_size(DESK)
    page.goto(answer)
    page.fill("#Query", FOLLOW_UP)
    page.keyboard.press("Enter")
    expect(page.locator(".answer .chip")).to_have_count(2, timeout=PATIENCE)
    said = ("Understood as “", "A loan can be extended once, by one lending day", "Extending a loan")
    page.locator(".question").last.evaluate("it => scrollTo(0, it.getBoundingClientRect().top + scrollY - 200)")
    take(page, "chat-follow-up", *said)
    page.emulate_media(color_scheme="dark")
    page.evaluate("scrollTo(0, 0)")
    take(page, "chat-dark", ANSWER, *said)


def replay(page: Page, answer: str) -> None:
    page.goto(answer)
    page.get_by_role("link", name="Would it still say that?").first.click()
    take(
        page,
        "chat-replay",
        "Yes. Today’s passages bear out every sentence",
        "What became of its sources",
        "borne out today",
    )


def read(page: Page) -> None:
    page.goto("/read/sample/handbook/lending.rst?lines=10-10#how-long-you-can-borrow-a-cargo-bike")
    page.evaluate("scrollTo(0, 0)")
    take(page, "read", "Cited: line 10", "Sections", ANSWER)


def take(page: Page, name: str, *words: str) -> None:
    for said in words:
        expect(page.locator("main")).to_contain_text(said)
    page.screenshot(path=IMAGES / f"{name}.png")


def make_small(picture: Path) -> None:
    with Image.open(picture) as image:
        if image.mode == "P":
            return
        few = image.convert("RGB").quantize(COLOURS, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    few.save(picture, optimize=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
