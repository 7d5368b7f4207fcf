"""Where a file was lost on its way to the reader."""

import json

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.management import call_command
from django.utils import timezone

from knowledge.models import DocumentFile, Library
from retrieval import fusion, why_not
from retrieval.results import SearchOptions
from retrieval.search import search
from retrieval.why_not import LEFT_OUT, NO_CODE
from tests.conftest import reindex, write
from tests.ingestion.pdfs import make_pdf

FILES = {f"tide-{n}.md": f"# Tide {n}\n\nThe tide rises, number {n} {'of the moon ' * n}.\n" for n in range(1, 15)} | {
    "bread.md": "# Bread\n\nKnead the dough.\n\n# Oven\n\n## Heat\n\nBake it slowly until the tide rises.\n",
    "a #1.md": "# One\n\nThe first tide.\n",
}


@pytest.fixture
def library(indexed):
    return indexed("sea", FILES)


def why(asked, user=None, query="tide moon", **options):
    found = search(user, query, SearchOptions(why_not=asked, **options)).why_not
    assert len(found) == 1
    return found[0]


def test_a_file_that_is_shown_says_where(library):
    hit = search(None, "tide moon").hits[2]
    found = why(hit.source_file)
    assert (found.status, found.rank, found.library, found.snapshot) == ("shown", 3, "sea", 1)
    assert found.section_anchor == hit.section_anchor and "rank 3" in found.reason


def test_a_file_below_the_page_has_its_exact_ranks(library):
    everything = search(None, "tide moon", SearchOptions(top_k=200)).hits
    for hit in everything[10:]:
        found = why(hit.source_file)
        if hit.ranks["lexical"] is None or found.status == "shown":
            continue
        assert found.status in ("below", "demoted") and found.ranks["diversity"] == hit.rank
        assert (found.ranks["lexical"], found.ranks["vector"]) == (hit.ranks["lexical"], hit.ranks["vector"])


def test_a_file_no_branch_put_forward_has_the_ranks_it_would_have(library):
    lexical = {hit.source_file: hit.rank for hit in search(None, "tide", SearchOptions(mode="lexical", top_k=99)).hits}
    path = max(lexical, key=lambda path: lexical[path])
    found = why(path, query="tide", mode="lexical", depth=3, top_k=2)
    assert found.status == "too_deep" and found.ranks["lexical"] == lexical[path] > 3
    assert f"Rank {lexical[path]} by words" in found.reason and found.ranks["vector"] is None


def test_a_file_without_a_word_of_the_query_says_so(library):
    assert why("bread.md#bread", query="moon", mode="lexical").status == "no_match"


def test_a_file_that_only_diversity_put_below_says_so(indexed):
    def file(*seas: str) -> str:
        return "# All\n\n" + "\n\n".join(f"## Part\n\nThe tide, the moon and {sea}." for sea in seas)

    nearly = file("sand, salt", "wind, gull", "pier, rope")
    indexed("sea", {"all.md": file("beach", "wave", "harbour"), "other.md": nearly, "bread.md": "# Bread\n\nKnead.\n"})
    words = {"lexical_weight": 1e9}
    everything = search(None, "tide moon", SearchOptions(top_k=50, explain=True, **words)).hits
    lost = next(hit for hit in everything if hit.explain.fused_rank < hit.rank)
    found = why(f"{lost.source_file}#{lost.section_anchor}", top_k=lost.rank - 1, **words)
    assert found.status == "demoted" and (found.ranks["fused"], found.ranks["diversity"]) == (
        lost.explain.fused_rank,
        lost.rank,
    )


def test_a_page_that_its_place_in_its_section_put_below_says_so(library, documents, monkeypatch):
    monkeypatch.setattr(fusion, "LATER", 0.01)
    texts = "Of bread and dough, and how to knead it.", "The spring flood of the river."
    (documents / "sea/river.pdf").write_bytes(make_pdf([[(72, 100, 11, text)] for text in texts]))
    reindex(library)
    found = why("river.pdf", query="spring flood of the river", top_k=1)
    assert (found.status, found.ranks["fused"]) == ("demoted", 1)
    assert "; its place later in its section put it at" in found.reason and "better hits" not in found.reason


def test_where_one_branch_looked_its_ranks_are_not_called_those_of_both(library):
    lost = search(None, "tide", SearchOptions(mode="lexical", top_k=99)).hits[5].source_file
    found = why(lost, query="tide", mode="lexical", top_k=2)
    assert found.status == "below" and "rank 6 in all" in found.reason


def test_a_section_is_named_by_its_anchor(library):
    assert why("bread.md#heat", top_k=50).section_anchor == "heat"
    assert why("bread.md#nowhere").status == "no_such_section"
    assert why("a #1.md", top_k=50).status == "shown" == why("a #1.md#one", top_k=50).status


def test_a_withdrawn_file_says_so(library):
    DocumentFile.objects.filter(path="bread.md").update(withdrawn_at=timezone.now())
    assert why("bread.md").status == "withdrawn"


def test_a_file_of_another_snapshot_says_so(library, documents):
    write(documents / "sea", {"new.md": "# New\n\ntide\n"})
    (documents / "sea/bread.md").unlink()
    reindex(library)
    assert why("bread.md").status == "not_in_snapshot"
    assert why("new.md", libraries=("sea",), snapshot=1).status == "not_in_snapshot"
    assert why("new.md", top_k=50).status == "shown"


def test_what_waits_for_review_is_not_told_to_readers(library, documents, reader):
    write(documents / "sea", {"plans.md": "# Plans\n\ntide\n"})
    reindex(library, activate=False)
    found = search(reader, "tide", SearchOptions(why_not="plans.md")).why_not
    assert [one.status for one in found] == ["unknown"]
    assert why("plans.md").status == "not_in_snapshot"


def test_filters_alone_have_a_reason_too(library):
    found = search(None, "library:sea", SearchOptions(top_k=1, why_not="tide-1.md")).why_not[0]
    assert found.status == "below" and found.ranks["fused"] > 1


def test_a_path_of_hash_marks_asks_few_questions(library, django_assert_max_num_queries):
    with django_assert_max_num_queries(40):
        assert why("#" * 2000).status == "unknown"


def test_a_file_that_could_not_be_read_says_so(library, documents):
    (documents / "sea/broken.md").write_bytes(b"\0\1\2\xff")
    reindex(library)
    rejected = library.active_snapshot.rejected
    assert [row["path"] for row in rejected] == ["broken.md"] and why("broken.md").status == "rejected"


def test_a_file_that_could_be_read_before_says_that_it_could_not_be_this_time(library, documents):
    (documents / "sea/bread.md").write_bytes(b"\0\1\2\xff")
    reindex(library)
    assert (why("bread.md").status, why("bread.md").snapshot) == ("rejected", 2)
    assert why("bread.md", libraries=("sea",), snapshot=1, top_k=50).status == "shown"


def test_where_only_code_is_searched_prose_is_told_that(library, documents):
    write(documents / "sea", {"tide.py": 'def tide():\n    """The moon."""\n    return 1\n'})
    reindex(library)
    assert why("tide.py", mode="code").status == "shown"
    assert (why("bread.md", mode="code").status, why("bread.md", mode="code").reason) == ("filtered", NO_CODE)
    assert why("tide.py", query="tide file:bread.md", mode="code").reason == LEFT_OUT


def test_a_library_that_was_not_searched_is_named_to_its_readers(library, indexed):
    indexed("inn", {"inn.md": "# Inn\n\ntide\n"})
    found = why("inn.md", libraries=("sea",))
    assert (found.status, found.library) == ("filtered", "inn")


def test_the_same_path_in_two_libraries_is_two_answers(library, indexed):
    indexed("inn", {"bread.md": "# Inn\n\ntide moon tide moon\n"})
    found = search(None, "tide moon", SearchOptions(why_not="bread.md", top_k=50)).why_not
    assert [one.library for one in found] == ["sea", "inn"] and {one.status for one in found} == {"shown"}


def test_what_may_not_be_read_is_exactly_like_what_is_not_there(library, indexed, reader, documents):
    secret = indexed("secret", {"plan.md": "# Plan\n\ntide\n", "gone.md": "# G\n"}, access=Library.Access.GROUPS)
    (documents / "secret/bad.md").write_bytes(b"\0\1\2\xff")
    reindex(secret)
    DocumentFile.objects.filter(path="gone.md").update(withdrawn_at=timezone.now())
    assert why("plan.md", top_k=50).status == "shown" and why("gone.md").status == "withdrawn"
    for user in (AnonymousUser(), reader):
        missing = why("nope.md", user)
        assert missing.status == "unknown"
        for path in ("plan.md", "plan.md#plan", "plan.md#no", "gone.md", "bad.md"):
            found = why(path, user)
            assert (found.status, found.reason, found.library, found.ranks) == (
                missing.status,
                missing.reason,
                None,
                missing.ranks,
            )


def test_a_file_that_only_an_unfinished_build_holds_is_not_there_yet(library):
    DocumentFile.objects.create(library=library, path="draft.md")
    assert why("draft.md").status == "unknown"


@pytest.mark.parametrize("asked", ["#", "##", "\0", "\ud800", "x" * 5000, "#" * 3000, "../etc/passwd", "%s", " "])
def test_nothing_that_is_asked_raises(library, asked):
    for mode in ("hybrid", "lexical", "vector"):
        assert why(asked, mode=mode).status == "unknown"
    assert why(asked, query="").status == "unknown"


def test_an_empty_query_finds_nothing_of_it(library):
    assert why("bread.md", query="").status == "no_match"


def test_a_file_named_without_its_directory_is_pointed_at(library, indexed):
    indexed("inn", {"rooms/bed.md": "# Bed\n\ntide\n"}, access=Library.Access.GROUPS)
    assert why("bed.md").reason.endswith("Did you mean “rooms/bed.md”?")
    assert why("bed.md#bed").reason.endswith("Did you mean “rooms/bed.md”?")
    assert "Did you mean" not in why("bed.md", AnonymousUser()).reason + why("ed.md").reason
    DocumentFile.objects.filter(path="rooms/bed.md").update(withdrawn_at=timezone.now())
    assert "Did you mean" not in why("bed.md").reason


def test_the_command_and_the_api_answer(library, capsys, client):
    call_command("search", "tide", "--why-not", "bread.md#nowhere")
    assert "sea: bread.md#nowhere: The file has no section “#nowhere”." in capsys.readouterr().out
    call_command("search", "tide", "--why-not", "bread.md", "--json")
    assert json.loads(capsys.readouterr().out)["why_not"][0]["library"] == "sea"
    (found,) = client.get("/api/v1/search", {"q": "tide", "why_not": "nope.md"}).json()["why_not"]
    assert (found["status"], found["asked"]) == ("unknown", "nope.md")
    assert client.get("/api/v1/search", {"q": "tide"}).json()["why_not"] == []
    assert client.get("/api/v1/search", {"q": "tide", "why_not": "x" * 2001}).status_code == 400


@pytest.mark.parametrize("options", [{}, {"depth": 1, "top_k": 1}, {"mode": "lexical", "depth": 1, "top_k": 1}])
@pytest.mark.parametrize("query", ["tide moon", "the spring flood"])
def test_of_a_long_file_a_few_ranks_are_counted_and_they_are_the_best(indexed, monkeypatch, query, options):
    long = "# Long\n\n" + "\n\n".join(f"## Part {n}\n\nThe tide {n}{', the moon' * (n % 7)}." for n in range(60))
    indexed("sea", {"long.md": long, "flood.md": "# Flood\n\nThe spring flood.\n"} | FILES)
    counted, rank_of = [], why_not.rank_of
    monkeypatch.setattr(why_not, "rank_of", lambda *asked: counted.append(asked) or rank_of(*asked))
    few = why("long.md", query=query, **options)
    assert 0 < len(counted) <= 6

    monkeypatch.setattr(why_not, "foremost", lambda positions, *_: positions)
    del counted[:]
    assert why("long.md", query=query, **options) == few and len(counted) > 50
