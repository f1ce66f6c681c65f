"""The composition root: which store, which service."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from statecore.service.sessions import SessionService
from statecore.storage.postgres import DjangoConnections, PostgresStore

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from statecore.service.port import SessionStore


@cache
def store() -> SessionStore:
    """Return the store on Django's default connection."""
    return PostgresStore(DjangoConnections())


@cache
def service() -> SessionService:
    """Return the use cases over :func:`store`."""
    return SessionService(store())


def service_at(clock: Callable[[], datetime]) -> tuple[SessionService, SessionStore]:
    """Return use cases and their store on a clock of the caller's, for data that must look weeks old."""
    clocked = PostgresStore(DjangoConnections(), clock=clock)
    return SessionService(clocked, clock=clock), clocked
