"""Rows to values and values to parameters."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from statecore.core.delta import REMOVED, Change, ChangeKind
from statecore.core.events import EventFlag, EventKind, StoredEvent
from statecore.core.ids import SessionKey
from statecore.core.jsontext import load_json
from statecore.core.scopes import Scope, ScopedState, format_key
from statecore.core.sessions import ExpireRule, HistoryEntry, Origin, Session

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from statecore.core.events import Event

_SCOPES = {1: "session", 2: "user", 3: "app"}
_EVENT = 4


def event_from_row(row: Sequence[Any]) -> StoredEvent:
    """Build an event from (seq, kind, flags, timestamp, receive_time, event_id, invocation_id, author, payload)."""
    seq, kind, flags, timestamp, receive_time, event_id, invocation_id, author, payload = row
    return StoredEvent(
        seq=seq,
        event_id=event_id,
        invocation_id=invocation_id,
        author=author,
        timestamp=timestamp,
        receive_time=receive_time.astimezone(UTC),
        payload_json=payload,
        kind=EventKind(kind),
        flags=EventFlag(flags),
    )


def stored_event(event: Event, *, seq: int, receive_time: datetime) -> StoredEvent:
    """Return an event as it was stored just now."""
    return StoredEvent(
        seq=seq,
        event_id=event.event_id,
        invocation_id=event.invocation_id,
        author=event.author,
        timestamp=event.timestamp,
        receive_time=receive_time.astimezone(UTC),
        payload_json=event.payload_json,
        kind=event.kind,
        flags=event.flags,
    )


def session_from_rows(rows: Iterable[Sequence[Any]], key: SessionKey) -> Session | None:
    """Build a session from the rows of ``get_session.sql``, in whatever order they come."""
    header: str | None = None
    state: dict[str, dict[str, Any]] = {name: {} for name in _SCOPES.values()}
    events: list[StoredEvent] = []
    for part, *columns in rows:
        if part == _EVENT:
            events.append(event_from_row(columns))
        elif part == 0:
            header = columns[-1]
        else:
            state[_SCOPES[part]][columns[5]] = load_json(columns[-1])
    if header is None:
        return None
    events.sort(key=lambda event: event.seq)
    return session_from_header(header, key, ScopedState(**state), tuple(events))


def sessions_from_rows(rows: Sequence[Sequence[Any]], app_name: str) -> list[Session]:
    """Build sessions from the rows of ``list_sessions.sql``, in whatever order they come."""
    app_state = "{}"
    users: dict[int, tuple[str, str]] = {}
    for part, owner_ref, name, _, state in rows:
        if part == 0:
            app_state = state
        elif part == 1:
            users[owner_ref] = (name, state)
    found = []
    for part, owner_ref, session_id, header, state in rows:
        if part == 2:
            user_id, user_state = users[owner_ref]
            # Parsed for each: no two of the returned sessions share a list or a dict.
            scoped = ScopedState(session=load_json(state), user=load_json(user_state), app=load_json(app_state))
            found.append(session_from_header(header, SessionKey(app_name, user_id, session_id), scoped))
    return found


def state_from_rows(rows: Iterable[Sequence[Any]]) -> ScopedState:
    """Build a state from (scope letter, name, value); a row without a value says nothing."""
    parts: dict[str, dict[str, Any]] = {"s": {}, "u": {}, "a": {}}
    for code, name, value in rows:
        if value is not None:
            parts[code][name] = load_json(value)
    return ScopedState(session=parts["s"], user=parts["u"], app=parts["a"])


def session_from_header(
    header_json: str, key: SessionKey, state: ScopedState, events: tuple[StoredEvent, ...] = ()
) -> Session:
    """Build a session from the JSON that ``statecore_header`` made."""
    header = json.loads(header_json)
    return Session(
        id=header["id"],
        key=key,
        app_owner_id=header["app_owner_id"],
        user_owner_id=header["user_owner_id"],
        revision=header["revision"],
        create_time=_time(header["create_time"]),
        receive_time=_time(header["receive_time"]),
        update_time=float(header["update_time"]),
        expire_time=_time(header["expire_time"]),
        expire_rule=ExpireRule(header["expire_rule"]),
        hold_until=_time(header["hold_until"]) if header["hold_until"] else None,
        display_name=header["display_name"],
        labels=header["labels"],
        origin=Origin(header["origin"]),
        error_count=header["error_count"],
        edit_count=header["edit_count"],
        scoped_state=state,
        events=events,
    )


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def history_from_row(row: Sequence[Any], scope: Scope, name: str) -> HistoryEntry:
    """Build a history entry from a row of ``list_history.sql``."""
    position, seq, kind, value, session_ref, app_name, user_id, session_id, event_id, author, receive_time = row
    return HistoryEntry(
        change=Change(
            key=format_key(scope, name),
            value=REMOVED if value is None else load_json(value),
            seq=seq,
            kind=ChangeKind(kind),
        ),
        position=position,
        session_id=session_ref if session_id is not None else None,
        session_key=SessionKey(app_name, user_id, session_id) if session_id is not None else None,
        event_id=event_id,
        author=author,
        receive_time=receive_time.replace(tzinfo=UTC) if receive_time else None,
    )
