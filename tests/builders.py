"""What tests of stores are made of: a test names what matters to it, the rest is filled in."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from statecore.core.delta import make_delta
from statecore.core.events import Event, parse_event
from statecore.core.ids import SessionKey
from statecore.core.scopes import split_state
from statecore.core.sessions import ALL_EVENTS, Appended, EventWindow, NewSession, Session

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from statecore.service.port import SessionStore

START = 1796079885.0
_numbers = itertools.count(1)


def make_key(*, app_name: str | None = None, user_id: str = "ana@example.com", session_id: str = "trip") -> SessionKey:
    """Return a key; without ``app_name`` in an app that no other test uses."""
    return SessionKey(app_name or f"shop-{next(_numbers)}", user_id, session_id)


def make_event(
    *,
    delta: Mapping[str, Any] | None = None,
    removes: tuple[str, ...] = (),
    event_id: str | None = None,
    timestamp: float = START,
    is_imported: bool = False,
    **fields: Any,
) -> Event:
    """Return an event ready to append. ``removes`` are keys that it removes; ``fields`` go into its payload."""
    payload = {"id": event_id or f"event-{next(_numbers)}", "author": "agent", "timestamp": timestamp, **fields}
    if delta is not None:
        payload["actions"] = {"stateDelta": dict(delta)}
    event = parse_event(payload, new_id=lambda: "unused", now=START, is_imported=is_imported)
    return replace(event, delta=make_delta(event.delta.values, (*event.delta.removed, *removes)))


def create(
    store: SessionStore,
    key: SessionKey | None = None,
    *,
    state: Mapping[str, Any] | None = None,
    now: datetime | None = None,
    **more: Any,
) -> Session:
    """Create a session; ``state`` has prefixed keys."""
    new = NewSession(key=key or make_key(), state=split_state(state or {}), **more)
    return store.create_session(new, now=now)


def append(store: SessionStore, session: Session | SessionKey, *events: Event, **more: Any) -> Appended:
    """Append events (one that writes nothing, if none is given) and return the answer to the last."""
    key = session.key if isinstance(session, Session) else session
    appended = None
    for event in events or (make_event(),):
        appended = store.append_event(key, event, **more)
    assert appended is not None
    return appended


def read(
    store: SessionStore,
    session: Session | SessionKey,
    *,
    num_recent_events: int | None = None,
    after_timestamp: float | None = None,
    now: datetime | None = None,
) -> Session:
    """Return the session as it now is; it has to be there."""
    window = EventWindow(num_recent_events, after_timestamp)
    key = session.key if isinstance(session, Session) else session
    found = store.get_session(key, window=window if window != EventWindow() else ALL_EVENTS, now=now)
    assert found is not None
    return found
