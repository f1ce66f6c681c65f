"""Import: a recorded session becomes one of ours, whole or not at all (contract adk-session-json, section 5)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from statecore.core.audit import AuditEntry
from statecore.core.delta import REMOVED, StateDelta
from statecore.core.errors import EventExistsError, SessionExistsError, StatecoreError
from statecore.core.ids import OwnerKey, SessionKey
from statecore.core.jsontext import check_json
from statecore.core.replay import correction
from statecore.core.scopes import Scope, ScopedState, parse_key, split_state
from statecore.core.sessions import NO_EVENTS, NewSession, Origin, Session

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from statecore.core.actors import Actor
    from statecore.core.events import Event
    from statecore.service.port import SessionStore

_BATCH_EVENTS: Final = 500
_BATCH_CHARACTERS: Final = 8_000_000


class ImportOutcome(StrEnum):
    """What became of a record."""

    IMPORTED = "imported"
    EXTENDED = "extended"
    UNCHANGED = "unchanged"


@dataclass(frozen=True, slots=True)
class ImportRecord:
    """A session to import. ``events`` are checked, have unique ids, and can be iterated over more than once.

    ``written`` is what the events' deltas leave behind, key to value or REMOVED. ``state`` is the file's final state
    (None: the fold of the events is final), ``baseline`` the state before the first event where the file knows it.
    Times are seconds since 1970; None is now.
    """

    key: SessionKey
    events: Iterable[Event]
    written: Mapping[str, Any]
    state: Mapping[str, Any] | None = None
    baseline: Mapping[str, Any] | None = None
    display_name: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    create_time: float | None = None
    update_time: float | None = None


@dataclass(frozen=True, slots=True)
class Imported:
    """What was done: ``event_count`` events were added, ``corrected_count`` keys set or removed after the last."""

    outcome: ImportOutcome
    session_id: int
    event_count: int
    corrected_count: int = 0


class ImportConflictError(StatecoreError):
    """A session with this key exists, and the record is neither equal to it nor an extension of it."""

    def __init__(self, key: SessionKey, reason: str) -> None:
        super().__init__(f"{key}: {reason}; nothing was changed")
        self.key = key


class ImportService:
    """Imports records into ``store``, each in one transaction with its audit record."""

    def __init__(self, store: SessionStore) -> None:
        self._store = store

    def import_session(
        self,
        record: ImportRecord,
        *,
        actor: Actor,
        with_shared_state: bool = False,
        progress: Callable[[int], object] = lambda _: None,
    ) -> Imported:
        """Import one record; ``progress`` gets the number of events of each batch that was written.

        Keys of users and apps become changes only ``with_shared_state``; the payloads keep them all the same. A
        session that exists and is equal is left alone, one that the record extends gets the rest. Raises
        ImportConflictError otherwise, and InvalidInputError; nothing is half done.
        """
        check_json(record.display_name, path="display_name")
        scoped = _scoped(record, with_shared_state=with_shared_state)
        try:
            return self._run(self._create, scoped, actor, progress)
        except SessionExistsError:
            return self._run(self._extend, scoped, actor, progress)

    def _run(
        self,
        act: Callable[[ImportRecord, Callable[[int], object]], Imported],
        record: ImportRecord,
        actor: Actor,
        progress: Callable[[int], object],
    ) -> Imported:
        with self._store.transaction():
            imported = act(record, progress)
            if imported.outcome is not ImportOutcome.UNCHANGED:
                self._record(record.key, imported, actor)
        return imported

    def _create(self, record: ImportRecord, progress: Callable[[int], object]) -> Imported:
        state, baseline = record.state, record.baseline
        if baseline is None:
            baseline = {key: value for key, value in (state or {}).items() if key not in record.written}
        scoped = split_state(baseline)
        session = self._store.create_session(
            NewSession(
                key=record.key,
                state=ScopedState(app=scoped.app, user=scoped.user, session=scoped.session),
                display_name=record.display_name,
                labels=record.labels,
                origin=Origin.IMPORTED,
                create_time=_time(record.create_time),
                update_time=record.update_time,
            )
        )
        count = self._append(record, iter(record.events), progress)
        corrected = self._settle(record, _fold(baseline, record.written), state)
        return Imported(ImportOutcome.IMPORTED, session.id, count, corrected)

    def _extend(self, record: ImportRecord, progress: Callable[[int], object]) -> Imported:
        stored = self._store.get_session(record.key, window=NO_EVENTS)
        if stored is None:
            raise ImportConflictError(record.key, "was deleted while it was imported; import it again")
        events = iter(record.events)
        self._compare(record.key, events, stored)
        final = None if record.state is None else split_state(record.state).session
        count = self._append(record, events, progress, after=stored.revision)
        if count == 0:
            if final is not None and correction(stored.scoped_state.session, final):
                raise ImportConflictError(record.key, "exists with the same events and another state")
            return Imported(ImportOutcome.UNCHANGED, stored.id, 0)
        # Shared keys may have newer values since the first import: only session keys are brought to the file's.
        current = self._store.get_session(record.key, window=NO_EVENTS)
        corrected = self._settle(record, current.scoped_state.session if current else {}, final)
        return Imported(ImportOutcome.EXTENDED, stored.id, count, corrected)

    def _compare(self, key: SessionKey, events: Iterator[Event], stored: Session) -> None:
        """Take as many events as are stored; raise ImportConflictError unless they are the same in the same order.

        A repeated append is answered with the stored event, so that no more than one of them is in memory.
        """
        for seq in range(1, stored.revision + 1):
            event = next(events, None)
            if event is None:
                raise ImportConflictError(key, f"exists with {stored.revision} events, and the file has {seq - 1}")
            try:
                found = self._store.append_event(key, event)
            except EventExistsError:
                raise ImportConflictError(key, f"exists, and event {seq} of the file has another body") from None
            if not found.is_repeat or found.event.seq != seq:
                raise ImportConflictError(key, f"exists, and its event #{seq} is not event {seq} of the file")

    def _append(
        self, record: ImportRecord, events: Iterator[Event], progress: Callable[[int], object], *, after: int = 0
    ) -> int:
        count = 0
        for batch in _batches(events):
            count += len(batch)
            if self._store.append_events(record.key, batch) != after + count:
                raise ImportConflictError(record.key, "was written to while it was imported; import it again")
            progress(len(batch))
        return count

    def _settle(self, record: ImportRecord, folded: Mapping[str, Any], final: Mapping[str, Any] | None) -> int:
        """Bring a session to what the file says after its last event; return the number of keys that differed."""
        delta = StateDelta() if final is None else correction(folded, final)
        # Where clocks ran backwards, the newest timestamp is not the file's update time.
        self._store.correct_state(record.key, delta, update_time=record.update_time)
        return len(delta)

    def _record(self, key: SessionKey, imported: Imported, actor: Actor) -> None:
        self._store.record_audit(
            AuditEntry(
                actor,
                "import",
                owner=OwnerKey(key.app_name, key.user_id),
                session_id=imported.session_id,
                detail={
                    "outcome": imported.outcome.value,
                    "events": imported.event_count,
                    "corrected_keys": imported.corrected_count,
                },
            )
        )


def _batches(events: Iterator[Event]) -> Iterator[list[Event]]:
    batch: list[Event] = []
    size = 0
    for event in events:
        batch.append(event)
        size += len(event.payload_json)
        if len(batch) >= _BATCH_EVENTS or size >= _BATCH_CHARACTERS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


@dataclass(frozen=True, slots=True)
class _ScopedEvents:
    """Events whose deltas are cut to what may become a change."""

    events: Iterable[Event]
    scopes: frozenset[Scope]

    def __iter__(self) -> Iterator[Event]:
        for event in self.events:
            values = _cut(event.delta.values, self.scopes)
            removed = tuple(key for key in event.delta.removed if parse_key(key)[0] in self.scopes)
            yield replace(event, delta=StateDelta(values, removed))


def _scoped(record: ImportRecord, *, with_shared_state: bool) -> ImportRecord:
    """Leave out of the changes what must not be applied: temp keys, and shared ones unless asked for."""
    scopes = frozenset({Scope.SESSION, Scope.USER, Scope.APP} if with_shared_state else {Scope.SESSION})
    return replace(
        record,
        events=_ScopedEvents(record.events, scopes),
        written=_cut(record.written, scopes),
        state=None if record.state is None else _cut(record.state, scopes),
        baseline=None if record.baseline is None else _cut(record.baseline, scopes),
    )


def _fold(baseline: Mapping[str, Any], written: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in {**baseline, **written}.items() if value is not REMOVED}


def _cut(values: Mapping[str, Any], scopes: frozenset[Scope]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if parse_key(key)[0] in scopes}


def _time(seconds: float | None) -> datetime | None:
    """Return a time that the calendar holds; None for any other, so that the server's clock stands in."""
    if seconds is None:
        return None
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, OSError, ValueError):
        return None
