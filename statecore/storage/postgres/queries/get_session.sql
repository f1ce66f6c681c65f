-- One snapshot of a live session: part 0 its header, 1 to 3 session, user and app state, 4 the events of the window.
-- One statement, because two have two snapshots.
WITH s AS MATERIALIZED (
  SELECT s.id, s.app_owner_id, s.user_owner_id, statecore_header(s) AS header
    FROM statecore_owner o
    JOIN statecore_session s ON s.user_owner_id = o.id AND s.slot = %(slot)s::smallint
   WHERE o.slot = %(slot)s::smallint AND o.app_name = %(app)s AND o.user_id = %(user)s AND s.session_id = %(session)s
     AND greatest(s.expire_time, s.hold_until) > coalesce(%(now)s::timestamptz, statement_timestamp())
)
SELECT 0 AS part, NULL::integer AS seq, NULL::smallint AS kind, NULL::smallint AS flags,
       NULL::double precision AS timestamp, NULL::timestamptz AS receive_time, NULL::text AS event_id,
       NULL::text AS invocation_id, NULL::text AS author, s.header AS payload
  FROM s
UNION ALL
SELECT 1, NULL, NULL, NULL, NULL, NULL, st.key, NULL, NULL, st.value::text
  FROM s JOIN statecore_state st ON st.owner_ref = s.id AND st.slot = %(slot)s::smallint
 WHERE st.value IS NOT NULL
UNION ALL
SELECT 2, NULL, NULL, NULL, NULL, NULL, st.key, NULL, NULL, c.value::text
  FROM s JOIN statecore_state st ON st.owner_ref = s.user_owner_id AND st.slot = %(slot)s::smallint
 CROSS JOIN LATERAL (SELECT value FROM statecore_state_change
                      WHERE owner_ref = st.owner_ref AND key = st.key AND slot = %(slot)s::smallint
                      ORDER BY position DESC LIMIT 1) c
 WHERE c.value IS NOT NULL
UNION ALL
SELECT 3, NULL, NULL, NULL, NULL, NULL, st.key, NULL, NULL, c.value::text
  FROM s JOIN statecore_state st ON st.owner_ref = s.app_owner_id AND st.slot = %(app_slot)s::smallint
 CROSS JOIN LATERAL (SELECT value FROM statecore_state_change
                      WHERE owner_ref = st.owner_ref AND key = st.key AND slot = %(app_slot)s::smallint
                      ORDER BY position DESC LIMIT 1) c
 WHERE c.value IS NOT NULL
UNION ALL
SELECT 4, e.seq, e.kind, e.flags, e.timestamp, e.receive_time, e.event_id, e.invocation_id, e.author, e.payload::text
  FROM s CROSS JOIN LATERAL (
    SELECT * FROM statecore_event
     WHERE session_ref = s.id AND slot = %(slot)s::smallint
       AND (%(after_timestamp)s::double precision IS NULL OR timestamp >= %(after_timestamp)s::double precision)
     ORDER BY seq DESC LIMIT %(limit)s::integer) e
