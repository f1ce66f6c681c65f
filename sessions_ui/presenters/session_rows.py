"""Sessions as rows of a list."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sessions_ui.presenters.instants import Instant, present_time
from sessions_ui.presenters.visible_text import ShownId, show_id, visible_text

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime, tzinfo

    from sessions_ui.selectors.sessions import SessionRow as Found


@dataclass(frozen=True, slots=True)
class SessionRow:
    """One row: who, when, how much, how long still."""

    id: int
    title: str
    session_id: ShownId
    has_name: bool
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


def present_sessions(found: Sequence[Found], *, now: datetime, zone: tzinfo) -> list[SessionRow]:
    """Return the rows as they are shown."""
    return [
        SessionRow(
            id=row.session.id,
            title=visible_text(row.display_name or row.session.session_id),
            session_id=show_id(row.session.session_id),
            has_name=bool(row.display_name),
            app_name=visible_text(row.app_name),
            app_owner_id=row.session.app_owner_id,
            user_id=visible_text(row.user_id),
            user_owner_id=row.session.user_owner_id,
            active=present_time(row.session.receive_time, now=now, zone=zone),
            event_count=row.session.revision,
            error_count=row.session.error_count,
            edit_count=row.session.edit_count,
            expires=present_time(row.session.expire_time, now=now, zone=zone),
            is_held=row.session.hold_until is not None and row.session.hold_until > now,
        )
        for row in found
    ]
