"""The composition root: which store, which service."""

from __future__ import annotations

from functools import cache

from statecore.service.port import SessionStore
from statecore.service.sessions import SessionService
from statecore.storage.postgres import DjangoConnections, PostgresStore


@cache
def store() -> SessionStore:
    """Return the store on Django's default connection."""
    return PostgresStore(DjangoConnections())


@cache
def service() -> SessionService:
    """Return the use cases over :func:`store`."""
    return SessionService(store())
