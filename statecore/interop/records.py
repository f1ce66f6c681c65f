"""Records: the sessions of a file, ready to import or refused by name. One refused never loses the others."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, Final

from statecore.core.errors import InvalidInputError, UnknownShapeError
from statecore.core.ids import SessionKey, check_id, check_session_id
from statecore.core.limits import DEFAULT_LIMITS
from statecore.core.scopes import Scope, check_keys, parse_key
from statecore.core.spelling import canonical_session
from statecore.interop.events import SHARED_NOTE, EventList, EventReader, read_events
from statecore.interop.shapes import name_shape
from statecore.interop.spans import Span, members_of
from statecore.service.importing import ImportRecord

_SESSION_NAMES: Final = frozenset({"id", "appName", "userId", "state", "events", "lastUpdateTime"})
# Of a state as a whole; each of its values has the usual limit.
_STATE_LIMITS: Final = replace(DEFAULT_LIMITS, body_bytes=1024**3)
# Events of small sessions are kept as they are read; those of large ones are read a second time.
_KEPT_BYTES: Final = 16 * 1024 * 1024
_DISPLAY_NAME_LENGTH: Final = 500


@dataclass(frozen=True, slots=True)
class Overrides:
    """What the caller says of app and user; it wins over the file. ``now`` (seconds) stands in for missing times."""

    now: float
    app_name: str | None = None
    user_id: str | None = None


@dataclass(frozen=True, slots=True)
class Frame:
    """What an export says of a session beside the session."""

    baseline: Mapping[str, Any] | None = None
    display_name: str | None = None
    labels: Mapping[str, str] | None = None
    is_masked: bool = False


def read_record(span: Span, overrides: Overrides, frame: Frame | None = None) -> tuple[ImportRecord, tuple[str, ...]]:
    """Return the session or replay that an object is, and notes on what was made up, skipped or odd.

    Raises InvalidInputError, for an object that is something else UnknownShapeError.
    """
    members = members_of(span, "")
    shape = name_shape(members.keys())
    if shape is not None:
        raise UnknownShapeError("", shape)
    fields = canonical_session(members, path="")
    frame = frame or Frame()
    update_time = _seconds(fields, "lastUpdateTime")
    state = read_object(fields.get("state"), "state")
    array = _array(fields.get("events"))
    fallback = overrides.now if update_time is None else update_time
    reader = EventReader(fallback)
    written, kept = _read_through(array, reader)
    key, is_made = _key(span, fields, overrides)
    record = ImportRecord(
        key=key,
        events=EventList(array, fallback, kept),
        written=written,
        state=state,
        baseline=frame.baseline,
        display_name=_display_name(frame, state),
        labels=frame.labels or {},
        create_time=update_time if reader.first_timestamp is None else reader.first_timestamp,
        update_time=reader.newest_timestamp if update_time is None else update_time,
    )
    made = (f"the file has no session id: made {key.session_id} from its content",) if is_made else ()
    return record, (*made, *_notes(reader, fields, record, frame))


def _read_through(array: Span | None, reader: EventReader) -> tuple[dict[str, Any], tuple[Any, ...] | None]:
    """Read all events once; return what their deltas leave behind, and the events if they are small."""
    written: dict[str, Any] = {}
    kept: list[Any] | None = [] if array is None or array.size <= _KEPT_BYTES else None
    for event in read_events(array, reader):
        written.update(event.delta.items())
        if kept is not None:
            kept.append(event)
    return written, None if kept is None else tuple(kept)


def _key(span: Span, fields: Mapping[str, Span], overrides: Overrides) -> tuple[SessionKey, bool]:
    """Return the key, and whether its session id had to be made."""
    app_name = overrides.app_name or _text(fields, "appName")
    user_id = overrides.user_id or _text(fields, "userId")
    if not app_name:
        raise InvalidInputError("appName", "is missing; name the app with --app")
    if not user_id:
        raise InvalidInputError("userId", "is missing; name the user with --user")
    app_name, user_id = check_id(app_name, field="appName"), check_id(user_id, field="userId")
    session_id = _text(fields, "id")
    if session_id.strip():
        return SessionKey(app_name, user_id, check_session_id(session_id, field="id")), False
    digest = hashlib.sha256(f"{app_name}\0{user_id}\0".encode())
    for chunk in span.chunks():
        digest.update(chunk)
    return SessionKey(app_name, user_id, f"import-{digest.hexdigest()[:32]}"), True


def _notes(reader: EventReader, fields: Mapping[str, Span], record: ImportRecord, frame: Frame) -> Iterator[str]:
    if frame.is_masked:
        yield "the export was masked: what it hides is stored as the mask"
    for name in fields:
        if name not in _SESSION_NAMES:
            yield f"ignored the unknown field {name[:40]!r}"
    for text, count in reader.notes.items():
        yield f"{count} {text}"
    if reader.backwards_at is not None:
        yield f"timestamps go backwards, first at events[{reader.backwards_at}]: the order of the file was kept"
    scopes = [parse_key(key)[0] for key in record.state or {}]
    if Scope.TEMP in scopes:
        yield f"{scopes.count(Scope.TEMP)} temp: keys of the state dropped"
    shared = len(scopes) - scopes.count(Scope.TEMP) - scopes.count(Scope.SESSION)
    if shared and SHARED_NOTE not in reader.notes:
        yield f"{shared} keys of the state are of app: or user:, which --with-shared-state applies"


def read_object(span: Span | None, path: str) -> dict[str, Any] | None:
    """Return a parsed object, None if it is absent or null. It may be inside a string."""
    if span is None:
        return None
    text = span.unquoted().whole() if span.first == '"' else span
    value = text.parse(path, limits=_STATE_LIMITS)
    if value is None:
        return None
    if not isinstance(value, dict):
        raise InvalidInputError(path, "must be an object")
    check_keys(value, path=path)
    return value


def read_text(span: Span, path: str) -> str:
    """Return a parsed text, "" for null."""
    value = span.parse(path)
    if not isinstance(value, str | None):
        raise InvalidInputError(path, f"must be text, not {type(value).__name__}")
    return value or ""


def _text(fields: Mapping[str, Span], name: str) -> str:
    return read_text(fields[name], name) if name in fields else ""


def _array(span: Span | None) -> Span | None:
    """Return the array of events; it may be inside a string."""
    if span is None:
        return None
    text = span.unquoted().whole() if span.first == '"' else span
    if text.first == "[":
        return text
    if text.parse("events") is None:
        return None
    raise InvalidInputError("events", "must be an array")


def _seconds(fields: Mapping[str, Span], name: str) -> float | None:
    value = fields[name].parse(name) if name in fields else None
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        raise InvalidInputError(name, "must be a number of seconds since 1970")
    try:
        return float(value)
    except OverflowError:
        raise InvalidInputError(name, "is too large for a number of seconds") from None


def _display_name(frame: Frame, state: Mapping[str, Any] | None) -> str:
    """Return the name that an export gives, else the one that ADK's web UI keeps in the state."""
    if frame.display_name is not None:
        return frame.display_name
    metadata = (state or {}).get("__session_metadata__")
    name = metadata.get("displayName") if isinstance(metadata, Mapping) else None
    return name if isinstance(name, str) and len(name) <= _DISPLAY_NAME_LENGTH else ""
