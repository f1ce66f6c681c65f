-- Set and remove session keys after the newest event; null if the session is missing.
SELECT statecore_correct_state(%(slot)s::smallint, %(app)s, %(user)s, %(session)s, %(scopes)s, %(keys)s::text[],
    %(values)s::text[], %(now)s::timestamptz)
