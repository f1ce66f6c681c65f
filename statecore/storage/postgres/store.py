"""The store on PostgreSQL: one statement, one round trip for each append and each read."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, TypeVar

from statecore.core.errors import (
    EventExistsError,
    SessionExistsError,
    SessionNotFoundError,
    StaleSessionError,
)
from statecore.core.expiry import DEFAULT_TTL
from statecore.core.ids import OwnerKey, SessionKey, slot_of, slot_of_id
from statecore.core.jsontext import dump_json, json_texts_equal, load_json
from statecore.core.scopes import Scope, ScopedState
from statecore.core.sessions import (
    ALL_EVENTS,
    NO_EVENTS,
    Appended,
    EventWindow,
    HistoryEntry,
    NewSession,
    OwnerState,
    Receipt,
    Session,
)
from statecore.storage.postgres.connections import Connections, fetch_all, fetch_one, sqlstate_of
from statecore.storage.postgres.params import (
    audit_params,
    change_params,
    create_params,
    event_list_params,
    event_params,
    key_params,
    owner_params,
    window_params,
    within_bigint,
    within_integer,
)
from statecore.storage.postgres.rows import (
    event_from_row,
    history_from_row,
    session_from_header,
    session_from_rows,
    sessions_from_rows,
    state_from_rows,
    stored_event,
)
from statecore.storage.postgres.sql import load_query

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

    from statecore.core.audit import AuditEntry
    from statecore.core.delta import StateDelta
    from statecore.core.events import Event

_T = TypeVar("_T")

_EVENT_ID_IS_KNOWN = "SC001"
_DEADLOCKS = ("40P01", "40001")
_UNIQUE_VIOLATION = "23505"
_ATTEMPTS = 3
_BATCH = 500


class PostgresStore:
    """A :class:`~statecore.service.port.SessionStore` on PostgreSQL 15 or newer.

    ``connections`` says where its cursor comes from; the store is as thread-safe as that. ``default_ttl`` is how long
    a session lives when neither caller nor app policy says. ``clock`` replaces the database's clock where
    data must look as if it had been written over weeks, as the demo's does.
    """

    def __init__(
        self,
        connections: Connections,
        *,
        default_ttl: timedelta = DEFAULT_TTL,
        clock: Callable[[], datetime] | None = None,
    ) -> None:
        self._connections = connections
        self._default_ttl = default_ttl
        self._clock: Callable[[], datetime | None] = clock or (lambda: None)

    def transaction(self) -> AbstractContextManager[None]:
        """See the port."""
        return self._connections.transaction()

    def create_session(self, new: NewSession, *, now: datetime | None = None) -> Session:
        """See the port."""
        params = {**create_params(new, default_ttl=self._default_ttl), "now": now or self._clock()}
        header, user_state, app_state = self._write("create_session", params)
        if header is None:
            raise SessionExistsError(new.key)
        state = ScopedState(
            session=load_json(dump_json(dict(new.state.session))), user=load_json(user_state), app=load_json(app_state)
        )
        return session_from_header(header, new.key, state)

    def get_session(
        self, key: SessionKey, *, window: EventWindow = ALL_EVENTS, now: datetime | None = None
    ) -> Session | None:
        """See the port."""
        params = {
            **key_params(key),
            "app_slot": slot_of(key.app_name),
            **window_params(window),
            "now": now or self._clock(),
        }
        rows = fetch_all(self._connections, load_query("get_session"), params)
        return session_from_rows(rows, key)

    def list_sessions(self, app_name: str, user_id: str | None = None, *, now: datetime | None = None) -> list[Session]:
        """See the port."""
        params = {"app": app_name, "user": user_id, "app_slot": slot_of(app_name), "now": now or self._clock()}
        rows = fetch_all(self._connections, load_query("list_sessions"), params)
        found = sessions_from_rows(rows, app_name)
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
        params = {
            **key_params(key),
            **event_params(event),
            "expected": None if expected_revision is None else within_integer(expected_revision),
            "now": now or self._clock(),
            "probe": self._connections.is_in_transaction(),
        }
        try:
            status, session_ref, revision, update_time, receive_time = self._write("append_event", params)
        except self._connections.errors as error:
            if sqlstate_of(error) != _EVENT_ID_IS_KNOWN:
                raise
            return self._repeat(key, event, now)
        if status == "missing":
            raise SessionNotFoundError(key)
        if status == "known":
            return self._repeat(key, event, now)
        if status == "stale":
            raise StaleSessionError(key, expected=expected_revision or 0, found=revision)
        return Appended(
            event=stored_event(event, seq=revision, receive_time=receive_time),
            session_id=session_ref,
            revision=revision,
            update_time=update_time,
        )

    def _repeat(self, key: SessionKey, event: Event, now: datetime | None) -> Appended:
        """Answer an append whose event id is stored: the stored event if the bodies are equal."""
        params = {**key_params(key), "event_id": event.event_id, "now": now or self._clock()}
        row = fetch_one(self._connections, load_query("find_event"), params)
        if row is None:
            raise SessionNotFoundError(key)
        session_ref, revision, update_time, *columns = row
        stored = event_from_row(columns)
        if not json_texts_equal(stored.payload_json, event.payload_json):
            raise EventExistsError(key, event.event_id, seq=stored.seq)
        return Appended(stored, session_ref, revision, update_time, is_repeat=True)

    def append_events(self, key: SessionKey, events: Sequence[Event], *, now: datetime | None = None) -> int:
        """See the port."""
        if not events:
            return self._revision(key, now)
        try:
            return self._retry(lambda: self._append_batches(key, events, now))
        except self._connections.errors as error:
            if sqlstate_of(error) != _UNIQUE_VIOLATION:
                raise
            raise self._known(key, events, now) from None

    def _append_batches(self, key: SessionKey, events: Sequence[Event], now: datetime | None) -> int:
        revision = 0
        with self.transaction():
            for start in range(0, len(events), _BATCH):
                params = {**key_params(key), **event_list_params(events[start : start + _BATCH])}
                status, revision = self._write("append_events", {**params, "now": now or self._clock()})
                if status == "missing":
                    raise SessionNotFoundError(key)
        return revision

    def _known(self, key: SessionKey, events: Sequence[Event], now: datetime | None) -> EventExistsError:
        """Return the error for the first of many events whose id is stored, or stands for the second time here."""
        seqs: dict[str, int] = {}

        def known_seq(event: Event, seq: int) -> int:
            params = {**key_params(key), "event_id": event.event_id, "now": now or self._clock()}
            row = fetch_one(self._connections, load_query("find_event"), params)
            return seqs.setdefault(event.event_id, seq) if row is None else int(row[3])

        numbered = enumerate(events, self._revision(key, now) + 1)
        known = ((event.event_id, known_seq(event, seq), seq) for seq, event in numbered)
        event_id, stored_seq, _ = next(each for each in known if each[1] != each[2])
        return EventExistsError(key, event_id, seq=stored_seq)

    def _revision(self, key: SessionKey, now: datetime | None) -> int:
        session = self.get_session(key, window=NO_EVENTS, now=now)
        if session is None:
            raise SessionNotFoundError(key)
        return session.revision

    def correct_state(
        self, key: SessionKey, delta: StateDelta, *, update_time: float | None = None, now: datetime | None = None
    ) -> None:
        """See the port."""
        params = {**key_params(key), **change_params(delta), "update_time": update_time, "now": now or self._clock()}
        (revision,) = self._write("correct_state", params)
        if revision is None:
            raise SessionNotFoundError(key)

    def delete_session(self, key: SessionKey, *, rule: str, actor: str, now: datetime | None = None) -> Receipt | None:
        """See the port."""
        row = self._write(
            "delete_session", {**key_params(key), "rule": rule, "actor": actor, "now": now or self._clock()}
        )
        if row is None:
            return None
        session_ref, delete_time, event_count = row
        return Receipt(session_ref, key, delete_time.astimezone(UTC), rule, actor, event_count)

    def get_owner_state(self, owner: OwnerKey) -> OwnerState:
        """See the port."""
        rows = fetch_all(self._connections, load_query("get_owner_state"), owner_params(owner))
        values = {name: load_json(value) for _, name, value in rows if name is not None}
        return OwnerState(owner, rows[0][0] if rows else None, values)

    def get_state_at(self, key: SessionKey, seq: int, *, now: datetime | None = None) -> ScopedState | None:
        """See the port."""
        params = {
            **key_params(key),
            "app_slot": slot_of(key.app_name),
            "seq": within_integer(seq),
            "now": now or self._clock(),
        }
        rows = fetch_all(self._connections, load_query("get_state_at"), params)
        return state_from_rows(rows) if rows else None

    def list_history(
        self,
        target: SessionKey | OwnerKey,
        name: str,
        *,
        before: int | None = None,
        limit: int = 50,
    ) -> list[HistoryEntry]:
        """See the port."""
        now = self._clock()
        if isinstance(target, SessionKey):
            scope = Scope.SESSION
            row = fetch_one(self._connections, load_query("find_session"), {**key_params(target), "now": now})
        else:
            scope = Scope.APP if target.user_id is None else Scope.USER
            row = fetch_one(self._connections, load_query("find_owner"), owner_params(target))
        if row is None:
            return []
        params = {
            "owner": row[0],
            "slot": slot_of_id(row[0]),
            "key": name,
            "before": None if before is None else within_bigint(before),
            "limit": within_integer(limit),
            "now": now,
        }
        rows = fetch_all(self._connections, load_query("list_history"), params)
        return [history_from_row(columns, scope, name) for columns in rows]

    def record_audit(self, entry: AuditEntry, *, now: datetime | None = None) -> int:
        """See the port."""
        params = {**audit_params(entry), "now": now or self._clock()}
        (audit_id,) = self._write("record_audit", params)
        return int(audit_id)

    def _write(self, name: str, params: dict[str, Any]) -> Any:
        """Run one writing statement and return its row."""
        return self._retry(lambda: fetch_one(self._connections, load_query(name), params))

    def _retry(self, work: Callable[[], _T]) -> _T:
        """Do the work. After a deadlock it is done again, unless a transaction around it is lost with it."""
        attempt = 1
        while True:
            try:
                return work()
            except self._connections.errors as error:
                is_lost = self._connections.is_in_transaction() or sqlstate_of(error) not in _DEADLOCKS
                if is_lost or attempt == _ATTEMPTS:
                    raise
            attempt += 1
