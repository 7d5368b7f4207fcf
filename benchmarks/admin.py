"""The admin at 100,000 document files and 1,000,000 chunks: `python benchmarks/admin.py [--files N]`.

Fills the database of DATABASE_URL with a library of that size (once), opens every list of the admin, and says how many
queries and milliseconds each took: the median of three, after one that is not counted.
"""

# ruff: noqa: E501

import argparse
import statistics
import time

import _django  # noqa: F401
from django.conf import settings
from django.contrib import admin
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext, override_settings

from knowledge.models import EmbeddingSpace, IndexProfile, Library, Snapshot

SLUG = "load-admin"
SNAPSHOTS = 5
FILL = """
    INSERT INTO knowledge_documentfile (library_id, path, withdrawn_because, tags, created_at)
        SELECT %(library)s, format('guide/%%s/page-%%s.md', n / 100, n), '', '{}', now() FROM generate_series(1, %(files)s) n;
    INSERT INTO knowledge_fileversion (document_file_id, sha256, structure, media_type, title, size, text, line_count,
            section_count, chunk_count, natural_language, digest, warnings, created_at)
        SELECT id, encode(sha256(path::bytea), 'hex'), 'x', 'text/markdown', path, 1000, repeat(path || E'\\n', 20), 20, 1,
               %(chunks)s, 'en', 'x', '[]', now() - id * interval '1 second'
        FROM knowledge_documentfile WHERE library_id = %(library)s;
    INSERT INTO knowledge_section (file_version_id, ordinal, level, title, breadcrumb, anchor, aliases, line_start, line_end)
        SELECT version.id, 0, 1, title, ARRAY[title], 'top', '{}', 1, 20 FROM knowledge_fileversion version
        JOIN knowledge_documentfile document ON document.id = document_file_id WHERE library_id = %(library)s;
    INSERT INTO knowledge_chunk (file_version_id, section_id, ordinal, kind, language, text, context, char_start, char_end,
            line_start, line_end, tokens, content_hash)
        SELECT section.file_version_id, section.id, n, 'prose', '', section.title || n, '', n * 10, n * 10 + 5, n + 1, n + 1, 5,
               sha256((section.title || n)::bytea)
        FROM knowledge_section section JOIN knowledge_fileversion version ON version.id = section.file_version_id
        JOIN knowledge_documentfile document ON document.id = document_file_id
        CROSS JOIN generate_series(0, %(chunks)s - 1) n WHERE library_id = %(library)s;
    INSERT INTO knowledge_snapshotfile (snapshot_id, document_file_id, file_version_id, identity)
        SELECT snapshot.id, document.id, version.id, 'x' FROM knowledge_snapshot snapshot
        JOIN knowledge_documentfile document ON document.library_id = snapshot.library_id
        JOIN knowledge_fileversion version ON version.document_file_id = document.id WHERE snapshot.library_id = %(library)s;
"""


@transaction.atomic
def fill(files: int, chunks: int) -> None:
    library = Library.objects.create(slug=SLUG, name=SLUG, kind="directory", location="/nowhere")
    profile = IndexProfile.objects.for_settings({"language": "english", "load": "admin"})
    space = EmbeddingSpace.objects.first() or EmbeddingSpace.objects.create(
        model="none", dimension=1, max_tokens=1, canaries=[[1.0]], query_prefix="", document_prefix=""
    )
    digest = "0" * 64
    with connection.cursor() as cursor:
        for number in range(1, SNAPSHOTS + 1):
            Snapshot.objects.filter(library=library).update(state="failed")
            Snapshot.objects.create(library=library, number=number, profile=profile, space=space)
        cursor.execute(FILL, {"library": library.pk, "files": files, "chunks": chunks})
        cursor.execute(
            "UPDATE knowledge_snapshot SET state = 'ready', manifest_hash = %s, sealed_at = now(), chunk_count = %s, "
            "document_count = %s WHERE library_id = %s",
            [digest, files * chunks, files, library.pk],
        )
    library.active_snapshot = library.snapshots.latest("number")
    library.save()


def measure() -> int:
    root = User.objects.filter(is_superuser=True).first() or User.objects.create_superuser("load-root")
    client = Client()
    client.force_login(root)
    slow = 0
    for model, kept in sorted(admin.site._registry.items(), key=lambda entry: entry[0]._meta.label):
        address = f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
        asked = {"plain": {}} | ({"searched": {"q": "page-7"}} if kept.search_fields else {})
        for name, query in asked.items():
            times, count = [], 0
            for _ in range(4):
                with CaptureQueriesContext(connection) as captured:
                    started = time.perf_counter()
                    status = client.get(address, query).status_code
                    times.append((time.perf_counter() - started) * 1000)
                count = len(captured)
            took = statistics.median(times[1:])
            slow += took > 300 or count > 15 or status != 200
            print(f"{model._meta.label:32} {name:9} {status} {count:3} queries {took:8.1f} ms")
    return slow


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=100_000)
    parser.add_argument("--chunks-of-file", type=int, default=10)
    options = parser.parse_args()
    if not Library.objects.filter(slug=SLUG).exists():
        fill(options.files, options.chunks_of_file)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    with override_settings(ALLOWED_HOSTS=["*"], STORAGES={**settings.STORAGES, "staticfiles": plain}):
        raise SystemExit(1 if measure() else 0)


if __name__ == "__main__":
    main()
