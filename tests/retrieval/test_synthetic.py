"""The libraries that benchmarks make are ones that the product can search, so that a change of its rows is noticed."""

from benchmarks.synthetic import extend_library, make_library, read_material, remove_library
from ingestion.lexical import index_lexemes
from ingestion.progress import Progress
from knowledge.governance.activation import activate
from knowledge.models import Job, Library, Snapshot
from retrieval.results import SearchOptions
from retrieval.search import search

TEXT = "# The {0}\n\nEvery {0} is lent for a week. A broken {0} is brought to the workshop.\n"


def completed(snapshot: Snapshot) -> None:
    index_lexemes(snapshot, Progress(Job(library=snapshot.library), beats=False))
    snapshot.seal()
    activate(snapshot.library, snapshot)


def test_a_synthetic_library_is_searched_grows_and_goes(indexed):
    indexed("real", {f"{word}.md": TEXT.format(word) for word in ("ladder", "pump", "tandem")})
    material = read_material(["real"])
    first = make_library("load-60", 60, material)
    completed(first)
    completed(extend_library(first, 20, material))

    library = Library.objects.get(slug="load-60")
    assert library.active_snapshot.chunk_count == 80
    for mode in ("lexical", "vector"):
        hits = search(None, "broken pump", SearchOptions(libraries=("load-60",), mode=mode)).hits
        assert hits and "pump" in hits[0].text
    remove_library("load-60")
    assert not Library.objects.filter(slug="load-60").exists()
