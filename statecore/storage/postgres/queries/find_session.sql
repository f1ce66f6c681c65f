-- The numeric id of a live session.
SELECT s.id
  FROM statecore_owner o
  JOIN statecore_session s ON s.user_owner_id = o.id AND s.slot = %(slot)s::smallint
 WHERE o.slot = %(slot)s::smallint AND o.app_name = %(app)s AND o.user_id = %(user)s AND s.session_id = %(session)s
   AND greatest(s.expire_time, s.hold_until) > coalesce(%(now)s::timestamptz, statement_timestamp())
