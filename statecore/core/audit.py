"""Audit records: who did what to which thing, and with what outcome. They hold no values and no end-user ids."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from statecore.core.actors import Actor
    from statecore.core.ids import OwnerKey


class Outcome(StrEnum):
    """How an act ended."""

    DONE = "done"
    DENIED = "denied"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One record. ``owner`` names app and user; the store replaces the user by a random, erasable subject id.

    ``session_id`` is the numeric id, ``seq`` the event it is about. ``detail`` is small JSON without values.
    """

    actor: Actor
    verb: str
    outcome: Outcome = Outcome.DONE
    owner: OwnerKey | None = None
    session_id: int | None = None
    seq: int | None = None
    reason: str = ""
    ticket: str = ""
    origin: str = ""
    detail: Mapping[str, Any] = field(default_factory=dict)
