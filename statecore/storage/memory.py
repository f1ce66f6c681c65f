"""The store in memory: the reference for what every store does, for tests and for trying things out."""

from __future__ import annotations

import copy
import itertools
import threading
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from statecore.core.delta import REMOVED, ChangeKind, StateDelta
from statecore.core.errors import EventExistsError, SessionExistsError, SessionNotFoundError, StaleSessionError
from statecore.core.expiry import DEFAULT_TTL, is_expired
from statecore.core.ids import OwnerKey, SessionKey, slot_of
from statecore.core.jsontext import dump_json, json_texts_equal
from statecore.core.scopes import Scope, ScopedState, format_key, merge_state, parse_key
from statecore.core.sessions import (
    ALL_EVENTS,
    Appended,
    EventWindow,
    HistoryEntry,
    NewSession,
    OwnerState,
    Receipt,
    Session,
)
from statecore.storage.memory_rows import (
    OwnerRow,
    SessionRow,
    Tables,
    Write,
    appended,
    count_event,
    current_values,
    find_event,
    history_entry,
    new_header,
    select_events,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from statecore.core.audit import AuditEntry
    from statecore.core.events import Event, StoredEvent

_SLOT_BITS = 12


class MemoryStore:
    """A :class:`~statecore.service.port.SessionStore` that ends with its process. Threads may share it.

    Values are kept as JSON text, so that nothing handed in or out can change what is stored. ``default_ttl`` and
    ``clock`` are as those of the PostgreSQL store.
    """

    def __init__(
        self, *, default_ttl: timedelta = DEFAULT_TTL, clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self._default_ttl = default_ttl
        self._clock = clock
        self._lock = threading.RLock()
        self._tables = Tables()
        # Outside of the tables: like a database's sequences they do not go back with a transaction.
        self._numbers = itertools.count(1)
        self._gids = itertools.count(1)
        self._audit_ids = itertools.count(1)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """See the port. Other threads wait until the block ends."""
        with self._lock:
            before = copy.deepcopy(self._tables)
            try:
                yield
            except BaseException:
                self._tables = before
                raise

    def create_session(self, new: NewSession, *, now: datetime | None = None) -> Session:
        """See the port."""
        with self._lock:
            time = self._time(now)
            if self._find(new.key, time) is not None:
                raise SessionExistsError(new.key)
            if new.key in self._tables.sessions:
                self._delete(new.key, rule="expired", actor="create", time=time)
            create_gid = next(self._gids)
            row = SessionRow(self._make_header(new, time), create_gid)
            self._tables.sessions[new.key] = row
            baseline = StateDelta(merge_state(new.state))
            self._write(row, baseline, seq=0, position=0, gid=create_gid, kind=ChangeKind.BASELINE)
            return self._snapshot(row)

    def get_session(
        self, key: SessionKey, *, window: EventWindow = ALL_EVENTS, now: datetime | None = None
    ) -> Session | None:
        """See the port."""
        with self._lock:
            row = self._find(key, self._time(now))
            return None if row is None else self._snapshot(row, select_events(row.events, window))

    def list_sessions(self, app_name: str, user_id: str | None = None, *, now: datetime | None = None) -> list[Session]:
        """See the port."""
        with self._lock:
            time = self._time(now)
            found = [
                self._snapshot(row)
                for key, row in self._tables.sessions.items()
                if key.app_name == app_name and user_id in (None, key.user_id) and not is_expired(row.header, now=time)
            ]
        return sorted(found, key=lambda session: (session.update_time, session.key.user_id, session.key.session_id))

    def append_event(
        self,
        key: SessionKey,
        event: Event,
        *,
        expected_revision: int | None = None,
        now: datetime | None = None,
    ) -> Appended:
        """See the port."""
        with self._lock:
            time = self._time(now)
            row = self._get(key, time)
            known = find_event(row, event.event_id)
            if known is not None:
                if not json_texts_equal(known.payload_json, event.payload_json):
                    raise EventExistsError(key, event.event_id, seq=known.seq)
                return appended(row, known, is_repeat=True)
            if expected_revision not in (None, row.header.revision):
                raise StaleSessionError(key, expected=expected_revision or 0, found=row.header.revision)
            return appended(row, self._append(row, event, time))

    def append_events(self, key: SessionKey, events: Sequence[Event], *, now: datetime | None = None) -> int:
        """See the port."""
        with self._lock:
            time = self._time(now)
            row = self._get(key, time)
            seqs = {stored.event_id: stored.seq for stored in row.events}
            for seq, event in enumerate(events, row.header.revision + 1):
                if event.event_id in seqs:
                    raise EventExistsError(key, event.event_id, seq=seqs[event.event_id])
                seqs[event.event_id] = seq
            for event in events:
                self._append(row, event, time)
            return row.header.revision

    def correct_state(
        self, key: SessionKey, delta: StateDelta, *, update_time: float | None = None, now: datetime | None = None
    ) -> None:
        """See the port."""
        with self._lock:
            row = self._get(key, self._time(now))
            seq = row.header.revision
            kind = ChangeKind.IMPORT_CORRECTION
            self._write(row, delta, seq=seq, position=seq * 2 + 1, gid=next(self._gids), kind=kind)
            if update_time is not None:
                row.header = replace(row.header, update_time=update_time)

    def delete_session(self, key: SessionKey, *, rule: str, actor: str, now: datetime | None = None) -> Receipt | None:
        """See the port."""
        with self._lock:
            time = self._time(now)
            if self._find(key, time) is None:
                return None
            return self._delete(key, rule=rule, actor=actor, time=time)

    def get_owner_state(self, owner: OwnerKey) -> OwnerState:
        """See the port."""
        with self._lock:
            row = self._tables.owners.get(owner)
            return OwnerState(owner, row.id, current_values(row.keys)) if row else OwnerState(owner, None, {})

    def get_state_at(self, key: SessionKey, seq: int, *, now: datetime | None = None) -> ScopedState | None:
        """See the port."""
        with self._lock:
            row = self._find(key, self._time(now))
            if row is None:
                return None
            if seq > row.header.revision:
                return self._scoped_state(row)
            gid = row.gids[seq - 1] if seq else row.create_gid
            return self._scoped_state(row, position=seq * 2 + 1, gid=gid)

    def list_history(
        self,
        target: SessionKey | OwnerKey,
        name: str,
        *,
        before: int | None = None,
        limit: int = 50,
    ) -> list[HistoryEntry]:
        """See the port."""
        with self._lock:
            time = self._time(None)
            owner: SessionRow | OwnerRow | None
            if isinstance(target, SessionKey):
                scope, owner = Scope.SESSION, self._find(target, time)
            else:
                scope = Scope.APP if target.user_id is None else Scope.USER
                owner = self._tables.owners.get(target)
            writes = owner.keys.get(name, []) if owner else []
            page = [write for write in reversed(writes) if before is None or write.position < before][:limit]
            live = {
                row.header.id: row for row in self._tables.sessions.values() if not is_expired(row.header, now=time)
            }
            return [history_entry(write, format_key(scope, name), live.get(write.session_id)) for write in page]

    def record_audit(self, entry: AuditEntry, *, now: datetime | None = None) -> int:
        """See the port."""
        with self._lock:
            self._tables.audit.append((self._time(now), copy.deepcopy(entry)))
            return next(self._audit_ids)

    def _time(self, now: datetime | None) -> datetime:
        return (now or self._clock()).astimezone(UTC)

    def _find(self, key: SessionKey, time: datetime) -> SessionRow | None:
        row = self._tables.sessions.get(key)
        return None if row is None or is_expired(row.header, now=time) else row

    def _get(self, key: SessionKey, time: datetime) -> SessionRow:
        row = self._find(key, time)
        if row is None:
            raise SessionNotFoundError(key)
        return row

    def _new_id(self, app_name: str, user_id: str | None) -> int:
        return next(self._numbers) << _SLOT_BITS | slot_of(app_name, user_id)

    def _ensure_owner(self, key: OwnerKey) -> OwnerRow:
        if key not in self._tables.owners:
            self._tables.owners[key] = OwnerRow(self._new_id(key.app_name, key.user_id))
        return self._tables.owners[key]

    def _make_header(self, new: NewSession, time: datetime) -> Session:
        key = new.key
        return new_header(
            new,
            time=time,
            default_ttl=self._default_ttl,
            session_id=self._new_id(key.app_name, key.user_id),
            app=self._ensure_owner(OwnerKey(key.app_name)),
            user=self._ensure_owner(OwnerKey(key.app_name, key.user_id)),
        )

    def _append(self, row: SessionRow, event: Event, time: datetime) -> StoredEvent:
        row.header, stored = count_event(row.header, event, time)
        row.events.append(stored)
        row.gids.append(next(self._gids))
        position, gid = stored.seq * 2, row.gids[-1]
        self._write(row, event.delta, seq=stored.seq, position=position, gid=gid, kind=ChangeKind.EVENT)
        return stored

    def _write(
        self, row: SessionRow, delta: StateDelta, *, seq: int, position: int, gid: int, kind: ChangeKind
    ) -> None:
        shared = self._owners_of(row)
        for key, value in delta.without_temp().items():
            scope, name = parse_key(key)
            owner, place = (row, position) if scope is Scope.SESSION else (shared[scope], gid)
            text = None if value is REMOVED else dump_json(value)
            writes = owner.keys.setdefault(name, [])
            if writes and writes[-1].position == place:  # a correction corrected
                writes.pop()
            writes.append(Write(place, row.header.id, seq, kind, text))

    def _owners_of(self, row: SessionRow) -> dict[Scope, OwnerRow]:
        key = row.header.key
        return {
            Scope.USER: self._tables.owners[OwnerKey(key.app_name, key.user_id)],
            Scope.APP: self._tables.owners[OwnerKey(key.app_name)],
        }

    def _delete(self, key: SessionKey, *, rule: str, actor: str, time: datetime) -> Receipt:
        header = self._tables.sessions.pop(key).header
        receipt = Receipt(header.id, key, time, rule, actor, header.revision)
        self._tables.receipts.append(receipt)
        return receipt

    def _scoped_state(self, row: SessionRow, *, position: int | None = None, gid: int | None = None) -> ScopedState:
        shared = self._owners_of(row)
        return ScopedState(
            session=current_values(row.keys, position),
            user=current_values(shared[Scope.USER].keys, gid),
            app=current_values(shared[Scope.APP].keys, gid),
        )

    def _snapshot(self, row: SessionRow, events: tuple[StoredEvent, ...] = ()) -> Session:
        labels = dict(row.header.labels)
        return replace(row.header, labels=labels, scoped_state=self._scoped_state(row), events=events)
