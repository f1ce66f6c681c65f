DROP FUNCTION statecore_append_events(smallint, text, text, text, text[], text[], text[], double precision[],
  smallint[], smallint[], text[], integer[], text, text[], text[], timestamptz);
DROP FUNCTION statecore_delete_live_session(smallint, text, text, text, text, text, timestamptz);
DROP FUNCTION statecore_correct_state(smallint, text, text, text, text, text[], text[], double precision,
  timestamptz);
DROP FUNCTION statecore_shared_state(bigint, smallint);
DROP FUNCTION statecore_header(statecore_session);
DROP FUNCTION statecore_subject(text, text);
DROP FUNCTION statecore_append_event(smallint, text, text, text, integer, text, text, text, double precision, smallint,
  smallint, text, text, text[], text[], timestamptz, boolean);
DROP FUNCTION statecore_create_session(smallint, text, text, text, timestamptz, interval, interval, text, text, text,
  text, timestamptz, double precision, text, text[], text[], timestamptz);
DROP FUNCTION statecore_delete_session(smallint, bigint, text, text, timestamptz);
DROP FUNCTION statecore_write_many_changes(smallint, bigint, bigint, bigint, integer, bigint, bigint, smallint, text,
  text[], text[]);
DROP FUNCTION statecore_write_changes(smallint, bigint, bigint, bigint, integer, bigint, bigint, smallint, text,
  text[], text[]);
DROP FUNCTION statecore_ensure_owner(smallint, text, text, timestamptz);
DROP FUNCTION statecore_next_gid();
DROP FUNCTION statecore_new_id(smallint);
DROP FUNCTION statecore_slot_of(text, text);
