"""A library that one may not read shows through nowhere, and what is revoked is gone on the next request.

`python benchmarks/leakage.py` asks the same with 20,000 probes.
"""

import itertools
import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client

from benchmarks.leakage import FOREIGN, SECRET_THINGS, THINGS, differences, probes, texts, tool_calls
from ingestion.removing import remove_library
from knowledge.governance.withdrawal import restore, withdraw
from knowledge.models import Answer, ApiToken, Chunk, Conversation, DocumentFile, Library, Membership
from retrieval.answering import drafts

PROBES, SEED = int(os.environ.get("LEAKAGE_PROBES", "150")), int(os.environ.get("LEAKAGE_SEED", "1"))


@contextmanager
def undone() -> Iterator[None]:
    with transaction.atomic():
        try:
            yield
        finally:
            transaction.set_rollback(True)


def test_a_foreign_library_changes_no_byte(indexed, reader, settings):
    settings.SEARCH_STATEMENT_TIMEOUT_MS = 60_000
    mine = indexed("mine", texts(THINGS), access=Library.Access.GROUPS)
    Membership.objects.create(library=mine, user=reader, role="reader")
    client = Client()
    client.force_login(reader)
    files = [*texts(THINGS), *texts(SECRET_THINGS)]
    token = ApiToken.issue(reader, "probes", ["search", "ask"], None)[1]
    settings.ASK_PER_MINUTE = 10**9  # else most questions would only be told to wait
    asked = list(itertools.islice(probes(files, SEED, token), PROBES))

    @contextmanager
    def secret() -> Iterator[None]:
        with undone():
            library = indexed("secret", texts(SECRET_THINGS), access=Library.Access.GROUPS)
            other = User.objects.create_user("other")
            Membership.objects.create(library=library, user=other, role="librarian")
            talk = Conversation.objects.create(owner=other, title="The verdict")
            passages = list(Chunk.objects.in_snapshots([library.active_snapshot_id]).values_list("pk", flat=True)[:3])
            Answer.objects.create(
                pk=FOREIGN,
                asked_by=other,
                conversation=talk,
                question="What?",
                text="Dismissed.",
                refused=False,
                passages=passages,
            )
            withdraw(DocumentFile.objects.filter(library=library, path="board/ballot.md").get(), None, "secret")
            yield

    found = differences(client, asked, secret())
    print(f"{len(asked):,} probes in two worlds, {len(found)} differences")
    assert found == []


@pytest.mark.django_db(transaction=True)
def test_a_foreign_library_changes_no_byte_of_what_tools_are_told(indexed, reader, settings, monkeypatch):
    """MCP's tools work in threads, so both worlds are committed ones."""
    monkeypatch.setattr(drafts, "put", lambda *_: None)  # its thread would outlive the test
    settings.ASK_PER_MINUTE = 10**9
    mine = indexed("mine", texts(THINGS[:4]), access=Library.Access.GROUPS)
    Membership.objects.create(library=mine, user=reader, role="reader")
    token = ApiToken.issue(reader, "probes", ["search", "ask"], None)[1]
    files = [*texts(THINGS[:4]), *texts(SECRET_THINGS[:4])]
    asked = list(itertools.islice(tool_calls(files, SEED, token), max(PROBES // 5, 30)))

    @contextmanager
    def secret(**fields: object) -> Iterator[None]:
        indexed("secret", texts(SECRET_THINGS[:4]), **fields)
        yield

    found = differences(Client(), asked, secret(access=Library.Access.GROUPS))
    print(f"{len(asked):,} calls of tools in two worlds, {len(found)} differences")
    assert found == []
    Library.objects.filter(slug="secret").update(access=Library.Access.PUBLIC)
    assert differences(Client(), asked, closed_to(reader)), "it finds something where there is something to find"


@contextmanager
def closed_to(reader: User) -> Iterator[None]:
    Library.objects.filter(slug="secret").update(access=Library.Access.GROUPS)
    yield


def test_the_probes_see_a_library_that_is_open(indexed, reader):
    """The same comparison finds something where there is something to find."""
    indexed("mine", texts(THINGS))
    client = Client()
    client.force_login(reader)

    @contextmanager
    def opened() -> Iterator[None]:
        with undone():
            indexed("secret", texts(SECRET_THINGS))
            yield

    asked = list(itertools.islice(probes([*texts(THINGS), *texts(SECRET_THINGS)], SEED), 20))
    assert differences(client, asked, opened())


def test_what_is_revoked_is_gone_on_the_next_request(indexed, reader):
    """Membership, the library's access, the account, and one file: in turns, without a pause between."""
    library = indexed("mine", texts(THINGS[:2]), access=Library.Access.GROUPS)
    document = library.document_files.get(path="shed/ladder.md")
    address = "/read/mine/shed/ladder.md"

    def sees() -> tuple[int, bool]:
        client = Client()
        client.force_login(reader)
        found = client.get("/api/v1/search", {"q": "quiet ladder in the shed"}).json()["hits"]
        read = client.get(address)
        return read.status_code, any(hit["source_file"] == "shed/ladder.md" for hit in found)

    def by_token(token: str) -> list[int]:
        """How many libraries a program may see: by REST, and as models; −1: refused."""
        bearer = {"Authorization": f"Bearer {token}"}
        rest = Client().get("/api/v1/libraries/", headers=bearer)
        models = Client().get("/v1/models", headers=bearer)
        return [
            len(rest.json()["results"]) if rest.status_code == 200 else -1,
            len(models.json()["data"]) - 1 if models.status_code == 200 else -1,
        ]

    session = Client()
    session.force_login(reader)
    for _ in range(5):
        row, token = ApiToken.issue(reader, "t", ["search", "ask"], None)
        assert by_token(token) == [0, 0]
        member = Membership.objects.create(library=library, user=reader, role="reader")
        assert sees() == (200, True) and session.get(address).status_code == 200 and by_token(token) == [1, 1]
        withdraw(document, None, "wrong")
        assert sees() == (404, False) and session.get(address).status_code == 404
        restore(document, None)
        assert sees() == (200, True)
        User.objects.filter(pk=reader.pk).update(is_active=False)
        assert session.get(address).status_code == 404 and by_token(token) == [-1, -1]
        User.objects.filter(pk=reader.pk).update(is_active=True)
        row.revoke()
        assert by_token(token) == [-1, -1]
        member.delete()
        assert sees() == (404, False) and session.get(address).status_code == 404


def test_a_library_that_takes_the_name_of_one_that_is_gone_opens_nothing_of_it(indexed, reader):
    """Not of its quotations, nor how it was called: a slug is free again when its library is removed."""
    file, closed = "ballot.md", {"access": Library.Access.GROUPS, "name": "The secret verdicts"}
    library = indexed("board", {file: "# Ballot\n\nThe ballot chose a purple bike in March.\n"}, **closed)
    Membership.objects.create(library=library, user=reader, role="reader")
    asker, other = Client(), Client()
    asker.force_login(reader)
    other.force_login(User.objects.create_user("other"))
    for question in ("Which bike did the ballot choose in March?", "Who invented the zeppelin of Atlantis?"):
        asker.post("/chat", {"q": question, "library": "board"})
    answered, refused = Answer.objects.order_by("pk")
    assert "purple" in answered.citations.get().quote and "secret verdicts" in refused.text
    Conversation.objects.update(shared=True)

    def seen(client: Client) -> str:
        addresses = (f"/chat/{{0}}{end}" for end in ("", "/replay")), ("/api/v1/answers/{0}/replay",)
        rows = itertools.product(itertools.chain(*addresses), (answered.pk, refused.pk))
        return "".join(client.get(address.format(pk)).content.decode() for address, pk in rows)

    assert "purple" in seen(asker) and "secret verdicts" in seen(asker)
    remove_library(library)
    indexed("board", {file: "# Ballot\n\nThe ballot chose a green bike in May.\n"}, name="The public board")
    assert "purple" not in seen(asker) + seen(other) and "secret verdicts" not in seen(asker) + seen(other)
    assert "withheld" in seen(other)
