"""Sessions as rows of a list."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sessions_ui.presenters.instants import Instant, present_time
from sessions_ui.presenters.session_header import name_in_metadata
from sessions_ui.presenters.visible_text import ShownId, one_line, shown_id, visible_text

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime, tzinfo

_TITLE_LENGTH = 80


@dataclass(frozen=True, slots=True)
class SessionRecord:
    """A session's header as it is stored, with the names that go with it; ``metadata`` is JSON text or None."""

    id: int
    session_id: str
    display_name: str
    app_owner_id: int
    user_owner_id: int
    revision: int
    error_count: int
    edit_count: int
    active_at: datetime
    receive_time: datetime
    expire_time: datetime
    hold_until: datetime | None
    app_name: str
    user_id: str
    metadata: str | None


@dataclass(frozen=True, slots=True)
class SessionRow:
    """One row: who, when, how much, how long still. ``title`` is the display name, "" without one."""

    id: int
    title: str
    session_id: ShownId
    app_name: str
    app_owner_id: int
    user_id: str
    user_owner_id: int
    active: Instant
    event_count: int
    error_count: int
    edit_count: int
    expires: Instant
    is_held: bool

    @property
    def events(self) -> str:
        """The number of events as people write it."""
        return f"{self.event_count:,}"

    @property
    def errors(self) -> str:
        """The number of errors as people write it."""
        return f"{self.error_count:,}"


def present_sessions(records: Sequence[SessionRecord], *, now: datetime, zone: tzinfo) -> list[SessionRow]:
    """Return the rows as they are shown."""
    return [
        SessionRow(
            id=record.id,
            title=one_line(record.display_name or name_in_metadata(record.metadata), limit=_TITLE_LENGTH),
            session_id=shown_id(record.session_id),
            app_name=visible_text(record.app_name),
            app_owner_id=record.app_owner_id,
            user_id=visible_text(record.user_id),
            user_owner_id=record.user_owner_id,
            active=present_time(record.receive_time, now=now, zone=zone),
            event_count=record.revision,
            error_count=record.error_count,
            edit_count=record.edit_count,
            expires=present_time(record.expire_time, now=now, zone=zone),
            is_held=record.hold_until is not None and record.hold_until > now,
        )
        for record in records
    ]
