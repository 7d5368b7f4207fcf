"""Review, publication and withdrawal over REST."""

import json

from ingestion.erasing import erase
from knowledge.models import AuditEvent, Decision, Membership
from tests.web.governance.conftest import api

REQUIRED = "This field is required."


def test_the_same_over_rest(library, people):
    changes = api(people["reviewer"], "review").json()
    assert changes["snapshot"] == 2 and [row["kind"] for row in changes["changes"]] == ["changed", "added"]
    assert api(people["editor"], "review", snapshot=2, verdict="approved").status_code == 403
    Membership.objects.filter(user__username="editor").update(role="librarian")
    refused = api(people["editor"], "review", snapshot=2, verdict="approved")
    assert refused.status_code == 403 and "somebody else" in refused.json()["detail"]
    assert api(people["librarian"], "activate", snapshot=2).status_code == 409
    missing = api(people["librarian"], "activate", override="x").json()
    assert missing == {"detail": "snapshot: This field is required.", "errors": {"snapshot": [REQUIRED]}}
    wrong = api(people["reviewer"], "review", snapshot=2, verdict="approved", paths=["old.md"])
    assert wrong.status_code == 400 and "does not change old.md" in str(wrong.json())
    assert api(people["reviewer"], "review", snapshot=2, verdict="approved", paths=["new.md"]).status_code == 200
    done = api(people["librarian"], "activate", snapshot=2).json()
    assert done == {"active": 3, "before": 1, "left": ["lending.md"], "degraded": []}
    rolled = people["librarian"].post("/api/v1/libraries/one/rollback/").json()
    assert rolled == {"active": 1, "before": 3, "left": [], "degraded": []}
    assert api(people["librarian"], "withdraw", path="old.md").status_code == 400
    told = api(people["librarian"], "withdraw", path="old.md", reason="x").json()
    assert told == {"path": "old.md", "state": "withdrawn", "still_found": []}
    assert api(people["librarian"], "withdraw", path="no.md", reason="x").status_code == 404
    events = api(people["librarian"], "audit").json()["results"]
    assert events[0]["action"] == "document.withdraw" and events[0]["actor"] == "librarian"


def test_what_was_never_withdrawn_is_not_recorded_as_restored(library, people):
    restores = AuditEvent.objects.filter(action="document.restore")
    for gone in (False, True):
        if gone:
            api(people["librarian"], "withdraw", path="old.md", reason="x")
        for _ in range(2):
            assert api(people["librarian"], "withdraw", path="old.md", do="restore").json()["state"] == "visible"
        assert restores.count() == gone


def test_how_a_file_stands_is_one_of_a_few_words(library, people):
    def state(path, do):
        return api(people["librarian"], "withdraw", path=path, do=do, reason="x").json()["state"]

    states = [state("lending.md", "trash"), state("new.md", "withdraw"), state("new.md", "restore")]
    assert states == ["trashed", "withdrawn", "inactive"]
    erase(library.document_files.get(path="old.md"), None, "they asked for it")
    assert state("old.md", "restore") == "gone"  # the page says with it which command lets a new one in


def test_a_decision_is_recorded_where_the_address_lacks_its_slash(library, people):
    sent = json.dumps({"snapshot": 2, "verdict": "approved", "paths": ["new.md"]})
    people["reviewer"].post("/api/v1/libraries/one/review", sent, content_type="application/json", follow=True)
    assert Decision.objects.get().verdict == "approved"
