"""The port between use cases and storage.

Its docstrings are the contract; each sentence has a test in ``tests/conformance``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

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

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager
    from datetime import datetime

    from statecore.core.audit import AuditEntry
    from statecore.core.delta import StateDelta
    from statecore.core.events import Event
    from statecore.core.ids import OwnerKey, SessionKey
    from statecore.core.scopes import ScopedState


class SessionStore(Protocol):
    """Keeps sessions, events and scoped state.

    Input is valid (core checked it). ``now`` is given by tests only; without it the store's own clock counts.
    Expired sessions are missing for every method at once. Everything returned is a copy.
    """

    def transaction(self) -> AbstractContextManager[None]:
        """All calls inside commit together, or not at all when the block raises. Blocks nest."""
        ...

    def create_session(self, new: NewSession, *, now: datetime | None = None) -> Session:
        """Create a session at revision 0 and return it without events; its state is the baseline.

        Raises SessionExistsError if a live session has the key; of parallel creates exactly one wins. An expired
        one that was not swept yet is deleted first, with a receipt. Shared keys become changes of app and user.
        """
        ...

    def get_session(
        self, key: SessionKey, *, window: EventWindow = ALL_EVENTS, now: datetime | None = None
    ) -> Session | None:
        """Return one snapshot of header, state and the window's events in order of seq, or None if missing."""
        ...

    def list_sessions(self, app_name: str, user_id: str | None = None, *, now: datetime | None = None) -> list[Session]:
        """Return live sessions with state and without events, ordered by (update_time, user_id, session_id).

        ``user_id`` None means all users of the app.
        """
        ...

    def append_event(
        self,
        key: SessionKey,
        event: Event,
        *,
        expected_revision: int | None = None,
        now: datetime | None = None,
    ) -> Appended:
        """Store one event and its delta, all or nothing, and return it with its seq.

        Checked in this order: the session lives (SessionNotFoundError); the event id is known: with an equal body
        the stored event is returned, whatever the revision, with another body EventExistsError; the revision
        (StaleSessionError). Nothing is written when any check refuses.
        """
        ...

    def append_events(self, key: SessionKey, events: Sequence[Event], *, now: datetime | None = None) -> int:
        """Append many new events in their order, all or nothing, and return the revision. For imports.

        Raises as append_event does; a known event id is EventExistsError.
        """
        ...

    def correct_state(
        self, key: SessionKey, delta: StateDelta, *, update_time: float | None = None, now: datetime | None = None
    ) -> None:
        """Set and remove keys after the newest event, as changes of kind IMPORT_CORRECTION at its seq.

        ``update_time`` replaces the session's, for imports keep what the file says. Shared keys are allowed.
        """
        ...

    def delete_session(self, key: SessionKey, *, rule: str, actor: str, now: datetime | None = None) -> Receipt | None:
        """Delete a session's events, session keys and row, leave a receipt, and return it; None if missing.

        User and app state and their history stay.
        """
        ...

    def get_owner_state(self, owner: OwnerKey) -> OwnerState:
        """Return the current values of an app or a user; empty where nothing was ever stored."""
        ...

    def get_state_at(self, key: SessionKey, seq: int, *, now: datetime | None = None) -> ScopedState | None:
        """Return the state as of event ``seq`` (0: the baseline), None if the session is missing.

        Session keys go by seq and include corrections at ``seq``; app and user keys are as of the global time of
        that event. ``seq`` above the revision means the current state.
        """
        ...

    def list_history(
        self,
        target: SessionKey | OwnerKey,
        name: str,
        *,
        before: int | None = None,
        limit: int = 50,
    ) -> list[HistoryEntry]:
        """Return the newest ``limit`` writes and removals of one key (name without prefix), newest first.

        ``before`` is the position of the last entry seen. For app and user keys it spans sessions, deleted ones too.
        """
        ...

    def record_audit(self, entry: AuditEntry, *, now: datetime | None = None) -> int:
        """Append one audit record and return its id. Records cannot be changed or deleted."""
        ...
