"""Time to live: how long a session lives, and who says so."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from statecore.core.errors import InvalidInputError

if TYPE_CHECKING:
    from statecore.core.sessions import Session

DEFAULT_TTL = timedelta(days=365)
MAX_EXPIRE_TIME = datetime(9999, 12, 31, tzinfo=UTC)
_SECONDS = re.compile(r"([0-9]{1,12}(?:\.[0-9]{1,9})?)s?")


def parse_ttl(value: str | float, *, field: str = "ttl") -> timedelta:
    """Return a time to live given as ``864000s`` or as a number of seconds; it must be positive."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise InvalidInputError(field, "must be seconds, such as 864000 or '864000s'")
    match = _SECONDS.fullmatch(value if isinstance(value, str) else repr(value))
    if match is None:
        raise InvalidInputError(field, f"must be seconds, such as 864000 or '864000s', not {str(value)[:40]!r}")
    ttl = timedelta(seconds=float(match.group(1)))
    if ttl <= timedelta(0):
        raise InvalidInputError(field, "must be longer than zero")
    return ttl


def parse_expire_time(value: str, *, field: str = "expire_time") -> datetime:
    """Return an ISO 8601 time in UTC; it must say its offset (``2027-01-31T12:00:00Z``)."""
    try:
        parsed = datetime.fromisoformat(value)
    except (TypeError, ValueError):
        raise InvalidInputError(
            field, f"must be an ISO 8601 time such as '2027-01-31T12:00:00Z', not {str(value)[:40]!r}"
        ) from None
    if parsed.utcoffset() is None:
        raise InvalidInputError(field, "must say its offset from UTC, such as 'Z' or '+02:00'")
    try:
        return parsed.astimezone(UTC)
    except OverflowError:
        raise InvalidInputError(field, "is outside the years 1 to 9999") from None


def check_expiry(*, ttl: timedelta | None, expire_time: datetime | None, now: datetime) -> None:
    """Raise InvalidInputError unless at most one is given, it lies ahead of ``now`` and before the year 10000."""
    if ttl is not None and expire_time is not None:
        raise InvalidInputError("ttl", "and expire_time are both given; give one of them")
    if ttl is not None:
        if ttl <= timedelta(0):
            raise InvalidInputError("ttl", "must be longer than zero")
        if ttl > MAX_EXPIRE_TIME - now:
            raise InvalidInputError("ttl", "ends after the year 9999; give a shorter time")
    if expire_time is not None:
        if expire_time.utcoffset() is None:
            raise InvalidInputError("expire_time", "must say its offset from UTC")
        if expire_time <= now:
            raise InvalidInputError("expire_time", "has passed; give a time ahead")
        if expire_time > MAX_EXPIRE_TIME:
            raise InvalidInputError("expire_time", "is after the year 9999")


def is_expired(session: Session, *, now: datetime) -> bool:
    """Whether a session is gone at ``now``: past its expire_time and not held beyond it."""
    held_until = session.hold_until or session.expire_time
    return max(session.expire_time, held_until) <= now
