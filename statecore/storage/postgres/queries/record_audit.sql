-- Append one audit record; the end user is replaced by a random subject id.
INSERT INTO statecore_audit (slot, time, actor, verb, outcome, app_name, subject_ref, session_ref, seq, reason, ticket,
                             origin, detail)
VALUES (%(slot)s::smallint, coalesce(%(now)s::timestamptz, clock_timestamp()), %(actor)s, %(verb)s, %(outcome)s, %(app)s,
        CASE WHEN %(user)s::text IS NOT NULL THEN statecore_subject(%(app)s, %(user)s::text) END, %(session)s::bigint,
        %(seq)s::integer, %(reason)s, %(ticket)s, %(origin)s, %(detail)s::jsonb)
RETURNING id
