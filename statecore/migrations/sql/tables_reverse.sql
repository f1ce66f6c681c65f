DROP TRIGGER statecore_audit_append_only ON statecore_audit;
DROP TRIGGER statecore_audit_no_truncate ON statecore_audit;
DROP FUNCTION statecore_refuse_audit_change();
ALTER TABLE statecore_event DROP CONSTRAINT statecore_event_session;
ALTER TABLE statecore_session DROP CONSTRAINT statecore_session_owner;
DROP SEQUENCE statecore_gid_seq;
DROP SEQUENCE statecore_id_seq;
