"""Records: the sessions of a file, ready to import, or refused by name. One refused never loses the others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from statecore.core.errors import InvalidInputError, NotJsonError, UnknownShapeError
from statecore.core.ids import SessionKey, check_id, check_session_id
from statecore.core.jsontext import check_json
from statecore.core.spelling import canonical_session
from statecore.interop.draft import Draft, EventReader
from statecore.interop.parts import Part, PartKind, read_parts
from statecore.service.importing import ImportRecord

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from statecore.core.events import Event
    from statecore.interop.tokens import Source

_KNOWN = {"id", "appName", "userId", "state", "events", "lastUpdateTime", "baseline", "display_name", "labels"}
_HEADER = {"format", "version", "mask", "checksum"}


@dataclass(frozen=True, slots=True)
class Found:
    """A session of a file. Either ``record`` or ``refusal`` is there; ``notes`` say what was made up or odd."""

    where: str
    record: ImportRecord | None = None
    refusal: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Overrides:
    """What the caller says of app and user; it wins over the file. ``now`` (seconds) stands in for missing times."""

    now: float
    app_name: str | None = None
    user_id: str | None = None


def read_records(source: Source, overrides: Overrides) -> Iterator[Found]:
    """Yield the sessions of a source as they end; what breaks the text itself is the last one, refused."""
    stack: list[Draft] = []
    number = 0
    try:
        for part in read_parts(source):
            if part.kind is PartKind.START:
                number += 1
                stack.append(Draft(number, overrides.now))
            elif part.kind is PartKind.END:
                draft = stack.pop()
                if not draft.is_wrapper and not _is_header(draft):
                    yield _finish(draft, source, overrides)
            else:
                _take(stack[-1], part)
    except (NotJsonError, UnknownShapeError) as error:
        place = "" if number == 0 else f" (in record {number})"
        yield Found(source.where, refusal=f"{error.reason}{place}")


def _take(draft: Draft, part: Part) -> None:
    if part.kind is PartKind.EVENT:
        draft.add_event(part.value)
    elif part.kind is PartKind.FIELD:
        draft.add_field(part.name, part.value)
    elif part.kind is PartKind.WRONG:
        draft.refuse(part.value)
    else:
        draft.is_wrapper = True


def _is_header(draft: Draft) -> bool:
    return draft.fields.get("format") == "statecore-export" and set(draft.fields) <= _HEADER


def _finish(draft: Draft, source: Source, overrides: Overrides) -> Found:
    where = source.where if draft.number == 1 else f"{source.where} record {draft.number}"
    try:
        if draft.error:
            raise UnknownShapeError("", draft.error)
        record, notes = _record(draft, source, overrides)
    except InvalidInputError as error:
        return Found(where, refusal=str(error))
    return Found(where, record=record, notes=tuple(notes))


def _record(draft: Draft, source: Source, overrides: Overrides) -> tuple[ImportRecord, list[str]]:
    fields = canonical_session(draft.fields)
    if "events" not in fields and "state" not in fields:
        raise UnknownShapeError("", "has neither events nor state, so it is not a session")
    if fields.get("events") is not None:
        raise InvalidInputError("events", "must be an array")
    notes = draft.reader.notes()
    key = _key(draft, fields, overrides, notes)
    state = _object(fields, "state")
    for name in sorted(set(fields) - _KNOWN):
        notes.append(f"ignored the unknown field {name[:40]!r}")
    if state is not None and draft.dropped_keys(state):
        notes.append(f"dropped {len(draft.dropped_keys(state))} temp: keys of the state")
    record = ImportRecord(
        key=key,
        events=_events(draft, source, overrides),
        written=draft.written,
        state=state,
        baseline=_object(fields, "baseline"),
        display_name=_text(fields, "display_name"),
        labels={name: str(value) for name, value in (_object(fields, "labels") or {}).items()},
        create_time=draft.first_timestamp,
        update_time=_seconds(fields, "lastUpdateTime"),
    )
    return record, notes


def _key(draft: Draft, fields: Mapping[str, Any], overrides: Overrides, notes: list[str]) -> SessionKey:
    app_name = overrides.app_name if overrides.app_name is not None else fields.get("appName")
    user_id = overrides.user_id if overrides.user_id is not None else fields.get("userId")
    if app_name is None:
        raise InvalidInputError("appName", "is missing; give it with --app")
    if user_id is None:
        raise InvalidInputError("userId", "is missing; give it with --user")
    app_name, user_id = check_id(app_name, field="appName"), check_id(user_id, field="userId")
    session_id = fields.get("id")
    if session_id is None or session_id == "":
        session_id = draft.made_session_id(app_name, user_id)
        notes.append(f"made the session id {session_id}")
    return SessionKey(app_name, user_id, check_session_id(session_id, field="id"))


def _object(fields: Mapping[str, Any], name: str) -> Mapping[str, Any] | None:
    value = fields.get(name)
    if value is None:
        return None
    if not isinstance(value, Mapping):
        raise InvalidInputError(name, "must be an object")
    check_json(value, path=name)
    return value


def _text(fields: Mapping[str, Any], name: str) -> str:
    value = fields.get(name) or ""
    if not isinstance(value, str):
        raise InvalidInputError(name, "must be text")
    check_json(value, path=name)
    return value


def _seconds(fields: Mapping[str, Any], name: str) -> float | None:
    value = fields.get(name)
    if value is None:
        return None
    check_json(value, path=name)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidInputError(name, "must be a number of seconds since 1970")
    try:
        return float(value)
    except OverflowError:
        raise InvalidInputError(name, "is too large for a number of seconds") from None


def _events(draft: Draft, source: Source, overrides: Overrides) -> Callable[[], Iterator[Event]]:
    kept = draft.kept
    if kept is not None:
        return lambda: iter(kept)
    return lambda: _read_again(source, draft.number, overrides)


def _read_again(source: Source, number: int, overrides: Overrides) -> Iterator[Event]:
    """Read the events of one large session a second time, a few at a time in memory."""
    reader = EventReader(overrides.now)
    current = 0
    for part in read_parts(source):
        if part.kind is PartKind.START:
            current += 1
        elif part.kind is PartKind.EVENT and current == number:
            event = reader.read(part.value)
            if event is not None:
                yield event
        elif part.kind is PartKind.END and current == number:
            return
