"""Events of a file: read in its order, completed where they lack something, skipped where they are no news."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from statecore.core.errors import InvalidInputError
from statecore.core.events import Event, EventFlag, parse_event
from statecore.core.jsontext import dump_json
from statecore.core.scopes import Scope, parse_key
from statecore.core.spelling import canonical_event
from statecore.interop.binary import check_binary

if TYPE_CHECKING:
    from statecore.interop.spans import Span

_MADE: Final = (
    (EventFlag.MADE_ID, "events have no id: made from their content and position"),
    (EventFlag.MADE_TIMESTAMP, "events have no timestamp: made, with the order of the file"),
    (EventFlag.MADE_AUTHOR, "events name no author"),
)
SHARED_NOTE: Final = "events write keys of app: or user:, which --with-shared-state applies"


@dataclass(slots=True)
class EventReader:
    """Turns the events of one session into ours, in order, and counts what was made up, skipped or odd.

    ``fallback`` (seconds) is the timestamp of events before the first that has one; later ones without take over
    the last one seen.
    """

    fallback: float
    notes: Counter[str] = field(default_factory=Counter)
    first_timestamp: float | None = None
    newest_timestamp: float | None = None
    backwards_at: int | None = None
    _last_timestamp: float | None = None
    _bodies: dict[str, bytes] = field(default_factory=dict)

    def read(self, value: Any, position: int) -> Event | None:
        """Return the event at a position of the file's list, None if it is skipped.

        Raises InvalidInputError naming ``events[position]...``.
        """
        path = f"events[{position}]"
        if not isinstance(value, Mapping):
            raise InvalidInputError(path, "is not an object, so not an event")
        canonical = canonical_event(value, path=path)
        check_binary(canonical, path)
        now = self.fallback if self._last_timestamp is None else self._last_timestamp
        event = parse_event(
            canonical, new_id=lambda: _made_id(position, canonical), now=now, path=path, is_imported=True
        )
        if event.is_partial:
            self.notes["partial events skipped"] += 1
            return None
        body = hashlib.blake2b(event.payload_json.encode(), digest_size=16).digest()
        known = self._bodies.get(event.event_id)
        if known is not None:
            content = "the same" if known == body else "other"
            self.notes[f"events skipped whose id came before, with {content} content"] += 1
            return None
        self._bodies[event.event_id] = body
        self._note(event, position)
        return event

    def _note(self, event: Event, position: int) -> None:
        for flag, text in _MADE:
            if flag in event.flags:
                self.notes[text] += 1
        if event.temp:
            self.notes["events whose temp: keys were dropped"] += 1
        if any(parse_key(key)[0] in (Scope.APP, Scope.USER) for key, _ in event.delta.items()):
            self.notes[SHARED_NOTE] += 1
        if EventFlag.MADE_TIMESTAMP in event.flags:
            return
        last, time = self._last_timestamp, event.timestamp
        if last is not None and time < last and self.backwards_at is None:
            self.backwards_at = position
        self._last_timestamp = time
        self.first_timestamp = time if self.first_timestamp is None else self.first_timestamp
        self.newest_timestamp = time if self.newest_timestamp is None else max(self.newest_timestamp, time)


@dataclass(frozen=True, slots=True)
class EventList:
    """The events of one session, which stand in ``array``; each iteration gives them anew.

    Large lists are read again each time, so that they are never in memory as a whole.
    """

    array: Span | None
    fallback: float
    kept: tuple[Event, ...] | None = None

    def __iter__(self) -> Iterator[Event]:
        if self.kept is not None:
            return iter(self.kept)
        return read_events(self.array, EventReader(self.fallback))


def read_events(array: Span | None, reader: EventReader) -> Iterator[Event]:
    """Yield the events of an array that are to be stored. Raises InvalidInputError at the first that is wrong."""
    for position, span in enumerate(array.elements() if array else ()):
        text = span.unquoted().whole() if span.first == '"' else span
        event = reader.read(text.parse(f"events[{position}]"), position)
        if event is not None:
            yield event


def _made_id(position: int, event: Mapping[str, Any]) -> str:
    return "import-" + hashlib.sha256(f"{position}:{dump_json(event)}".encode()).hexdigest()[:32]
