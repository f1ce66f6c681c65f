-- Entry functions pin the search_path that the migration ran with; what they call runs under it.

-- Slot of an app (no user) or a user: for life, and the same as statecore.core.ids.slot_of for every text.
CREATE FUNCTION statecore_slot_of(app text, usr text) RETURNS smallint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT ((get_byte(h, 0) << 8 | get_byte(h, 1)) & 4095)::smallint
     FROM (SELECT sha256(convert_to(app || chr(31) || coalesce(usr, ''), 'UTF8'))) t(h) $$;

-- One id space for apps, users and sessions; the low 12 bits of every id are its slot.
CREATE FUNCTION statecore_new_id(slot smallint) RETURNS bigint LANGUAGE sql VOLATILE AS
$$ SELECT nextval('statecore_id_seq') << 12 | slot $$;

-- Global order of changes, "about when". A sharded installation replaces the sequence by a clock.
CREATE FUNCTION statecore_next_gid() RETURNS bigint LANGUAGE sql VOLATILE AS
$$ SELECT nextval('statecore_gid_seq') $$;

-- The owner's id, made on first use. Fifty writers may ask at once: one row comes of it.
CREATE FUNCTION statecore_ensure_owner(p_slot smallint, p_app text, p_user text, p_now timestamptz) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE found_id bigint;
BEGIN
  SELECT id INTO found_id FROM statecore_owner
   WHERE slot = p_slot AND app_name = p_app AND user_id IS NOT DISTINCT FROM p_user;
  IF found_id IS NULL THEN
    INSERT INTO statecore_owner (id, slot, app_name, user_id, create_time, is_policy_sliding)
    VALUES (statecore_new_id(p_slot), p_slot, p_app, p_user, p_now, false) ON CONFLICT DO NOTHING;
    SELECT id INTO found_id FROM statecore_owner
     WHERE slot = p_slot AND app_name = p_app AND user_id IS NOT DISTINCT FROM p_user;
  END IF;
  RETURN found_id;
END $$;

-- Write the changes of one event (kind 0), baseline (1) or correction (2). Keys come sorted by scope and name, so that
-- two writers register new shared keys in the same order and cannot deadlock; what is sorted here goes by COLLATE "C",
-- as Python does. p_scopes has a letter for each key: a(pp), u(ser), s(ession). A null value removes the key.
CREATE FUNCTION statecore_write_changes(p_slot smallint, p_session bigint, p_user bigint, p_app bigint, p_seq integer,
    p_position bigint, p_gid bigint, p_kind smallint, p_scopes text, p_keys text[], p_values text[]) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  app_slot smallint := (p_app & 4095)::smallint;
BEGIN
  -- Row by row up to 16 keys (planned once per connection), set-based above.
  IF cardinality(p_keys) > 16 THEN
    PERFORM statecore_write_many_changes(p_slot, p_session, p_user, p_app, p_seq, p_position, p_gid, p_kind,
                                         p_scopes, p_keys, p_values);
    RETURN;
  END IF;
  FOR i IN 1 .. coalesce(cardinality(p_keys), 0) LOOP
    IF substr(p_scopes, i, 1) = 's' THEN
      INSERT INTO statecore_state_change (owner_ref, key, position, slot, session_ref, seq, kind, value)
      VALUES (p_session, p_keys[i], p_position, p_slot, p_session, p_seq, p_kind, p_values[i]::json);
      INSERT INTO statecore_state (owner_ref, key, position, slot, value)
      VALUES (p_session, p_keys[i], p_position, p_slot, p_values[i]::json)
      ON CONFLICT (owner_ref, key, slot) DO UPDATE SET value = excluded.value, position = excluded.position;
    ELSIF substr(p_scopes, i, 1) = 'u' THEN
      INSERT INTO statecore_state_change (owner_ref, key, position, slot, session_ref, seq, kind, value)
      VALUES (p_user, p_keys[i], p_gid, p_slot, p_session, p_seq, p_kind, p_values[i]::json);
      INSERT INTO statecore_state (owner_ref, key, position, slot)
      VALUES (p_user, p_keys[i], p_gid, p_slot) ON CONFLICT DO NOTHING;
    ELSE
      INSERT INTO statecore_state_change (owner_ref, key, position, slot, session_ref, seq, kind, value)
      VALUES (p_app, p_keys[i], p_gid, app_slot, p_session, p_seq, p_kind, p_values[i]::json);
      INSERT INTO statecore_state (owner_ref, key, position, slot)
      VALUES (p_app, p_keys[i], p_gid, app_slot) ON CONFLICT DO NOTHING;
    END IF;
  END LOOP;
END $$;

CREATE FUNCTION statecore_write_many_changes(p_slot smallint, p_session bigint, p_user bigint, p_app bigint,
    p_seq integer, p_position bigint, p_gid bigint, p_kind smallint, p_scopes text, p_keys text[], p_values text[])
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  app_slot smallint := (p_app & 4095)::smallint;
BEGIN
  INSERT INTO statecore_state_change (owner_ref, key, position, slot, session_ref, seq, kind, value)
  SELECT CASE d.scope WHEN 's' THEN p_session WHEN 'u' THEN p_user ELSE p_app END, d.key,
         CASE d.scope WHEN 's' THEN p_position ELSE p_gid END,
         CASE d.scope WHEN 'a' THEN app_slot ELSE p_slot END, p_session, p_seq, p_kind, d.value::json
    FROM unnest(string_to_array(p_scopes, NULL), p_keys, p_values) AS d (scope, key, value);
  INSERT INTO statecore_state (owner_ref, key, position, slot, value)
  SELECT p_session, d.key, p_position, p_slot, d.value::json
    FROM unnest(string_to_array(p_scopes, NULL), p_keys, p_values) AS d (scope, key, value) WHERE d.scope = 's'
  ON CONFLICT (owner_ref, key, slot) DO UPDATE SET value = excluded.value, position = excluded.position;
  INSERT INTO statecore_state (owner_ref, key, position, slot)
  SELECT CASE d.scope WHEN 'u' THEN p_user ELSE p_app END, d.key, p_gid,
         CASE d.scope WHEN 'u' THEN p_slot ELSE app_slot END
    FROM unnest(string_to_array(p_scopes, NULL), p_keys) AS d (scope, key) WHERE d.scope <> 's'
   ORDER BY d.scope, d.key COLLATE "C" ON CONFLICT DO NOTHING;
END $$;

-- Delete one locked session: session keys with their history, events, holds, row; the receipt stays.
-- App and user values and their history stay.
CREATE FUNCTION statecore_delete_session(p_slot smallint, p_session bigint, p_rule text, p_actor text,
    p_now timestamptz) RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO statecore_receipt (id, slot, app_owner_id, user_owner_id, app_name, user_id, session_id, create_time,
                                 expire_time, delete_time, rule, actor, event_count, is_hashed)
  SELECT s.id, s.slot, s.app_owner_id, s.user_owner_id, o.app_name, o.user_id, s.session_id, s.create_time,
         s.expire_time, p_now, p_rule, p_actor, s.revision, false
    FROM statecore_session s JOIN statecore_owner o ON o.id = s.user_owner_id AND o.slot = p_slot
   WHERE s.id = p_session AND s.slot = p_slot;
  DELETE FROM statecore_state_change WHERE owner_ref = p_session AND slot = p_slot;
  DELETE FROM statecore_state WHERE owner_ref = p_session AND slot = p_slot;
  DELETE FROM statecore_event WHERE session_ref = p_session AND slot = p_slot;
  DELETE FROM statecore_hold WHERE session_ref = p_session AND slot = p_slot;
  DELETE FROM statecore_session WHERE id = p_session AND slot = p_slot;
END $$;

-- Create a session at revision 0 with its baseline. Returns its header, before anybody else can write to it, and
-- the shared state; all null if a live session has the key. An expired one that was not swept yet makes way,
-- with a receipt.
CREATE FUNCTION statecore_create_session(p_slot smallint, p_app text, p_user text, p_session_id text,
    p_expire_time timestamptz, p_ttl interval, p_default_ttl interval, p_default_rule text, p_display_name text,
    p_labels text, p_origin text, p_create_time timestamptz, p_update_time double precision,
    p_scopes text, p_keys text[], p_values text[], p_now timestamptz,
    OUT r_header text, OUT r_user_state text, OUT r_app_state text)
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  new_time timestamptz := coalesce(p_now, clock_timestamp());
  app_oid bigint := statecore_ensure_owner(statecore_slot_of(p_app, NULL), p_app, NULL, new_time);
  user_oid bigint := statecore_ensure_owner(p_slot, p_app, p_user, new_time);
  new_session bigint := statecore_new_id(p_slot);
  new_gid bigint := statecore_next_gid();
  policy record;
  old_session bigint;
BEGIN
  SELECT policy_ttl AS ttl, is_policy_sliding AS is_sliding INTO policy
    FROM statecore_owner WHERE id = app_oid AND slot = (app_oid & 4095)::smallint;
  LOOP
    INSERT INTO statecore_session (id, slot, app_owner_id, user_owner_id, session_id, create_gid, revision, error_count,
        edit_count, create_time, receive_time, active_at, update_time, expire_time, expire_rule, sliding_ttl, origin,
        display_name, labels)
    VALUES (new_session, p_slot, app_oid, user_oid, p_session_id, new_gid, 0, 0, 0,
        coalesce(p_create_time, new_time), new_time, date_trunc('minute', new_time, 'UTC'),
        coalesce(p_update_time, extract(epoch FROM new_time)::double precision),
        coalesce(p_expire_time, new_time + coalesce(p_ttl, policy.ttl, p_default_ttl)),
        CASE WHEN p_expire_time IS NOT NULL OR p_ttl IS NOT NULL THEN 'given'
             WHEN policy.ttl IS NULL THEN p_default_rule
             WHEN policy.is_sliding THEN 'policy-sliding' ELSE 'policy' END,
        CASE WHEN p_expire_time IS NULL AND p_ttl IS NULL AND policy.is_sliding THEN policy.ttl END,
        p_origin, p_display_name, p_labels::jsonb)
    ON CONFLICT (user_owner_id, session_id, slot) DO NOTHING;
    EXIT WHEN FOUND;
    PERFORM FROM statecore_session
     WHERE user_owner_id = user_oid AND session_id = p_session_id AND slot = p_slot
       AND greatest(expire_time, hold_until) > new_time;
    IF FOUND THEN
      RETURN;
    END IF;
    SELECT id INTO old_session FROM statecore_session
     WHERE user_owner_id = user_oid AND session_id = p_session_id AND slot = p_slot
       AND greatest(expire_time, hold_until) <= new_time FOR UPDATE;
    IF FOUND THEN
      PERFORM statecore_delete_session(p_slot, old_session, 'expired', 'create', new_time);
    END IF;
    -- Else somebody deleted or extended it meanwhile: look again.
  END LOOP;
  PERFORM statecore_write_changes(p_slot, new_session, user_oid, app_oid, 0, 0, new_gid, 1::smallint,
                                  p_scopes, p_keys, p_values);
  SELECT statecore_header(s) INTO r_header FROM statecore_session s WHERE s.id = new_session AND s.slot = p_slot;
  r_user_state := statecore_shared_state(user_oid, p_slot);
  r_app_state := statecore_shared_state(app_oid, (app_oid & 4095)::smallint);
END $$;

-- Append one event in one round trip. status: stored; missing; known (the event id is there: seq says where);
-- stale (revision says what was found). Nothing is written unless stored. With p_probe a known id is looked for first:
-- inside a caller's transaction, where the error below would undo the caller's other work. The session is locked before,
-- so that a retry in parallel cannot store it after the look.
CREATE FUNCTION statecore_append_event(p_slot smallint, p_app text, p_user text, p_session_id text, p_expected integer,
    p_event_id text, p_invocation_id text, p_author text, p_timestamp double precision, p_kind smallint,
    p_flags smallint, p_payload text, p_scopes text, p_keys text[], p_values text[], p_now timestamptz, p_probe boolean,
    OUT r_status text, OUT r_session bigint, OUT r_revision integer, OUT r_update_time double precision,
    OUT r_receive_time timestamptz)
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  new_time timestamptz := coalesce(p_now, clock_timestamp());
  app_oid bigint;
  user_oid bigint;
  new_gid bigint;
BEGIN
  SELECT id INTO user_oid FROM statecore_owner
   WHERE slot = p_slot AND app_name = p_app AND user_id = p_user;
  IF p_probe THEN
    -- Two look-ups by whole keys: a join planned on empty tables reads all events, until they are analysed.
    SELECT id INTO r_session FROM statecore_session
     WHERE user_owner_id = user_oid AND session_id = p_session_id AND slot = p_slot FOR NO KEY UPDATE;
    PERFORM FROM statecore_event WHERE session_ref = r_session AND event_id = p_event_id AND slot = p_slot;
    IF FOUND THEN
      r_status := 'known';
      RETURN;
    END IF;
  END IF;
  UPDATE statecore_session
     SET revision = revision + 1, update_time = greatest(update_time, p_timestamp),
         receive_time = greatest(receive_time, new_time),
         active_at = greatest(active_at, date_trunc('minute', new_time, 'UTC')),
         expire_time = CASE WHEN sliding_ttl IS NULL THEN expire_time
                            ELSE greatest(receive_time, new_time) + sliding_ttl END,
         error_count = error_count + (p_flags & 1), edit_count = edit_count + (p_flags >> 1 & 1)
   WHERE user_owner_id = user_oid AND session_id = p_session_id AND slot = p_slot
     AND greatest(expire_time, hold_until) > new_time AND (p_expected IS NULL OR revision = p_expected)
  RETURNING id, revision, update_time, receive_time, app_owner_id
       INTO r_session, r_revision, r_update_time, r_receive_time, app_oid;
  IF NOT FOUND THEN
    SELECT id, revision, update_time INTO r_session, r_revision, r_update_time FROM statecore_session
     WHERE user_owner_id = user_oid AND session_id = p_session_id AND slot = p_slot
       AND greatest(expire_time, hold_until) > new_time;
    IF NOT FOUND THEN
      r_status := 'missing';
    ELSE
      PERFORM FROM statecore_event WHERE session_ref = r_session AND event_id = p_event_id AND slot = p_slot;
      r_status := CASE WHEN FOUND THEN 'known' ELSE 'stale' END;
    END IF;
    RETURN;
  END IF;
  new_gid := statecore_next_gid();
  -- The header's receive_time: along seq it never falls, though a waiting append took its clock earlier.
  INSERT INTO statecore_event (session_ref, seq, slot, gid, timestamp, receive_time, kind, flags, event_id,
                               invocation_id, author, payload)
  VALUES (r_session, r_revision, p_slot, new_gid, p_timestamp, r_receive_time, p_kind, p_flags, p_event_id,
          p_invocation_id, p_author, p_payload::json)
  ON CONFLICT (session_ref, event_id, slot) DO NOTHING;
  IF NOT FOUND THEN
    -- Only a retry gets here: undoing the header by an error keeps a look-up of the id off every append.
    RAISE EXCEPTION 'event id is known' USING ERRCODE = 'SC001';
  END IF;
  PERFORM statecore_write_changes(p_slot, r_session, user_oid, app_oid, r_revision, r_revision::bigint * 2, new_gid,
                                  0::smallint, p_scopes, p_keys, p_values);
  r_status := 'stored';
END $$;

-- The random id that stands for an end user in the audit log.
CREATE FUNCTION statecore_subject(p_app text, p_user text) RETURNS uuid LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE found_id uuid;
BEGIN
  SELECT id INTO found_id FROM statecore_subject WHERE app_name = p_app AND user_id = p_user;
  IF found_id IS NULL THEN
    INSERT INTO statecore_subject (id, app_name, user_id) VALUES (gen_random_uuid(), p_app, p_user)
    ON CONFLICT (app_name, user_id) DO NOTHING;
    SELECT id INTO found_id FROM statecore_subject WHERE app_name = p_app AND user_id = p_user;
  END IF;
  RETURN found_id;
END $$;

-- A session's header as JSON text, for reads that carry it beside rows of other shapes. Times are in UTC: in the
-- connection's zone one near an end of the calendar can lie beyond Python's.
CREATE FUNCTION statecore_header(s statecore_session) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS
$$ SELECT json_build_object('id', s.id, 'app_owner_id', s.app_owner_id, 'user_owner_id', s.user_owner_id,
     'revision', s.revision, 'create_time', s.create_time AT TIME ZONE 'UTC',
     'receive_time', s.receive_time AT TIME ZONE 'UTC', 'update_time', s.update_time,
     'expire_time', s.expire_time AT TIME ZONE 'UTC', 'expire_rule', s.expire_rule,
     'hold_until', s.hold_until AT TIME ZONE 'UTC', 'display_name', s.display_name, 'labels', s.labels,
     'origin', s.origin, 'error_count', s.error_count, 'edit_count', s.edit_count)::text $$;

-- An app's or a user's current values as one JSON object, values verbatim.
CREATE FUNCTION statecore_shared_state(p_owner bigint, p_slot smallint) RETURNS text LANGUAGE sql STABLE AS
$$ SELECT coalesce(json_object_agg(st.key, c.value) FILTER (WHERE c.value IS NOT NULL), '{}')::text
     FROM statecore_state st
    CROSS JOIN LATERAL (SELECT value FROM statecore_state_change
                         WHERE owner_ref = st.owner_ref AND key = st.key AND slot = p_slot
                         ORDER BY position DESC LIMIT 1) c
    WHERE st.owner_ref = p_owner AND st.slot = p_slot $$;

-- Set and remove keys after the newest event (kind 2: import correction), and the update time if one is given.
-- Null if the session is missing.
CREATE FUNCTION statecore_correct_state(p_slot smallint, p_app text, p_user text, p_session_id text, p_scopes text,
    p_keys text[], p_values text[], p_update_time double precision, p_now timestamptz) RETURNS integer
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE target record;
BEGIN
  SELECT s.id, s.revision, s.user_owner_id, s.app_owner_id INTO target
    FROM statecore_owner o
    JOIN statecore_session s ON s.user_owner_id = o.id AND s.slot = p_slot
   WHERE o.slot = p_slot AND o.app_name = p_app AND o.user_id = p_user AND s.session_id = p_session_id
     AND greatest(s.expire_time, s.hold_until) > coalesce(p_now, clock_timestamp()) FOR UPDATE OF s;
  IF target.id IS NULL THEN
    RETURN NULL;
  END IF;
  -- A second correction after the same event takes the place of the first.
  DELETE FROM statecore_state_change c USING unnest(string_to_array(p_scopes, NULL), p_keys) AS d (scope, key)
   WHERE d.scope = 's' AND c.owner_ref = target.id AND c.key = d.key AND c.position = target.revision::bigint * 2 + 1
     AND c.slot = p_slot;
  PERFORM statecore_write_changes(p_slot, target.id, target.user_owner_id, target.app_owner_id, target.revision,
      target.revision::bigint * 2 + 1, statecore_next_gid(), 2::smallint, p_scopes, p_keys, p_values);
  UPDATE statecore_session SET update_time = p_update_time
   WHERE id = target.id AND slot = p_slot AND update_time <> p_update_time;
  RETURN target.revision;
END $$;

-- Lock a live session by its key and delete it; all null if it is missing.
CREATE FUNCTION statecore_delete_live_session(p_slot smallint, p_app text, p_user text, p_session_id text, p_rule text,
    p_actor text, p_now timestamptz, OUT r_session bigint, OUT r_delete_time timestamptz, OUT r_event_count integer)
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  r_delete_time := coalesce(p_now, clock_timestamp());
  SELECT s.id, s.revision INTO r_session, r_event_count
    FROM statecore_owner o
    JOIN statecore_session s ON s.user_owner_id = o.id AND s.slot = p_slot
   WHERE o.slot = p_slot AND o.app_name = p_app AND o.user_id = p_user AND s.session_id = p_session_id
     AND greatest(s.expire_time, s.hold_until) > r_delete_time FOR UPDATE OF s;
  IF r_session IS NOT NULL THEN
    PERFORM statecore_delete_session(p_slot, r_session, p_rule, p_actor, r_delete_time);
  END IF;
END $$;

-- Append many new events in their order, for imports: the session's row is updated once, not once an event.
-- p_change_events says which event (from 1) made each change. status: stored or missing.
CREATE FUNCTION statecore_append_events(p_slot smallint, p_app text, p_user text, p_session_id text,
    p_event_ids text[], p_invocation_ids text[], p_authors text[], p_timestamps double precision[], p_kinds smallint[],
    p_flags smallint[], p_payloads text[], p_change_events integer[], p_scopes text, p_keys text[], p_values text[],
    p_now timestamptz, OUT r_status text, OUT r_revision integer)
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  new_time timestamptz := coalesce(p_now, clock_timestamp());
  new_count integer := cardinality(p_event_ids);
  gids bigint[];
  v_session bigint;
  v_receive_time timestamptz;
  app_oid bigint;
  user_oid bigint;
  first_seq integer;
BEGIN
  SELECT id INTO user_oid FROM statecore_owner
   WHERE slot = p_slot AND app_name = p_app AND user_id = p_user;
  UPDATE statecore_session
     SET revision = revision + new_count,
         update_time = greatest(update_time, (SELECT max(t) FROM unnest(p_timestamps) AS u (t))),
         receive_time = greatest(receive_time, new_time),
         active_at = greatest(active_at, date_trunc('minute', new_time, 'UTC')),
         expire_time = CASE WHEN sliding_ttl IS NULL THEN expire_time
                            ELSE greatest(receive_time, new_time) + sliding_ttl END,
         error_count = error_count + (SELECT count(*) FROM unnest(p_flags) AS u (f) WHERE f & 1 = 1),
         edit_count = edit_count + (SELECT count(*) FROM unnest(p_flags) AS u (f) WHERE f & 2 = 2)
   WHERE user_owner_id = user_oid AND session_id = p_session_id AND slot = p_slot
     AND greatest(expire_time, hold_until) > new_time
  RETURNING id, revision, receive_time, app_owner_id
       INTO v_session, r_revision, v_receive_time, app_oid;
  IF NOT FOUND THEN
    r_status := 'missing';
    RETURN;
  END IF;
  first_seq := r_revision - new_count;
  -- Under the lock: taken before, they could be older than those of an event that came in between.
  gids := ARRAY(SELECT statecore_next_gid() FROM generate_series(1, new_count));
  INSERT INTO statecore_event (session_ref, seq, slot, gid, timestamp, receive_time, kind, flags, event_id,
                               invocation_id, author, payload)
  SELECT v_session, first_seq + e.n, p_slot, gids[e.n], e.ts, v_receive_time, e.kind, e.flags, e.event_id, e.invocation_id,
         e.author, e.payload::json
    FROM unnest(p_event_ids, p_invocation_ids, p_authors, p_timestamps, p_kinds, p_flags, p_payloads)
         WITH ORDINALITY AS e (event_id, invocation_id, author, ts, kind, flags, payload, n);
  INSERT INTO statecore_state_change (owner_ref, key, position, slot, session_ref, seq, kind, value)
  SELECT CASE c.scope WHEN 's' THEN v_session WHEN 'u' THEN user_oid ELSE app_oid END, c.key,
         CASE c.scope WHEN 's' THEN (first_seq + c.n)::bigint * 2 ELSE gids[c.n] END,
         CASE c.scope WHEN 'a' THEN (app_oid & 4095)::smallint ELSE p_slot END,
         v_session, first_seq + c.n, 0, c.value::json
    FROM unnest(p_change_events, string_to_array(p_scopes, NULL), p_keys, p_values) AS c (n, scope, key, value);
  INSERT INTO statecore_state (owner_ref, key, position, slot, value)
  SELECT DISTINCT ON (c.key) v_session, c.key, (first_seq + c.n)::bigint * 2, p_slot, c.value::json
    FROM unnest(p_change_events, string_to_array(p_scopes, NULL), p_keys, p_values) AS c (n, scope, key, value)
   WHERE c.scope = 's' ORDER BY c.key, c.n DESC
  ON CONFLICT (owner_ref, key, slot) DO UPDATE SET value = excluded.value, position = excluded.position;
  INSERT INTO statecore_state (owner_ref, key, position, slot)
  SELECT DISTINCT ON (c.scope, c.key COLLATE "C") CASE c.scope WHEN 'u' THEN user_oid ELSE app_oid END, c.key, gids[c.n],
         CASE c.scope WHEN 'u' THEN p_slot ELSE (app_oid & 4095)::smallint END
    FROM unnest(p_change_events, string_to_array(p_scopes, NULL), p_keys) AS c (n, scope, key)
   WHERE c.scope <> 's' ORDER BY c.scope, c.key COLLATE "C", c.n ON CONFLICT DO NOTHING;
  r_status := 'stored';
END $$;
