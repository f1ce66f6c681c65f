-- Set and remove keys after the newest event, and the update time if one is given; null if the session is missing.
SELECT statecore_correct_state(%(slot)s::smallint, %(app)s, %(user)s, %(session)s, %(scopes)s, %(keys)s::text[],
    %(values)s::text[], %(update_time)s::double precision, %(now)s::timestamptz)
