"""The page of an app or a user: whose it is, and the keys of its scope."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sessions_ui.presenters.state_panel import ScopeSection, present_state
from sessions_ui.presenters.visible_text import ShownId, shown_id

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sessions_ui.presenters.records import KeyRecord
    from statecore.core.scopes import Scope


@dataclass(frozen=True, slots=True)
class OwnerHead:
    """``kind`` is app or user; ``app_id`` is the numeric id of the app that a user belongs to."""

    id: int
    kind: str
    name: ShownId
    app_name: str
    app_id: int


def present_head(*, owner_ref: int, app_name: str, user_id: str | None, app_id: int) -> OwnerHead:
    """Return the head of the page."""
    app = shown_id(app_name)
    if user_id is None:
        return OwnerHead(owner_ref, "app", app, app.full, app_id)
    return OwnerHead(owner_ref, "user", shown_id(user_id), app.full, app_id)


def present_shared_state(keys: Sequence[KeyRecord], *, scope: Scope, page_size: int) -> ScopeSection:
    """Return the keys that have a value now; removed ones are in their history."""
    sections = present_state(keys, session_ref=0, seq=None, event_gid=None, page_size=page_size)
    return next(section for section in sections if section.scope is scope)
