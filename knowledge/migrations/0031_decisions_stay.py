"""A decision goes with its snapshot or its document file, and never alone: an earlier one would hold again."""

from django.db import migrations

# Deferred: what cascades takes decisions away first, and what they were about in the same transaction.
GUARD = """
    CREATE FUNCTION muniment_decision_stays() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF EXISTS (SELECT FROM knowledge_snapshot WHERE id = OLD.snapshot_id)
            AND EXISTS (SELECT FROM knowledge_documentfile WHERE id = OLD.document_file_id) THEN
            RAISE EXCEPTION 'a decision stays: a later one replaces it' USING ERRCODE = 'integrity_constraint_violation';
        END IF;
        RETURN NULL;
    END $$;
    CREATE CONSTRAINT TRIGGER stays AFTER DELETE ON knowledge_decision DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION muniment_decision_stays();
"""
UNDO = "DROP TRIGGER stays ON knowledge_decision; DROP FUNCTION muniment_decision_stays;"


class Migration(migrations.Migration):
    dependencies = [("knowledge", "0030_numbers_rise")]

    operations = [migrations.RunSQL(GUARD, UNDO)]
