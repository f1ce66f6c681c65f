-- The numeric id of an app (no user) or a user.
SELECT id FROM statecore_owner
 WHERE slot = %(slot)s::smallint AND app_name = %(app)s AND user_id IS NOT DISTINCT FROM %(user)s::text
