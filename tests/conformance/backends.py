"""The stores that have to behave alike. A new one adds a line here and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import psycopg

from statecore.storage.memory import MemoryStore
from statecore.storage.postgres import DjangoConnections, PostgresStore, PsycopgConnections

if TYPE_CHECKING:
    import pytest

    from statecore.service.port import SessionStore

Opener = Callable[[], "SessionStore"]
"""Returns a store on the same data, each time one that the thread which asks may use."""


@dataclass(frozen=True)
class Backend:
    """A store under test. ``divergences`` are names of tests that it fails, each with the sentence that says why.

    ``is_shared`` is False where only one thread can see the data.
    """

    name: str
    store_class: type
    make: Callable[[pytest.FixtureRequest], AbstractContextManager[Opener]]
    divergences: Mapping[str, str] = field(default_factory=dict)
    needs_database: bool = True
    is_shared: bool = True


@contextmanager
def open_memory(request: pytest.FixtureRequest) -> Iterator[Opener]:
    store = MemoryStore()
    yield lambda: store


@contextmanager
def open_postgres(request: pytest.FixtureRequest) -> Iterator[Opener]:
    """In autocommit, each store on a connection of its own."""
    conninfo = request.getfixturevalue("conninfo")
    with ExitStack() as stack:

        def connect() -> SessionStore:
            return PostgresStore(PsycopgConnections(stack.enter_context(psycopg.connect(conninfo))))

        yield connect


@contextmanager
def open_django(request: pytest.FixtureRequest) -> Iterator[Opener]:
    """On Django's connection, inside the transaction of the test."""
    store = PostgresStore(DjangoConnections())
    yield lambda: store


BACKENDS = (
    Backend("memory", MemoryStore, open_memory, needs_database=False),
    Backend("postgres", PostgresStore, open_postgres),
    Backend("postgres-in-django-transaction", PostgresStore, open_django, is_shared=False),
)
