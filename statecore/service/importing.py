"""Import: a recorded session becomes one of ours, whole or not at all (contract adk-session-json, section 5)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from statecore.core.audit import AuditEntry
from statecore.core.delta import REMOVED, StateDelta
from statecore.core.errors import StatecoreError
from statecore.core.ids import OwnerKey, SessionKey
from statecore.core.jsontext import json_equal, json_texts_equal
from statecore.core.replay import correction
from statecore.core.scopes import Scope, ScopedState, parse_key, split_state
from statecore.core.sessions import NO_EVENTS, NewSession, Origin, Session

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from statecore.core.actors import Actor
    from statecore.core.events import Event
    from statecore.service.port import SessionStore

_BATCH: Final = 500


class Outcome(StrEnum):
    """What became of a record."""

    IMPORTED = "imported"
    EXTENDED = "extended"
    UNCHANGED = "unchanged"


@dataclass(frozen=True, slots=True)
class ImportRecord:
    """A session to import. ``events`` gives its events anew at each call, parsed, in the file's order.

    ``written`` is what the events' deltas leave behind, key to value or REMOVED. ``state`` is the file's final state
    (None: the fold of the events is final), ``baseline`` the state before the first event where the file knows it.
    """

    key: SessionKey
    events: Callable[[], Iterator[Event]]
    written: Mapping[str, Any]
    state: Mapping[str, Any] | None = None
    baseline: Mapping[str, Any] | None = None
    display_name: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    create_time: float | None = None
    update_time: float | None = None


@dataclass(frozen=True, slots=True)
class Imported:
    """What was done: ``event_count`` events were added."""

    outcome: Outcome
    session_id: int
    event_count: int


class ImportConflictError(StatecoreError):
    """A session with this key exists, and the record is neither equal to it nor longer."""


class ImportService:
    """Imports records into ``store``, each in one transaction with its audit record."""

    def __init__(self, store: SessionStore) -> None:
        self._store = store

    def import_session(self, record: ImportRecord, *, actor: Actor, with_shared_state: bool = False) -> Imported:
        """Import one record.

        Keys of users and apps become changes only ``with_shared_state``; the payloads keep them all the same. A
        session that exists and is equal is left alone, one that the record extends gets the rest. Raises
        ImportConflictError otherwise, and what the store raises; nothing is half done.
        """
        record = _scoped(record, with_shared_state=with_shared_state)
        with self._store.transaction():
            stored = self._store.get_session(record.key)
            imported = self._create(record) if stored is None else self._extend(record, stored)
            if imported.outcome is not Outcome.UNCHANGED:
                self._record(record, imported, actor, with_shared_state=with_shared_state)
        return imported

    def _create(self, record: ImportRecord) -> Imported:
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
        count = self._append(record.key, record.events())
        if state is not None:
            self._correct(record.key, _folded(baseline, record.written), state)
        return Imported(Outcome.IMPORTED, session.id, count)

    def _extend(self, record: ImportRecord, stored: Session) -> Imported:
        events = record.events()
        for seq, ours in enumerate(stored.events, 1):
            theirs = next(events, None)
            if theirs is None:
                raise ImportConflictError(f"exists with more events ({stored.revision}) than the file has ({seq - 1})")
            is_same = ours.event_id == theirs.event_id
            if not is_same or not json_texts_equal(ours.payload_json, theirs.payload_json):
                raise ImportConflictError(f"exists, and its event #{seq} is another one")
        count = self._append(record.key, events)
        final = None if record.state is None else split_state(record.state).session
        if count == 0:
            if final is not None and not json_equal(final, stored.scoped_state.session):
                raise ImportConflictError("exists with the same events and another state")
            return Imported(Outcome.UNCHANGED, stored.id, 0)
        if final is not None:
            current = self._store.get_session(record.key, window=NO_EVENTS)
            self._correct(record.key, current.scoped_state.session if current else {}, final)
        return Imported(Outcome.EXTENDED, stored.id, count)

    def _append(self, key: SessionKey, events: Iterator[Event]) -> int:
        count = 0
        while batch := list(islice(events, _BATCH)):
            self._store.append_events(key, batch)
            count += len(batch)
        return count

    def _correct(self, key: SessionKey, folded: Mapping[str, Any], final: Mapping[str, Any]) -> None:
        delta = correction(folded, final)
        if delta:
            self._store.correct_state(key, delta)

    def _record(self, record: ImportRecord, imported: Imported, actor: Actor, *, with_shared_state: bool) -> None:
        self._store.record_audit(
            AuditEntry(
                actor,
                "import",
                owner=OwnerKey(record.key.app_name, record.key.user_id),
                session_id=imported.session_id,
                detail={
                    "outcome": imported.outcome.value,
                    "events": imported.event_count,
                    "shared_state": with_shared_state,
                },
            )
        )


def _scoped(record: ImportRecord, *, with_shared_state: bool) -> ImportRecord:
    """Leave out of the changes what must not be applied: temp keys, and shared ones unless asked for."""
    kept = (Scope.SESSION, Scope.USER, Scope.APP) if with_shared_state else (Scope.SESSION,)

    def is_kept(key: str) -> bool:
        return parse_key(key)[0] in kept

    def cut(values: Mapping[str, Any] | None) -> dict[str, Any] | None:
        return None if values is None else {key: value for key, value in values.items() if is_kept(key)}

    def events() -> Iterator[Event]:
        for event in record.events():
            delta = StateDelta(cut(event.delta.values) or {}, tuple(key for key in event.delta.removed if is_kept(key)))
            yield replace(event, delta=delta)

    return replace(
        record,
        events=events,
        written=cut(record.written) or {},
        state=cut(record.state),
        baseline=cut(record.baseline),
    )


def _folded(baseline: Mapping[str, Any], written: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in {**baseline, **written}.items() if value is not REMOVED}


def _time(seconds: float | None) -> datetime | None:
    """Return a time that the calendar holds; None for any other, so that the server's clock stands in."""
    if seconds is None:
        return None
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, OSError, ValueError):
        return None
