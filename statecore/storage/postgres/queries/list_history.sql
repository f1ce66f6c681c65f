-- A page of one key's history, newest first, with the event and the live session of each change where there is one.
-- Times are in UTC: in the connection's zone one near an end of the calendar can lie beyond Python's.
SELECT c.position, c.seq, c.kind, c.value::text, c.session_ref, o.app_name, o.user_id, s.session_id, e.event_id, e.author,
       coalesce(e.receive_time, CASE WHEN c.seq = 0 THEN s.create_time END) AT TIME ZONE 'UTC'
  FROM statecore_state_change c
  LEFT JOIN statecore_session s ON s.id = c.session_ref AND s.slot = (c.session_ref & 4095)::smallint
        AND greatest(s.expire_time, s.hold_until) > coalesce(%(now)s::timestamptz, statement_timestamp())
  LEFT JOIN statecore_owner o ON o.id = s.user_owner_id AND o.slot = s.slot
  LEFT JOIN statecore_event e ON e.session_ref = s.id AND e.seq = c.seq AND e.slot = s.slot AND c.kind = 0
 WHERE c.owner_ref = %(owner)s AND c.slot = %(slot)s::smallint AND c.key = %(key)s
   AND (%(before)s::bigint IS NULL OR c.position < %(before)s::bigint)
 ORDER BY c.position DESC LIMIT %(limit)s
