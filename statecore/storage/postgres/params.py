"""Values to the parameters of the SQL files."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from statecore.core.delta import REMOVED, StateDelta
from statecore.core.ids import slot_of
from statecore.core.jsontext import dump_json
from statecore.core.scopes import Scope, merge_state, parse_key
from statecore.core.sessions import EventWindow, ExpireRule, NewSession, Origin

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import timedelta

    from statecore.core.audit import AuditEntry
    from statecore.core.events import Event
    from statecore.core.ids import OwnerKey, SessionKey

_ESCAPED = re.compile(r'["\\]')
_SCOPE_CODES = {Scope.APP: "a", Scope.USER: "u", Scope.SESSION: "s"}
_INTEGER = 2**31 - 1
_BIGINT = 2**63 - 1


def within_integer(number: int) -> int:
    """Return the number, or the last one on its side that a column of seqs or counts can be compared with.

    Where nothing is stored that far out, both compare alike, and PostgreSQL takes only this one.
    """
    return max(-1, min(number, _INTEGER))


def within_bigint(number: int) -> int:
    """Return the number, or the last one on its side that positions can be compared with."""
    return max(-1, min(number, _BIGINT))


def key_params(key: SessionKey) -> dict[str, Any]:
    """Return what finds a session by its natural key."""
    return {
        "slot": slot_of(key.app_name, key.user_id),
        "app": key.app_name,
        "user": key.user_id,
        "session": key.session_id,
    }


def owner_params(owner: OwnerKey) -> dict[str, Any]:
    """Return what finds an app or a user."""
    return {"slot": slot_of(owner.app_name, owner.user_id), "app": owner.app_name, "user": owner.user_id}


def change_params(delta: StateDelta) -> dict[str, str]:
    """Return the delta as scope letters and two array literals, sorted by scope and name.

    Sorted, because statecore_write_changes asks for it; literals, because the driver takes 10 us for a list.
    """
    rows = _change_rows(delta)
    return {
        "scopes": "".join(scope for scope, _, _ in rows),
        "keys": _array(name for _, name, _ in rows),
        "values": _array(value for _, _, value in rows),
    }


def create_params(new: NewSession, *, default_ttl: timedelta) -> dict[str, Any]:
    """Return a session to create, with its baseline."""
    is_import = new.origin is Origin.IMPORTED
    return {
        **key_params(new.key),
        **change_params(StateDelta(merge_state(new.state))),
        "expire_time": new.expire_time,
        "ttl": new.ttl,
        "default_ttl": default_ttl,
        "default_rule": ExpireRule.IMPORT_DEFAULT if is_import else ExpireRule.DEFAULT,
        "display_name": new.display_name,
        "labels": dump_json(dict(new.labels)),
        "origin": new.origin,
        "create_time": new.create_time,
        "update_time": new.update_time,
    }


def window_params(window: EventWindow) -> dict[str, Any]:
    """Return which events to read."""
    count = window.num_recent_events
    return {
        "limit": None if count is None else within_integer(count),
        "after_timestamp": window.after_timestamp,
    }


def event_params(event: Event) -> dict[str, Any]:
    """Return one event with its changes."""
    return {
        **change_params(event.delta),
        "event_id": event.event_id,
        "invocation_id": event.invocation_id,
        "author": event.author,
        "timestamp": event.timestamp,
        "kind": int(event.kind),
        "flags": int(event.flags),
        "payload": event.payload_json,
    }


def event_list_params(events: Sequence[Event]) -> dict[str, Any]:
    """Return many events as arrays, and their changes with the number (from 1) of the event that made each."""
    changes = [(number, *row) for number, event in enumerate(events, 1) for row in _change_rows(event.delta)]
    return {
        "event_ids": _array(event.event_id for event in events),
        "invocation_ids": _array(event.invocation_id for event in events),
        "authors": _array(event.author for event in events),
        "timestamps": [event.timestamp for event in events],
        "kinds": [int(event.kind) for event in events],
        "flags": [int(event.flags) for event in events],
        "payloads": _array(event.payload_json for event in events),
        "change_events": [number for number, _, _, _ in changes],
        "scopes": "".join(scope for _, scope, _, _ in changes),
        "keys": _array(name for _, _, name, _ in changes),
        "values": _array(value for _, _, _, value in changes),
    }


def audit_params(entry: AuditEntry) -> dict[str, Any]:
    """Return one audit record."""
    owner = entry.owner
    return {
        "slot": slot_of(owner.app_name, owner.user_id) if owner else 0,
        "actor": str(entry.actor),
        "verb": entry.verb,
        "outcome": entry.outcome,
        "app": owner.app_name if owner else "",
        "user": owner.user_id if owner else None,
        "session": entry.session_id,
        "seq": entry.seq,
        "reason": entry.reason,
        "ticket": entry.ticket,
        "origin": entry.origin,
        "detail": dump_json(dict(entry.detail)),
    }


def _change_rows(delta: StateDelta) -> list[tuple[str, str, str | None]]:
    return sorted(
        (_SCOPE_CODES[scope], name, None if value is REMOVED else dump_json(value))
        for key, value in delta.items()
        for scope, name in [parse_key(key)]
        if scope is not Scope.TEMP
    )


def _array(items: Iterable[str | None]) -> str:
    """Return a PostgreSQL array literal."""
    quoted = ("NULL" if item is None else '"' + _ESCAPED.sub(r"\\\g<0>", item) + '"' for item in items)
    return "{" + ",".join(quoted) + "}"
