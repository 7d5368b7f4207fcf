-- A snapshot stays what it was built as, and its number is never another's.

-- A sealed one keeps its contents: no membership is added to it.
CREATE FUNCTION muniment_sealed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM knowledge_snapshot WHERE id = COALESCE(NEW.snapshot_id, OLD.snapshot_id) AND state = 'ready') THEN
        RAISE EXCEPTION 'snapshot % is sealed', COALESCE(NEW.snapshot_id, OLD.snapshot_id)
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN COALESCE(NEW, OLD);
END $$;

CREATE TRIGGER sealed BEFORE INSERT ON knowledge_snapshotfile FOR EACH ROW EXECUTE FUNCTION muniment_sealed();

-- Whether it needs review is written into it when it is begun: switching review off publishes nothing that was built under it.
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

-- Who asked for it is who asked for the job.
CREATE FUNCTION muniment_requested() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE knowledge_snapshot SET requested_by_id = NEW.requested_by_id
    WHERE id = NEW.snapshot_id AND requested_by_id IS NULL AND state = 'building';
    RETURN NULL;
END $$;

CREATE TRIGGER requested AFTER INSERT OR UPDATE OF snapshot_id ON knowledge_job
    FOR EACH ROW WHEN (NEW.snapshot_id IS NOT NULL AND NEW.requested_by_id IS NOT NULL)
    EXECUTE FUNCTION muniment_requested();

-- The audit names snapshots by their numbers, so the highest there ever was is kept, whatever is pruned.
CREATE FUNCTION muniment_numbered() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE knowledge_library SET last_number = NEW.number WHERE id = NEW.library_id AND last_number < NEW.number;
    RETURN NULL;
END $$;

CREATE TRIGGER numbered AFTER INSERT ON knowledge_snapshot FOR EACH ROW EXECUTE FUNCTION muniment_numbered();

-- Whoever saves a whole library writes what it was when they read it.
CREATE FUNCTION muniment_numbers_rise() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.last_number := GREATEST(OLD.last_number, NEW.last_number);
    RETURN NEW;
END $$;

CREATE TRIGGER numbers_rise BEFORE UPDATE OF last_number ON knowledge_library
    FOR EACH ROW EXECUTE FUNCTION muniment_numbers_rise();
