-- Current values of an app or a user: (owner id, name, value); one row with nulls for an owner without keys.
SELECT o.id, st.key, c.value::text
  FROM statecore_owner o
  LEFT JOIN (statecore_state st CROSS JOIN LATERAL (
      SELECT value FROM statecore_state_change
       WHERE owner_ref = st.owner_ref AND key = st.key AND slot = %(slot)s::smallint
       ORDER BY position DESC LIMIT 1) c)
    ON st.owner_ref = o.id AND st.slot = %(slot)s::smallint AND c.value IS NOT NULL
 WHERE o.slot = %(slot)s::smallint AND o.app_name = %(app)s AND o.user_id IS NOT DISTINCT FROM %(user)s::text
