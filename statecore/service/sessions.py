"""Use cases on sessions. Every door calls these, so every door obeys the same rules."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from statecore.core.audit import AuditEntry, Outcome
from statecore.core.errors import TooLargeError
from statecore.core.events import parse_event
from statecore.core.expiry import check_expiry
from statecore.core.ids import OwnerKey, SessionKey, check_id, session_key
from statecore.core.jsontext import check_json, check_size, check_text, dump_json
from statecore.core.limits import DEFAULT_LIMITS, Limits
from statecore.core.scopes import ScopedState, check_keys, merge_state, split_state
from statecore.core.sessions import (
    ALL_EVENTS,
    Appended,
    EventWindow,
    HistoryEntry,
    NewSession,
    OwnerState,
    Receipt,
    Session,
    check_count,
    check_labels,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from statecore.core.actors import Actor
    from statecore.core.schema import StateSchema
    from statecore.service.port import SessionStore


@dataclass(frozen=True, slots=True)
class Created:
    """A new session, and the ``temp:`` keys of the given state, which are never stored."""

    session: Session
    dropped_keys: tuple[str, ...]


class SessionService:
    """Creates, reads, appends to and deletes sessions in ``store``.

    ``new_id`` and ``clock`` stand in for what callers leave out. ``schemas`` declares the state of apps by name.
    """

    def __init__(
        self,
        store: SessionStore,
        *,
        new_id: Callable[[], str] = lambda: str(uuid.uuid4()),
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        limits: Limits = DEFAULT_LIMITS,
        schemas: Mapping[str, StateSchema] | None = None,
    ) -> None:
        self._store = store
        self._new_id = new_id
        self._clock = clock
        self._limits = limits
        self._schemas = schemas or {}

    def create_session(
        self,
        *,
        actor: Actor,  # noqa: ARG002 - creating leaves no audit record; the callers name themselves all the same
        app_name: str,
        user_id: str,
        session_id: str | None = None,
        state: Mapping[str, Any] | None = None,
        ttl: timedelta | None = None,
        expire_time: datetime | None = None,
        display_name: str = "",
        labels: Mapping[str, str] | None = None,
    ) -> Created:
        """Create a session; without ``session_id`` (or with an empty one) it gets a random id.

        ``state`` has prefixed keys and becomes the baseline. Raises InvalidInputError naming the field,
        SessionExistsError if the id is taken.
        """
        is_named = not isinstance(session_id, str) or session_id.strip()
        key = session_key(app_name, user_id, session_id if session_id is not None and is_named else self._new_id())
        self._check_baseline(state or {})
        check_labels(display_name, labels or {}, limits=self._limits)
        check_expiry(ttl=ttl, expire_time=expire_time, now=self._clock())
        scoped = split_state(state or {})
        self._validate(app_name, state or {})
        session = self._store.create_session(
            NewSession(
                key=key,
                state=ScopedState(app=scoped.app, user=scoped.user, session=scoped.session),
                ttl=ttl,
                expire_time=expire_time,
                display_name=display_name,
                labels=labels or {},
            )
        )
        return Created(session, tuple(merge_state(ScopedState(temp=scoped.temp))))

    def get_session(self, *, key: SessionKey, window: EventWindow = ALL_EVENTS) -> Session | None:
        """Return one snapshot of a live session, None if it is missing. Raises InvalidInputError naming the field."""
        return self._store.get_session(_checked(key), window=window.checked())

    def list_sessions(self, *, app_name: str, user_id: str | None = None) -> list[Session]:
        """Return live sessions of an app or of one user, with state, without events, oldest update first."""
        _check_owner(OwnerKey(app_name, user_id))
        return self._store.list_sessions(app_name, user_id)

    def append_event(
        self,
        *,
        actor: Actor,  # noqa: ARG002 - an append is its own record
        key: SessionKey,
        payload: Mapping[str, Any],
        expected_revision: int | None = None,
    ) -> Appended | None:
        """Append one event in either spelling; None if it is ``partial``, which is accepted and not stored.

        Raises InvalidInputError naming the path, SessionNotFoundError, EventExistsError, StaleSessionError.
        """
        key = _checked(key)
        if expected_revision is not None:
            check_count(expected_revision, path="expected_revision", reason="0 expects no events")
        event = parse_event(payload, new_id=self._new_id, now=self._clock().timestamp(), limits=self._limits)
        if event.is_partial:
            return None
        self._validate(key.app_name, event.delta.values)
        return self._store.append_event(key, event, expected_revision=expected_revision)

    def delete_session(self, *, actor: Actor, key: SessionKey, reason: str = "") -> Receipt | None:
        """Delete a session with its events and keys, leave a receipt and an audit record; None if it is missing."""
        key = _checked(key)
        check_text(actor.name, path="actor")
        check_text(reason, path="reason")
        with self._store.transaction():
            receipt = self._store.delete_session(key, rule="person", actor=str(actor))
            if receipt is not None:
                self._store.record_audit(
                    AuditEntry(
                        actor,
                        "delete",
                        owner=OwnerKey(key.app_name, key.user_id),
                        session_id=receipt.id,
                        seq=receipt.event_count,
                        reason=reason,
                    )
                )
        return receipt

    def get_owner_state(self, *, app_name: str, user_id: str | None = None) -> OwnerState:
        """Return the values of an app, or of a user of it; no session is needed."""
        owner = OwnerKey(app_name, user_id)
        _check_owner(owner)
        return self._store.get_owner_state(owner)

    def get_state_at(self, *, key: SessionKey, seq: int) -> ScopedState | None:
        """Return the state of all scopes as of event ``seq``, 0 for the baseline."""
        check_count(seq, path="at", reason="0 is the baseline, any other the number of an event")
        return self._store.get_state_at(_checked(key), seq)

    def list_history(
        self, *, target: SessionKey | OwnerKey, name: str, before: int | None = None, limit: int = 50
    ) -> list[HistoryEntry]:
        """Return a page of one key's writes and removals, newest first."""
        check_count(limit, path="limit", least=1, reason="a page has a row")
        if before is not None:
            check_count(before, path="before", reason="it is the position of a change")
        check_text(name, path="key")
        if isinstance(target, SessionKey):
            target = _checked(target)
        else:
            _check_owner(target)
        return self._store.list_history(target, name, before=before, limit=limit)

    def record_denial(
        self, *, actor: Actor, right: str, owner: OwnerKey, session_id: int | None = None, origin: str = ""
    ) -> int:
        """Record that ``actor`` was refused ``right``."""
        _check_owner(owner)
        for path, text in (("actor", actor.name), ("right", right), ("origin", origin)):
            check_text(text, path=path)
        return self._store.record_audit(
            AuditEntry(actor, right, outcome=Outcome.DENIED, owner=owner, session_id=session_id, origin=origin)
        )

    def _check_baseline(self, state: Mapping[str, Any]) -> None:
        check_json(state, path="state", limits=self._limits)
        check_keys(state, path="state", limits=self._limits)
        if len(state) > self._limits.delta_keys:
            raise TooLargeError("state", f"has {len(state)} keys; at most {self._limits.delta_keys} are allowed")
        check_size(dump_json(state), path="state", limits=self._limits)

    def _validate(self, app_name: str, values: Mapping[str, Any]) -> None:
        schema = self._schemas.get(app_name)
        if schema is not None:
            schema.validate(values)


def _checked(key: SessionKey) -> SessionKey:
    """Return the key as :func:`session_key` makes it: callers may have put theirs together themselves."""
    return session_key(key.app_name, key.user_id, key.session_id)


def _check_owner(owner: OwnerKey) -> None:
    check_id(owner.app_name, field="app_name")
    if owner.user_id is not None:
        check_id(owner.user_id, field="user_id")
