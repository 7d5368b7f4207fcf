"""A setting that is changed by a statement or `QuerySet.update()` is in the history, too: Postgres writes what nobody did.

Whoever saves a library writes the change first, with their name, so what the newest change says already is not said again.
"""

from django.db import migrations

HISTORY = """
    CREATE FUNCTION muniment_settings_history() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        INSERT INTO knowledge_settingchange (library_id, field, before, after, actor_id, actor, at)
        SELECT NEW.id, changed.field, changed.before, changed.after, NULL, left('in the database: ' || session_user, 150),
               clock_timestamp()
        FROM (SELECT key AS field, NULLIF(was.value, 'null') AS before, NULLIF(becomes.value, 'null') AS after
              FROM jsonb_each(to_jsonb(OLD)) was JOIN jsonb_each(to_jsonb(NEW)) becomes USING (key)
              WHERE was.value <> becomes.value AND key <> ALL(TG_ARGV)) changed
        LEFT JOIN LATERAL (
            SELECT before, after FROM knowledge_settingchange newest
            WHERE newest.library_id = NEW.id AND newest.field = changed.field ORDER BY newest.id DESC LIMIT 1) said ON true
        WHERE (said.before, said.after) IS DISTINCT FROM (changed.before, changed.after)
        ORDER BY changed.field;
        RETURN NULL;
    END $$;
    -- All columns but these are settings, so that one added later is kept without another migration.
    CREATE TRIGGER settings_history AFTER UPDATE ON knowledge_library
        FOR EACH ROW EXECUTE FUNCTION muniment_settings_history(
            'id', 'slug', 'location', 'active_snapshot_id', 'created_at');
"""
UNDO = """
    DROP TRIGGER settings_history ON knowledge_library; DROP FUNCTION muniment_settings_history;
"""


class Migration(migrations.Migration):
    dependencies = [("knowledge", "0022_labels")]

    operations = [migrations.RunSQL(HISTORY, UNDO)]
