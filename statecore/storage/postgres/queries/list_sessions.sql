-- Live sessions of an app, or of one user: part 0 the app's state, 1 each user's name and state, 2 each session's id,
-- header and state. State comes as one JSON object a row, values verbatim.
WITH found AS MATERIALIZED (
  SELECT s.id, s.slot, s.user_owner_id, s.session_id, statecore_header(s) AS header
    FROM statecore_owner a
    JOIN statecore_session s ON s.app_owner_id = a.id
   WHERE a.slot = %(app_slot)s::smallint AND a.app_name = %(app)s AND a.user_id IS NULL
     AND greatest(s.expire_time, s.hold_until) > coalesce(%(now)s::timestamptz, statement_timestamp())
     AND (%(user)s::text IS NULL OR s.user_owner_id = (
          SELECT id FROM statecore_owner
           WHERE slot = statecore_slot_of(%(app)s, %(user)s) AND app_name = %(app)s AND user_id = %(user)s::text))
)
SELECT 0 AS part, a.id AS owner_ref, NULL::text AS name, NULL::text AS header,
       statecore_shared_state(a.id, a.slot) AS state
  FROM statecore_owner a
 WHERE a.slot = %(app_slot)s::smallint AND a.app_name = %(app)s AND a.user_id IS NULL
UNION ALL
SELECT 1, o.id, o.user_id, NULL, statecore_shared_state(o.id, o.slot)
  FROM (SELECT DISTINCT user_owner_id, slot FROM found) f
  JOIN statecore_owner o ON o.id = f.user_owner_id AND o.slot = f.slot
UNION ALL
SELECT 2, f.user_owner_id, f.session_id, f.header,
       (SELECT coalesce(json_object_agg(key, value) FILTER (WHERE value IS NOT NULL), '{}')::text FROM statecore_state
         WHERE owner_ref = f.id AND slot = f.slot)
  FROM found f
