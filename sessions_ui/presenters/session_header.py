"""The head of a session page: what this session is, how long it lives and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sessions_ui.presenters.instants import Instant, present_time
from sessions_ui.presenters.visible_text import ShownId, one_line, shown_id, visible_text
from statecore.core.jsontext import load_json
from statecore.core.scopes import Scope
from statecore.core.sessions import ExpireRule, Origin

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime, tzinfo

    from sessions_ui.presenters.records import KeyRecord

METADATA_KEY: Final = "__session_metadata__"
_RULES: Final = {
    ExpireRule.GIVEN: "set for this session",
    ExpireRule.POLICY: "policy of the app",
    ExpireRule.SLIDING: "policy of the app, from the last activity",
    ExpireRule.DEFAULT: "365 days from creation, for want of a policy",
    ExpireRule.IMPORT_DEFAULT: "365 days from the import, for want of a policy",
}
_NAME_LENGTH: Final = 120


@dataclass(frozen=True, slots=True)
class HeaderRecord:
    """A session's header as it is stored."""

    id: int
    app_name: str
    user_id: str
    session_id: str
    app_owner_id: int
    user_owner_id: int
    display_name: str
    revision: int
    error_count: int
    edit_count: int
    origin: str
    expire_rule: str
    create_time: datetime
    receive_time: datetime
    update_time: float
    expire_time: datetime
    hold_until: datetime | None


@dataclass(frozen=True, slots=True)
class Header:
    """A session's header as it is shown."""

    id: int
    title: str
    app_name: str
    user_id: str
    session_id: ShownId
    app_owner_id: int
    user_owner_id: int
    revision: int
    error_count: int
    edit_count: int
    is_imported: bool
    created: Instant
    active: Instant
    updated: Instant
    expires: Instant
    expire_rule: str
    hold: Instant | None

    @property
    def revision_text(self) -> str:
        """The revision as people write it."""
        return f"{self.revision:,}"

    @property
    def errors(self) -> str:
        """The number of errors as people write it."""
        return f"{self.error_count:,}"

    @property
    def edits(self) -> str:
        """The number of edits as people write it."""
        return f"{self.edit_count:,}"


def present_header(record: HeaderRecord, keys: Sequence[KeyRecord], *, now: datetime, zone: tzinfo) -> Header:
    """Return the header; its title is the display name, else the one that agents keep in state, else the id."""

    def instant(moment: datetime | float) -> Instant:
        return present_time(moment, now=now, zone=zone)

    held = record.hold_until is not None and record.hold_until > now
    name = record.display_name or name_in_state(keys) or record.session_id
    return Header(
        id=record.id,
        title=one_line(name, limit=_NAME_LENGTH),
        app_name=visible_text(record.app_name),
        user_id=visible_text(record.user_id),
        session_id=shown_id(record.session_id),
        app_owner_id=record.app_owner_id,
        user_owner_id=record.user_owner_id,
        revision=record.revision,
        error_count=record.error_count,
        edit_count=record.edit_count,
        is_imported=record.origin == Origin.IMPORTED,
        created=instant(record.create_time),
        active=instant(record.receive_time),
        updated=instant(record.update_time),
        expires=instant(record.expire_time),
        expire_rule=_RULES[ExpireRule(record.expire_rule)],
        hold=instant(record.hold_until) if held and record.hold_until else None,
    )


def name_in_state(keys: Sequence[KeyRecord]) -> str:
    """Return the display name that the key ``__session_metadata__`` holds, "" without one."""
    for key in keys:
        if key.scope is Scope.SESSION and key.name == METADATA_KEY:
            return name_in_metadata(key.held.text)
    return ""


def name_in_metadata(text: str | None) -> str:
    """Return the display name in the JSON text of ``__session_metadata__``, "" without one."""
    value = load_json(text) if text is not None else None
    name = value.get("displayName") if isinstance(value, dict) else None
    return name if isinstance(name, str) else ""
