"""What selectors hand to presenters: plain rows, without a model behind them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from datetime import datetime

    from statecore.core.delta import ChangeKind
    from statecore.core.events import EventFlag, EventKind
    from statecore.core.scopes import Scope


@dataclass(frozen=True, slots=True)
class EventRecord:
    """An event's row. ``payload_json`` is None where the payload was not read: ``payload_size`` says how big it is."""

    seq: int
    gid: int
    event_id: str
    invocation_id: str
    author: str
    timestamp: float
    receive_time: datetime
    kind: EventKind
    flags: EventFlag
    payload_json: str | None
    payload_size: int


@dataclass(frozen=True, slots=True)
class HeldValue:
    """A key's value at some moment: a value (its text None where too big to read along), removed, or absent."""

    state: Literal["value", "removed", "absent"]
    text: str | None = None
    size: int = 0


ABSENT = HeldValue("absent")
CHANGE_LIMIT: Final = 100
"""How many changes of a baseline, and of the corrections on a page, are read for each scope."""


@dataclass(frozen=True, slots=True)
class ChangeRecord:
    """One written or removed key (name without prefix) and what it held before."""

    scope: Scope
    name: str
    position: int
    seq: int
    kind: ChangeKind
    new: HeldValue
    old: HeldValue = ABSENT
    session_ref: int | None = None


@dataclass(frozen=True, slots=True)
class KeyRecord:
    """A key as of some moment, and the change that set it. ``session_name`` is empty where that session is gone."""

    scope: Scope
    name: str
    held: HeldValue
    position: int
    seq: int
    kind: ChangeKind
    session_ref: int | None = None
    session_name: str = ""


@dataclass(frozen=True, slots=True)
class HistoryRecord:
    """One entry of a key's history. Times and authors are None where the session, and so the event, is gone."""

    position: int
    seq: int
    kind: ChangeKind
    held: HeldValue
    session_ref: int | None
    session_name: str | None
    author: str | None
    event_time: float | None
    receive_time: datetime | None


@dataclass(frozen=True, slots=True)
class FlaggedBucket:
    """How many errors and edits one stretch of a session's events has."""

    bucket: int
    error_count: int
    edit_count: int
