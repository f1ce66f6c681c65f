"""The PostgreSQL store: SQL files run on Django's cursor and on psycopg's alike."""

from __future__ import annotations

from statecore.storage.postgres.connections import Connections, DjangoConnections, PsycopgConnections
from statecore.storage.postgres.store import PostgresStore

__all__ = ["Connections", "DjangoConnections", "PostgresStore", "PsycopgConnections"]
