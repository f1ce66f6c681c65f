-- Delete a live session and return what its receipt says; no row if it is missing.
SELECT r_session, r_delete_time, r_event_count
  FROM statecore_delete_live_session(%(slot)s::smallint, %(app)s, %(user)s, %(session)s, %(rule)s, %(actor)s,
    %(now)s::timestamptz)
 WHERE r_session IS NOT NULL
