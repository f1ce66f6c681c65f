-- Create a session with its baseline: (header, user state, app state); nulls if a live one has the key.
SELECT r_header, r_user_state, r_app_state
  FROM statecore_create_session(%(slot)s::smallint, %(app)s, %(user)s, %(session)s, %(expire_time)s::timestamptz,
    %(ttl)s::interval, %(default_ttl)s::interval, %(default_rule)s, %(display_name)s, %(labels)s, %(origin)s,
    %(create_time)s::timestamptz, %(update_time)s::double precision, %(scopes)s, %(keys)s::text[],
    %(values)s::text[], %(now)s::timestamptz)
