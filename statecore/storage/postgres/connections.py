"""Where a store gets its cursor: from Django's connection or from a psycopg connection."""

from __future__ import annotations

from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any, Protocol

import psycopg
from psycopg.pq import TransactionStatus

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class Cursor(Protocol):
    """The part of a DB-API cursor that the store uses."""

    def execute(self, query: Any, params: Any = None, /) -> Any:
        """Run one statement with named parameters."""
        ...

    def fetchone(self) -> Any:
        """Return the next row or None."""
        ...

    def fetchall(self) -> list[Any]:
        """Return all rows that are left."""
        ...


class Connections(Protocol):
    """One database connection of the current thread, in autocommit outside of ``transaction``."""

    errors: tuple[type[Exception], ...]

    def cursor(self) -> AbstractContextManager[Cursor]:
        """Return a cursor that closes itself."""
        ...

    def transaction(self) -> AbstractContextManager[None]:
        """Commit the block, or roll it back when it raises; inside another one, a savepoint."""
        ...

    def is_in_transaction(self) -> bool:
        """Whether an error now breaks a transaction around us."""
        ...


class DjangoConnections:
    """Django's connection of the current thread."""

    def __init__(self, alias: str = "default") -> None:
        # Imported here: a program that uses psycopg alone needs no Django.
        from django.db import DatabaseError, connections, transaction

        self._alias = alias
        self._all = connections
        self._atomic = transaction.atomic
        self.errors: tuple[type[Exception], ...] = (DatabaseError,)

    def cursor(self) -> AbstractContextManager[Cursor]:
        """Return Django's cursor."""
        return self._all[self._alias].cursor()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Run the block in ``atomic()``."""
        with self._atomic(using=self._alias):
            yield

    def is_in_transaction(self) -> bool:
        """Whether an ``atomic()`` block is open."""
        return bool(self._all[self._alias].in_atomic_block)


class PsycopgConnections:
    """One psycopg connection, put into autocommit. Not shared between threads."""

    errors: tuple[type[Exception], ...] = (psycopg.DatabaseError,)

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        connection.autocommit = True
        self._connection = connection
        self._cursor = connection.cursor()

    @contextmanager
    def cursor(self) -> Iterator[Cursor]:
        """Return the connection's one cursor: making one an append would cost 35 us of its 150 in the client."""
        yield self._cursor

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Run the block in psycopg's own transaction block."""
        with self._connection.transaction():
            yield

    def is_in_transaction(self) -> bool:
        """Whether a transaction block is open."""
        return self._connection.info.transaction_status is not TransactionStatus.IDLE


def sqlstate_of(error: Exception) -> str:
    """Return the SQLSTATE of a driver's error, also where Django wrapped it."""
    for candidate in (error, error.__cause__):
        if isinstance(candidate, psycopg.Error):
            return candidate.sqlstate or ""
    return ""


def fetch_all(connections: Connections, query: str, params: dict[str, Any]) -> Sequence[Any]:
    """Run one statement and return its rows."""
    with connections.cursor() as cursor:
        cursor.execute(query, params)
        return cursor.fetchall()


def fetch_one(connections: Connections, query: str, params: dict[str, Any]) -> Any:
    """Run one statement and return its only row, None without one."""
    with connections.cursor() as cursor:
        cursor.execute(query, params)
        return cursor.fetchone()
