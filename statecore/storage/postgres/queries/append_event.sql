-- Append one event with its changes, or say why not: (status, session id, revision, update_time, receive_time).
SELECT r_status, r_session, r_revision, r_update_time, r_receive_time
  FROM statecore_append_event(%(slot)s::smallint, %(app)s, %(user)s, %(session)s, %(expected)s::integer, %(event_id)s,
    %(invocation_id)s, %(author)s, %(timestamp)s::double precision, %(kind)s::smallint, %(flags)s::smallint,
    %(payload)s, %(scopes)s, %(keys)s::text[], %(values)s::text[], %(now)s::timestamptz,
    %(probe)s)
