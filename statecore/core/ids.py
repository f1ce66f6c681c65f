"""Ids: who may be called what, and the slot in which an owner lives.

Rules (BEHAVIOURS, Identity): any text of 1 to 128 characters without control characters. Session ids
lose surrounding white space first; app names and user ids are taken as they are.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

from statecore.core.errors import InvalidIdError

MAX_ID_LENGTH = 128
SLOT_MASK = 4095
_SEPARATOR = "\x1f"
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")  # Unicode categories Cc and Cs


@dataclass(frozen=True, slots=True, order=True)
class SessionKey:
    """The natural key of a session. Values are valid ids (see :func:`session_key`)."""

    app_name: str
    user_id: str
    session_id: str

    def __str__(self) -> str:
        # Errors reach logs: the user's id is personal data and stays out.
        return f"{self.app_name}/{self.session_id}"


@dataclass(frozen=True, slots=True, order=True)
class OwnerKey:
    """An app (``user_id`` is None) or a user of an app: what shared state belongs to."""

    app_name: str
    user_id: str | None = None


def session_key(app_name: str, user_id: str, session_id: str) -> SessionKey:
    """Check three ids and return the key. Raises :class:`InvalidIdError` naming the field."""
    return SessionKey(
        check_id(app_name, field="app_name"),
        check_id(user_id, field="user_id"),
        check_session_id(session_id),
    )


def check_session_id(session_id: str, *, field: str = "session_id") -> str:
    """Strip surrounding white space, then apply :func:`check_id`."""
    if not isinstance(session_id, str):
        raise InvalidIdError(field, f"must be text, not {type(session_id).__name__}")
    return check_id(session_id.strip(), field=field)


def check_id(value: str, *, field: str, max_length: int = MAX_ID_LENGTH) -> str:
    """Return ``value`` unchanged if it is a valid id; raise :class:`InvalidIdError` naming ``field`` otherwise."""
    if not isinstance(value, str):
        raise InvalidIdError(field, f"must be text, not {type(value).__name__}")
    if not value:
        raise InvalidIdError(field, "must not be empty")
    if len(value) > max_length:
        raise InvalidIdError(field, f"has {len(value)} characters; at most {max_length} are allowed")
    bad = _CONTROL.search(value)
    if bad is not None:
        reason = f"has the control character U+{ord(bad.group()):04X} at position {bad.start()}; remove it"
        raise InvalidIdError(field, reason)
    return value


def slot_of(app_name: str, user_id: str | None = None) -> int:
    """Return the slot (0..4095) of an app or user. SQL's ``statecore_slot_of`` gives the same for every text."""
    digest = hashlib.sha256(f"{app_name}{_SEPARATOR}{user_id or ''}".encode()).digest()
    return int.from_bytes(digest[:2], "big") & SLOT_MASK


def slot_of_id(numeric_id: int) -> int:
    """Return the slot that the low 12 bits of an owner's or session's numeric id hold."""
    return numeric_id & SLOT_MASK
