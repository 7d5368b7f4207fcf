"""A library that requires review, people with roles in it, and a candidate that changes it."""

import pytest
from django.contrib.auth.models import User

from ingestion.jobs import run_build
from knowledge.governance import review
from knowledge.models import (
    Job,
    Library,
    Membership,
    Snapshot,
)
from knowledge.verification import run_checks
from retrieval.search import search
from tests.conftest import write

FILES = {
    "kept.md": "# Kept\n\nThis stays.\n",
    "changed.md": "# Brakes\n\nPads last two winters.\n\n## Tools\n\nA five millimetre key.\n",
    "gone.md": "# Old\n\nThe coal stove.\n",
    "moved.md": "# Moved\n\nThe ladder hangs in the shed.\n",
}


@pytest.fixture
def people(db) -> dict[str, User]:
    return {name: User.objects.create_user(name) for name in ("editor", "reviewer", "librarian", "outsider")}


@pytest.fixture
def library(indexed, people) -> Library:
    """Active is what was there before review was asked for."""
    library = indexed("one", FILES)
    library.requires_review = True
    library.save()
    for name in ("editor", "reviewer", "librarian"):
        Membership.objects.create(library=library, user=people[name], role=name)
    return library


@pytest.fixture
def build(library, documents, people):
    def make(changes: dict[str, str | None] = {}, by: str | None = "editor", **options) -> Snapshot:  # noqa: B006
        write(documents / "one", {path: text for path, text in changes.items() if text is not None})
        for path in (path for path, text in changes.items() if text is None):
            (documents / "one" / path).unlink()
        run_build(Job.objects.create(library=library, requested_by=people[by] if by else None, options=options))
        library.refresh_from_db()
        return library.snapshots.latest("number")

    return make


@pytest.fixture
def candidate(build) -> Snapshot:
    return build(
        {
            "changed.md": FILES["changed.md"].replace("two winters", "one winter") + "\n## Grease\n\nNone at all.\n",
            "gone.md": None,
            "moved.md": None,
            "here/moved.md": FILES["moved.md"],
            "new.md": "# New\n\nThe tandem has a bell.\n",
        }
    )


def approve(candidate, user, *paths, comment=""):
    return review.decide(candidate, "approved", user, comment, paths or None)


def seen(query: str) -> set[str]:
    return {hit.source_file for hit in search(None, query).hits}


def well() -> bool:
    return all(check.ok for check in run_checks(deep=False))
