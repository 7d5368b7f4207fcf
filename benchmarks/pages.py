"""What the pages of a large library cost, measured in a real browser.

    python benchmarks/pages.py load-200000 QUESTIONS.jsonl [--rounds 5]

Starts gunicorn as bin/demo does on this database, signs in as an administrator made for the purpose, opens the
library's pages in the system's Chromium, and types the questions into the search box. Prints, for each page, the
server's time (from the request's last byte to the answer's first, in the browser), what was transferred and how far
anything moved (cumulative layout shift); for the first visit with an empty cache, too. The account is deleted again.
"""

import argparse
import json
import statistics
from pathlib import Path
from typing import Any

import _django  # noqa: F401
import httpx2 as httpx
from django.contrib.auth.models import User
from django.contrib.sessions.backends.db import SessionStore
from playwright.sync_api import Browser, Page, sync_playwright
from serving import serving

from knowledge.models import Library, SnapshotFile
from retrieval.evaluation.metrics import percentile

CHROMIUM = "/usr/bin/chromium"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
NAME = "benchmark-of-pages"
MEASURE = """() => {
    const page = performance.getEntriesByType('navigation')[0]
    const all = [page, ...performance.getEntriesByType('resource')]
    return {server: page.responseStart - page.requestStart, shift: window.shifted || 0,
            bytes: all.reduce((sum, one) => sum + one.transferSize, 0)}
}"""
WATCH_SHIFT = """new PerformanceObserver(list => {
    for (const one of list.getEntries()) if (!one.hadRecentInput) window.shifted = (window.shifted || 0) + one.value
}).observe({type: 'layout-shift', buffered: true})"""
TYPED = """() => performance.getEntriesByType('resource').filter(one => one.initiatorType === 'xmlhttprequest')
    .map(one => one.responseStart - one.requestStart)"""


def pages(library: Library) -> dict[str, str]:
    snapshot = library.active_snapshot
    assert snapshot  # noqa: S101
    files = SnapshotFile.objects.filter(snapshot=snapshot).order_by("document_file__path")
    path = files[files.count() // 2].document_file.path
    return {
        "search, empty": "/",
        "libraries": "/libraries/",
        "library": f"/libraries/{library.slug}/",
        "snapshot": f"/libraries/{library.slug}/snapshots/{snapshot.number}",
        "quality": f"/libraries/{library.slug}/quality",
        "members": f"/libraries/{library.slug}/members",
        "review": f"/libraries/{library.slug}/review/",
        "document": f"/libraries/{library.slug}/document/{path}",
        "reading": f"/read/{library.slug}/{path}",
        "chat": "/chat",
        "jobs": "/jobs/",
        "audit": "/audit/",
        "dashboard": "/dashboard/",
        "playground": "/playground",
    }


def visited(page: Page, address: str) -> dict[str, Any]:
    status = page.goto(address, wait_until="load")
    assert status and status.status == 200, f"{address}: {status and status.status}"  # noqa: S101
    page.wait_for_timeout(150)
    found: dict[str, Any] = page.evaluate(MEASURE)
    return found


def signed_in(browser: Browser, base: str, session: str) -> Page:
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    context.add_cookies([{"name": "sessionid", "value": session, "url": base}])
    context.add_init_script(WATCH_SHIFT)
    return context.new_page()


def typed(page: Page, base: str, library: str, questions: list[str]) -> list[float]:
    """Milliseconds of the server for each request that typing a question, a key every 60 ms, caused."""
    took = []
    for question in questions:
        page.goto(f"{base}/search?library={library}")
        page.get_by_role("searchbox").press_sequentially(question, delay=60)
        page.wait_for_timeout(500)
        took += page.evaluate(TYPED)
    return took


def spread(took: list[float]) -> str:
    return f"p50 {percentile(took, 0.5):.0f}, p95 {percentile(took, 0.95):.0f} ms"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library")
    parser.add_argument("questions", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--typed", type=int, default=20, help="questions to type")
    chosen = parser.parse_args()
    library = Library.objects.get(slug=chosen.library)
    lines = [json.loads(line) for line in chosen.questions.read_text(encoding="utf-8").splitlines()]
    questions = [line.get("question") or line["text"] for line in lines][: chosen.typed]
    User.objects.filter(username=NAME).delete()
    root = User.objects.create_superuser(NAME)
    session = SessionStore()
    session.update(
        {
            "_auth_user_id": str(root.pk),
            "_auth_user_backend": "django.contrib.auth.backends.ModelBackend",
            "_auth_user_hash": root.get_session_auth_hash(),
        }
    )
    session.create()
    try:
        addresses = pages(library)
        with serving() as base, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
            print(
                "| page | server p50 / most ms | first visit kB | again kB | layout shift |\n|---|---:|---:|---:|---:|"
            )
            for name, address in addresses.items():
                page = signed_in(browser, base, str(session.session_key))
                first = visited(page, base + address)
                later = [visited(page, base + address) for _ in range(chosen.rounds)]
                took = [one["server"] for one in later]
                print(
                    f"| {name} | {statistics.median(took):.0f} / {max(took):.0f} | {first['bytes'] / 1000:.0f} "
                    f"| {later[-1]['bytes'] / 1000:.0f} | {max(one['shift'] for one in [first, *later]):.3f} |"
                )
                page.context.close()
            page = signed_in(browser, base, str(session.session_key))
            for name in ("first", "again"):
                took = typed(page, base, library.slug, questions)
                print(f"typed, {name}: {len(took)} requests, {spread(took)}")
            searched = [
                visited(page, f"{base}/search?library={library.slug}&q={httpx.QueryParams({'q': question})['q']}")
                for question in questions
            ]
            took = [one["server"] for one in searched]
            shift = max(one["shift"] for one in searched)
            print(f"search pages: {spread(took)}, shift {shift:.3f}")
            browser.close()
    finally:
        root.delete()


if __name__ == "__main__":
    main()
