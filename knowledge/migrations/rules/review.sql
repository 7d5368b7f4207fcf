-- Four eyes: nobody approves what they asked for, brought or removed. And what was decided is not taken back alone.

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

-- A decision goes with its snapshot or its document file, and never alone: an earlier one would hold again.
CREATE FUNCTION muniment_decision_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM knowledge_snapshot WHERE id = OLD.snapshot_id)
        AND EXISTS (SELECT FROM knowledge_documentfile WHERE id = OLD.document_file_id) THEN
        RAISE EXCEPTION 'a decision stays: a later one replaces it' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NULL;
END $$;

-- Deferred: what cascades takes decisions away first, and what they were about in the same transaction.
CREATE CONSTRAINT TRIGGER stays AFTER DELETE ON knowledge_decision DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION muniment_decision_stays();
