"""Setting what a library is set to, and going back: signals write the history, and the audit. Pinning snapshots."""

from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction

from knowledge import access
from knowledge.governance import audit
from knowledge.models import Library, SettingChange, Snapshot
from knowledge.models.library import Reader
from knowledge.models.tuning import SETTINGS


def change(library: Library, values: dict[str, Any], by: Reader) -> list[str]:
    """Set these settings; the names of those that are other than before. Raises NotAllowed, or ValueError."""
    access.demand(by, access.Act.MANAGE, library)
    if unknown := values.keys() - set(SETTINGS):
        raise ValueError(f"{min(unknown)} is not set here")
    changed = [name for name, value in values.items() if getattr(library, name) != value]
    refuse_erasing({name: values[name] for name in changed}, by, library)
    for name in changed:
        setattr(library, name, values[name])
    try:
        library.clean_fields(exclude={field.name for field in library._meta.fields} - set(changed))
        library.validate_constraints()
    except ValidationError as error:
        said = [f"{field}: {' '.join(messages)}" for field, messages in error.message_dict.items()]
        raise ValueError(" ".join(said).rstrip(".")) from error
    if changed:
        with transaction.atomic(), audit.acting(by):
            library.save(update_fields=changed)
    return changed


def refuse_erasing(changed: dict[str, Any], by: Reader, library: Library) -> None:
    """Raises NotAllowed where these changes would have files erased at once, by who may not erase."""
    if not changed.get("trash_days", 1) and access.Act.ERASE not in access.acts_in(by, library):
        raise access.NotAllowed("without a day in the trash, files are erased at once: only an administrator does that")


def restore(row: SettingChange, by: Reader) -> None:
    """Give a setting the value that it had before this change. Raises NotAllowed, or ValueError."""
    change(row.library, {row.field: row.before}, by)


@transaction.atomic
def pin(snapshot: Snapshot, pinned: bool) -> None:
    """Keep it whatever retention says, or no longer; an event where that is news."""
    library = Library.objects.lock(snapshot.library_id)
    if Snapshot.objects.filter(pk=snapshot.pk, pinned=not pinned).update(pinned=pinned):
        audit.record(f"snapshot.{'pin' if pinned else 'unpin'}", library=library, snapshot=snapshot)
