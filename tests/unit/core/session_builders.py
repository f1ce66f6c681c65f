"""Sessions for tests that care about one or two of their fields."""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime
from typing import Any

from statecore.core.ids import SessionKey
from statecore.core.scopes import ScopedState
from statecore.core.sessions import ExpireRule, Origin, Session

_SESSION = Session(
    id=1,
    key=SessionKey("shop", "ana", "s1"),
    app_owner_id=2,
    user_owner_id=3,
    revision=0,
    create_time=datetime(2026, 12, 1, tzinfo=UTC),
    receive_time=datetime(2026, 12, 1, tzinfo=UTC),
    update_time=1796079885.5,
    expire_time=datetime(2027, 12, 1, tzinfo=UTC),
    expire_rule=ExpireRule.DEFAULT,
    hold_until=None,
    display_name="",
    labels={},
    origin=Origin.CREATED,
    error_count=0,
    edit_count=0,
    scoped_state=ScopedState(),
)


def make_session(**fields: Any) -> Session:
    """A session of which only the named fields matter."""
    return dataclasses.replace(_SESSION, **fields)
