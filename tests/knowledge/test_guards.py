"""What Postgres itself refuses, whatever the code does."""

import pytest
from django.contrib.auth.models import AnonymousUser, Group, User
from django.core.exceptions import ValidationError
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from knowledge.governance.activation import activate, rollback
from knowledge.models import Chunk, DocumentFile, Embedding, FileVersion, Library, NotActivatable, Section, SnapshotFile
from tests.conftest import reindex, write

FILES = {"a.md": "# A\n\nText of a.\n", "b.md": "# B\n\nText of b.\n"}


@pytest.mark.parametrize("model", [FileVersion, Section, Chunk, Embedding, SnapshotFile])
def test_what_was_built_is_never_updated(indexed, model):
    indexed("handbook", FILES)
    field = {FileVersion: "title", Section: "title", Chunk: "text", Embedding: "vector", SnapshotFile: "identity"}[
        model
    ]
    value = [0.0] * 384 if model is Embedding else "changed"
    with pytest.raises(IntegrityError, match="written once"), transaction.atomic():
        model.objects.update(**{field: value})


def test_a_sealed_snapshot_takes_no_more_files(indexed):
    library = indexed("handbook", FILES)
    document = DocumentFile.objects.create(library=library, path="c.md")
    version = FileVersion.objects.first()
    with pytest.raises(IntegrityError, match="is sealed"), transaction.atomic():
        SnapshotFile.objects.create(
            snapshot=library.active_snapshot, document_file=document, file_version=version, identity="x"
        )


def test_another_librarys_snapshot_cannot_become_active(indexed):
    one, two = indexed("one", FILES), indexed("two", FILES)
    with pytest.raises(NotActivatable):
        activate(one, two.active_snapshot)
    with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("UPDATE knowledge_library SET active_snapshot_id = NULL WHERE id = %s", [two.pk])
        cursor.execute(
            "UPDATE knowledge_library SET active_snapshot_id = %s WHERE id = %s", [two.active_snapshot_id, one.pk]
        )


def test_an_unfinished_snapshot_cannot_become_active(indexed):
    library = indexed("one", FILES)
    snapshot = library.snapshots.create(
        number=9, profile=library.active_snapshot.profile, space=library.active_snapshot.space
    )
    with pytest.raises(NotActivatable):
        activate(library, snapshot)
    with pytest.raises(IntegrityError, match="not ready"), transaction.atomic():
        Library.objects.filter(pk=library.pk).update(active_snapshot=snapshot)


def test_rolling_back_moves_the_pointer_to_the_snapshot_before(indexed, documents):
    library = indexed("one", FILES)
    with pytest.raises(NotActivatable):
        rollback(library)
    write(documents / "one", {"a.md": "# New\n"})
    reindex(library)

    assert library.active_snapshot.number == 2
    assert rollback(library).number == 1
    library.refresh_from_db()
    assert library.active_snapshot.number == 1


def test_a_diff_names_what_was_added_changed_and_removed(indexed, documents):
    library = indexed("one", FILES)
    write(documents / "one", {"a.md": "# New\n", "c.md": "# C\n"})
    (documents / "one/b.md").unlink()
    reindex(library)

    first, second = library.snapshots.order_by("number")
    assert first.diff(second) == {"added": ["c.md"], "changed": ["a.md"], "removed": ["b.md"]}


def test_who_may_read_which_library(indexed, reader: User):
    group = Group.objects.create(name="staff")
    member = User.objects.create_user("member")
    member.groups.add(group)
    off = User.objects.create_user("off", is_active=False, is_superuser=True)
    for access in Library.Access.values:
        library = indexed(access, FILES, access=access)
        if access == Library.Access.GROUPS:
            library.groups.add(group)

    def readable(user):
        return set(Library.objects.readable_by(user).values_list("slug", flat=True))

    assert readable(AnonymousUser()) == readable(off) == {"public"}
    assert readable(reader) == {"public", "signed-in"}
    assert (
        readable(member)
        == readable(User.objects.create_superuser("root"))
        == readable(None)
        == set(Library.Access.values)
    )


def test_a_withdrawn_file_is_invisible_at_once(indexed):
    indexed("one", FILES)
    DocumentFile.objects.filter(path="a.md").update(withdrawn_at=timezone.now())

    assert set(Chunk.objects.visible_to(None).values_list("file_version__document_file__path", flat=True)) == {"b.md"}


def test_a_slug_is_a_slug(db):
    with pytest.raises(ValidationError):
        Library(slug="not a slug", name="x", kind="directory").full_clean()
