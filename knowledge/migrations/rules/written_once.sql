-- What was read, measured or decided once stays as it was written: what changes is written anew.

CREATE FUNCTION muniment_written_once() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is written once and never updated', TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
END $$;

-- Of documents
CREATE TRIGGER written_once BEFORE UPDATE ON knowledge_fileversion FOR EACH ROW EXECUTE FUNCTION muniment_written_once();
CREATE TRIGGER written_once BEFORE UPDATE ON knowledge_section FOR EACH ROW EXECUTE FUNCTION muniment_written_once();
CREATE TRIGGER written_once BEFORE UPDATE ON knowledge_chunk FOR EACH ROW EXECUTE FUNCTION muniment_written_once();
CREATE TRIGGER written_once BEFORE UPDATE ON knowledge_sectionsummary FOR EACH ROW EXECUTE FUNCTION muniment_written_once();
CREATE TRIGGER written_once BEFORE UPDATE ON knowledge_symbol FOR EACH ROW EXECUTE FUNCTION muniment_written_once();
CREATE TRIGGER written_once BEFORE UPDATE ON knowledge_reference FOR EACH ROW EXECUTE FUNCTION muniment_written_once();
CREATE TRIGGER written_once BEFORE UPDATE ON knowledge_filesignature FOR EACH ROW EXECUTE FUNCTION muniment_written_once();
CREATE TRIGGER written_once BEFORE UPDATE ON knowledge_neartwin FOR EACH ROW EXECUTE FUNCTION muniment_written_once();

-- Of snapshots
CREATE TRIGGER written_once BEFORE UPDATE ON knowledge_lexicalsegment FOR EACH ROW EXECUTE FUNCTION muniment_written_once();
CREATE TRIGGER written_once BEFORE UPDATE ON knowledge_posting FOR EACH ROW EXECUTE FUNCTION muniment_written_once();
CREATE TRIGGER written_once BEFORE UPDATE ON knowledge_snapshotfile FOR EACH ROW EXECUTE FUNCTION muniment_written_once();
CREATE TRIGGER written_once BEFORE UPDATE ON knowledge_readingplace FOR EACH ROW EXECUTE FUNCTION muniment_written_once();

-- The vectors of a passage's parts may be added to a row that has none; what it has is never updated.
CREATE TRIGGER written_once BEFORE UPDATE ON knowledge_embedding FOR EACH ROW
    WHEN (OLD.parts IS NOT NULL OR NEW.parts IS NULL
          OR (OLD.space_id, OLD.content_hash, OLD.vector) <> (NEW.space_id, NEW.content_hash, NEW.vector))
    EXECUTE FUNCTION muniment_written_once();

-- Of reviews and evaluations
CREATE TRIGGER written_once BEFORE UPDATE ON knowledge_decision FOR EACH ROW EXECUTE FUNCTION muniment_written_once();
CREATE TRIGGER written_once BEFORE UPDATE ON knowledge_evaluationresult FOR EACH ROW EXECUTE FUNCTION muniment_written_once();
CREATE TRIGGER written_once BEFORE UPDATE ON knowledge_vectorrecall FOR EACH ROW EXECUTE FUNCTION muniment_written_once();
CREATE TRIGGER written_once BEFORE UPDATE ON knowledge_learntfusion FOR EACH ROW EXECUTE FUNCTION muniment_written_once();

-- Who ran it is forgotten with their account; the rest stays as it was measured.
CREATE TRIGGER written_once BEFORE UPDATE OF library_id, snapshot_number, manifest_hash, profile_hash, set_name, branches,
    options, code, documents, chunks, queries, measures, run_at
    ON knowledge_evaluationrun FOR EACH ROW EXECUTE FUNCTION muniment_written_once();
