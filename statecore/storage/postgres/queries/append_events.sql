-- Append many new events of one session: (status, revision).
SELECT r_status, r_revision
  FROM statecore_append_events(%(slot)s::smallint, %(app)s, %(user)s, %(session)s, %(event_ids)s::text[],
    %(invocation_ids)s::text[], %(authors)s::text[], %(timestamps)s::double precision[], %(kinds)s::smallint[],
    %(flags)s::smallint[], %(payloads)s::text[], %(change_events)s::integer[], %(scopes)s, %(keys)s::text[],
    %(values)s::text[], %(now)s::timestamptz)
