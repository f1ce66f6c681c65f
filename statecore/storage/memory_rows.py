"""What the store in memory holds, and how it is read."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from statecore.core.delta import REMOVED, Change, ChangeKind
from statecore.core.events import Event, EventFlag, StoredEvent
from statecore.core.jsontext import load_json
from statecore.core.scopes import ScopedState
from statecore.core.sessions import (
    Appended,
    EventWindow,
    ExpireRule,
    HistoryEntry,
    NewSession,
    Origin,
    Receipt,
    Session,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from statecore.core.audit import AuditEntry
    from statecore.core.ids import OwnerKey, SessionKey


@dataclass(frozen=True, slots=True)
class Write:
    """One change of one key. ``text`` is the value's JSON, None where the key was removed."""

    position: int
    session_id: int
    seq: int
    kind: ChangeKind
    text: str | None


Keys = dict[str, list[Write]]
"""Every write of every name, oldest first."""


@dataclass(slots=True)
class OwnerRow:
    id: int
    keys: Keys = field(default_factory=dict)


@dataclass(slots=True)
class SessionRow:
    """``header`` is the session without events and state."""

    header: Session
    create_gid: int
    keys: Keys = field(default_factory=dict)
    events: list[StoredEvent] = field(default_factory=list)
    gids: list[int] = field(default_factory=list)  # of the events, in their order


@dataclass(slots=True)
class Tables:
    owners: dict[OwnerKey, OwnerRow] = field(default_factory=dict)
    sessions: dict[SessionKey, SessionRow] = field(default_factory=dict)
    receipts: list[Receipt] = field(default_factory=list)
    audit: list[tuple[datetime, AuditEntry]] = field(default_factory=list)


def new_header(
    new: NewSession, *, time: datetime, default_ttl: timedelta, session_id: int, app: OwnerRow, user: OwnerRow
) -> Session:
    is_given = new.ttl is not None or new.expire_time is not None
    default_rule = ExpireRule.IMPORT_DEFAULT if new.origin is Origin.IMPORTED else ExpireRule.DEFAULT
    return Session(
        id=session_id,
        key=new.key,
        app_owner_id=app.id,
        user_owner_id=user.id,
        revision=0,
        create_time=(new.create_time or time).astimezone(UTC),
        receive_time=time,
        update_time=time.timestamp() if new.update_time is None else new.update_time,
        expire_time=(new.expire_time or time + (new.ttl or default_ttl)).astimezone(UTC),
        expire_rule=ExpireRule.GIVEN if is_given else default_rule,
        hold_until=None,
        display_name=new.display_name,
        labels=dict(new.labels),
        origin=new.origin,
        error_count=0,
        edit_count=0,
        scoped_state=ScopedState(),
    )


def count_event(header: Session, event: Event, time: datetime) -> tuple[Session, StoredEvent]:
    """Return the header after this event, and the event as it is stored."""
    stored = StoredEvent(
        seq=header.revision + 1,
        event_id=event.event_id,
        invocation_id=event.invocation_id,
        author=event.author,
        timestamp=event.timestamp,
        receive_time=max(header.receive_time, time),
        payload_json=event.payload_json,
        kind=event.kind,
        flags=event.flags,
    )
    counted = replace(
        header,
        revision=stored.seq,
        update_time=max(header.update_time, event.timestamp),
        receive_time=stored.receive_time,
        error_count=header.error_count + (EventFlag.HAS_ERROR in event.flags),
        edit_count=header.edit_count + (EventFlag.IS_EDIT in event.flags),
    )
    return counted, stored


def select_events(events: Sequence[StoredEvent], window: EventWindow) -> tuple[StoredEvent, ...]:
    since, count = window.after_timestamp, window.num_recent_events
    found = [event for event in events if since is None or event.timestamp >= since]
    return tuple(found if count is None else found[max(0, len(found) - count) :])


def find_event(row: SessionRow, event_id: str) -> StoredEvent | None:
    return next((event for event in row.events if event.event_id == event_id), None)


def appended(row: SessionRow, event: StoredEvent, *, is_repeat: bool = False) -> Appended:
    return Appended(event, row.header.id, row.header.revision, row.header.update_time, is_repeat)


def current_values(keys: Mapping[str, list[Write]], until: int | None = None) -> dict[str, Any]:
    """Return the values of all names that exist, as of position ``until``."""
    values = {}
    for name, writes in keys.items():
        newest = next((write for write in reversed(writes) if until is None or write.position <= until), None)
        if newest is not None and newest.text is not None:
            values[name] = load_json(newest.text)
    return values


def history_entry(write: Write, key: str, row: SessionRow | None) -> HistoryEntry:
    """Return the entry of a change; ``row`` is the session that made it, None if it is gone."""
    value = REMOVED if write.text is None else load_json(write.text)
    event = row.events[write.seq - 1] if row and write.kind is ChangeKind.EVENT else None
    made_time = row.header.create_time if row and write.seq == 0 else None
    return HistoryEntry(
        change=Change(key, value, write.seq, write.kind),
        position=write.position,
        session_id=row.header.id if row else None,
        session_key=row.header.key if row else None,
        event_id=event.event_id if event else None,
        author=event.author if event else None,
        receive_time=event.receive_time if event else made_time,
    )
