"""Passages embedded in parts: how a text is cut, and what is stored of it."""

import numpy as np
import pytest
from django.db import IntegrityError
from hypothesis import given
from hypothesis import strategies as st

from ingestion import embedding, rebuilding
from ingestion.chunking import embedded_parts, embedding_text
from ingestion.chunking.embedding import PART_CHARACTERS, parts_of
from ingestion.drift import drift_of
from knowledge.endpoints import EndpointError
from knowledge.endpoints.deterministic import BagOfWordsEmbedding
from knowledge.models import Chunk, Embedding, IndexProfile
from knowledge.parts import means, packed, unpacked
from tests.conftest import reindex

MODEL = BagOfWordsEmbedding()
SENTENCE = (
    "The {} is kept in the house beside the harbour, where whoever needs it may ask for it on every working day. "
)
THINGS = ("anchor", "barrel", "compass", "dinghy", "ensign", "fender", "gaff", "halyard", "inkwell", "jib", "keel")
LONG = "".join(map(SENTENCE.format, THINGS)).strip()
FILES = {"short.md": "# Short\n\nOne sentence.\n", "long.md": f"# Stores\n\n{LONG}\n"}


@given(st.text(alphabet="ab .!?。\n-*\t", max_size=3000))
def test_parts_hold_all_of_a_text_in_order(text):
    parts, place = list(parts_of(text)), 0
    for part in parts:
        found = text.index(part, place)
        assert not text[place:found].strip() and part == part.strip()
        place = found + len(part)
    assert not text[place:].strip()


@given(st.lists(st.integers(1, 600), max_size=30))
def test_parts_are_as_long_as_may_be_and_cut_no_sentence(lengths):
    text = " ".join("a" * length + "." for length in lengths)
    parts = list(parts_of(text))

    assert all(part.endswith(".") for part in parts)
    assert all(len(part) <= PART_CHARACTERS or " " not in part for part in parts)
    nexts = (len(part.split()[0]) for part in parts[1:])
    assert all(len(part) + 1 + following > PART_CHARACTERS for part, following in zip(parts, nexts, strict=False))


def test_every_part_has_its_titles_and_context():
    parts = embedded_parts(("Ship", "Stores"), LONG, "name | place")

    assert len(parts) == 3 and all(part.startswith("Ship > Stores\nname | place\nThe ") for part in parts)


@pytest.mark.parametrize("text", ["One sentence.", "a" * 2000, "First. Second.", "x"])
def test_what_is_one_part_is_embedded_as_a_whole(text):
    assert embedded_parts(("Ship",), text, "") == [embedding_text(("Ship",), text)]


def test_lists_paragraphs_and_scripts_without_spaces_are_cut():
    item = "x" * 300
    assert list(parts_of(f"- {item}\n- {item}")) == [f"- {item}", f"- {item}"]
    assert list(parts_of(f"{item}\n \n{item}")) == [item, item]
    assert list(parts_of(f"{item}。{item}。")) == [f"{item}。", f"{item}。"]


def test_a_mean_is_of_unit_length_and_of_one_part_the_part():
    generator = np.random.default_rng(3)
    parts = generator.normal(size=(6, 8)).astype(np.float32)
    parts /= np.linalg.norm(parts, axis=1, keepdims=True)
    first, alone, opposite = means(np.vstack([parts[:3], parts[3:4], parts[4:5], -parts[4:5]]), np.array([0, 3, 4]))
    total = parts[:3].sum(axis=0)

    assert first == pytest.approx(total / np.linalg.norm(total), abs=1e-6)
    assert (alone == parts[3]).all() and (opposite == parts[4]).all()
    assert (unpacked(packed(parts), 8) == parts).all() and packed(parts[:1]) == b""


def row_of(path: str) -> Embedding:
    return Embedding.objects.get(content_hash=Chunk.objects.get(file_version__document_file__path=path).content_hash)


def test_a_passage_is_stored_with_its_parts(indexed):
    indexed("handbook", FILES)
    short, long = row_of("short.md"), row_of("long.md")
    wanted = MODEL.embed_documents(embedded_parts(("Stores",), LONG))

    assert bytes(short.parts) == b"" and len(wanted) == 3
    assert (unpacked(bytes(long.parts), 384) == wanted).all()
    assert np.array(long.vector) == pytest.approx(means(wanted, np.array([0]))[0], abs=1e-6)


def test_the_endpoint_has_so_many_texts_at_once(make_library, monkeypatch):
    given_at_once = []
    embed = BagOfWordsEmbedding.embed_documents
    counted = lambda self, texts: given_at_once.append(len(texts)) or embed(self, texts)  # noqa: E731
    library = make_library("handbook", {f"{n}.md": f"# {n}\n\n{LONG}\n" for n in range(5)})
    monkeypatch.setattr(embedding, "BATCH", 4)
    monkeypatch.setattr(BagOfWordsEmbedding, "embed_documents", counted)
    report = reindex(library)

    assert report.as_json()["embeddings"]["computed"] == 5
    assert sum(given_at_once) >= 15 and max(given_at_once) <= 4


def put_anew(fields_of) -> None:
    rows = [(space, bytes(content_hash)) for space, content_hash in Embedding.objects.values_list("pk", flat=True)]
    made = [Embedding(space_id=space, content_hash=own, **fields_of(own)) for space, own in rows]
    Embedding.objects.all().delete()
    Embedding.objects.bulk_create(made)


@pytest.fixture
def from_before(indexed):
    """A library that was embedded before there were parts."""
    library = indexed("handbook", FILES)
    snapshot = library.active_snapshot
    settings = {name: value for name, value in snapshot.profile.settings.items() if name != "parts"}
    snapshot.profile = IndexProfile.objects.for_settings(settings)
    type(snapshot).objects.filter(pk=snapshot.pk).update(profile=snapshot.profile)
    chunks = Chunk.objects.select_related("section")
    wholes = {bytes(chunk.content_hash): embedding_text(chunk.section.breadcrumb, chunk.text) for chunk in chunks}
    put_anew(lambda content_hash: {"vector": MODEL.embed_query(wholes[content_hash])})
    library.refresh_from_db()
    return library


def test_an_upgrade_says_so_and_a_full_build_makes_the_parts(from_before):
    before, was = from_before.active_snapshot, row_of("long.md").vector
    assert [str(drift) for drift in drift_of(from_before)] == [
        "how passages are embedded in parts (it was none, it is 1)"
    ]
    report = reindex(from_before, full=True)

    assert from_before.active_snapshot != before and from_before.active_snapshot.profile.in_parts
    assert report.as_json()["embeddings"] == {"computed": 2, "reused": 0}
    assert len(bytes(row_of("long.md").parts)) == 3 * 4 * 384 and bytes(row_of("short.md").parts) == b""
    assert row_of("long.md").vector == was  # the older snapshot is searched as before
    assert not reindex(from_before, force=True).as_json()["embeddings"]["computed"]


def test_a_killed_upgrade_goes_on_where_it_was(from_before, monkeypatch):
    monkeypatch.setattr(embedding, "BATCH", 1)
    monkeypatch.setattr(embedding, "PROVED", 1)
    with monkeypatch.context() as patched:
        embed = embedding.embed

        def fails_then(texts, endpoint):
            if Embedding.objects.filter(parts__isnull=False).exists():
                raise EndpointError("embedding", "gone")
            return embed(texts, endpoint)

        patched.setattr(embedding, "embed", fails_then)
        with pytest.raises(EndpointError, match="1 of 2 passages"):
            reindex(from_before, full=True)

    assert reindex(from_before, full=True).as_json()["embeddings"] == {"computed": 1, "reused": 1}


def test_rebuilding_makes_parts_anew_and_takes_none_away(from_before):
    reindex(from_before, full=True)
    parts = bytes(row_of("long.md").parts)
    put_anew(lambda content_hash: {"vector": row_of("long.md").vector, "parts": b""})
    rebuilding.rebuild(from_before)
    assert bytes(row_of("long.md").parts) == parts

    type(from_before).objects.update(active_snapshot=from_before.snapshots.order_by("number").first())
    rebuilding.rebuild(from_before)
    assert bytes(row_of("long.md").parts) == parts


@pytest.mark.parametrize("change", [{"vector": MODEL.embed_query("other")}, {"parts": b""}, {"parts": None}])
def test_what_a_row_has_is_never_updated(indexed, change):
    indexed("handbook", FILES)
    with pytest.raises(IntegrityError, match="written once"):
        Embedding.objects.update(**change)
