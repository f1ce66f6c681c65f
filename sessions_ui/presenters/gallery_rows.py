"""A made-up timeline with one of each kind of entry, for the gallery page."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final

from sessions_ui.presenters.records import ChangeRecord, EventRecord, HeldValue
from sessions_ui.presenters.timeline import Group, Reading, present_timeline
from statecore.core.delta import ChangeKind
from statecore.core.events import EventFlag, EventKind
from statecore.core.jsontext import dump_json
from statecore.core.scopes import Scope

_NOW: Final = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)
_START: Final = 1796079885.0
_NO_FLAGS: Final = EventFlag(0)


def present_timeline_example() -> list[Group]:
    """Return groups that hold a baseline, a call with its answer, an edit, an error, a pause and a correction."""
    records = [
        _event(1, 0, "user", {"content": {"parts": [{"text": "Where is my order?"}]}}),
        _event(2, 1, "planner", _call("call-1", "lookup_order", {"order": "A-17"})),
        _event(3, 2, "lookup_order", _answer("call-1", "lookup_order", {"error": "404 not found"})),
        _event(4, 3, "planner", {"errorCode": "MALFORMED_CALL", "errorMessage": "No such tool."}, EventFlag.HAS_ERROR),
        _event(5, 4, "planner", {"actions": {"stateDelta": {"order_status": "held", "note": None, "retries": "2"}}}),
        _event(6, 130, "operator:kim", _removal(), EventFlag.IS_EDIT),
        _event(7, 120, "planner", _call("call-2", "notify", {}), EventFlag.IS_IMPORTED | EventFlag.MADE_TIMESTAMP),
        _event(8, 131, "planner", {"actions": {"stateDelta": {"user:plan": "pro", "api_key": "shown as masked"}}}),
        _event(9, 132, "planner", {"somethingNew": {"left": [1, 2]}}),
        _event(10, 133, "painter", None),
    ]
    return present_timeline(records, _changes(), first=1, last=10, revision=10, selected=5, reading=Reading(now=_NOW))


def _changes() -> list[ChangeRecord]:
    return [
        _change("order_status", 0, ChangeKind.BASELINE, '"open"'),
        _change("retries", 0, ChangeKind.BASELINE, "1"),
        _change("order_status", 5, ChangeKind.EVENT, '"held"', old='"open"'),
        _change("retries", 5, ChangeKind.EVENT, '"2"', old="1"),
        _change("note", 5, ChangeKind.EVENT, "null"),
        _change("note", 6, ChangeKind.EVENT, None, old="null"),
        _change("api_key", 8, ChangeKind.EVENT, '"shown as masked"', old='"shown as masked"'),
        _change("order_status", 10, ChangeKind.IMPORT_CORRECTION, '"shipped"', old='"held"'),
    ]


def _change(name: str, seq: int, kind: ChangeKind, new: str | None, *, old: str | None = None) -> ChangeRecord:
    return ChangeRecord(
        scope=Scope.SESSION,
        name=name,
        position=seq * 2 + (kind is ChangeKind.IMPORT_CORRECTION),
        seq=seq,
        kind=kind,
        new=HeldValue("removed") if new is None else HeldValue("value", new, len(new)),
        old=HeldValue("absent") if old is None else HeldValue("value", old, len(old)),
    )


def _event(
    seq: int, after: float, author: str, payload: dict[str, Any] | None, flags: EventFlag = _NO_FLAGS
) -> EventRecord:
    text = None if payload is None else dump_json(payload)
    return EventRecord(
        seq=seq,
        gid=seq,
        event_id=f"event-{seq}",
        invocation_id="e-3" if seq <= 5 else "e-4",
        author=author,
        timestamp=_START + after,
        receive_time=_NOW,
        kind=EventKind.OTHER,
        flags=flags,
        payload_json=text,
        payload_size=5_000_000 if text is None else len(text),
    )


def _call(call: str, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    return {"content": {"parts": [{"functionCall": {"id": call, "name": name, "args": arguments}}]}}


def _answer(call: str, name: str, response: dict[str, Any]) -> dict[str, Any]:
    return {"content": {"parts": [{"functionResponse": {"id": call, "name": name, "response": response}}]}}


def _removal() -> dict[str, Any]:
    return {"customMetadata": {"statecore": {"removed": ["note"], "reason": "asked by phone", "operator": "kim"}}}
