"""Rows to values and values to parameters."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from statecore.core.delta import REMOVED, Change, ChangeKind
from statecore.core.events import EventFlag, EventKind, StoredEvent
from statecore.core.ids import SessionKey
from statecore.core.jsontext import load_json
from statecore.core.scopes import Scope, ScopedState, format_key
from statecore.core.sessions import ExpireRule, HistoryEntry, Origin, Session

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_ESCAPED = re.compile(r'["\\]')
_SCOPE_CODES = {Scope.APP: "a", Scope.USER: "u", Scope.SESSION: "s"}


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
    return datetime.fromisoformat(text).astimezone(UTC)


def parse_values(texts: Mapping[str, str]) -> dict[str, Any]:
    """Parse stored values."""
    return {key: load_json(text) for key, text in texts.items()}


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
        receive_time=receive_time.astimezone(UTC) if receive_time else None,
    )
