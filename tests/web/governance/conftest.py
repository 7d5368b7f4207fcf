import json

import pytest
from django.contrib.auth.models import User
from django.test import Client

from ingestion.jobs import run_build
from knowledge.models import Job, Library, Membership
from tests.conftest import write

FILES = {"lending.md": "# Lending\n\nA bike is lent for three days.\n", "old.md": "# Old\n\nThe coal stove.\n"}
REVIEW = "/libraries/one/review/"
NOT_YET = {"activate": False, "force": True}
PAGE = "/libraries/one/document/lending.md"


@pytest.fixture
def people(db) -> dict[str, Client]:
    found = {}
    for name in ("editor", "reviewer", "librarian", "outsider"):
        found[name] = Client()
        found[name].force_login(User.objects.create_user(name))
    return found


@pytest.fixture
def library(indexed, documents, people) -> Library:
    library = indexed("one", FILES, name="The handbook")
    library.requires_review = True
    library.save()
    for name in ("editor", "reviewer", "librarian"):
        Membership.objects.create(library=library, user=User.objects.get(username=name), role=name)
    write(
        documents / "one", {"lending.md": FILES["lending.md"].replace("three", "five"), "new.md": "# New\n\nA bell.\n"}
    )
    run_build(Job.objects.create(library=library, requested_by=User.objects.get(username="editor")))
    library.refresh_from_db()
    return library


def active(library: Library) -> int:
    library.refresh_from_db()
    return library.active_snapshot.number


def text(response) -> str:
    return response.content.decode()


def api(client: Client, what: str, **data: object):
    address = f"/api/v1/libraries/one/{what}/"
    if not data:
        return client.get(address)
    return client.post(address, json.dumps(data), content_type="application/json")
