"""The vectors of a passage's parts. They may be added to a row that has none; what it has is never updated."""

from django.db import migrations, models

# Packed vectors do not compress.
STORAGE = "ALTER TABLE knowledge_embedding ALTER COLUMN parts SET STORAGE EXTERNAL"

PARTS_ONCE = """
    DROP TRIGGER written_once ON knowledge_embedding;
    CREATE TRIGGER written_once BEFORE UPDATE ON knowledge_embedding FOR EACH ROW
        WHEN (OLD.parts IS NOT NULL OR NEW.parts IS NULL
              OR (OLD.space_id, OLD.content_hash, OLD.vector) <> (NEW.space_id, NEW.content_hash, NEW.vector))
        EXECUTE FUNCTION muniment_written_once();
"""
UNDO = """
    DROP TRIGGER written_once ON knowledge_embedding;
    CREATE TRIGGER written_once BEFORE UPDATE ON knowledge_embedding
        FOR EACH ROW EXECUTE FUNCTION muniment_written_once();
"""


class Migration(migrations.Migration):
    dependencies = [("knowledge", "0023_settings_history")]

    operations = [
        migrations.AddField("embedding", "parts", models.BinaryField(null=True)),
        migrations.RunSQL(STORAGE, migrations.RunSQL.noop),
        migrations.RunSQL(PARTS_ONCE, UNDO),
    ]
