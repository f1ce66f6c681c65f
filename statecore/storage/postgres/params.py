"""Values to the parameters of the SQL files."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from statecore.core.delta import REMOVED
from statecore.core.ids import slot_of
from statecore.core.jsontext import dump_json
from statecore.core.scopes import Scope, parse_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from statecore.core.delta import StateDelta
    from statecore.core.events import Event
    from statecore.core.ids import OwnerKey, SessionKey

_ESCAPED = re.compile(r'["\\]')
_SCOPE_CODES = {Scope.APP: "a", Scope.USER: "u", Scope.SESSION: "s"}


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
