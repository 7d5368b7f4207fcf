"""Jobs on their pages and over REST: seen and steered by librarians and administrators."""

import re

import pytest
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from knowledge.models import ApiToken, Job, JobEvent, Library, Membership


@pytest.fixture
def clerk(handbook) -> Client:
    """Librarian of the handbook alone, and no staff."""
    client, user = Client(), User.objects.create_user("clerk")
    Membership.objects.create(library=handbook, user=user, role="librarian")
    client.force_login(user)
    return client


def test_a_job_tells_its_story(clerk, handbook, documents):
    (documents / "handbook/bad.md").write_bytes(b"\0\1\2")
    from tests.conftest import reindex

    reindex(handbook)
    job = Job.objects.order_by("-pk").first()
    page = clerk.get(f"/jobs/{job.pk}/").content.decode()

    assert "completed with rejections" in page and "bad.md" in page
    assert "parse done" not in page
    assert re.search(r'Reading the files</td>\s*<td data-label="Event">done <small>in [0-9.]+ s', page)
    assert "<span>1 rejected</span>" in page and "unchanged</span>" in page
    assert "hx-get" not in page.split("<main")[1]  # it is over: nothing to ask again
    assert "completed with rejections" in clerk.get("/jobs/").content.decode()


def test_a_waiting_job_says_why_and_is_asked_for_again_by_the_page(clerk, handbook):
    job = Job.objects.create(library=handbook)
    for address in ("/jobs/", f"/jobs/{job.pk}/"):
        page = clerk.get(address).content.decode()
        assert "no worker is alive" in page and 'hx-trigger="every 2s"' in page and "attempt 0" not in page


def test_buttons_steer_a_job_without_javascript(clerk, handbook):
    job = Job.objects.create(library=handbook)
    for verb, outcome in [("pause", "paused"), ("resume", "queued"), ("cancel", "cancelled"), ("retry", "queued")]:
        response = clerk.post(f"/jobs/{job.pk}/", {"do": verb}, follow=True)
        job.refresh_from_db()
        assert response.status_code == 200 and job.outcome == outcome
    assert "Only a paused job" in clerk.post(f"/jobs/{job.pk}/", {"do": "resume"}, follow=True).content.decode()
    assert clerk.post(f"/jobs/{job.pk}/", {"do": "nonsense"}).status_code == 302


def test_a_library_is_read_in_again_by_its_button_and_once_at_a_time(clerk, handbook):
    page = clerk.get("/libraries/handbook/").content.decode()
    assert "Read it in again" in page and "/libraries/handbook/build" in page
    answer = clerk.post("/libraries/handbook/build")
    job = Job.objects.order_by("-pk").first()
    assert answer.headers["Location"] == f"/jobs/{job.pk}/" and job.requested_by.username == "clerk" and not job.options
    assert clerk.post("/libraries/handbook/build").headers["Location"] == f"/jobs/{job.pk}/"
    assert Job.objects.filter(state="queued").count() == 1
    job.cancel("")
    clerk.post("/libraries/handbook/build", {"full": "1"})
    assert Job.objects.order_by("-pk").first().options == {"full": True}


def test_imported_snapshots_are_not_offered_to_be_read_in_again(clerk, handbook, settings):
    Library.objects.filter(pk=handbook.pk).update(kind=Library.Kind.ARCHIVE)
    settings.EMBEDDING_DOCUMENT_PREFIX = "passage: "
    page = clerk.get("/libraries/handbook/").content.decode()
    assert "Ask it something" in page and "this changed" in page
    assert "Read it in" not in page and "Build a new one" not in page
    refused = clerk.post("/libraries/handbook/build", {"full": "1"}, follow=True)
    assert "cannot be read again from a source" in refused.content.decode() and handbook.jobs.count() == 1


@pytest.mark.parametrize("job", [{"kind": "erase"}, {"paused_at": timezone.now()}, {"options": {"paths": ["a.md"]}}])
def test_a_library_is_read_in_again_beside_a_job_that_does_not_do_it(clerk, handbook, job):
    other = Job.objects.create(library=handbook, **job)
    clerk.post("/libraries/handbook/build")
    asked = Job.objects.exclude(pk=other.pk).get(state="queued")
    assert asked.kind == "build" and not asked.paused_at and not asked.options
    clerk.post("/libraries/handbook/build", {"full": "1"})
    assert Job.objects.order_by("-pk").first().options == {"full": True}  # it is more than what waits


def test_a_rejected_file_is_tried_again_by_its_button(clerk, handbook):
    job = handbook.jobs.get()
    job.report["rejected"] = [{"path": "bad.md", "reason": "x"}]
    job.save()
    response = clerk.post(f"/jobs/{job.pk}/", {"do": "retry-files", "path": "bad.md"})
    again = Job.objects.exclude(pk=job.pk).get()

    assert response.headers["Location"] == f"/jobs/{again.pk}/"
    assert again.options["paths"] == ["bad.md"] and again.requested_by.username == "clerk"


def test_jobs_of_libraries_that_are_closed_to_them_do_not_exist(client, signed_in, clerk, handbook, board):
    closed = board.jobs.get()
    for address in (f"/jobs/{closed.pk}/", "/jobs/999999/"):
        assert clerk.get(address).status_code == clerk.post(address, {"do": "cancel"}).status_code == 404
        assert client.get(address).status_code == 302 and signed_in.get(address).status_code == 403
    for address in (f"/api/v1/jobs/{closed.pk}/", "/api/v1/jobs/999999/"):
        assert clerk.get(address).status_code == clerk.post(address + "cancel/").status_code == 404
    for someone, refusal in ((client, 401), (signed_in, 403)):
        for address in ("/api/v1/jobs/", f"/api/v1/jobs/{closed.pk}/"):
            assert someone.get(address).status_code == refusal
        assert someone.post(f"/api/v1/jobs/{closed.pk}/cancel/", content_type="application/json").status_code == refusal
    assert {row["library"] for row in clerk.get("/api/v1/jobs/").json()["results"]} == {"handbook"}


def test_rest_reads_and_steers(clerk, handbook):
    done, job = handbook.jobs.get(), Job.objects.create(library=handbook)
    rows = clerk.get("/api/v1/jobs/").json()["results"]
    assert [(row["id"], row["outcome"]) for row in rows] == [(job.pk, "queued"), (done.pk, "succeeded")]
    assert "no worker" in rows[0]["waiting_for"] and rows[1]["waiting_for"] is None
    told = clerk.get(f"/api/v1/jobs/{done.pk}/").json()
    assert told["report"]["active"] is True and told["events"][0]["event"] == "started"

    assert clerk.post(f"/api/v1/jobs/{job.pk}/cancel/", content_type="application/json").json()["state"] == "cancelled"
    JobEvent.objects.bulk_create([JobEvent(job=done, message=f"line {number}") for number in range(300)])
    told = clerk.get(f"/api/v1/jobs/{done.pk}/").json()["events"]
    assert len(told) == 200 and told[-1]["event"] == "line 299"
    log = clerk.get(f"/api/v1/jobs/{done.pk}/events/", {"limit": 2}).json()
    assert log["results"][0]["event"] == "started" and log["count"] > 300 and "offset=2" in log["next"]
    assert clerk.post(f"/api/v1/jobs/{job.pk}/retry/", content_type="application/json").json()["state"] == "queued"
    refused = clerk.post(f"/api/v1/jobs/{done.pk}/cancel/", content_type="application/json")
    assert refused.status_code == 409 and "succeeded" in refused.json()["detail"]
    wrong = clerk.post(f"/api/v1/jobs/{done.pk}/retry/", {"paths": "x"}, content_type="application/json")
    assert wrong.status_code == 400 and wrong.json()["errors"].keys() == {"paths"}
    assert wrong.json()["detail"].startswith("paths: Give a list")
    absent = clerk.post(f"/api/v1/jobs/{done.pk}/retry/", {"paths": ["x.md"]}, content_type="application/json")
    assert absent.status_code == 409 and "x.md" in absent.json()["detail"]
    assert clerk.post(f"/api/v1/jobs/{job.pk}/explode/", content_type="application/json").status_code == 404
    assert clerk.get(f"/api/v1/jobs/{job.pk}/cancel/").status_code == 405


def test_rest_reads_a_library_in_again(client, signed_in, clerk, handbook, board):
    def asked(someone: Client, slug: str = "handbook", **body: object) -> HttpResponse:
        return someone.post(f"/api/v1/libraries/{slug}/build/", body, content_type="application/json")

    first = asked(clerk)
    job = Job.objects.get(pk=first.json()["job"])
    assert first.status_code == 202 and job.requested_by.username == "clerk" and job.options == {}
    assert asked(clerk).json() == {"job": job.pk}, "it waits to do so"
    anew = asked(clerk, full=True)
    assert Job.objects.get(pk=anew.json()["job"]).options == {"full": True}
    assert [asked(someone).status_code for someone in (client, signed_in)] == [401, 403]
    assert asked(clerk, "board").status_code == asked(clerk, "nowhere").status_code == 404
    Library.objects.filter(slug="handbook").update(kind="archive")
    assert asked(clerk).status_code == 409


@pytest.mark.parametrize(("scope", "status"), [("search", 403), ("manage", 202)])
def test_a_token_that_builds_is_for_managing(superuser, client, handbook, scope, status):
    _, token = ApiToken.issue(superuser, "ci", [scope], None)
    asked = client.post("/api/v1/libraries/handbook/build", headers={"Authorization": f"Bearer {token}"})
    assert asked.status_code == status


def test_rest_narrows_jobs_by_state_and_library(clerk, handbook, board):
    done, job = handbook.jobs.get(), Job.objects.create(library=handbook)

    def listed(query: str) -> list[int]:
        return [row["id"] for row in clerk.get(f"/api/v1/jobs/?{query}").json()["results"]]

    assert listed("library=handbook") == [job.pk, done.pk]
    assert listed("state=succeeded") == [done.pk] and listed("state=failed&library=handbook") == []
    assert listed("library=handbook&state=queued&state=running") == [job.pk]
    for query, status in (("state=done", 400), ("library=board", 404), ("library=none", 404), ("library=", 400)):
        assert clerk.get(f"/api/v1/jobs/?{query}").status_code == status, query


def test_running_figures_are_shown(clerk, handbook):
    job = Job.objects.create(library=handbook)
    job.take()
    job.beat("embed", {"done": 5, "total": 20, "embeddings_per_second": 63.4, "eta_seconds": 62})
    page = clerk.get(f"/jobs/{job.pk}/").content.decode()

    assert 'max="20" value="5"' in page and "63 embeddings/s, 1:02 left" in page
