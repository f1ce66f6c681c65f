"""Django's PostgreSQL backend on the embedded server of the folder ``OPTIONS["var"]``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.db.backends.postgresql.base import DatabaseWrapper as PostgresDatabaseWrapper
from django.db.utils import DEFAULT_DB_ALIAS, OperationalError

from statecore.embedded.errors import EmbeddedServerError
from statecore.embedded.server import EmbeddedServer


class DatabaseWrapper(PostgresDatabaseWrapper):
    """PostgreSQL connections that start the embedded server when it does not run.

    ``HOST``, ``PORT`` and ``USER`` are the server's; ``NAME`` stays the project's, so that test databases work.
    A server that cannot be had is Django's OperationalError, with a message of one line.
    """

    def __init__(self, settings_dict: dict[str, Any], alias: str = DEFAULT_DB_ALIAS) -> None:
        var = settings_dict["OPTIONS"].get("var")
        if not var:
            raise ImproperlyConfigured(f'the embedded database "{alias}" needs OPTIONS["var"], the folder of its data')
        self.server = EmbeddedServer(Path(var))
        info = self.server.info
        # Django shares this dictionary between wrappers and changes it for tests: keep it the same object.
        settings_dict.update(HOST=info.host, PORT=str(info.port), USER=info.user)
        super().__init__(settings_dict, alias)

    def get_connection_params(self) -> dict[str, Any]:
        """Django's parameters without the one that libpq does not know."""
        params: dict[str, Any] = super().get_connection_params()
        del params["var"]
        return params

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """Open a connection, to a server that is started or started again if need be."""
        try:
            return self.server.connect(lambda: super(DatabaseWrapper, self).get_new_connection(conn_params))
        except EmbeddedServerError as error:
            raise OperationalError(str(error)) from error
