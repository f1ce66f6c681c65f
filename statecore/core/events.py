"""Events: what agents and people append to a session.

An :class:`Event` is what a caller hands in, checked and in canonical spelling; a :class:`StoredEvent` is what
the store hands out. Both keep the payload as JSON text, so that key order, exact numbers and unknown fields
survive; ``payload`` parses it on demand. Fields that we had to make up (id, timestamp, author) live beside the
payload and never in it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import IntEnum, IntFlag
from typing import TYPE_CHECKING, Any, Final, cast

from statecore.core.actors import OPERATOR_PREFIX
from statecore.core.delta import StateDelta, make_delta
from statecore.core.errors import InvalidInputError, TooLargeError
from statecore.core.ids import MAX_ID_LENGTH, check_id
from statecore.core.jsontext import check_json, check_size, dump_json, parse_json
from statecore.core.limits import DEFAULT_LIMITS, Limits
from statecore.core.scopes import Scope, check_keys, parse_key
from statecore.core.spelling import canonical_event

if TYPE_CHECKING:
    from datetime import datetime

RESERVED_METADATA = "statecore"
MAX_LABEL_LENGTH = 256


class EventFlag(IntFlag):
    """Facts that lists filter on, stored as one number in ``statecore_event.flags``."""

    HAS_ERROR = 1
    IS_EDIT = 2
    IS_IMPORTED = 4
    MADE_ID = 8
    MADE_TIMESTAMP = 16
    MADE_AUTHOR = 32


NO_FLAGS: Final = EventFlag(0)


class EventKind(IntEnum):
    """The main thing that an event is, stored as a number in ``statecore_event.kind``."""

    OTHER = 0
    MESSAGE = 1
    CALL = 2
    RESPONSE = 3
    STATE = 4
    TRANSFER = 5
    OUTPUT = 6


@dataclass(frozen=True, slots=True)
class Event:
    """An event to append. ``delta`` has no ``temp:`` keys, nor has ``payload_json``; ``temp`` holds them."""

    event_id: str
    invocation_id: str
    author: str
    timestamp: float
    payload_json: str
    kind: EventKind = EventKind.OTHER
    flags: EventFlag = NO_FLAGS
    delta: StateDelta = field(default_factory=StateDelta)
    temp: Mapping[str, Any] = field(default_factory=dict)
    is_partial: bool = False

    @property
    def payload(self) -> dict[str, Any]:
        """The payload, parsed anew at each call."""
        return cast("dict[str, Any]", parse_json(self.payload_json))


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """An event as stored. ``payload_json`` is what was sent, after the name mapping and without ``temp:`` keys."""

    seq: int
    event_id: str
    invocation_id: str
    author: str
    timestamp: float
    receive_time: datetime
    payload_json: str
    kind: EventKind
    flags: EventFlag

    @property
    def payload(self) -> dict[str, Any]:
        """The payload, parsed anew at each call."""
        return cast("dict[str, Any]", parse_json(self.payload_json))

    def as_json(self) -> dict[str, Any]:
        """The payload completed with what was made up, as doors that need every field return it."""
        made: dict[str, Any] = {"id": self.event_id, "timestamp": self.timestamp, "author": self.author}
        payload = self.payload
        return {**payload, **{name: value for name, value in made.items() if payload.get(name) is None}}


def parse_event(
    payload: Mapping[str, Any],
    *,
    new_id: Callable[[], str],
    now: float,
    path: str = "event",
    limits: Limits = DEFAULT_LIMITS,
    is_imported: bool = False,
) -> Event:
    """Check an event in either spelling and return it ready to append.

    ``new_id`` and ``now`` (seconds since 1970) stand in where the payload has no ``id`` or ``timestamp``. Raises
    :class:`InvalidInputError` (or a kind of it) naming the path of the fault. The author prefix ``operator:`` and
    ``customMetadata.statecore`` are ours and refused, unless ``is_imported``.
    """
    if not isinstance(payload, Mapping):
        raise InvalidInputError(path, f"must be an object, not {type(payload).__name__}")
    check_json(payload, path=path, limits=limits)
    canonical = canonical_event(payload, path=path)
    flags = EventFlag.IS_IMPORTED if is_imported else NO_FLAGS
    author = _text(canonical, "author", path)
    if not author:
        flags |= EventFlag.MADE_AUTHOR
    _check_reserved(canonical, author, path=path, is_imported=is_imported)
    if is_imported and author.startswith(OPERATOR_PREFIX):
        flags |= EventFlag.IS_EDIT
    event_id, timestamp, made = _identify(canonical, new_id=new_id, now=now, path=path)
    delta, temp = _take_delta(canonical, path=path, limits=limits, is_imported=is_imported)
    if _has_error(canonical):
        flags |= EventFlag.HAS_ERROR
    payload_json = dump_json(canonical)
    check_size(payload_json, path=path, limits=limits)
    return Event(
        event_id=event_id,
        invocation_id=_text(canonical, "invocationId", path),
        author=author,
        timestamp=timestamp,
        payload_json=payload_json,
        kind=classify_event(canonical),
        flags=flags | made,
        delta=delta,
        temp=temp,
        is_partial=canonical.get("partial") is True,
    )


def _identify(
    canonical: Mapping[str, Any], *, new_id: Callable[[], str], now: float, path: str
) -> tuple[str, float, EventFlag]:
    made = NO_FLAGS
    event_id = canonical.get("id")
    if event_id is None or event_id == "":
        event_id, made = new_id(), made | EventFlag.MADE_ID
    timestamp = canonical.get("timestamp")
    if timestamp is None:
        timestamp, made = now, made | EventFlag.MADE_TIMESTAMP
    if isinstance(timestamp, bool) or not isinstance(timestamp, int | float | Decimal):
        raise InvalidInputError(f"{path}.timestamp", "must be a number of seconds since 1970")
    try:
        seconds = float(timestamp)
    except OverflowError:
        raise InvalidInputError(f"{path}.timestamp", "is too large for a number of seconds") from None
    return check_id(event_id, field=f"{path}.id", max_length=MAX_ID_LENGTH), seconds, made


def _text(canonical: Mapping[str, Any], name: str, path: str) -> str:
    value = canonical.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise InvalidInputError(f"{path}.{name}", f"must be text, not {type(value).__name__}")
    if len(value) > MAX_LABEL_LENGTH:
        raise InvalidInputError(
            f"{path}.{name}", f"has {len(value)} characters; at most {MAX_LABEL_LENGTH} are allowed"
        )
    return value


def _check_reserved(canonical: Mapping[str, Any], author: str, *, path: str, is_imported: bool) -> None:
    metadata = canonical.get("customMetadata")
    if metadata is not None and not isinstance(metadata, Mapping):
        raise InvalidInputError(f"{path}.customMetadata", "must be an object")
    if is_imported:
        return
    if author.startswith(OPERATOR_PREFIX):
        raise InvalidInputError(f"{path}.author", f"the prefix {OPERATOR_PREFIX!r} is reserved for people's edits")
    if metadata and RESERVED_METADATA in metadata:
        raise InvalidInputError(f"{path}.customMetadata.{RESERVED_METADATA}", "is reserved for people's edits")


def _take_delta(
    canonical: dict[str, Any], *, path: str, limits: Limits, is_imported: bool
) -> tuple[StateDelta, dict[str, Any]]:
    """Return the storable delta and the ``temp:`` values, which leave the payload here."""
    actions = canonical.get("actions")
    if actions is not None and not isinstance(actions, Mapping):
        raise InvalidInputError(f"{path}.actions", "must be an object")
    values = (actions or {}).get("stateDelta")
    if values is not None and not isinstance(values, Mapping):
        raise InvalidInputError(f"{path}.actions.stateDelta", "must be an object")
    removed = _removed_keys(canonical, path=path) if is_imported else ()
    values = values or {}
    if len(values) + len(removed) > limits.delta_keys:
        raise TooLargeError(
            f"{path}.actions.stateDelta", f"has {len(values)} keys; at most {limits.delta_keys} are allowed"
        )
    check_keys((*values, *removed), path=f"{path}.actions.stateDelta", limits=limits)
    temp = {key: value for key, value in values.items() if parse_key(key)[0] is Scope.TEMP}
    if temp and actions is not None:
        kept = {key: value for key, value in values.items() if key not in temp}
        canonical["actions"] = {**actions, "stateDelta": kept}
        values = kept
    return make_delta(values, removed).without_temp(), temp


def _removed_keys(canonical: Mapping[str, Any], *, path: str) -> tuple[str, ...]:
    ours = (canonical.get("customMetadata") or {}).get(RESERVED_METADATA)
    removed = ours.get("removed") if isinstance(ours, Mapping) else None
    if removed is None:
        return ()
    if not isinstance(removed, list) or not all(isinstance(key, str) for key in removed):
        raise InvalidInputError(f"{path}.customMetadata.{RESERVED_METADATA}.removed", "must be a list of keys")
    return tuple(removed)


def _has_error(canonical: Mapping[str, Any]) -> bool:
    return bool(canonical.get("errorCode") or canonical.get("errorMessage"))


def classify_event(canonical: Mapping[str, Any]) -> EventKind:
    """Return the main thing that a canonical event is; unknown shapes are ``OTHER``, never an error."""
    content = canonical.get("content")
    parts = content.get("parts") if isinstance(content, Mapping) else None
    names = {name for part in parts if isinstance(part, Mapping) for name in part} if isinstance(parts, list) else set()
    actions = canonical.get("actions")
    actions = actions if isinstance(actions, Mapping) else {}
    if actions.get("transferToAgent"):
        return EventKind.TRANSFER
    if names & {"functionCall", "toolCall"}:
        return EventKind.CALL
    if names & {"functionResponse", "toolResponse"}:
        return EventKind.RESPONSE
    if names:
        return EventKind.MESSAGE
    if canonical.get("output") is not None:
        return EventKind.OUTPUT
    return EventKind.STATE if actions.get("stateDelta") else EventKind.OTHER
