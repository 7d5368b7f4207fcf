"""A visitor's conversations say whose they are: a list of them in the session was lost when two tabs wrote it."""

import secrets

from django.contrib.sessions.backends.db import SessionStore
from django.db import migrations, models
from django.utils import timezone


def unexpired(apps):
    return apps.get_model("sessions", "Session").objects.filter(expire_date__gt=timezone.now()).iterator()


def name_visitors(apps, schema_editor):
    """For the sessions that hold such a list."""
    store = SessionStore()
    for session in unexpired(apps):
        data = store.decode(session.session_data)
        if mine := data.pop("conversations", []):
            data["visitor"] = secrets.token_urlsafe()
            unowned = apps.get_model("knowledge", "Conversation").objects.filter(owner__isnull=True, pk__in=mine)
            unowned.update(visitor=data["visitor"])
            session.session_data = store.encode(data)
            session.save(update_fields=["session_data"])


def list_conversations(apps, schema_editor):
    """Back: the sessions of visitors hold the list again, the newest first."""
    store, conversations = SessionStore(), apps.get_model("knowledge", "Conversation").objects
    for session in unexpired(apps):
        data = store.decode(session.session_data)
        if visitor := data.pop("visitor", ""):
            theirs = conversations.filter(owner__isnull=True, visitor=visitor).order_by("-pk")
            data["conversations"] = list(theirs.values_list("pk", flat=True))
            session.session_data = store.encode(data)
            session.save(update_fields=["session_data"])


class Migration(migrations.Migration):
    dependencies = [("knowledge", "0026_governance_mended"), ("sessions", "0001_initial")]

    operations = [
        migrations.AddField(
            "conversation",
            "visitor",
            models.CharField(blank=True, db_index=True, help_text="Whose, as their session knows.", max_length=43),
        ),
        migrations.RunPython(name_visitors, list_conversations),
    ]
