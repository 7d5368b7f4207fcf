-- What readers see is ready and, where review is required, approved. Which snapshots were active is written by Postgres
-- when the pointer moves, and by nothing else.

CREATE FUNCTION muniment_born_inactive() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'a new library has no active snapshot' USING ERRCODE = 'integrity_constraint_violation';
END $$;

CREATE TRIGGER born_inactive BEFORE INSERT ON knowledge_library
    FOR EACH ROW WHEN (NEW.active_snapshot_id IS NOT NULL) EXECUTE FUNCTION muniment_born_inactive();

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

-- What differs from the active snapshot, file by file, was approved in the candidate with this very version; or the
-- snapshot was active before. The union is of what is there now and what is taken away.
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

-- Only that its snapshot was pruned is written into it.
CREATE FUNCTION muniment_activation_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.snapshot_id IS NOT NULL OR (NEW.id, NEW.library_id, NEW.number, NEW.at) <> (OLD.id, OLD.library_id, OLD.number, OLD.at) THEN
        RAISE EXCEPTION 'an activation stays as it was' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER stays BEFORE UPDATE ON knowledge_activation
    FOR EACH ROW EXECUTE FUNCTION muniment_activation_stays();
