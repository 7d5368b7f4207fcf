-- What rows said that decide about access or publication, and what a library's settings were, whoever changed them and
-- in whatever way.

-- A trigger names the columns whose values over time are kept.
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

CREATE TRIGGER remember AFTER INSERT OR UPDATE OR DELETE ON auth_user
    FOR EACH ROW EXECUTE FUNCTION muniment_remember('username', 'is_active', 'is_staff', 'is_superuser');
CREATE TRIGGER remember AFTER INSERT OR UPDATE OR DELETE ON auth_group
    FOR EACH ROW EXECUTE FUNCTION muniment_remember('name');
CREATE TRIGGER remember AFTER INSERT OR UPDATE OR DELETE ON auth_user_groups
    FOR EACH ROW EXECUTE FUNCTION muniment_remember('user_id', 'group_id');
CREATE TRIGGER remember AFTER INSERT OR UPDATE OR DELETE ON knowledge_library_groups
    FOR EACH ROW EXECUTE FUNCTION muniment_remember('library_id', 'group_id');
CREATE TRIGGER remember AFTER INSERT OR UPDATE OR DELETE ON knowledge_membership
    FOR EACH ROW EXECUTE FUNCTION muniment_remember('library_id', 'user_id', 'role');
CREATE TRIGGER remember AFTER INSERT OR UPDATE OR DELETE ON knowledge_library
    FOR EACH ROW EXECUTE FUNCTION muniment_remember(
        'slug', 'access', 'requires_review', 'active_snapshot_id', 'language', 'include', 'exclude', 'query_log',
        'gate_minimum', 'gate_may_fall', 'trash_days');
-- Of files only changes, since a new one is as every new one is.
CREATE TRIGGER remember AFTER UPDATE OR DELETE ON knowledge_documentfile
    FOR EACH ROW EXECUTE FUNCTION muniment_remember(
        'library_id', 'path', 'withdrawn_at', 'withdrawn_because', 'trashed_at', 'owner_id', 'review_by', 'tags');

CREATE TRIGGER by_trigger_only BEFORE INSERT ON knowledge_rowstate
    FOR EACH ROW EXECUTE FUNCTION muniment_by_trigger_only();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON knowledge_rowstate
    FOR EACH ROW EXECUTE FUNCTION muniment_append_only();
CREATE TRIGGER never_emptied BEFORE TRUNCATE ON knowledge_rowstate EXECUTE FUNCTION muniment_append_only();

-- A setting that is changed by a statement or `QuerySet.update()` is in the history, too: Postgres writes what nobody did.
-- Whoever saves a library writes the change first, with their name, so what the newest change says already is not said again.
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
        'id', 'slug', 'location', 'active_snapshot_id', 'created_at', 'last_number');

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON knowledge_settingchange
    FOR EACH ROW EXECUTE FUNCTION muniment_append_only();
CREATE TRIGGER never_emptied BEFORE TRUNCATE ON knowledge_settingchange EXECUTE FUNCTION muniment_append_only();
