"""The dashboard as a Django app."""

from __future__ import annotations

from django.apps import AppConfig
from django.contrib.auth.signals import user_logged_in
from django.db.backends.signals import connection_created

from sessions_ui.login_timeout import note_login
from sessions_ui.schema import refuse_newer_schema


class SessionsUiConfig(AppConfig):
    """Pages, grants and jobs around statecore."""

    name = "sessions_ui"
    verbose_name = "Statecore dashboard"

    def ready(self) -> None:
        """Guard every connection against a schema that this code does not know."""
        connection_created.connect(refuse_newer_schema, dispatch_uid="sessions_ui.schema")
        user_logged_in.connect(note_login, dispatch_uid="sessions_ui.login_timeout")
