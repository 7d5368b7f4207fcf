"""What an active snapshot was built with, against what is so now: shown, refused, built anew beside it."""

import json

import pytest
from django.core.management import CommandError, call_command

from ingestion import drift, profile
from ingestion.drift import ProfileChanged, drift_of
from ingestion.jobs import run_build
from knowledge.endpoints import BagOfWordsEmbedding
from knowledge.governance import activation
from knowledge.models import Embedding, EmbeddingSpace, Job, Library, Snapshot
from knowledge.spaces import recognised_space
from retrieval.search import search
from tests.conftest import printed, reindex, write

FILES = {"a.md": "# A\n\nAbout apples.\n", "b.md": "# B\n\nAbout pears.\n"}


@pytest.fixture
def fruit(indexed) -> Library:
    return indexed("fruit", FILES)


@pytest.fixture
def swapped(monkeypatch) -> None:
    """Another model behind the same name: same dimension, other vectors."""
    real = BagOfWordsEmbedding.embed_query
    monkeypatch.setattr(BagOfWordsEmbedding, "embed_query", lambda self, text: -real(self, text))


CHANGES = {
    "parsers": (profile, "PARSER_VERSION", 99),
    "chunker": (profile, "CHUNKER_VERSION", 99),
    "budget": (profile, "CHUNK_BUDGET", 17),
    "analysis": (profile, "ANALYSIS_VERSION", 99),
    "scoring": (profile, "SCORING_VERSION", 99),
}


@pytest.mark.parametrize("key", CHANGES)
def test_what_the_code_does_otherwise_now_is_drift_and_an_incremental_build_refuses(fruit, key, monkeypatch, documents):
    assert drift_of(fruit) == ()
    monkeypatch.setattr(*CHANGES[key])
    write(documents / "fruit", {"a.md": "# A\n\nChanged.\n"})
    with pytest.raises(ProfileChanged, match=r"manage\.py reindex --full fruit") as caught:
        reindex(fruit)

    assert drift.NAMES[key] in str(caught.value) and [one.setting for one in drift_of(fruit)] == [drift.NAMES[key]]
    assert fruit.snapshots.count() == 1 and "apples" in search(None, "apples").hits[0].text


def test_a_file_tried_again_is_not_a_way_round_the_refusal(fruit, documents):
    (documents / "fruit/bad.md").write_bytes(b"\0\1\2")
    job = Job.objects.create(library=fruit)
    run_build(job)
    Library.objects.filter(pk=fruit.pk).update(language="german")
    again = Job.objects.get(pk=job.pk).retry(paths=["bad.md"])
    with pytest.raises(ProfileChanged):
        run_build(Job.objects.get(pk=again.pk))


def test_a_setting_that_changed_is_shown_with_both_values(fruit, settings):
    settings.EMBEDDING_DOCUMENT_PREFIX = "passage: "
    Library.objects.filter(pk=fruit.pk).update(language="german")
    fruit.refresh_from_db()

    assert [str(one) for one in drift_of(fruit)] == [
        "the document prefix (it was none, it is passage: )",
        "the text-search language (it was english, it is german)",
    ]


def test_a_full_build_stands_beside_the_old_one_and_switches_in_the_end(fruit, settings, monkeypatch):
    settings.EMBEDDING_DOCUMENT_PREFIX = "passage: "
    before = fruit.active_snapshot
    seen: list[tuple[int, int]] = []
    real = activation.point_at

    def point_at(library, snapshot, *how):
        current = Library.objects.get(pk=library.pk).active_snapshot
        seen.append((current.number, Embedding.objects.filter(space=snapshot.space).count()))
        return real(library, snapshot, *how)

    monkeypatch.setattr(activation, "point_at", point_at)
    report = reindex(fruit, full=True)

    assert seen == [(before.number, 2)]  # the old one served until all vectors of the new space were there
    assert report.active and fruit.active_snapshot.space_id != before.space_id and drift_of(fruit) == ()
    activation.activate(fruit, before)
    assert search(None, "apples").hits and Embedding.objects.filter(space=before.space).count() == 2


def test_a_full_build_where_nothing_drifted_does_nothing(fruit):
    assert reindex(fruit, full=True).snapshot == 1
    assert reindex(fruit, force=True).snapshot == 2


def test_a_full_build_that_was_killed_leaves_the_old_snapshot_and_is_resumed(fruit, settings, monkeypatch):
    settings.EMBEDDING_DOCUMENT_PREFIX = "passage: "
    real = BagOfWordsEmbedding.embed_documents

    def dies(self, texts):
        if len(texts) == 2:
            raise KeyboardInterrupt
        return real(self, texts)

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(BagOfWordsEmbedding, "embed_documents", dies)
        reindex(fruit, full=True)
    fruit.refresh_from_db()
    assert fruit.active_snapshot.number == 1
    with pytest.raises(ProfileChanged):
        reindex(fruit)

    assert reindex(fruit, full=True).snapshot == 2 and fruit.snapshots.count() == 2


def test_a_model_swapped_behind_the_same_name_is_found_before_anything_is_written(fruit, swapped, documents):
    write(documents / "fruit", {"a.md": "# A\n\nChanged.\n"})
    before = Embedding.objects.count(), EmbeddingSpace.objects.count(), Snapshot.objects.count()
    with pytest.raises(ProfileChanged, match="the embedding model behind the same name"):
        reindex(fruit)

    assert (Embedding.objects.count(), EmbeddingSpace.objects.count(), Snapshot.objects.count()) == before
    assert drift_of(fruit) == () and drift_of(fruit, recognised_space(BagOfWordsEmbedding()))
    assert reindex(fruit, full=True).embeddings["computed"] == 2


def test_a_model_swapped_in_the_middle_of_a_build_is_found_at_its_end(fruit, documents, monkeypatch):
    write(documents / "fruit", {f"{n}.md": f"# {n}\n\nText {n}.\n" for n in range(40)})
    kept = Embedding.objects.count()
    real, calls = BagOfWordsEmbedding.embed_documents, []

    def turns(self, texts):
        calls.append(len(texts))
        return real(self, texts) if len(calls) < 3 else -real(self, texts)

    monkeypatch.setattr(BagOfWordsEmbedding, "embed_documents", turns)
    with pytest.raises(Exception, match="another model"):
        reindex(fruit)

    assert Embedding.objects.count() == kept
    monkeypatch.setattr(BagOfWordsEmbedding, "embed_documents", real)
    assert reindex(fruit).embeddings["computed"] == 40


def test_a_library_without_a_snapshot_has_no_drift(make_library):
    library = make_library("new", FILES)
    assert drift_of(library) == () and library.drift() == ()


def test_the_page_the_list_and_the_command_show_it(fruit, settings, capsys, admin_client):
    settings.EMBEDDING_QUERY_PREFIX = "query: "
    call_command("snapshots", "fruit")
    assert "the query prefix" in (said := capsys.readouterr().out) and "reindex --full fruit" in said
    call_command("snapshots", "fruit", "--json")
    assert json.loads(capsys.readouterr().out)[0]["drift"] == [
        {"setting": "the query prefix", "built": "", "now": "query: "}
    ]
    for address in ("/admin/knowledge/library/", f"/admin/knowledge/library/{fruit.pk}/change/", "/libraries/fruit/"):
        assert "the query prefix" in admin_client.get(address).content.decode(), address


def test_going_back_to_the_vectors_of_another_model_is_said(fruit, settings, monkeypatch, capsys, admin_client):
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = {**settings.STORAGES, "staticfiles": plain}
    with monkeypatch.context() as before:
        before.setattr(BagOfWordsEmbedding, "model", "older")
        reindex(fruit, force=True, full=True)
    reindex(fruit, full=True)

    call_command("rollback", "fruit")
    said = "its vectors were made by older (384), not by the model that answers: it is searched by words only"
    assert said in capsys.readouterr().out and search(None, "apples").degraded == ("embedding",)
    assert "the embedding model" in str(printed(capsys, "snapshots", "fruit")[1]["drift"])
    assert printed(capsys, "activate", "fruit", "3")["degraded"] == []
    page = admin_client.post("/libraries/fruit/review/", {"do": "rollback", "snapshot": 2}, follow=True)
    assert said in page.content.decode()
    assert admin_client.post("/api/v1/libraries/fruit/activate/", {"snapshot": 3}).json()["degraded"] == []
    assert admin_client.post("/api/v1/libraries/fruit/rollback/").json()["degraded"] == ["embedding"]


def test_the_command_and_the_job_say_what_to_do(fruit, settings):
    settings.EMBEDDING_DOCUMENT_PREFIX = "passage: "
    with pytest.raises(CommandError, match=r"manage\.py reindex --full fruit"):
        call_command("reindex", "fruit")
    assert "reindex --full fruit" in Job.objects.first().message
    call_command("reindex", "--full", "fruit")
    assert not drift_of(Library.objects.get())
