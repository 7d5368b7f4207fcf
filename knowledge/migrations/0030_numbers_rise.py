"""A snapshot's number is never another's, whatever was pruned: the audit names it. Postgres keeps the highest there was."""

from django.db import migrations, models

UNSAID = "'id', 'slug', 'location', 'active_snapshot_id', 'created_at'"
SETTINGS_HISTORY = """
    DROP TRIGGER settings_history ON knowledge_library;
    CREATE TRIGGER settings_history AFTER UPDATE ON knowledge_library
        FOR EACH ROW EXECUTE FUNCTION muniment_settings_history({unsaid});
"""
GUARDS = """
    CREATE FUNCTION muniment_numbers_rise() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        NEW.last_number := GREATEST(OLD.last_number, NEW.last_number);
        RETURN NEW;
    END $$;
    -- Whoever saves a whole library writes what it was when they read it.
    CREATE TRIGGER numbers_rise BEFORE UPDATE OF last_number ON knowledge_library
        FOR EACH ROW EXECUTE FUNCTION muniment_numbers_rise();
    CREATE FUNCTION muniment_numbered() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        UPDATE knowledge_library SET last_number = NEW.number WHERE id = NEW.library_id AND last_number < NEW.number;
        RETURN NULL;
    END $$;
    CREATE TRIGGER numbered AFTER INSERT ON knowledge_snapshot FOR EACH ROW EXECUTE FUNCTION muniment_numbered();
"""
NUMBERED = """
    UPDATE knowledge_library library SET last_number = GREATEST(
        0,
        (SELECT max(number) FROM knowledge_snapshot WHERE library_id = library.id),
        (SELECT max(number) FROM knowledge_activation WHERE library_id = library.id),
        (SELECT max(event.snapshot) FROM knowledge_auditevent event WHERE event.library = library.slug)
    );
"""
UNDO = """
    DROP TRIGGER numbered ON knowledge_snapshot; DROP TRIGGER numbers_rise ON knowledge_library;
    DROP FUNCTION muniment_numbered, muniment_numbers_rise;
"""


class Migration(migrations.Migration):
    dependencies = [("knowledge", "0029_inviter_gone")]

    operations = [
        migrations.AddField(
            "library",
            "last_number",
            models.PositiveIntegerField(
                db_default=0,
                default=0,
                editable=False,
                help_text="The highest that a snapshot ever had. Postgres keeps it.",
            ),
        ),
        migrations.RunSQL(
            SETTINGS_HISTORY.format(unsaid=f"{UNSAID}, 'last_number'"), SETTINGS_HISTORY.format(unsaid=UNSAID)
        ),
        migrations.RunSQL(GUARDS + NUMBERED, UNDO),
    ]
