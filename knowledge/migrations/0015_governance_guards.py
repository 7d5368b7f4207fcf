"""Four eyes, the audit and the history of access, held by Postgres itself: by no form, shell or statement passed by.

What is refused is refused to superusers of the application, too. Whoever may switch triggers off (the owner of the
tables, by name) is found out afterwards by `verify`.
"""

from django.db import migrations

ROLES = ("reader", "editor", "reviewer", "librarian", "administrator")

# Columns whose values over time are kept. Of files only changes, since a new one is as every new one is.
REMEMBERED = {
    "auth_user": ("username", "is_active", "is_staff", "is_superuser"),
    "auth_group": ("name",),
    "auth_user_groups": ("user_id", "group_id"),
    "knowledge_library_groups": ("library_id", "group_id"),
    "knowledge_membership": ("library_id", "user_id", "role"),
    "knowledge_library": (
        "slug", "access", "requires_review", "active_snapshot_id", "language", "include", "exclude", "query_log",
        "gate_minimum", "gate_may_fall", "trash_days",
    ),
}  # fmt: skip
OF_FILES = ("library_id", "path", "withdrawn_at", "withdrawn_because", "trashed_at", "owner_id", "review_by", "tags")

APPEND_ONLY = """
    CREATE FUNCTION muniment_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        RAISE EXCEPTION '% is only ever added to', TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
    END $$;
    CREATE FUNCTION muniment_by_trigger_only() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF pg_trigger_depth() < 2 THEN
            RAISE EXCEPTION '% is written by Postgres alone', TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
        END IF;
        RETURN COALESCE(NEW, OLD);
    END $$;
"""

AUDIT = """
    CREATE FUNCTION muniment_audit_follows() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE head knowledge_audithead;
    BEGIN
        SELECT * INTO head FROM knowledge_audithead FOR UPDATE;
        IF NEW.number <> COALESCE(head.number, 0) + 1 OR NEW.previous <> COALESCE(head.hash, repeat('0', 64)) THEN
            RAISE EXCEPTION 'event % does not follow the last one', NEW.number USING ERRCODE = 'integrity_constraint_violation';
        END IF;
        INSERT INTO knowledge_audithead (sole, number, hash) VALUES (true, NEW.number, NEW.hash)
            ON CONFLICT (sole) DO UPDATE SET number = EXCLUDED.number, hash = EXCLUDED.hash;
        RETURN NEW;
    END $$;
    CREATE TRIGGER audit_follows BEFORE INSERT ON knowledge_auditevent
        FOR EACH ROW EXECUTE FUNCTION muniment_audit_follows();
    CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON knowledge_auditevent
        FOR EACH ROW EXECUTE FUNCTION muniment_append_only();
    CREATE TRIGGER never_emptied BEFORE TRUNCATE ON knowledge_auditevent EXECUTE FUNCTION muniment_append_only();
    CREATE TRIGGER by_trigger_only BEFORE INSERT OR UPDATE OR DELETE ON knowledge_audithead
        FOR EACH ROW EXECUTE FUNCTION muniment_by_trigger_only();
    CREATE TRIGGER never_emptied BEFORE TRUNCATE ON knowledge_audithead EXECUTE FUNCTION muniment_append_only();
"""

HISTORY = """
    CREATE TRIGGER by_trigger_only BEFORE INSERT ON knowledge_rowstate
        FOR EACH ROW EXECUTE FUNCTION muniment_by_trigger_only();
    CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON knowledge_rowstate
        FOR EACH ROW EXECUTE FUNCTION muniment_append_only();
    CREATE TRIGGER never_emptied BEFORE TRUNCATE ON knowledge_rowstate EXECUTE FUNCTION muniment_append_only();
    CREATE FUNCTION muniment_remember() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE before jsonb; after jsonb;
    BEGIN
        IF TG_OP <> 'INSERT' THEN
            SELECT jsonb_object_agg(key, value) INTO before FROM jsonb_each(to_jsonb(OLD)) WHERE key = ANY(TG_ARGV);
        END IF;
        IF TG_OP <> 'DELETE' THEN
            SELECT jsonb_object_agg(key, value) INTO after FROM jsonb_each(to_jsonb(NEW)) WHERE key = ANY(TG_ARGV);
        END IF;
        IF before IS DISTINCT FROM after THEN
            INSERT INTO knowledge_rowstate (relation, key, at, state)
            VALUES (TG_TABLE_NAME, COALESCE(NEW.id, OLD.id), clock_timestamp(), after);
        END IF;
        RETURN NULL;
    END $$;
"""
BASELINE = """
    INSERT INTO knowledge_rowstate (relation, key, at, state)
    SELECT '{table}', id, now(), (SELECT jsonb_object_agg(key, value) FROM jsonb_each(to_jsonb(row)) WHERE key IN ({names}))
    FROM {table} row;
"""
REMEMBER = """
    CREATE TRIGGER remember AFTER {when} ON {table} FOR EACH ROW EXECUTE FUNCTION muniment_remember({names});
"""

FOUR_EYES = """
    CREATE FUNCTION muniment_four_eyes() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE candidate knowledge_snapshot;
    BEGIN
        SELECT * INTO candidate FROM knowledge_snapshot WHERE id = NEW.snapshot_id FOR SHARE;
        IF candidate.state <> 'ready' THEN
            RAISE EXCEPTION 'snapshot % is not ready to be reviewed', NEW.snapshot_id USING ERRCODE = 'integrity_constraint_violation';
        ELSIF NEW.decided_by_id = candidate.requested_by_id THEN
            RAISE EXCEPTION 'whoever asked for a snapshot does not approve it' USING ERRCODE = 'integrity_constraint_violation';
        ELSIF EXISTS (
            SELECT FROM knowledge_upload upload
            JOIN knowledge_documentfile document ON document.library_id = upload.library_id AND document.path = upload.path
            LEFT JOIN knowledge_snapshotfile member
                ON member.document_file_id = document.id AND member.snapshot_id = NEW.snapshot_id
            LEFT JOIN knowledge_fileversion version ON version.id = member.file_version_id
            WHERE document.id = NEW.document_file_id
              AND (upload.uploaded_by_id = NEW.decided_by_id AND upload.sha256 = version.sha256
                   OR upload.ended_by_id = NEW.decided_by_id AND version.id IS NULL)) THEN
            RAISE EXCEPTION 'whoever brought or removed a file does not approve it' USING ERRCODE = 'integrity_constraint_violation';
        END IF;
        RETURN NEW;
    END $$;
    CREATE TRIGGER four_eyes BEFORE INSERT ON knowledge_decision FOR EACH ROW EXECUTE FUNCTION muniment_four_eyes();
    CREATE TRIGGER written_once BEFORE UPDATE ON knowledge_decision
        FOR EACH ROW EXECUTE FUNCTION muniment_written_once();

    CREATE FUNCTION muniment_snapshot_origin() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF TG_OP = 'INSERT' THEN
            NEW.needs_review := NEW.needs_review
                OR (SELECT requires_review FROM knowledge_library WHERE id = NEW.library_id);
        ELSIF OLD.needs_review AND NOT NEW.needs_review
            OR NEW.requested_by_id IS DISTINCT FROM OLD.requested_by_id
                AND (OLD.requested_by_id IS NOT NULL OR OLD.state <> 'building')
            OR NEW.derived_from_id IS DISTINCT FROM OLD.derived_from_id AND NEW.derived_from_id IS NOT NULL
            OR NEW.state <> 'ready' AND OLD.state = 'ready' THEN
            RAISE EXCEPTION 'snapshot % stays what it was built as', OLD.id USING ERRCODE = 'integrity_constraint_violation';
        END IF;
        RETURN NEW;
    END $$;
    CREATE TRIGGER origin BEFORE INSERT OR UPDATE ON knowledge_snapshot
        FOR EACH ROW EXECUTE FUNCTION muniment_snapshot_origin();

    CREATE FUNCTION muniment_requested() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        UPDATE knowledge_snapshot SET requested_by_id = NEW.requested_by_id
        WHERE id = NEW.snapshot_id AND requested_by_id IS NULL AND state = 'building';
        RETURN NULL;
    END $$;
    CREATE TRIGGER requested AFTER INSERT OR UPDATE OF snapshot_id ON knowledge_job
        FOR EACH ROW WHEN (NEW.snapshot_id IS NOT NULL AND NEW.requested_by_id IS NOT NULL)
        EXECUTE FUNCTION muniment_requested();
"""

# What differs from the active snapshot, file by file, was approved in the candidate with this very version; or the
# snapshot was active before. The union is of what is there now and what is taken away.
ACTIVATION = """
    CREATE FUNCTION muniment_only_approved() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE next knowledge_snapshot; candidate bigint; found text;
    BEGIN
        IF NEW.active_snapshot_id IS NULL OR NEW.active_snapshot_id IS NOT DISTINCT FROM OLD.active_snapshot_id THEN
            RETURN NEW;
        END IF;
        SELECT * INTO next FROM knowledge_snapshot WHERE id = NEW.active_snapshot_id;
        IF NOT (next.needs_review OR NEW.requires_review OR OLD.requires_review)
            OR EXISTS (SELECT FROM knowledge_activation WHERE snapshot_id = next.id) THEN
            RETURN NEW;
        END IF;
        candidate := COALESCE(next.derived_from_id, next.id);
        SELECT document.path INTO found
        FROM (SELECT document_file_id, file_version_id AS version FROM knowledge_snapshotfile WHERE snapshot_id = next.id) mine
        FULL JOIN (SELECT document_file_id, file_version_id AS version FROM knowledge_snapshotfile
                   WHERE snapshot_id = OLD.active_snapshot_id) theirs USING (document_file_id)
        JOIN knowledge_documentfile document ON document.id = document_file_id
        WHERE mine.version IS DISTINCT FROM theirs.version
          AND NOT (
            COALESCE((SELECT verdict = 'approved' FROM knowledge_decision decision
                      WHERE decision.snapshot_id = candidate AND decision.document_file_id = document.id
                      ORDER BY decision.id DESC LIMIT 1), false)
            AND mine.version IS NOT DISTINCT FROM (
                SELECT file_version_id FROM knowledge_snapshotfile
                WHERE snapshot_id = candidate AND document_file_id = document.id))
        ORDER BY document.path LIMIT 1;
        IF found IS NOT NULL THEN
            RAISE EXCEPTION 'what snapshot % does to % was not approved', next.number, found
                USING ERRCODE = 'integrity_constraint_violation';
        END IF;
        RETURN NEW;
    END $$;
    CREATE TRIGGER only_approved BEFORE UPDATE OF active_snapshot_id ON knowledge_library
        FOR EACH ROW EXECUTE FUNCTION muniment_only_approved();

    CREATE FUNCTION muniment_born_inactive() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        RAISE EXCEPTION 'a new library has no active snapshot' USING ERRCODE = 'integrity_constraint_violation';
    END $$;
    CREATE TRIGGER born_inactive BEFORE INSERT ON knowledge_library
        FOR EACH ROW WHEN (NEW.active_snapshot_id IS NOT NULL) EXECUTE FUNCTION muniment_born_inactive();

    INSERT INTO knowledge_activation (library_id, snapshot_id, number, at)
        SELECT library.id, snapshot.id, snapshot.number, COALESCE(snapshot.sealed_at, now())
        FROM knowledge_library library JOIN knowledge_snapshot snapshot ON snapshot.id = library.active_snapshot_id;
    CREATE FUNCTION muniment_activated() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        INSERT INTO knowledge_activation (library_id, snapshot_id, number, at)
            SELECT NEW.id, id, number, clock_timestamp() FROM knowledge_snapshot WHERE id = NEW.active_snapshot_id;
        RETURN NULL;
    END $$;
    CREATE TRIGGER activated AFTER UPDATE OF active_snapshot_id ON knowledge_library
        FOR EACH ROW WHEN (NEW.active_snapshot_id IS DISTINCT FROM OLD.active_snapshot_id AND NEW.active_snapshot_id IS NOT NULL)
        EXECUTE FUNCTION muniment_activated();
    CREATE TRIGGER by_trigger_only BEFORE INSERT ON knowledge_activation
        FOR EACH ROW EXECUTE FUNCTION muniment_by_trigger_only();
    CREATE FUNCTION muniment_activation_stays() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF NEW.snapshot_id IS NOT NULL OR (NEW.id, NEW.library_id, NEW.number, NEW.at) <> (OLD.id, OLD.library_id, OLD.number, OLD.at) THEN
            RAISE EXCEPTION 'an activation stays as it was' USING ERRCODE = 'integrity_constraint_violation';
        END IF;
        RETURN NEW;
    END $$;
    CREATE TRIGGER stays BEFORE UPDATE ON knowledge_activation
        FOR EACH ROW EXECUTE FUNCTION muniment_activation_stays();
"""
UNDO = """
    DROP TRIGGER stays ON knowledge_activation; DROP TRIGGER by_trigger_only ON knowledge_activation;
    DROP TRIGGER activated ON knowledge_library; DROP TRIGGER born_inactive ON knowledge_library;
    DROP TRIGGER only_approved ON knowledge_library; DROP TRIGGER requested ON knowledge_job;
    DROP TRIGGER origin ON knowledge_snapshot; DROP TRIGGER written_once ON knowledge_decision;
    DROP TRIGGER four_eyes ON knowledge_decision;
    DROP TRIGGER never_emptied ON knowledge_rowstate; DROP TRIGGER append_only ON knowledge_rowstate;
    DROP TRIGGER by_trigger_only ON knowledge_rowstate; DROP TRIGGER never_emptied ON knowledge_audithead;
    DROP TRIGGER by_trigger_only ON knowledge_audithead; DROP TRIGGER never_emptied ON knowledge_auditevent;
    DROP TRIGGER append_only ON knowledge_auditevent; DROP TRIGGER audit_follows ON knowledge_auditevent;
    DROP FUNCTION muniment_activation_stays, muniment_activated, muniment_born_inactive, muniment_only_approved,
        muniment_requested, muniment_snapshot_origin, muniment_four_eyes, muniment_remember, muniment_audit_follows,
        muniment_by_trigger_only, muniment_append_only;
"""


def quoted(names):
    return ", ".join(f"'{name}'" for name in names)


def remember():
    baselines = (BASELINE.format(table=table, names=quoted(names)) for table, names in REMEMBERED.items())
    triggers = (
        REMEMBER.format(table=table, names=quoted(names), when="INSERT OR UPDATE OR DELETE")
        for table, names in REMEMBERED.items()
    )
    files = REMEMBER.format(table="knowledge_documentfile", names=quoted(OF_FILES), when="UPDATE OR DELETE")
    withdrawn = BASELINE.format(table="knowledge_documentfile", names=quoted(OF_FILES)).replace(
        "row;", "row WHERE withdrawn_at IS NOT NULL;"
    )
    return "".join([*baselines, withdrawn, HISTORY, *triggers, files])


def forget():
    return "".join(f"DROP TRIGGER remember ON {table};" for table in [*REMEMBERED, "knowledge_documentfile"])


def make_roles(apps, _):
    group = apps.get_model("auth", "Group")
    for name in ROLES:
        group.objects.get_or_create(name=name)


class Migration(migrations.Migration):
    dependencies = [("knowledge", "0014_governance"), ("auth", "0012_alter_user_first_name_max_length")]

    operations = [
        migrations.RunSQL(APPEND_ONLY + AUDIT, migrations.RunSQL.noop),
        migrations.RunSQL(remember(), migrations.RunSQL.noop),
        migrations.RunSQL(FOUR_EYES + ACTIVATION, UNDO),
        migrations.RunSQL(migrations.RunSQL.noop, forget()),
        migrations.RunPython(make_roles, migrations.RunPython.noop),
    ]
