"""Near twins: found once, reported in every snapshot that holds both, never hidden."""

import json
import random

import pytest
from django.core.management import call_command
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from ingestion.twins import similarity
from knowledge.models import DocumentFile, NearTwin
from retrieval.search import search
from tests.conftest import reindex, write

WORDS = [
    "tide",
    "moon",
    "harbour",
    "lever",
    "brake",
    "chain",
    "loan",
    "book",
    "desk",
    "lamp",
    "river",
    "stone",
    "cloud",
    "engine",
    "paper",
    "signal",
]


def prose(seed: int, words: int = 300) -> str:
    chosen = random.Random(seed)
    return " ".join(chosen.choice(WORDS) + str(chosen.randrange(50)) for _ in range(words))


FILES = {
    "a.md": f"# A\n\n{prose(1)}\n",
    "b.md": f"# A\n\n{prose(1)} and a word more\n",
    "c.md": f"# C\n\n{prose(2)}\n",
    "d.md": f"# C\n\n{prose(2)}\n",
    "e.md": f"# E\n\n{prose(3)}\n",
}


def found() -> list[tuple[str, str, str]]:
    return [
        (pair.one.document_file.path, pair.other.document_file.path, pair.kind)
        for pair in NearTwin.objects.select_related("one__document_file", "other__document_file").order_by("pk")
    ]


def test_copies_and_near_copies_are_found_and_nothing_else(indexed):
    indexed("notes", FILES)
    assert sorted(found()) == [("a.md", "b.md", "text"), ("c.md", "d.md", "copy")]


def test_the_same_outline_with_much_the_same_words_is_a_twin(indexed):
    def handbook(name: str, seed: int) -> str:
        shuffled = sorted(prose(5).split(), key=lambda word: random.Random(f"{word}{seed}").random())
        parts = [" ".join(shuffled[start : start + 20]) for start in range(0, 300, 20)]
        return f"# {name}\n\n" + "".join(f"## Part {n} of it\n\n{part}\n\n" for n, part in enumerate(parts))

    files = {"one.md": handbook("Health", 1), "two.md": handbook("Standard", 2)}
    other = files["one.md"].split("\n\n")
    unlike = "\n\n".join(part if part.startswith("#") else prose(n, 20) for n, part in enumerate(other))
    indexed("plans", files | {"three.md": unlike})
    assert found() == [("one.md", "two.md", "outline")]


def test_a_build_compares_only_what_is_new(make_library, documents):
    library = make_library("notes", FILES)
    assert reindex(library).seconds["twins"] >= 0 and len(found()) == 2
    write(documents / "notes", {"f.md": FILES["e.md"].replace("# E", "# F")})
    reindex(library)

    assert sorted(found())[-1] == ("e.md", "f.md", "text") and len(found()) == 3


def test_a_copy_takes_the_place_of_the_first_that_is_gone(make_library, documents):
    library = make_library("notes", {name: FILES[name] for name in ("a.md", "b.md")})
    reindex(library)
    write(documents / "notes", {"a copy.md": FILES["a.md"], "another.md": FILES["a.md"]})
    reindex(library)
    (documents / "notes" / "a.md").unlink()
    reindex(library)
    library.refresh_from_db()
    pairs = NearTwin.objects.in_snapshot(library.active_snapshot_id)
    paths = {frozenset({pair.one.document_file.path, pair.other.document_file.path}): pair.kind for pair in pairs}

    assert paths == {frozenset({"a copy.md", "b.md"}): "text", frozenset({"a copy.md", "another.md"}): "copy"}


def test_they_are_reported_while_both_are_there_and_still_searched(indexed, capsys):
    library = indexed("notes", FILES)

    def listed() -> dict[str, list[str]]:
        capsys.readouterr()
        call_command("list_documents", "--twins", "--json")
        rows = json.loads(capsys.readouterr().out)
        return {row["path"]: [twin["path"] for twin in row["near_twins"]] for row in rows}

    assert listed() == {"a.md": ["b.md"], "b.md": ["a.md"], "c.md": ["d.md"], "d.md": ["c.md"]}
    assert {hit.source_file for hit in search(None, prose(1, 5)).hits} >= {"a.md", "b.md"}
    DocumentFile.objects.filter(library=library, path__in=["b.md", "c.md"]).update(withdrawn_at=timezone.now())
    assert listed() == {}


def test_many_empty_files_and_many_copies_are_no_explosion(indexed):
    many = {f"pkg{n}/__init__.py": "" for n in range(60)} | {f"copy{n:02}.md": FILES["a.md"] for n in range(60)}
    indexed("many", many)
    assert len(found()) == 59 and all(one == "copy00.md" for one, _, _ in found())


def test_a_few_copies_are_named_with_the_first_of_them_alone(indexed):
    indexed("few", {f"copy{n}.md": FILES["a.md"] for n in range(4)})
    assert [(one, other) for one, other, _ in found()] == [("copy0.md", f"copy{n}.md") for n in (1, 2, 3)]


@given(st.sets(st.text(min_size=1), min_size=1, max_size=50))
def test_equal_sets_have_equal_signatures(items):
    first = similarity.signature(similarity.hashed(items))
    assert (
        first == similarity.signature(similarity.hashed(sorted(items, reverse=True)))
    ).all() and first.dtype == "uint32"


@pytest.mark.parametrize("shared", [0.5, 0.8, 0.95])
def test_signatures_agree_as_often_as_the_sets_do(shared):
    size = 2_000
    one, other = (
        similarity.hashed(str(n) for n in range(start, start + size))
        for start in (0, round(size * (1 - shared) / (1 + shared)))
    )
    agreement = (similarity.signature(one) == similarity.signature(other)).mean()
    assert abs(agreement - similarity.jaccard(one, other)) < 0.15
