"""A draft: one session of a file, gathered part by part, with what was made up, skipped or found odd."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from statecore.core.errors import InvalidInputError
from statecore.core.events import Event, EventFlag, parse_event
from statecore.core.jsontext import check_json, dump_json
from statecore.core.scopes import Scope, parse_key
from statecore.core.spelling import canonical_event

if TYPE_CHECKING:
    from collections.abc import Iterator

# Events of small sessions are kept as they are read; those of large ones are read a second time.
KEPT_BYTES: Final = 16 * 1024 * 1024
_BASE64: Final = re.compile(r"[A-Za-z0-9+/_-]*={0,2}")
_COUNTED: Final = (
    (EventFlag.MADE_ID, "made ids for {} events without one"),
    (EventFlag.MADE_TIMESTAMP, "made timestamps for {} events without one"),
    (EventFlag.MADE_AUTHOR, "{} events name no author"),
)


@dataclass(slots=True)
class EventReader:
    """Turns the events of one session into ours, in order: made ids, skipped ones, and what their deltas leave."""

    now: float
    ids: set[str] = field(default_factory=set)
    counts: Counter[str] = field(default_factory=Counter)
    position: int = 0
    newest: float | None = None
    went_back_at: int | None = None

    def read(self, value: Any) -> Event | None:
        """Return the next event, None if it is skipped. Raises InvalidInputError naming ``events[n]...``."""
        path, position = f"events[{self.position}]", self.position
        self.position += 1
        if not isinstance(value, Mapping):
            raise InvalidInputError(path, "is not an object, so not an event")
        check_json(value, path=path)
        _check_bytes(canonical_event(value, path=path), path)
        event = parse_event(value, new_id=lambda: _made_id(position, value), now=self.now, path=path, is_imported=True)
        if event.is_partial:
            self.counts["skipped {} partial events"] += 1
            return None
        if event.event_id in self.ids:
            self.counts["skipped {} events whose id came before"] += 1
            return None
        self.ids.add(event.event_id)
        self._note(event, position)
        return event

    def _note(self, event: Event, position: int) -> None:
        for flag, text in _COUNTED:
            if flag in event.flags:
                self.counts[text] += 1
        if event.temp:
            self.counts["dropped the temp: keys of {} events"] += 1
        if EventFlag.MADE_TIMESTAMP in event.flags:
            return
        if self.newest is not None and event.timestamp < self.newest and self.went_back_at is None:
            self.went_back_at = position
        self.newest = event.timestamp if self.newest is None else max(self.newest, event.timestamp)

    def notes(self) -> list[str]:
        """Return what was made up, skipped or odd, a sentence each."""
        notes = [text.format(count) for text, count in self.counts.items()]
        if self.went_back_at is not None:
            notes.append(f"timestamps go backwards at events[{self.went_back_at}]; the file's order was kept")
        return notes


@dataclass(slots=True)
class Draft:
    """What the parts of one session add up to. ``error`` is the first thing that is wrong with it."""

    number: int
    now: float
    fields: dict[str, Any] = field(default_factory=dict)
    written: dict[str, Any] = field(default_factory=dict)
    error: str = ""
    kept: list[Event] | None = field(default_factory=list)
    kept_bytes: int = 0
    event_count: int = 0
    first_timestamp: float | None = None
    is_wrapper: bool = False
    reader: EventReader = field(init=False)
    _digest: Any = field(default_factory=hashlib.sha256)

    def __post_init__(self) -> None:
        self.reader = EventReader(self.now)

    def add_field(self, name: str, value: Any) -> None:
        """Take a field."""
        if name in self.fields:
            self.refuse(f"{name}: is given twice; give it once")
        self.fields[name] = value
        self._digest.update(f"{name}={dump_safe(value)}".encode("utf-8", "surrogatepass"))

    def add_event(self, value: Any) -> None:
        """Take an event; its first fault refuses the whole session."""
        self._digest.update(dump_safe(value).encode("utf-8", "surrogatepass"))
        try:
            event = self.reader.read(value)
        except InvalidInputError as error:
            self.refuse(str(error))
            return
        if event is None:
            return
        self.event_count += 1
        self.written.update(event.delta.items())
        if self.first_timestamp is None and EventFlag.MADE_TIMESTAMP not in event.flags:
            self.first_timestamp = event.timestamp
        self._keep(event)

    def _keep(self, event: Event) -> None:
        if self.kept is None:
            return
        self.kept.append(event)
        self.kept_bytes += len(event.payload_json)
        if self.kept_bytes > KEPT_BYTES:
            self.kept = None

    def refuse(self, reason: str) -> None:
        """Note the first reason to refuse the session."""
        self.error = self.error or reason

    def made_session_id(self, app_name: str, user_id: str) -> str:
        """Return an id that the same content always gets."""
        self._digest.update(f"\0{app_name}\0{user_id}".encode("utf-8", "surrogatepass"))
        return f"import-{self._digest.hexdigest()[:32]}"

    def dropped_keys(self, state: Mapping[str, Any]) -> list[str]:
        """Return the ``temp:`` keys of the file's state."""
        return [key for key in state if parse_key(key)[0] is Scope.TEMP]


def dump_safe(value: Any) -> str:
    """Return JSON text of anything that was read, also of what is about to be refused."""
    try:
        return dump_json(value)
    except (ValueError, TypeError, RecursionError):
        return repr(value)


def _made_id(position: int, value: Mapping[str, Any]) -> str:
    return "import-" + hashlib.sha256(f"{position}:{dump_json(value)}".encode()).hexdigest()[:32]


def _check_bytes(event: Mapping[str, Any], path: str) -> None:
    """Refuse inline data that is no base64, in either alphabet, with or without padding."""
    for where, parts in _part_lists(event, path):
        for index, part in enumerate(parts):
            if not isinstance(part, Mapping):
                continue
            blob = part.get("inlineData")
            data = blob.get("data") if isinstance(blob, Mapping) else None
            if isinstance(data, str) and not _is_base64(data):
                raise InvalidInputError(f"{where}[{index}].inlineData.data", "is not base64")


def _part_lists(event: Mapping[str, Any], path: str) -> Iterator[tuple[str, list[Any]]]:
    content = event.get("content")
    parts = content.get("parts") if isinstance(content, Mapping) else None
    if not isinstance(parts, list):
        return
    yield f"{path}.content.parts", parts
    for index, part in enumerate(parts):
        response = part.get("functionResponse") if isinstance(part, Mapping) else None
        inner = response.get("parts") if isinstance(response, Mapping) else None
        if isinstance(inner, list):
            yield f"{path}.content.parts[{index}].functionResponse.parts", inner


def _is_base64(data: str) -> bool:
    text = "".join(data.split())
    if not _BASE64.fullmatch(text):
        return False
    bare = text.rstrip("=").translate(str.maketrans("-_", "+/"))
    try:
        base64.b64decode(bare + "=" * (-len(bare) % 4), validate=True)
    except binascii.Error:
        return False
    return True
