"""The stores that have to behave alike. A new one adds a line here and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import psycopg
import pytest
from django.db import connections

from statecore.storage.memory import MemoryStore
from statecore.storage.postgres import DjangoConnections, PostgresStore, PsycopgConnections

if TYPE_CHECKING:
    from statecore.service.port import SessionStore

Opener = Callable[[], "SessionStore"]
"""Returns a store on the same data, each time one that the thread which asks may use."""


@dataclass(frozen=True)
class Backend:
    """A store under test. ``divergences`` are names of tests that it fails, each with the sentence that says why.

    ``marks`` go on its tests. ``is_shared`` is False where only one thread can see the data.
    """

    name: str
    store_class: type
    make: Callable[[pytest.FixtureRequest], AbstractContextManager[Opener]]
    divergences: Mapping[str, str] = field(default_factory=dict)
    marks: Sequence[pytest.MarkDecorator] = ()
    is_shared: bool = True


@contextmanager
def open_memory(request: pytest.FixtureRequest) -> Iterator[Opener]:
    store = MemoryStore()
    yield lambda: store


@contextmanager
def open_postgres(request: pytest.FixtureRequest) -> Iterator[Opener]:
    """In autocommit, each store on a psycopg connection of its own."""
    with connecting_to(request.getfixturevalue("conninfo")) as opener:
        yield opener


@contextmanager
def open_oldest_postgres(request: pytest.FixtureRequest) -> Iterator[Opener]:
    """The same on the oldest PostgreSQL that is supported."""
    with connecting_to(request.getfixturevalue("oldest_conninfo")) as opener:
        yield opener


@contextmanager
def connecting_to(conninfo: str) -> Iterator[Opener]:
    with ExitStack() as stack:

        def connect() -> SessionStore:
            return PostgresStore(PsycopgConnections(stack.enter_context(psycopg.connect(conninfo))))

        yield connect


@contextmanager
def open_django(request: pytest.FixtureRequest) -> Iterator[Opener]:
    """In autocommit, on Django's connection of each thread. A thread has to close its own."""
    request.getfixturevalue("conninfo")
    with request.getfixturevalue("django_db_blocker").unblock():
        yield lambda: PostgresStore(DjangoConnections())
        connections.close_all()


@contextmanager
def open_django_in_transaction(request: pytest.FixtureRequest) -> Iterator[Opener]:
    """On Django's connection, inside the transaction of the test."""
    store = PostgresStore(DjangoConnections())
    yield lambda: store


BACKENDS = (
    Backend("memory", MemoryStore, open_memory),
    Backend("postgres-by-psycopg", PostgresStore, open_postgres),
    Backend("postgres-by-django", PostgresStore, open_django),
    Backend(
        "postgres-by-django-in-a-transaction",
        PostgresStore,
        open_django_in_transaction,
        marks=[pytest.mark.django_db],
        is_shared=False,
    ),
    Backend("postgres-15", PostgresStore, open_oldest_postgres, marks=[pytest.mark.postgres15]),
)
