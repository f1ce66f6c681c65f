"""Whether the database's schema is the one this code was written for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from django.db import connection as default_connection
from django.db import connections
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.db.utils import OperationalError

if TYPE_CHECKING:
    from django.db.backends.base.base import BaseDatabaseWrapper

Migration = tuple[str, str]


class SchemaTooNewError(OperationalError):
    """The database was migrated by a newer release than this one; nothing may touch it."""

    def __init__(self, unknown: frozenset[Migration]) -> None:
        self.unknown = unknown
        app, name = max(unknown)
        super().__init__(
            f"its schema is newer than this code ({app}.{name} is unknown here): install the newer release, "
            "or restore the backup made before its migration"
        )


@dataclass(frozen=True, slots=True)
class Known:
    """The migrations of this code, those that squashed ones stand for, and the apps they belong to."""

    current: frozenset[Migration]
    replaced: frozenset[Migration]
    apps: frozenset[str]


def refuse_newer_schema(connection: BaseDatabaseWrapper, **_: Any) -> None:
    """Close a new connection to a database whose schema is newer than the code, and raise SchemaTooNewError.

    Connected to ``connection_created``, so that no command, page or task can forget to ask. Other wrappers
    than the project's own, such as the one that creates databases, are let through.
    """
    if connection.alias not in connections.settings:
        return
    unknown = _unknown(MigrationRecorder(connection))
    if unknown:
        connection.close()
        raise SchemaTooNewError(unknown)


def pending_migrations() -> frozenset[Migration]:
    """The migrations that the default database still lacks. Raises OperationalError if it cannot be asked."""
    default_connection.ensure_connection()
    recorder = MigrationRecorder(default_connection)
    unknown = _unknown(recorder)
    if unknown:
        # It was migrated under this connection's feet.
        raise SchemaTooNewError(unknown)
    loader = MigrationLoader(default_connection)
    return frozenset(set(loader.graph.nodes) - set(loader.applied_migrations))


def _unknown(recorder: MigrationRecorder) -> frozenset[Migration]:
    known = _known()
    applied = frozenset(recorder.applied_migrations())
    # An app that this code does not have at all is somebody else's.
    return frozenset(key for key in applied - known.current - known.replaced if key[0] in known.apps)


@cache
def _known() -> Known:
    loader = MigrationLoader(None)
    return Known(
        current=frozenset(loader.disk_migrations),
        replaced=frozenset(key for migration in loader.disk_migrations.values() for key in migration.replaces),
        apps=frozenset(loader.migrated_apps),
    )
