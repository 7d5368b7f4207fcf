-- The audit is a chain that is only ever added to. Where it ends is kept beside it, by Postgres alone: a chain whose last
-- events were cut off is shorter than that.

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
