-- One event of a live session by its id, with the session's id, revision and update_time before it.
SELECT s.id, s.revision, s.update_time, e.seq, e.kind, e.flags, e.timestamp, e.receive_time, e.event_id,
       e.invocation_id, e.author, e.payload::text
  FROM statecore_owner o
  JOIN statecore_session s ON s.user_owner_id = o.id AND s.slot = %(slot)s::smallint
  JOIN statecore_event e ON e.session_ref = s.id AND e.slot = %(slot)s::smallint AND e.event_id = %(event_id)s
 WHERE o.slot = %(slot)s::smallint AND o.app_name = %(app)s AND o.user_id = %(user)s AND s.session_id = %(session)s
   AND greatest(s.expire_time, s.hold_until) > coalesce(%(now)s::timestamptz, statement_timestamp())
