"""What no code path may break, held by Postgres itself."""

from django.db import migrations

WRITTEN_ONCE = ("fileversion", "section", "chunk", "embedding", "lexicalsegment", "posting", "snapshotfile")

FORBID_UPDATE = """
    CREATE FUNCTION muniment_written_once() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        RAISE EXCEPTION '% is written once and never updated', TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
    END $$;
"""

# A sealed snapshot keeps its contents: no membership is added to or taken from it while it exists.
FORBID_RESEAL = """
    CREATE FUNCTION muniment_sealed() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF EXISTS (SELECT FROM knowledge_snapshot WHERE id = COALESCE(NEW.snapshot_id, OLD.snapshot_id) AND state = 'ready') THEN
            RAISE EXCEPTION 'snapshot % is sealed', COALESCE(NEW.snapshot_id, OLD.snapshot_id)
                USING ERRCODE = 'integrity_constraint_violation';
        END IF;
        RETURN COALESCE(NEW, OLD);
    END $$;
    CREATE TRIGGER sealed BEFORE INSERT ON knowledge_snapshotfile FOR EACH ROW EXECUTE FUNCTION muniment_sealed();
"""

# The active snapshot is one of the library's own, and ready.
ACTIVE_IS_OWN = """
    ALTER TABLE knowledge_snapshot ADD CONSTRAINT snapshot_of_library UNIQUE (id, library_id);
    ALTER TABLE knowledge_library ADD CONSTRAINT active_snapshot_is_own
        FOREIGN KEY (active_snapshot_id, id) REFERENCES knowledge_snapshot (id, library_id) DEFERRABLE INITIALLY DEFERRED;
    CREATE FUNCTION muniment_active_is_ready() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF NEW.active_snapshot_id IS NOT NULL AND NOT EXISTS (
            SELECT FROM knowledge_snapshot WHERE id = NEW.active_snapshot_id AND state = 'ready') THEN
            RAISE EXCEPTION 'snapshot % is not ready', NEW.active_snapshot_id USING ERRCODE = 'integrity_constraint_violation';
        END IF;
        RETURN NEW;
    END $$;
    CREATE TRIGGER active_is_ready BEFORE INSERT OR UPDATE OF active_snapshot_id ON knowledge_library
        FOR EACH ROW EXECUTE FUNCTION muniment_active_is_ready();
"""

# Packed arrays and vectors do not compress; PLAIN and EXTERNAL spare the attempt and every later detour.
STORAGE = """
    ALTER TABLE knowledge_embedding ALTER COLUMN vector SET STORAGE PLAIN;
    ALTER TABLE knowledge_posting ALTER COLUMN ordinals SET STORAGE EXTERNAL;
    ALTER TABLE knowledge_posting ALTER COLUMN body_counts SET STORAGE EXTERNAL;
    ALTER TABLE knowledge_posting ALTER COLUMN head_counts SET STORAGE EXTERNAL;
"""


def triggers(statement: str) -> str:
    return "\n".join(statement.format(table=f"knowledge_{name}") for name in WRITTEN_ONCE)


class Migration(migrations.Migration):
    dependencies = [("knowledge", "0001_initial")]

    operations = [
        migrations.RunSQL(FORBID_UPDATE, "DROP FUNCTION muniment_written_once"),
        migrations.RunSQL(
            triggers(
                "CREATE TRIGGER written_once BEFORE UPDATE ON {table} FOR EACH ROW EXECUTE FUNCTION muniment_written_once();"
            ),
            triggers("DROP TRIGGER written_once ON {table};"),
        ),
        migrations.RunSQL(
            FORBID_RESEAL, "DROP TRIGGER sealed ON knowledge_snapshotfile; DROP FUNCTION muniment_sealed"
        ),
        migrations.RunSQL(
            ACTIVE_IS_OWN,
            "DROP TRIGGER active_is_ready ON knowledge_library; DROP FUNCTION muniment_active_is_ready;"
            "ALTER TABLE knowledge_library DROP CONSTRAINT active_snapshot_is_own;"
            "ALTER TABLE knowledge_snapshot DROP CONSTRAINT snapshot_of_library",
        ),
        migrations.RunSQL(STORAGE, migrations.RunSQL.noop),
    ]
