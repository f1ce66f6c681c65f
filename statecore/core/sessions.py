"""Sessions as callers see them, and what is asked for when one is made."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from statecore.core.errors import InvalidInputError, TooLargeError
from statecore.core.jsontext import check_text
from statecore.core.limits import DEFAULT_LIMITS, Limits
from statecore.core.scopes import ScopedState, merge_state

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime, timedelta

    from statecore.core.delta import Change
    from statecore.core.events import StoredEvent
    from statecore.core.ids import OwnerKey, SessionKey


class ExpireRule(StrEnum):
    """What set a session's expire_time."""

    GIVEN = "given"
    POLICY = "policy"
    SLIDING = "policy-sliding"
    DEFAULT = "default"
    IMPORT_DEFAULT = "import-default"


class Origin(StrEnum):
    """How a session came to be."""

    CREATED = "created"
    IMPORTED = "imported"


@dataclass(frozen=True, slots=True)
class EventWindow:
    """Which events a read returns, oldest first. ``num_recent_events``: None all, 0 none, n the newest n.

    ``after_timestamp`` is inclusive and compares the events' own timestamps; both combine.
    """

    num_recent_events: int | None = None
    after_timestamp: float | None = None

    def checked(self) -> EventWindow:
        """Return the window with a float for its timestamp. Raises InvalidInputError naming the field."""
        if self.num_recent_events is not None:
            check_count(self.num_recent_events, path="num_recent_events", reason="0 asks for no events")
        if self.after_timestamp is None:
            return self
        try:
            seconds = float(self.after_timestamp)
        except (TypeError, ValueError, OverflowError):
            seconds = math.nan
        if not math.isfinite(seconds):
            raise InvalidInputError("after_timestamp", "must be a number of seconds since 1970")
        return replace(self, after_timestamp=seconds)


ALL_EVENTS = EventWindow()
NO_EVENTS = EventWindow(num_recent_events=0)


def check_count(number: object, *, path: str, least: int = 0, reason: str) -> None:
    """Raise InvalidInputError, which gives ``reason``, unless ``number`` is whole and not below ``least``."""
    if isinstance(number, bool) or not isinstance(number, int) or number < least:
        raise InvalidInputError(path, f"must be a whole number of at least {least}; {reason}")


def check_labels(display_name: str, labels: Mapping[str, str], *, limits: Limits = DEFAULT_LIMITS) -> None:
    """Raise InvalidInputError naming the path unless both are text that fits a header, which every list shows."""
    _check_label(display_name, "display_name", limits)
    if len(labels) > limits.label_count:
        raise TooLargeError("labels", f"has {len(labels)} labels; at most {limits.label_count} are allowed")
    for name, value in labels.items():
        _check_label(name, "labels", limits)
        _check_label(value, f"labels.{name}", limits)


def _check_label(text: str, path: str, limits: Limits) -> None:
    check_text(text, path=path, limits=limits)
    if len(text) > limits.label_length:
        raise TooLargeError(path, f"has {len(text)} characters; at most {limits.label_length} are allowed")


@dataclass(frozen=True, slots=True)
class NewSession:
    """A session to create. ``state`` is by scope, JSON values, without temp. At most one of ttl and expire_time.

    The remaining times are for imports only, which keep the file's.
    """

    key: SessionKey
    state: ScopedState = field(default_factory=ScopedState)
    ttl: timedelta | None = None
    expire_time: datetime | None = None
    display_name: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    origin: Origin = Origin.CREATED
    create_time: datetime | None = None
    update_time: float | None = None


@dataclass(frozen=True, slots=True)
class Session:
    """One consistent snapshot of a live session.

    ``revision`` is the seq of the newest event, 0 without one. ``update_time`` is a client's number of seconds,
    ``receive_time`` the server's clock. ``state`` is by scope, names without prefix; every value is a copy.
    """

    id: int
    key: SessionKey
    app_owner_id: int
    user_owner_id: int
    revision: int
    create_time: datetime
    receive_time: datetime
    update_time: float
    expire_time: datetime
    expire_rule: ExpireRule
    hold_until: datetime | None
    display_name: str
    labels: Mapping[str, str]
    origin: Origin
    error_count: int
    edit_count: int
    scoped_state: ScopedState
    events: tuple[StoredEvent, ...] = ()

    @property
    def state(self) -> dict[str, Any]:
        """The merged state with prefixed keys."""
        return merge_state(self.scoped_state)


@dataclass(frozen=True, slots=True)
class Appended:
    """The answer to an append. ``is_repeat``: the event id was known with an equal body; nothing was written."""

    event: StoredEvent
    session_id: int
    revision: int
    update_time: float
    is_repeat: bool = False


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """One write or removal of a key. ``session_id``/``session_key`` are None where the session is gone."""

    change: Change
    position: int
    session_id: int | None
    session_key: SessionKey | None
    event_id: str | None
    author: str | None
    receive_time: datetime | None


@dataclass(frozen=True, slots=True)
class OwnerState:
    """An app's or a user's own values, names without prefix. ``owner_id`` is None where nothing was ever stored."""

    owner: OwnerKey
    owner_id: int | None
    state: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Receipt:
    """What is left of a deleted session."""

    id: int
    key: SessionKey
    delete_time: datetime
    rule: str
    actor: str
    event_count: int
