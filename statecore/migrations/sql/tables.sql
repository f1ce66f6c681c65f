-- What Django cannot say: keys with the slot, foreign keys on (id, slot), storage and the append-only trigger.
CREATE SEQUENCE statecore_id_seq;
CREATE SEQUENCE statecore_gid_seq;

ALTER TABLE statecore_owner DROP CONSTRAINT statecore_owner_pkey, ADD PRIMARY KEY (id, slot);
ALTER TABLE statecore_session DROP CONSTRAINT statecore_session_pkey, ADD PRIMARY KEY (id, slot);
ALTER TABLE statecore_receipt DROP CONSTRAINT statecore_receipt_pkey, ADD PRIMARY KEY (id, slot);
-- The chain owner -> session -> event on (id, slot) keeps slots right at no measurable cost.
ALTER TABLE statecore_session ADD CONSTRAINT statecore_session_owner
  FOREIGN KEY (user_owner_id, slot) REFERENCES statecore_owner (id, slot);
ALTER TABLE statecore_event ADD CONSTRAINT statecore_event_session
  FOREIGN KEY (session_ref, slot) REFERENCES statecore_session (id, slot) ON DELETE CASCADE;

-- Room on the page for HOT updates; values uncompressed, for reading a size without reading the value.
ALTER TABLE statecore_session SET (fillfactor = 80);
ALTER TABLE statecore_state SET (fillfactor = 80);
ALTER TABLE statecore_event ALTER payload SET STORAGE EXTERNAL;
ALTER TABLE statecore_state ALTER value SET STORAGE EXTERNAL;
ALTER TABLE statecore_state_change ALTER value SET STORAGE EXTERNAL;

CREATE FUNCTION statecore_refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'audit records cannot be changed or deleted' USING ERRCODE = 'insufficient_privilege';
END $$;
CREATE TRIGGER statecore_audit_append_only BEFORE UPDATE OR DELETE ON statecore_audit
  FOR EACH ROW EXECUTE FUNCTION statecore_refuse_audit_change();
CREATE TRIGGER statecore_audit_no_truncate BEFORE TRUNCATE ON statecore_audit
  FOR EACH STATEMENT EXECUTE FUNCTION statecore_refuse_audit_change();
REVOKE UPDATE, DELETE, TRUNCATE ON statecore_audit FROM PUBLIC;
