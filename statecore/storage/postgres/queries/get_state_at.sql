-- State as of event seq: session keys by seq (corrections after it included), shared keys by that event's gid.
-- A probe for each key that exists or existed; one row with nulls stands for the session itself.
WITH s AS MATERIALIZED (
  SELECT s.id, s.app_owner_id, s.user_owner_id,
         CASE WHEN %(seq)s::integer > s.revision THEN 9223372036854775807
              WHEN %(seq)s::integer = 0 THEN s.create_gid
              ELSE (SELECT gid FROM statecore_event
                     WHERE session_ref = s.id AND seq = %(seq)s::integer AND slot = %(slot)s::smallint) END AS gid
    FROM statecore_owner o
    JOIN statecore_session s ON s.user_owner_id = o.id AND s.slot = %(slot)s::smallint
   WHERE o.slot = %(slot)s::smallint AND o.app_name = %(app)s AND o.user_id = %(user)s AND s.session_id = %(session)s
     AND greatest(s.expire_time, s.hold_until) > coalesce(%(now)s::timestamptz, statement_timestamp())
)
SELECT 's' AS scope, NULL::text AS key, NULL::text AS value FROM s
UNION ALL
SELECT 's', st.key, c.value::text
  FROM s JOIN statecore_state st ON st.owner_ref = s.id AND st.slot = %(slot)s::smallint
 CROSS JOIN LATERAL (SELECT value FROM statecore_state_change
                      WHERE owner_ref = st.owner_ref AND key = st.key AND slot = %(slot)s::smallint
                        AND position <= %(seq)s::bigint * 2 + 1
                      ORDER BY position DESC LIMIT 1) c
UNION ALL
SELECT 'u', st.key, c.value::text
  FROM s JOIN statecore_state st ON st.owner_ref = s.user_owner_id AND st.slot = %(slot)s::smallint
 CROSS JOIN LATERAL (SELECT value FROM statecore_state_change
                      WHERE owner_ref = st.owner_ref AND key = st.key AND slot = %(slot)s::smallint
                        AND position <= s.gid
                      ORDER BY position DESC LIMIT 1) c
UNION ALL
SELECT 'a', st.key, c.value::text
  FROM s JOIN statecore_state st ON st.owner_ref = s.app_owner_id AND st.slot = %(app_slot)s::smallint
 CROSS JOIN LATERAL (SELECT value FROM statecore_state_change
                      WHERE owner_ref = st.owner_ref AND key = st.key AND slot = %(app_slot)s::smallint
                        AND position <= s.gid
                      ORDER BY position DESC LIMIT 1) c
