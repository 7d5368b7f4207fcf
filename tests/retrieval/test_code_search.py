"""Search in code only; and by the vectors of a model for code, where one is configured."""

import pytest
from django.contrib.auth.models import AnonymousUser
from django.utils import timezone

from knowledge.endpoints import EndpointError
from knowledge.models import Chunk, DocumentFile, Embedding, Library
from retrieval import matrices, vector
from retrieval.code.chunks import in_its_space
from retrieval.query_vector import QueryVector
from retrieval.results import SearchOptions
from retrieval.search import search
from retrieval.view import one_read
from tests.conftest import reindex

FILES = {
    "pay.py": "def pay_fee(member):\n    return member.balance\n\n\ndef lend_book(member):\n    return member.cards\n",
    "fees.md": "# Fees\n\nHow to pay a fee: pay_fee takes the member's fee.\n\n```php\nPay::fee($member);\n```\n",
    "Desk.java": "package a;\n/** Takes a fee. */\nclass Desk {\n  void open() { }\n}\n",
}
CODE = SearchOptions(mode="code")


def paths(query: str, options: SearchOptions = CODE, user=None) -> list[str]:
    return [hit.source_file for hit in search(user, query, options).hits]


def test_only_code_is_found_and_an_identifier_comes_first(indexed):
    indexed("shop", FILES)
    hits = search(None, "pay_fee", CODE).hits
    assert (hits[0].section_title, hits[0].source_file) == ("pay_fee", "pay.py")
    assert all(hit.language in ("python", "php", "java") for hit in hits) and {hit.rank for hit in hits} >= {1, 2, 3}
    assert hits[0].text.startswith("def pay_fee") and hits[0].line_end == 2


def test_filters_and_exclusions_act_within_code(indexed):
    indexed("shop", FILES)
    assert set(paths("fee lang:php")) == {"fees.md"} and set(paths("fee file:*.java")) == {"Desk.java"}
    titles = {hit.section_title for hit in search(None, "fee -pay_fee", CODE).hits}
    assert "pay_fee" not in titles and "lend_book" in titles and paths("fee kind:prose") == []


def test_visibility_is_that_of_every_search(indexed):
    indexed("shop", FILES)
    indexed("closed", FILES, access=Library.Access.GROUPS)
    assert {hit.library for hit in search(AnonymousUser(), "fee", CODE).hits} == {"shop"}
    DocumentFile.objects.filter(path="pay.py").update(withdrawn_at=timezone.now())
    assert "pay.py" not in paths("pay_fee")


def test_a_model_for_code_gives_code_vectors_of_its_own(indexed, code_model):
    library = indexed("shop", FILES)
    snapshot = library.active_snapshot
    hits = search(None, "borrow", CODE).hits

    assert snapshot.code_space.model == "code-model" and snapshot.profile.settings["code_embedding"]["dimension"] == 32
    assert Embedding.objects.filter(space=snapshot.code_space).count() == Chunk.objects.filter(kind="code").count()
    assert hits[0].section_title == "lend_book" and hits[0].scores["vector"] > 0.9
    assert search(None, "borrow", CODE).degraded == ()
    assert search(None, "borrow", SearchOptions(mode="vector")).hits[0].scores["vector"] < 0.9


def test_a_model_for_code_that_is_swapped_meanwhile_stores_nothing(make_library, code_model, monkeypatch):
    monkeypatch.setattr("ingestion.embedding.still_of", lambda space, _: space.model != code_model.model)
    library = make_library("shop", FILES)
    with pytest.raises(EndpointError, match="another model"):
        reindex(library)

    assert not Embedding.objects.filter(space__model=code_model.model).exists() and Embedding.objects.exists()


def test_a_snapshot_without_vectors_of_code_is_searched_by_those_of_text(indexed, code_model, monkeypatch):
    monkeypatch.setattr("ingestion.pipeline.code_endpoint", lambda _: None)
    indexed("shop", FILES)
    result = search(None, "pay_fee", CODE)
    assert result.hits[0].section_title == "pay_fee" and result.degraded == ()


@pytest.mark.parametrize("kept", [matrices.KEPT_CHUNKS, 1], ids=["in memory", "in files"])
def test_prose_which_has_no_vectors_of_code_does_not_lower_the_mean(
    indexed, code_model, monkeypatch, settings, tmp_path, kept
):
    settings.HOME = tmp_path
    monkeypatch.setattr(matrices, "KEPT_CHUNKS", kept)
    pages = {f"{n}.md": f"# Page {n}\n\nAbout fees, number {n}.\n" for n in range(50)}
    indexed("alone", {"pay.py": FILES["pay.py"]})
    indexed("among", {"pay.py": FILES["pay.py"]} | pages)

    def floor(slug: str) -> float:
        matrices._matrices.clear()
        with one_read(None, (slug,)) as view:
            query = QueryVector(view.snapshots[0].code_space_id, code_model().embed_query("borrow").tolist())
            view, asked = in_its_space(view, None, query)
            found = vector.cosines(view, asked.space, asked.values, (), 10)
        assert not found.unreachable
        return found.floor

    assert floor("among") == floor("among") == pytest.approx(floor("alone"), abs=1e-6) and floor("alone") > 0.3
