"""The libraries that benchmarks make are ones that the product can search, so that a change of its rows is noticed."""

from collections.abc import Iterator
from typing import Any

from django.contrib.auth.models import User
from django.db.models import CASCADE, Field, ForeignKey, Model
from django.utils import timezone

from benchmarks.synthetic import extend_library, make_library, read_material, remove_library
from ingestion.lexical import index_lexemes
from ingestion.progress import Progress
from knowledge.governance.activation import activate
from knowledge.models import Chunk, Embedding, Job, Library, SettingChange, Snapshot
from retrieval.results import SearchOptions
from retrieval.search import search

TEXT = "# The {0}\n\nEvery {0} is lent for a week. A broken {0} is brought to the workshop.\n"
LONG = "# The {0}\n\n" + "Every {0} is lent for a week. A broken {0} is brought to the workshop. " * 8 + "\n"


def completed(snapshot: Snapshot) -> None:
    index_lexemes(snapshot, Progress(Job(library=snapshot.library), beats=False))
    snapshot.seal()
    activate(snapshot.library, snapshot)


def test_a_synthetic_library_is_searched_grows_and_goes(indexed):
    words = {"ladder": LONG, "pump": LONG, "tandem": TEXT}
    indexed("real", {f"{word}.md": text.format(word) for word, text in words.items()})
    material = read_material(["real"])
    first = make_library("load-60", 60, material)
    completed(first)
    completed(extend_library(first, 20, material))

    library = Library.objects.get(slug="load-60")
    assert library.active_snapshot.chunk_count == 80
    for mode in ("lexical", "vector"):
        hits = search(None, "broken pump", SearchOptions(libraries=("load-60",), mode=mode)).hits
        assert hits and "pump" in hits[0].text
    made = Chunk.objects.in_snapshots([library.active_snapshot_id]).values_list("content_hash", flat=True)
    parts = Embedding.objects.filter(content_hash__in=list(made)).values_list("parts", flat=True)
    assert 20 < sum(bool(each) for each in parts) < len(parts) == 80  # two of three are in parts
    remove_library("load-60")
    assert not Library.objects.filter(slug="load-60").exists()


PROGRAM = "import os\n\n\ndef tide(day):\n    return os.path.join(day)\n"
SAYS = {"cron": "0 0 * * *", "sha256": "0" * 64}
OF_TYPES: dict[str, Any] = {"JSONField": [{}], "ArrayField": [], "BinaryField": b"x", "BooleanField": True}


def referring(model: type[Model] = Library) -> Iterator[type[Model]]:
    """Every model whose rows cannot be there without a row of this one, those first that others refer to."""
    for field in model._meta.get_fields(include_hidden=True):
        if (field.one_to_many or (field.one_to_one and field.auto_created)) and field.on_delete is CASCADE:
            yield field.related_model
            yield from referring(field.related_model)


def value_of(field: Field, user: User) -> Any:
    if isinstance(field, ForeignKey):
        return user if field.related_model is User else field.related_model.objects.last()
    if field.choices:
        return field.choices[0][0]
    if field.name in SAYS:
        return SAYS[field.name]
    if "Date" in field.get_internal_type():
        return timezone.now()
    number = 1 if "Integer" in field.get_internal_type() or "Float" in field.get_internal_type() else "x"
    return OF_TYPES.get(field.get_internal_type(), number)


def filled(model: type[Model], user: User) -> None:
    wanted = [field for field in model._meta.concrete_fields if not field.primary_key or isinstance(field, ForeignKey)]
    model.objects.create(**{field.name: value_of(field, user) for field in wanted})


def test_a_library_with_rows_of_every_kind_goes(indexed, reader):
    kinds = list(dict.fromkeys(referring()))
    twin = "# Twin\n\n" + " ".join(f"word{number} of the tide." for number in range(200))
    indexed("whole", {"a.md": twin, "b.md": twin + " And more.", "tide.py": PROGRAM}, summaries=True)
    for kind in kinds:
        if not kind.objects.exists():
            filled(kind, reader)
    assert len(kinds) > 25 and [kind for kind in (*kinds, Embedding) if not kind.objects.exists()] == []
    remove_library("whole")

    assert [kind for kind in (Library, *kinds, Embedding) if kind.objects.exists()] == []
    assert SettingChange not in kinds  # it outlives its library
